//! Entries: (scope, index, bytes of a value, concept), and nothing else.
//!
//! Bytes of values are those of [`value_key`](cairn_base::value_key), the first so many of them. None is the
//! beginning of another, so a cut one stands among the others where its value does; only those with the same
//! beginning are in no order among themselves.

use cairn_access::Scope;
use cairn_base::{KeyBuf, NULL_VALUE_KEY, Value, value_key};

use super::{Index, IndexId};
use crate::{ConceptId, GraphError, RecordView, Result, limits};

/// Bytes of tenant, space and index, which every entry begins with.
const FRONT_BYTES: usize = 16;
/// Bytes of the concept at its end.
const CONCEPT_BYTES: usize = 8;

/// What every entry of an index begins with.
pub(super) fn front(scope: &Scope, index: IndexId) -> KeyBuf {
    scope.key().u64(index.0)
}

/// The key of an entry.
pub(crate) fn entry_key(scope: &Scope, index: IndexId, bytes: &[u8], concept: ConceptId) -> Vec<u8> {
    let mut key = front(scope, index).into_vec();
    key.extend_from_slice(bytes);
    key.extend_from_slice(&concept.0.to_be_bytes());
    key
}

/// The value and the concept in the key of an entry.
pub(super) fn parse(key: &[u8]) -> Result<(&[u8], ConceptId)> {
    let rest = key.get(FRONT_BYTES..).and_then(|rest| rest.split_last_chunk::<CONCEPT_BYTES>());
    match rest {
        Some((bytes, concept)) if !bytes.is_empty() => Ok((bytes, ConceptId(u64::from_be_bytes(*concept)))),
        _ => Err(GraphError::BadRecord { what: "entry of an index", detail: "its key is too short".into() }),
    }
}

/// What an entry holds of a value; what is not there is null.
pub(crate) fn value_bytes(value: Option<&Value>) -> Vec<u8> {
    let Some(value) = value else { return NULL_VALUE_KEY.to_vec() };
    let mut bytes = value_key(value).into_vec();
    bytes.truncate(limits::GRAPH_INDEX_VALUE_BYTES_MAX);
    bytes
}

impl Index {
    /// What the entry of a concept holds.
    pub(crate) fn entry_of(&self, record: &RecordView<'_>) -> Result<Vec<u8>> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        Ok(value_bytes(record.value(self.part, &path)?.as_ref()))
    }
}

/// Whether an entry may not hold all of its value.
pub(super) fn is_cut(bytes: &[u8]) -> bool {
    bytes.len() >= limits::GRAPH_INDEX_VALUE_BYTES_MAX
}
