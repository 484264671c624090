//! Seals of files outside of the store, which are made from what is in it.
//!
//! They have no numbers that the manifest gives. So each says itself which root it was sealed with, and
//! has a long random salt.

use std::sync::Arc;

use cairn_seam::{BlockPlace, DerivedSeal, FileSeal, NotAsSealed, SealStamp};
use zeroize::{Zeroize, Zeroizing};

use super::root::Root;
use super::{Cipher, NONCE_BYTES, Sealer, counted};

// The names of the contexts are part of the format.
const KEY: &str = "cairn format 1, blocks of a derived file";
const NAME_OF_ROOT: &str = "cairn format 1, name of a root key";

/// Seals the derived files of one use.
#[derive(Debug)]
pub struct DerivedSealer {
    sealer: Arc<Sealer>,
    /// Which use: a short name, never that of another one followed by a slash and more.
    name: Box<str>,
}

impl DerivedSealer {
    /// For files of the use with this name.
    pub fn new(sealer: Arc<Sealer>, name: &str) -> Self {
        DerivedSealer { sealer, name: name.into() }
    }

    fn seal_with(&self, root: &Root, name: &[u8], salt: &[u8; 16]) -> Box<dyn FileSeal> {
        let material = [&salt[..], self.name.as_bytes(), b"/", name];
        Box::new(DerivedFile(Cipher::new(&derive(KEY, root, &material))))
    }
}

impl DerivedSeal for DerivedSealer {
    fn new_file(&self, name: &[u8]) -> (SealStamp, Box<dyn FileSeal>) {
        let salt = self.sealer.new_long_salt();
        self.sealer.with_roots(|roots| {
            let root = roots.last().expect("a sealed store has a root");
            (SealStamp { key: name_of(root), salt }, self.seal_with(root, name, &salt))
        })
    }

    fn of_file(&self, name: &[u8], stamp: &SealStamp) -> Option<Box<dyn FileSeal>> {
        self.sealer.with_roots(|roots| {
            // The newest first: few files are older.
            let root = roots.iter().rev().find(|root| name_of(root) == stamp.key)?;
            Some(self.seal_with(root, name, &stamp.salt))
        })
    }
}

/// What can be said about a root in the open: the root does not follow from it.
fn name_of(root: &Root) -> [u8; 16] {
    let mut name = [0; 16];
    name.copy_from_slice(&derive(NAME_OF_ROOT, root, &[])[..16]);
    name
}

fn derive(context: &str, root: &Root, material: &[&[u8]]) -> Zeroizing<[u8; 32]> {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    hasher.update(&*root.key);
    for part in material {
        hasher.update(part);
    }
    let derived = Zeroizing::new(*hasher.finalize().as_bytes());
    hasher.zeroize();
    derived
}

/// The seal of one file.
#[derive(Debug)]
struct DerivedFile(Cipher);

impl FileSeal for DerivedFile {
    fn seal(&self, place: BlockPlace, block: &mut Vec<u8>) {
        let tag = self.0.seal(nonce(place), &[], block);
        block.extend_from_slice(&tag);
    }

    fn open(&self, place: BlockPlace, sealed: &mut [u8]) -> Result<usize, NotAsSealed> {
        self.0.open_tagged(nonce(place), &[], sealed).map_err(|_| NotAsSealed)
    }
}

/// The whole place is in the nonce: nothing else needs to be bound to a block.
fn nonce(place: BlockPlace) -> [u8; NONCE_BYTES] {
    let mut nonce = counted(place.number);
    nonce[8] = u8::from(place.is_last);
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashed::HashKey;
    use crate::seal::root::Opened;
    use crate::seal::{EncryptionKey, TAG_BYTES};
    use cairn_base::SeededEntropy;
    use cairn_seam::DERIVED_TAG_BYTES;

    const FIRST: BlockPlace = BlockPlace { number: 0, is_last: false };

    fn sealer(seed: u64) -> Arc<Sealer> {
        let entropy = SeededEntropy::new(seed);
        let roots = vec![Root::generate(1, &entropy)];
        Arc::new(Sealer::new(Opened { hash_key: HashKey([0; 32]), roots }, Arc::new(entropy)))
    }

    fn sealed(seal: &dyn FileSeal, plain: &[u8]) -> Vec<u8> {
        let mut block = plain.to_vec();
        seal.seal(FIRST, &mut block);
        block
    }

    fn opened(seal: &dyn FileSeal, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut block = sealed.to_vec();
        let content_bytes = seal.open(FIRST, &mut block).ok()?;
        block.truncate(content_bytes);
        Some(block)
    }

    #[test]
    fn a_file_opens_under_its_use_name_and_salt_alone() {
        let sealer = sealer(1);
        let search = DerivedSealer::new(Arc::clone(&sealer), "search");
        let (stamp, seal) = search.new_file(b"meta");
        let block = sealed(&*seal, b"content");
        assert_eq!(block.len(), b"content".len() + DERIVED_TAG_BYTES);
        assert_eq!(DERIVED_TAG_BYTES, TAG_BYTES);
        let try_with = |derived: &DerivedSealer, name: &[u8], stamp: &SealStamp| {
            derived.of_file(name, stamp).and_then(|seal| opened(&*seal, &block))
        };
        assert_eq!(try_with(&search, b"meta", &stamp).unwrap(), b"content");
        assert_eq!(try_with(&search, b"metb", &stamp), None);
        assert_eq!(try_with(&DerivedSealer::new(sealer, "vector"), b"meta", &stamp), None);
        let mut salted = stamp;
        salted.salt[15] ^= 1;
        assert_eq!(try_with(&search, b"meta", &salted), None);
        let (again, other) = search.new_file(b"meta");
        assert_eq!(again.key, stamp.key);
        assert_ne!(again.salt, stamp.salt);
        assert_ne!(sealed(&*other, b"content"), block);
    }

    #[test]
    fn after_a_change_of_the_key_new_files_have_the_new_root_and_old_ones_open() {
        let sealer = sealer(1);
        let search = DerivedSealer::new(Arc::clone(&sealer), "search");
        let (before, seal) = search.new_file(b"a");
        let block = sealed(&*seal, b"content");
        let new = EncryptionKey::generate(&SeededEntropy::new(2));
        let (renewed, _) = sealer.renewed(9, &new, &[7; 16]);
        sealer.adopt(renewed);
        let (after, _) = search.new_file(b"a");
        assert_ne!(after.key, before.key);
        let seal = search.of_file(b"a", &before).unwrap();
        assert_eq!(opened(&*seal, &block).unwrap(), b"content");
    }

    #[test]
    fn a_root_of_another_store_is_known_to_be_another() {
        let [mine, other] = [1, 2].map(|seed| DerivedSealer::new(self::sealer(seed), "search"));
        let (stamp, _) = other.new_file(b"a");
        assert!(mine.of_file(b"a", &stamp).is_none());
        let (mut stamp, _) = mine.new_file(b"a");
        stamp.key[0] ^= 1;
        assert!(mine.of_file(b"a", &stamp).is_none());
    }
}
