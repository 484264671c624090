//! Root keys, and how the manifest holds them: wrapped by the user's key.

use cairn_base::Entropy;
use zeroize::Zeroizing;

use super::{Cipher, EncryptionKey, NONCE_BYTES, TAG_BYTES};
use crate::hashed::HashKey;

const KEY_BYTES: usize = 32;
const ROOT: &[u8] = b"cairn root key";
const HASH_KEY: &[u8] = b"cairn hash key";

/// A key under another one: nonce, sealed key, tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wrapped(pub(crate) [u8; Wrapped::BYTES]);

impl Wrapped {
    pub(crate) const BYTES: usize = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

    fn wrap(with: &EncryptionKey, associated: &[u8], key: &[u8; KEY_BYTES], entropy: &dyn Entropy) -> Self {
        let mut nonce = [0; NONCE_BYTES];
        entropy.fill(&mut nonce);
        let mut bytes = [0; Self::BYTES];
        let (head, rest) = bytes.split_at_mut(NONCE_BYTES);
        let (sealed, tag) = rest.split_at_mut(KEY_BYTES);
        head.copy_from_slice(&nonce);
        sealed.copy_from_slice(key);
        tag.copy_from_slice(&Cipher::new(&with.0).seal(nonce, associated, sealed));
        Wrapped(bytes)
    }

    fn unwrap(&self, with: &EncryptionKey, associated: &[u8]) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
        let mut nonce = [0; NONCE_BYTES];
        nonce.copy_from_slice(&self.0[..NONCE_BYTES]);
        let mut rest = Zeroizing::new([0; KEY_BYTES + TAG_BYTES]);
        rest.copy_from_slice(&self.0[NONCE_BYTES..]);
        Cipher::new(&with.0).open_tagged(nonce, associated, &mut *rest).ok()?;
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        key.copy_from_slice(&rest[..KEY_BYTES]);
        Some(key)
    }
}

impl std::fmt::Debug for Wrapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Wrapped")
    }
}

/// A root key in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RootRow {
    /// Files with this number and later ones are sealed with it, until the next root takes over.
    pub(crate) from: u64,
    pub(crate) wrapped: Wrapped,
}

/// What the manifest of a sealed store holds beside that of any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SealedRows {
    pub(crate) hash_key: Wrapped,
    /// Oldest first, never empty.
    pub(crate) roots: Vec<RootRow>,
}

/// A root key at hand.
#[derive(Clone)]
pub(super) struct Root {
    pub(super) from: u64,
    pub(super) key: Zeroizing<[u8; KEY_BYTES]>,
}

impl Root {
    /// A new one for files from this number on.
    pub(super) fn generate(from: u64, entropy: &dyn Entropy) -> Self {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        entropy.fill(&mut *key);
        Root { from, key }
    }
}

/// What the rows hold once the user's key has opened them.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) hash_key: HashKey,
    pub(super) roots: Vec<Root>,
}

impl Opened {
    /// Wraps everything with a key; no two wraps are alike.
    pub(super) fn wrap(&self, with: &EncryptionKey, store: &[u8; 16], entropy: &dyn Entropy) -> SealedRows {
        let hash_key = Wrapped::wrap(with, &of_hash_key(store), &self.hash_key.0, entropy);
        let row = |root: &Root| RootRow {
            from: root.from,
            wrapped: Wrapped::wrap(with, &of_root(store, root.from), &root.key, entropy),
        };
        SealedRows { hash_key, roots: self.roots.iter().map(row).collect() }
    }
}

impl SealedRows {
    /// Opens the rows; `None` when the key does not fit.
    pub(super) fn open(&self, with: &EncryptionKey, store: &[u8; 16]) -> Option<Opened> {
        let hash_key = HashKey(*self.hash_key.unwrap(with, &of_hash_key(store))?);
        let root = |row: &RootRow| {
            Some(Root { from: row.from, key: row.wrapped.unwrap(with, &of_root(store, row.from))? })
        };
        let roots = self.roots.iter().map(root).collect::<Option<_>>()?;
        Some(Opened { hash_key, roots })
    }
}

fn of_root(store: &[u8; 16], from: u64) -> Vec<u8> {
    [ROOT, store, &from.to_le_bytes()].concat()
}

fn of_hash_key(store: &[u8; 16]) -> Vec<u8> {
    [HASH_KEY, &store[..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::SeededEntropy;

    #[test]
    fn rows_open_with_their_key_for_their_store_and_their_number_alone() {
        let entropy = SeededEntropy::new(1);
        let [key, other] = [(); 2].map(|()| EncryptionKey::generate(&entropy));
        let opened = Opened {
            hash_key: HashKey([3; 32]),
            roots: vec![Root::generate(1, &entropy), Root::generate(9, &entropy)],
        };
        let rows = opened.wrap(&key, &[7; 16], &entropy);
        let again = rows.open(&key, &[7; 16]).unwrap();
        assert_eq!(again.hash_key, opened.hash_key);
        assert!(again.roots.iter().zip(&opened.roots).all(|(a, b)| a.key == b.key && a.from == b.from));
        assert!(rows.open(&other, &[7; 16]).is_none());
        assert!(rows.open(&key, &[8; 16]).is_none());
        let mut moved = rows.clone();
        moved.roots[1].from = 8;
        assert!(moved.open(&key, &[7; 16]).is_none());
        let mut swapped = rows.clone();
        swapped.hash_key = rows.roots[0].wrapped;
        assert!(swapped.open(&key, &[7; 16]).is_none());
        assert_ne!(opened.wrap(&key, &[7; 16], &entropy), rows, "every wrap has its own nonce");
    }
}
