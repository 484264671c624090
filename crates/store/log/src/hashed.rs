//! Names and entries of hashed keyspaces.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use cairn_base::TenantId;

/// The number of the store's own hashed keyspace: hash of a blob → its place.
pub const BLOB_PLACES: u16 = 0;

/// A keyed hash of (keyspace, tenant, key): what stands in the log and in side files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HashedName([u8; HashedName::BYTES]);

impl HashedName {
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Takes over the first 16 bytes.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut name = [0; Self::BYTES];
        name.copy_from_slice(&bytes[..Self::BYTES]);
        HashedName(name)
    }

    /// As lower-case hexadecimal digits, for file names.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Undoes [`HashedName::to_hex`].
    pub fn from_hex(text: &str) -> Option<Self> {
        cairn_base::from_hex(text).map(HashedName)
    }

    /// Eight bytes that tell it from nearly all others, for marking many.
    pub fn mark(&self) -> u64 {
        self.leading()
    }

    /// The leading eight bytes as a number that sorts like the name.
    pub(crate) fn leading(&self) -> u64 {
        u64::from_be_bytes(std::array::from_fn(|at| self.0[at]))
    }

    /// The other eight bytes, as independent of the leading ones as a hash is.
    pub(crate) fn trailing(&self) -> u64 {
        u64::from_be_bytes(std::array::from_fn(|at| self.0[at + 8]))
    }
}

impl Hash for HashedName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.trailing());
    }
}

/// A map by name. Names are keyed hashes already: hashing them again would only cost time.
pub type HashedMap = HashMap<HashedName, HashedEntry, BuildHasherDefault<NameHasher>>;

/// Takes the bytes of a [`HashedName`] as they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// The secret that turns keys into names, so that nobody outside can choose colliding ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HashKey(pub(crate) [u8; 32]);

impl HashKey {
    /// The name of a key.
    pub fn name(&self, keyspace: u16, tenant: TenantId, key: &[u8]) -> HashedName {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        let mut prefix = [0; 6];
        prefix[..2].copy_from_slice(&keyspace.to_le_bytes());
        prefix[2..].copy_from_slice(&tenant.0.to_le_bytes());
        hasher.update(&prefix);
        hasher.update(key);
        HashedName::read(hasher.finalize().as_bytes())
    }
}

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashKey(secret)")
    }
}

/// The value under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedEntry {
    /// When it expires; 0 for never.
    pub expires_at_ms: u64,
    /// The value.
    pub value: Box<[u8]>,
}

impl HashedEntry {
    /// Whether the entry is gone at this time.
    pub fn expired(&self, now_ms: u64) -> bool {
        self.expires_at_ms != 0 && self.expires_at_ms <= now_ms
    }
}
