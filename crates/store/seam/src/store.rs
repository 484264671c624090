//! The store itself.

use cairn_base::{ContentHash, Position, TenantId};

use crate::{
    BlobReader, ChangePage, Compaction, Health, LocalStore, MaintenanceReport, OnStage, References, Snapshot,
    StoreError, StoreStats, TxBody, TxDone, UpkeepReport, Upload, WriteClass,
};

/// An ordered, transactional, durable store.
///
/// What every store promises beyond the single calls, and the contract tests check:
/// - transactions that one thread submits land in the order in which it submitted them;
/// - what was acknowledged is durable, and every later snapshot sees it;
/// - a reader never sees half a transaction;
/// - readers hold up no writer: no lock is held while a visitor runs, however slow it is.
pub trait Store: Send + Sync {
    /// A view that holds at least everything up to `at_least`.
    ///
    /// Fails with [`StoreError::PositionAhead`] when this store never handed out that position.
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError>;

    /// Queues a transaction. `done` is called once, from a thread of the store or from the calling one:
    /// it must not block.
    ///
    /// Transactions submitted by one thread land in that order, and each sees what those before it
    /// did. A full queue answers [`StoreError::Overloaded`] at once instead of growing.
    ///
    /// While the disk is nearly full a transaction is taken or refused by its class: ordinary ones fail with
    /// [`StoreError::StorageFull`], others are taken up to the limits of [`WriteClass`], also when they are
    /// queued together.
    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone);

    /// Runs a transaction and returns when it is durable. May run it on the calling thread.
    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError>;

    /// Queues an ordinary transaction.
    fn submit(&self, tenant: TenantId, body: TxBody, done: TxDone) {
        self.submit_as(tenant, WriteClass::Ordinary, body, done);
    }

    /// Runs an ordinary transaction.
    fn write(&self, tenant: TenantId, body: TxBody) -> Result<Position, StoreError> {
        self.write_as(tenant, WriteClass::Ordinary, body)
    }

    /// Starts an upload of a blob of up to `limits::BLOB_BYTES_MAX` bytes, outside of any transaction:
    /// however long it takes, nobody waits for it.
    fn upload(&self, tenant: TenantId) -> Result<Box<dyn Upload>, StoreError>;

    /// Opens a blob of any size for reading in pieces.
    fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError>;

    /// Opens a blob that a record names.
    ///
    /// A blob that cannot be found is damage then, and not absence: the store looks through its primary
    /// data before it says so. Fails with [`StoreError::BlobLost`] when the blob is nowhere, and with
    /// [`StoreError::BlobGone`] when it was swept.
    fn open_named_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Box<dyn BlobReader>, StoreError> {
        self.open_blob(tenant, hash)?.ok_or(StoreError::BlobLost { hash: *hash })
    }

    /// Events after a position, of one tenant or of all, at most `limit` transactions with events and
    /// never more than `limits::CHANGES_PAGE_MAX`.
    ///
    /// Fails with [`StoreError::TooOld`] before the horizon: start again from a snapshot. Fails with
    /// [`StoreError::PositionAhead`] beyond what the store has reached: the position is another store's.
    fn changes(
        &self,
        after: Position,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError>;

    /// The newest position that reads see.
    fn position(&self) -> Position;

    /// Whether reads and writes are served, and if not, why.
    fn health(&self) -> Health;

    /// Statistics for people and dashboards.
    fn stats(&self) -> StoreStats;

    /// One step of background work that nobody waits for; the engine calls it about once a second.
    fn upkeep(&self) -> Result<UpkeepReport, StoreError> {
        Ok(UpkeepReport::default())
    }

    /// Removes blobs that nothing refers to and that were not uploaded within `limits::BLOB_GRACE`, gives
    /// back the space of what is dead, and thins history out as `what` says. Reads and writes go on.
    ///
    /// Fails with [`StoreError::Unsupported`] when this store has no history that could be thinned out.
    fn compact(
        &self,
        what: &Compaction,
        references: &dyn References,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError>;

    /// What only a store in a local directory has; `None` for every other store.
    fn local(&self) -> Option<&dyn LocalStore> {
        None
    }

    /// Stops accepting writes, finishes what is queued and makes the next opening quick. Later writes
    /// answer [`StoreError::Closed`]; closing twice is fine.
    fn close(&self) -> Result<(), StoreError>;
}
