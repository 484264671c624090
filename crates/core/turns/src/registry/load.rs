//! The registry out of the store.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{ContentHash, KeyBuf, KeyReader, Value, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, get};

use super::Registry;
use super::bundle::labels;
use super::descriptor::Descriptor;
use super::parse::{Parsing, Wrong};
use super::publish::key_of;
use crate::error::TurnsError;
use crate::intern::{TypeNumber, known_number, type_name};
use crate::tables::{BUNDLE_ORDER, BUNDLES, DESCRIPTORS, ENUMS, REGISTRY};
use crate::turn::DeclaredType;

/// What is known of the registry as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct State {
    pub(super) generation: u64,
    /// Bytes of all records together.
    pub(super) bytes: u64,
    pub(super) last_bundle: Option<String>,
}

impl State {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_varint(&mut out, self.generation);
        put_varint(&mut out, self.bytes);
        out.extend_from_slice(self.last_bundle.as_deref().unwrap_or_default().as_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, TurnsError> {
        let (version, mut rest) = bytes.split_first().ok_or_else(|| bad("it is empty"))?;
        if *version != VERSION {
            return Err(bad("its version is not known here; use a newer cairn"));
        }
        let numbers = take_varint(&mut rest).zip(take_varint(&mut rest));
        let (generation, bytes) = numbers.ok_or_else(|| bad("it ends too early"))?;
        let last = String::from_utf8(rest.to_vec()).map_err(|_| bad("a name is not text"))?;
        Ok(State { generation, bytes, last_bundle: (!last.is_empty()).then_some(last) })
    }
}

const VERSION: u8 = 1;

pub(super) fn bad(detail: &str) -> TurnsError {
    TurnsError::BadRecord { what: "registry", detail: detail.into() }
}

pub(super) fn state<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<State, TurnsError> {
    get(reader, REGISTRY, &scope.key())?.as_deref().map_or_else(|| Ok(State::default()), State::decode)
}

/// The generation out of the record of the registry.
pub(crate) fn generation_from(stored: Option<&[u8]>) -> Result<u64, TurnsError> {
    stored.map_or(Ok(0), |bytes| State::decode(bytes).map(|state| state.generation))
}

/// Counts the bundles that were taken: as long as it is the same, so is the registry.
pub fn generation<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<u64, TurnsError> {
    Ok(state(reader, scope)?.generation)
}

/// Everything that was published.
pub fn load<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Registry, TurnsError> {
    let State { generation, last_bundle, .. } = state(reader, scope)?;
    let mut registry = Registry { last_bundle, generation, ..Registry::default() };
    let mut rows = Vec::new();
    reader.multi_scan(DESCRIPTORS, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Visit::Continue
    })?;
    for (key, value) in rows {
        let mut parts = KeyReader::new(&key);
        let numbers =
            parts.tenant().and_then(|_| parts.space()).and_then(|_| Ok((parts.u32()?, parts.u32()?)));
        let (number, version) = numbers.map_err(|error| bad(&error.to_string()))?;
        let id = type_name(reader, scope, TypeNumber(number))?;
        let descriptor =
            Descriptor::parse(&Parsing::top(), &value_of(&value)?).map_err(|wrong| stored(&wrong))?;
        registry.types.entry(id).or_default().insert(version, descriptor);
    }
    let mut rows = Vec::new();
    reader.multi_scan(ENUMS, &[KeyRange::prefix(&scope.key())], &mut |_, _, value| {
        rows.push(value.to_vec());
        Visit::Continue
    })?;
    for row in rows {
        let value = value_of(&row)?;
        let entry = value.as_object().and_then(|entries| entries.first_key_value());
        let (id, value) = entry.ok_or_else(|| bad("an enum has no name"))?;
        let labels = labels(&Parsing::top(), value).map_err(|wrong| stored(&wrong))?;
        registry.enums.insert(id.clone(), labels);
    }
    Ok(registry)
}

/// Whether a version of a type is known, published or built in.
pub fn is_published<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    declared: &DeclaredType,
) -> Result<bool, TurnsError> {
    let Some(number) = known_number(reader, scope, &declared.id)? else {
        return Ok(is_built_in(declared));
    };
    if get(reader, DESCRIPTORS, &descriptor_key(scope, number, declared.version))?.is_some() {
        return Ok(true);
    }
    is_built_in_still(reader, scope, declared, number)
}

/// The key in [`DESCRIPTORS`] of a version of a type.
pub(crate) fn descriptor_key(scope: &Scope, number: TypeNumber, version: u32) -> KeyBuf {
    scope.key().u32(number.0).u32(version)
}

/// Whether a version of a type is built in.
pub(crate) fn is_built_in(declared: &DeclaredType) -> bool {
    Registry::default().descriptor(&declared.id, declared.version).is_some()
}

/// Whether a version of a type that is not published is built in.
pub(crate) fn is_built_in_still<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    declared: &DeclaredType,
    number: TypeNumber,
) -> Result<bool, TurnsError> {
    if !is_built_in(declared) {
        return Ok(false);
    }
    let key = scope.key().u32(number.0);
    // A type that somebody published is no longer the built-in one.
    let mut has_versions = false;
    reader.multi_scan(DESCRIPTORS, &[KeyRange::prefix(&key).limit(1)], &mut |_, _, _| {
        has_versions = true;
        Visit::Stop
    })?;
    Ok(!has_versions)
}

fn value_of(bytes: &[u8]) -> Result<Value, TurnsError> {
    Value::parse_json(bytes).map_err(|error| bad(&error.to_string()))
}

fn stored(wrong: &Wrong) -> TurnsError {
    bad(&format!("{} {}", wrong.at, wrong.problem))
}

/// The bytes of a bundle as they were sent, a blob.
pub fn bundle_blob<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: &str,
) -> Result<Option<ContentHash>, TurnsError> {
    let stored = get(reader, BUNDLES, &key_of(scope, id))?;
    stored.as_deref().map(super::publish::bundle_of_record).transpose()
}

/// The next bundle in the order in which they were taken: its place, and its bytes, a blob.
pub fn bundle_after<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    place: u64,
) -> Result<Option<(u64, ContentHash)>, TurnsError> {
    let low = Bound::Excluded(scope.key().u64(place).into_vec());
    let range = KeyRange::new(low, KeyRange::prefix(&scope.key()).high).limit(1);
    let mut found = Ok(None);
    reader.multi_scan(BUNDLE_ORDER, &[range], &mut |_, key, value| {
        let place = key.last_chunk().map(|place| u64::from_be_bytes(*place));
        let place = place.ok_or_else(|| bad("a bundle has no place"));
        found = place.and_then(|place| Ok(Some((place, super::publish::bundle_of_record(value)?))));
        Visit::Stop
    })?;
    found
}
