//! Reads at one position.

use cairn_base::{ContentHash, Position, TenantId};

use crate::{HashedKeyspace, KeyRange, Keyspace, StoreError, Visit};

/// One key of a [`Reader::multi_read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read<'a> {
    /// A key of an ordered keyspace.
    Key(Keyspace, &'a [u8]),
    /// A key of a tenant's hashed keyspace.
    Hashed(HashedKeyspace, TenantId, &'a [u8]),
}

impl Read<'_> {
    /// The name of its keyspace.
    pub fn keyspace_name(&self) -> &'static str {
        match self {
            Read::Key(keyspace, _) => keyspace.name,
            Read::Hashed(keyspace, ..) => keyspace.name,
        }
    }
}

/// Reads shared by snapshots and transactions.
///
/// Visitors get bytes that are valid only inside the call, and must not call the store.
pub trait Reader {
    /// Looks up many keys; the visitor gets each key's place in `keys`, in that order.
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError>;

    /// Looks up keys of several keyspaces in one round; the visitor gets each key's place in `reads`, in
    /// that order.
    ///
    /// The same as looking up each of them. A store for which a call is a round trip does better.
    fn multi_read(
        &self,
        reads: &[Read<'_>],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        for (at, read) in reads.iter().enumerate() {
            let mut visit = |_: usize, value: Option<&[u8]>| visit(at, value);
            match *read {
                Read::Key(keyspace, key) => self.multi_get(keyspace, &[key], &mut visit)?,
                Read::Hashed(keyspace, tenant, key) => {
                    self.hashed_get(keyspace, tenant, &[key], &mut visit)?;
                }
            }
        }
        Ok(())
    }

    /// Walks many ranges, one after the other; the visitor gets the range's place in `ranges`.
    #[expect(clippy::type_complexity, reason = "the visitor is plainest where it is asked for")]
    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError>;

    /// Looks up many keys of a hashed keyspace. Expired entries are absent.
    ///
    /// Hashed keyspaces keep no versions: the newest committed entry is read, also when it is newer
    /// than the snapshot.
    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError>;

    /// Reads many blobs of a tenant, each verified against its hash.
    ///
    /// Fails with [`StoreError::BlobTooLarge`] on one that does not fit into a commit: that is read in
    /// pieces, through [`Store::open_blob`](crate::Store::open_blob). Fails with
    /// [`StoreError::BlobGone`] on one that was swept.
    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError>;
}

/// An ordered view of the store at one position.
///
/// Short-lived: after `limits::SNAPSHOT_AGE_MAX` every read answers [`StoreError::SnapshotTooOld`],
/// so that old versions can go. Long readers page.
pub trait Snapshot: Reader + Send + Sync {
    /// Where in the history this view stands.
    fn position(&self) -> Position;
}

/// Looks up one key and copies its value.
pub fn get<R: Reader + ?Sized>(
    reader: &R,
    keyspace: Keyspace,
    key: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut found = None;
    reader.multi_get(keyspace, &[key], &mut |_, value| found = value.map(<[u8]>::to_vec))?;
    Ok(found)
}

/// Looks up keys of several keyspaces in one round and copies their values, in the order of `reads`.
pub fn read_all<R: Reader + ?Sized>(
    reader: &R,
    reads: &[Read<'_>],
) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    let mut found = Vec::with_capacity(reads.len());
    if !reads.is_empty() {
        reader.multi_read(reads, &mut |_, value| found.push(value.map(<[u8]>::to_vec)))?;
    }
    Ok(found)
}
