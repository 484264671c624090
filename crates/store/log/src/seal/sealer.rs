//! Keys of files, derived from the roots.

use std::collections::HashMap;
use std::sync::Arc;

use cairn_base::{Entropy, TenantId};
use parking_lot::RwLock;
use zeroize::{Zeroize, Zeroizing};

use super::root::{Opened, Root, SealedRows};
use super::{Cipher, EncryptionKey, NONCE_BYTES};

/// Ciphers of frames kept at hand: a few tenants in a few segments.
const FRAME_CIPHERS_MAX: usize = 256;

/// What is sealed. The names of the contexts are part of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Frames of a segment.
    Segment,
    /// Pages of a side file.
    Side,
    /// Blocks of an image.
    Image,
    /// Pages of the index.
    Index,
    /// Chunks of a blob with a file of its own.
    Blob,
}

impl FileKind {
    fn context(self) -> &'static str {
        match self {
            FileKind::Segment => "cairn format 1, frames of a segment",
            FileKind::Side => "cairn format 1, pages of a side file",
            FileKind::Image => "cairn format 1, blocks of an image",
            FileKind::Index => "cairn format 1, pages of the index",
            FileKind::Blob => "cairn format 1, chunks of a blob",
        }
    }
}

/// Which frames a cipher is for: segment, salt, tenant.
type FrameKey = (u64, u64, TenantId);

/// Makes the ciphers of a sealed store.
pub struct Sealer {
    /// What the user's key opened: roots, oldest first, never none.
    opened: RwLock<Opened>,
    entropy: Arc<dyn Entropy>,
    frames: RwLock<HashMap<FrameKey, Arc<Cipher>>>,
}

impl Sealer {
    pub(super) fn new(opened: Opened, entropy: Arc<dyn Entropy>) -> Self {
        Sealer { opened: RwLock::new(opened), entropy, frames: RwLock::default() }
    }

    /// A salt for a new file. Numbers of files that a crash left unlisted are given again; with a salt
    /// of its own no two files have one key all the same.
    pub fn new_salt(&self) -> u64 {
        self.entropy.next_u64()
    }

    /// A nonce for something that has no number of its own.
    pub fn new_nonce(&self) -> [u8; NONCE_BYTES] {
        let mut nonce = [0; NONCE_BYTES];
        self.entropy.fill(&mut nonce);
        nonce
    }

    /// A salt for a file that has no number: long enough that no two are alike by chance.
    pub(super) fn new_long_salt(&self) -> [u8; 16] {
        let mut salt = [0; 16];
        self.entropy.fill(&mut salt);
        salt
    }

    /// The cipher of a file.
    pub fn of_file(&self, kind: FileKind, number: u64, salt: u64) -> Cipher {
        self.with_root_of(number, |root| derive(root, kind, number, salt, TenantId::NODE))
    }

    /// The cipher of a tenant's frames in a segment.
    pub fn of_frames(&self, segment: u64, salt: u64, tenant: TenantId) -> Arc<Cipher> {
        let key = (segment, salt, tenant);
        if let Some(cipher) = self.frames.read().get(&key) {
            return Arc::clone(cipher);
        }
        let made = |root: &Root| derive(root, FileKind::Segment, segment, salt, tenant);
        let cipher = Arc::new(self.with_root_of(segment, made));
        let mut frames = self.frames.write();
        if frames.len() >= FRAME_CIPHERS_MAX {
            frames.clear();
        }
        frames.insert(key, Arc::clone(&cipher));
        cipher
    }

    /// Which root seals from now on, counted from 1. For the index, a file without a number: each of its
    /// pages says by this count what it was sealed with.
    pub fn newest_root(&self) -> u32 {
        u32::try_from(self.opened.read().roots.len()).unwrap_or(u32::MAX)
    }

    /// The cipher of a group of index pages under a root; `None` when there is no such root.
    pub fn of_index_group(&self, root: u32, group: u64) -> Option<Cipher> {
        let opened = self.opened.read();
        let root = opened.roots.get(usize::try_from(root).ok()?.checked_sub(1)?)?;
        Some(derive(root, FileKind::Index, group, 0, TenantId::NODE))
    }

