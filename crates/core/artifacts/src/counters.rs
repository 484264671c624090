//! How often artifacts were read and downloaded.

use cairn_access::Scope;
use cairn_base::{put_varint, take_varint};
use cairn_seam::{Reader, WriteTx, get};

use crate::tables::{ARTIFACTS, USAGE};
use crate::{ArtifactError, ArtifactId};

/// Usage of one artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Times its metadata were read.
    pub reads: u64,
    /// Times its content was read.
    pub downloads: u64,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Usage) -> Self {
        Usage {
            reads: self.reads.saturating_add(other.reads),
            downloads: self.downloads.saturating_add(other.downloads),
        }
    }

    fn decode(mut value: &[u8]) -> Option<Self> {
        Some(Usage { reads: take_varint(&mut value)?, downloads: take_varint(&mut value)? })
    }
}

/// Usage of artifacts, in the order of `wanted`.
pub fn usage<R: Reader + ?Sized>(
    reader: &R,
    wanted: &[(Scope, ArtifactId)],
) -> Result<Vec<Usage>, ArtifactError> {
    let keys: Vec<_> = wanted.iter().map(|(scope, id)| scope.key().fixed(id.as_bytes())).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    reader.multi_get(USAGE, &keys, &mut |_, value| {
        found.push(value.and_then(Usage::decode).unwrap_or_default());
    })?;
    Ok(found)
}

/// Adds to the usage of artifacts of a tenant; those that are not stored are left out.
pub fn add_usage(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    added: &[(ArtifactId, Usage)],
) -> Result<(), ArtifactError> {
    for (id, more) in added {
        let key = scope.key().fixed(id.as_bytes());
        if get(tx, ARTIFACTS, &key)?.is_none() {
            continue;
        }
        let before = get(tx, USAGE, &key)?.and_then(|value| Usage::decode(&value)).unwrap_or_default();
        let sum = before.plus(*more);
        let mut value = Vec::new();
        put_varint(&mut value, sum.reads);
        put_varint(&mut value, sum.downloads);
        tx.put(USAGE, &key, &value)?;
    }
    Ok(())
}
