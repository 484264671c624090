//! How far an import is, noted in the transactions that bring it there.
//!
//! ```text
//! record   version 1 | bytes of the input that are imported, varint | BLAKE3 hash of these bytes, 32 bytes
//! ```

use cairn_access::Scope;
use cairn_base::{KeyBuf, put_varint, take_varint};
use cairn_seam::{Reader, WriteTx, get};

use crate::EngineError;
use crate::kip::memory::KIP_IMPORTS;

const VERSION: u8 = 1;
const WHAT: &str = "note of an import";

/// So much of its beginning tells an input from others.
pub(super) const HEAD_BYTES: usize = 64 << 10;

/// What an import is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ImportKey([u8; 16]);

impl ImportKey {
    /// By the name it was given or, without one, by how the input begins.
    pub(super) fn of(name: Option<&str>, head: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        match name {
            Some(name) => hasher.update(b"name\0").update(name.as_bytes()),
            None => hasher.update(b"head\0").update(&head[..head.len().min(HEAD_BYTES)]),
        };
        ImportKey(*hasher.finalize().as_bytes().first_chunk().expect("32 bytes have 16"))
    }

    fn row(&self, scope: &Scope) -> KeyBuf {
        scope.key().fixed(&self.0)
    }
}

/// What is imported of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// So many bytes of its beginning.
    pub(super) bytes: u64,
    /// Their hash.
    pub(super) digest: [u8; 32],
}

impl Mark {
    fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_varint(&mut out, self.bytes);
        out.extend_from_slice(&self.digest);
        out
    }

    fn decode(record: &[u8]) -> Result<Self, EngineError> {
        let bad = |detail: &str| EngineError::BadRecord { what: WHAT, detail: detail.into() };
        let (version, mut rest) = record.split_first().ok_or_else(|| bad("it is empty"))?;
        if *version != VERSION {
            return Err(EngineError::NewerRecord { what: WHAT, found: *version, known: VERSION });
        }
        let bytes = take_varint(&mut rest).ok_or_else(|| bad("it ends too early"))?;
        let digest = rest.try_into().map_err(|_| bad("its hash has another length"))?;
        Ok(Mark { bytes, digest })
    }
}

/// What is noted.
pub(super) fn read(reader: &dyn Reader, scope: &Scope, key: &ImportKey) -> Result<Option<Mark>, EngineError> {
    get(reader, KIP_IMPORTS, &key.row(scope))?.as_deref().map(Mark::decode).transpose()
}

/// Notes that an import went on from one place to another; nothing is noted of one that is done.
///
/// Fails if it is somewhere else: then another run is under way, or the transaction before this one failed.
pub(super) fn go_on(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    key: &ImportKey,
    before: Option<Mark>,
    next: Option<Mark>,
) -> Result<(), EngineError> {
    if read(&*tx, scope, key)? != before {
        return Err(EngineError::ImportMoved);
    }
    match next {
        Some(next) => tx.put(KIP_IMPORTS, &key.row(scope), &next.encode())?,
        None if before.is_some() => tx.delete(KIP_IMPORTS, &key.row(scope))?,
        None => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_beginnings_are_told_apart() {
        let long = vec![b'x'; HEAD_BYTES];
        let longer = vec![b'x'; HEAD_BYTES + 1];
        assert_eq!(ImportKey::of(None, &long), ImportKey::of(None, &longer));
        assert_ne!(ImportKey::of(None, b"a"), ImportKey::of(None, b"b"));
        assert_ne!(ImportKey::of(Some("a"), b""), ImportKey::of(None, b"a"));
        assert_eq!(ImportKey::of(Some("a"), b"1"), ImportKey::of(Some("a"), b"2"));
    }

    proptest! {
        #[test]
        fn marks_come_back_and_no_cut_decodes(bytes: u64, digest: [u8; 32], noise: Vec<u8>) {
            let mark = Mark { bytes, digest };
            let encoded = mark.encode();
            prop_assert_eq!(Mark::decode(&encoded).unwrap(), mark);
            for cut in 0..encoded.len() {
                prop_assert!(Mark::decode(&encoded[..cut]).is_err());
            }
            prop_assert!(Mark::decode(&[&encoded[..], &[0]].concat()).is_err());
            let _ = Mark::decode(&noise);
        }
    }
}