    pub(super) fn with_roots<T>(&self, run: impl FnOnce(&[Root]) -> T) -> T {
        run(&self.opened.read().roots)
    }

    fn with_root_of<T>(&self, number: u64, run: impl FnOnce(&Root) -> T) -> T {
        let opened = self.opened.read();
        let behind = opened.roots.partition_point(|root| root.from <= number);
        run(&opened.roots[behind.saturating_sub(1)])
    }

    /// Everything under another key, and a new root for files from this number on.
    pub(super) fn renewed(&self, from: u64, new: &EncryptionKey, store: &[u8; 16]) -> (Opened, SealedRows) {
        let mut opened = self.opened.read().clone();
        opened.roots.push(Root::generate(from, &*self.entropy));
        let rows = opened.wrap(new, store, &*self.entropy);
        (opened, rows)
    }

    /// Goes on with what a manifest on disk holds by now.
    pub(super) fn adopt(&self, opened: Opened) {
        *self.opened.write() = opened;
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealer").field("roots", &self.newest_root()).finish_non_exhaustive()
    }
}

fn derive(root: &Root, kind: FileKind, number: u64, salt: u64, tenant: TenantId) -> Cipher {
    let mut hasher = blake3::Hasher::new_derive_key(kind.context());
    hasher.update(&*root.key);
    hasher.update(&number.to_le_bytes());
    hasher.update(&salt.to_le_bytes());
    hasher.update(&tenant.0.to_le_bytes());
    let key = Zeroizing::new(*hasher.finalize().as_bytes());
    hasher.zeroize();
    Cipher::new(&key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashed::HashKey;
    use crate::seal::counted;
    use cairn_base::SeededEntropy;

    fn sealer() -> Sealer {
        let entropy = SeededEntropy::new(1);
        let roots = vec![Root::generate(1, &entropy), Root::generate(10, &entropy)];
        Sealer::new(Opened { hash_key: HashKey([0; 32]), roots }, Arc::new(entropy))
    }

    fn tag(cipher: &Cipher) -> [u8; 16] {
        cipher.seal(counted(0), b"", &mut [])
    }

    #[test]
    fn every_use_file_salt_tenant_and_root_has_a_key_of_its_own() {
        let sealer = sealer();
        let mut tags = Vec::new();
        for kind in [FileKind::Segment, FileKind::Side, FileKind::Image, FileKind::Index] {
            for (number, salt) in [(1, 1), (2, 1), (1, 2), (10, 1)] {
                tags.push(tag(&sealer.of_file(kind, number, salt)));
            }
        }
        tags.push(tag(&sealer.of_frames(1, 1, TenantId(5))));
        tags.push(tag(&sealer.of_index_group(1, 3).unwrap()));
        tags.push(tag(&sealer.of_index_group(2, 3).unwrap()));
        let count = tags.len();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), count);
        assert!(sealer.of_index_group(0, 3).is_none() && sealer.of_index_group(3, 3).is_none());
    }

    #[test]
    fn a_file_finds_its_root_by_its_number() {
        let sealer = sealer();
        for (number, root) in [(1, 0), (9, 0), (10, 1), (11, 1)] {
            let expected = sealer.opened.read().roots[root].key.clone();
            sealer.with_root_of(number, |found| assert_eq!(found.key, expected, "file {number}"));
        }
    }

    #[test]
    fn ciphers_of_frames_are_kept_and_stay_right_when_they_are_many() {
        let sealer = sealer();
        for segment in 0..3 * FRAME_CIPHERS_MAX as u64 {
            let first = sealer.of_frames(segment, 7, TenantId(1));
            assert!(Arc::ptr_eq(&first, &sealer.of_frames(segment, 7, TenantId(1))));
            assert_ne!(tag(&first), tag(&sealer.of_frames(segment, 8, TenantId(1))));
        }
        assert!(sealer.frames.read().len() <= FRAME_CIPHERS_MAX);
    }
}
