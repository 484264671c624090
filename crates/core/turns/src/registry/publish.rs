//! Taking a bundle into the store.

use cairn_access::Scope;
use cairn_base::{ContentHash, KeyBuf, Value};
use cairn_seam::{Blob, WriteTx, get};

use super::bundle::{Bundle, labels_to_value};
use super::evolve::grow;
use super::load::{bad, bundle_blob, load, state};
use crate::context::emit;
use crate::error::TurnsError;
use crate::intern::intern;
use crate::limits;
use crate::tables::{BUNDLE_ORDER, BUNDLE_PUBLISHED, BUNDLES, DESCRIPTORS, ENUMS, REGISTRY};

/// What publishing came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// It is new.
    New,
    /// The same one is there already.
    Known,
}

/// Takes a bundle, whole or not at all. `blob` has its bytes as they were sent.
pub fn publish(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    bundle: &Bundle,
    blob: &Blob,
) -> Result<Published, TurnsError> {
    match bundle_blob(tx, scope, &bundle.id)? {
        Some(known) if known == blob.hash() => return Ok(Published::Known),
        Some(_) => return Err(TurnsError::BundleDiffers(bundle.id.clone())),
        None => {}
    }
    let growth = grow(&load(tx, scope)?, bundle)?;
    let mut state = state(tx, scope)?;
    state.generation += 1;
    state.last_bundle = Some(bundle.id.clone());
    for (id, versions) in &growth.types {
        let number = intern(tx, scope, id)?;
        for (version, descriptor) in versions {
            let at = || format!("types.{id}.versions.{version}");
            let key = scope.key().u32(number.0).u32(*version);
            state.bytes += put(tx, DESCRIPTORS, &key, &descriptor.to_value(), &at)?;
        }
    }
    for (id, labels) in &growth.enums {
        let entry = Value::Object([(id.clone(), labels_to_value(labels))].into());
        state.bytes += put(tx, ENUMS, &key_of(scope, id), &entry, &|| format!("enums.{id}"))?;
    }
    if state.bytes > limits::REGISTRY_BYTES_MAX {
        return Err(TurnsError::RegistryFull);
    }
    tx.put_blob(blob)?;
    let mut record = blob.hash().as_bytes().to_vec();
    record.extend_from_slice(bundle.id.as_bytes());
    tx.put(BUNDLES, &key_of(scope, &bundle.id), &record)?;
    tx.put(BUNDLE_ORDER, &scope.key().u64(state.generation), &record)?;
    tx.put(REGISTRY, &scope.key(), &state.encode())?;
    emit(tx, BUNDLE_PUBLISHED, state.generation)?;
    Ok(Published::New)
}

/// Puts a record, and says how many bytes the registry grows by.
fn put(
    tx: &mut dyn WriteTx,
    keyspace: cairn_seam::Keyspace,
    key: &[u8],
    value: &Value,
    at: &dyn Fn() -> String,
) -> Result<u64, TurnsError> {
    let json = value.to_json();
    if json.len() > cairn_seam::limits::VALUE_BYTES_MAX {
        return Err(TurnsError::DescriptionTooLarge { at: at(), bytes: json.len() });
    }
    let before = get(tx, keyspace, key)?.map_or(0, |value| value.len());
    tx.put(keyspace, key, json.as_bytes())?;
    Ok(json.len().saturating_sub(before) as u64)
}

/// Names of bundles and enums come from outside: keys hold hashes of them.
pub(super) fn key_of(scope: &Scope, name: &str) -> KeyBuf {
    let hash = blake3::hash(name.as_bytes());
    scope.key().fixed(hash.as_bytes().first_chunk::<16>().expect("32 bytes have 16"))
}

/// The blob that a record of [`BUNDLES`](crate::tables::BUNDLES) refers to.
pub fn bundle_of_record(record: &[u8]) -> Result<ContentHash, TurnsError> {
    let hash = record.first_chunk::<32>().ok_or_else(|| bad("a bundle has no hash"))?;
    Ok(ContentHash::from_bytes(*hash))
}
