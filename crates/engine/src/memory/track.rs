//! Notes of one transaction, for a cache that must follow the store.

use cairn_base::{Position, TenantId};
use cairn_seam::Keyspace;

/// Notes of one transaction, for the memory that owns the keyspaces it changes.
///
/// The transaction calls in before each change, and its end is told. If nobody knows whether it was committed,
/// nothing is told: a cache must not serve what it may have changed.
pub trait Track: Send {
    /// The closure of the transaction runs once more; its earlier run did not count.
    fn restart(&mut self) {}

    /// A record is about to be set.
    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]);

    /// A record is about to be removed.
    fn delete(&mut self, keyspace: Keyspace, key: &[u8]);

    /// Records of a range are about to be removed; which of them is not known.
    fn delete_range(&mut self, keyspace: Keyspace);

    /// The transaction is durable.
    fn committed(&mut self, tenant: TenantId, at: Position);

    /// Nothing of the transaction was kept, and nothing of it will be.
    fn aborted(&mut self) {}
}
