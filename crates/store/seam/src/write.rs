//! Transactions as closures.

use std::sync::Arc;

use cairn_base::{ContentHash, Position, TenantId};
use parking_lot::Mutex;

use crate::{Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, Store, StoreError, WriteClass};

/// A transaction in the making. Reads see the transaction's own writes.
///
/// - Keys start with the transaction's tenant (four bytes, big endian); any other key is refused.
/// - An error that any call here returns, reads included, dooms the transaction. If the closure
///   overlooks it and returns `Ok`, nothing is kept and the caller gets the first such error.
/// - Each call that changes something counts as one change, also when it repeats an earlier one, and
///   with the bytes of its key and value; [`CommitTooLarge`](StoreError::CommitTooLarge) ends it at
///   `limits::COMMIT_CHANGES_MAX` changes or `limits::COMMIT_BYTES_MAX` bytes.
/// - A transaction that changes nothing commits without a place of its own in the history.
pub trait WriteTx: Reader {
    /// The tenant this transaction stays inside.
    fn tenant(&self) -> TenantId;

    /// Sets a key of `limits::KEY_BYTES_MIN` to `limits::KEY_BYTES_MAX` bytes to a value of at most
    /// `limits::VALUE_BYTES_MAX`.
    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Removes a key; an absent one is fine, and counts as a change all the same.
    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError>;

    /// Removes every key of a range and says how many there were. Each of them counts as one change.
    ///
    /// The order and limit of the range choose which keys go.
    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError>;

    /// Sets an entry of a hashed keyspace. If `expires_at_ms` (Unix time) is given, the entry is gone
    /// from that millisecond on.
    ///
    /// The key has 1 to `limits::KEY_BYTES_MAX` bytes and need not start with the tenant, which is part
    /// of an entry's name anyway; the value has at most `limits::HASHED_VALUE_BYTES_MAX` bytes.
    fn hashed_put(
        &mut self,
        keyspace: HashedKeyspace,
        key: &[u8],
        value: &[u8],
        expires_at_ms: Option<u64>,
    ) -> Result<(), StoreError>;

    /// Stores a blob unless the tenant has it already; then nothing changes and nothing counts, unless
    /// its last upload was more than `limits::BLOB_RENEW_AFTER` ago.
    ///
    /// A blob that no record refers to goes `limits::BLOB_GRACE` after its last upload.
    fn put_blob(&mut self, blob: &Blob) -> Result<(), StoreError>;

    /// Says whether the tenant has a blob, and if so, renews it as an upload would.
    ///
    /// Call it in the transaction that writes a record which refers to a blob uploaded earlier, so that
    /// the blob does not go in this moment.
    fn keep_blob(&mut self, hash: &ContentHash) -> Result<bool, StoreError>;

    /// Removes a blob whose last upload was before a time (Unix milliseconds), and says whether there was
    /// one. From then on it answers [`StoreError::BlobGone`], until it is put again.
    fn remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError>;

    /// Adds an event of at most `limits::EVENT_BYTES_MAX` bytes to the change feed.
    fn emit(&mut self, event: Event) -> Result<(), StoreError>;
}

/// The closure gave up: nothing of it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// A transaction's closure. It may run more than once, and only the last run counts.
///
/// It runs while others wait: parsing, hashing and other long work belong before it. It must not call
/// the store, and has its effects on the outside afterwards.
pub type TxBody = Box<dyn FnMut(&mut dyn WriteTx) -> Result<(), Aborted> + Send>;

/// Called once, with where in the history the transaction is durable, or why it is not. Must not block.
pub type TxDone = Box<dyn FnOnce(Result<Position, StoreError>) + Send>;

/// Runs an ordinary transaction with a result of its own and waits until it is durable.
pub fn write<T, E>(
    store: &dyn Store,
    tenant: TenantId,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
) -> Result<(T, Position), E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    write_as(store, tenant, WriteClass::Ordinary, body)
}

/// The same for a transaction of any class.
pub fn write_as<T, E>(
    store: &dyn Store,
    tenant: TenantId,
    class: WriteClass,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
) -> Result<(T, Position), E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (body, slot) = with_slot(body);
    finish(&slot, store.write_as(tenant, class, body))
}

/// Queues an ordinary transaction with a result of its own; `done` is called when it is durable or has
/// failed.
pub fn submit<T, E>(
    store: &dyn Store,
    tenant: TenantId,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
    done: impl FnOnce(Result<(T, Position), E>) + Send + 'static,
) where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    submit_as(store, tenant, WriteClass::Ordinary, body, done);
}

/// The same for a transaction of any class.
pub fn submit_as<T, E>(
    store: &dyn Store,
    tenant: TenantId,
    class: WriteClass,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
    done: impl FnOnce(Result<(T, Position), E>) + Send + 'static,
) where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (body, slot) = with_slot(body);
    store.submit_as(tenant, class, body, Box::new(move |outcome| done(finish(&slot, outcome))));
}

type Slot<T, E> = Arc<Mutex<Option<Result<T, E>>>>;

fn with_slot<T, E>(
    mut body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
) -> (TxBody, Slot<T, E>)
where
    T: Send + 'static,
    E: Send + 'static,
{
    let slot: Slot<T, E> = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    let body: TxBody = Box::new(move |tx| {
        let result = body(tx);
        let verdict = if result.is_ok() { Ok(()) } else { Err(Aborted) };
        *filled.lock() = Some(result);
        verdict
    });
    (body, slot)
}

fn finish<T, E: From<StoreError>>(
    slot: &Slot<T, E>,
    outcome: Result<Position, StoreError>,
) -> Result<(T, Position), E> {
    let result = slot.lock().take();
    match (outcome, result) {
        (Ok(position), Some(Ok(value))) => Ok((value, position)),
        // The closure's own reason says more than "aborted".
        (Ok(_) | Err(StoreError::Aborted), Some(Err(error))) => Err(error),
        (Err(error), _) => Err(E::from(error)),
        (Ok(_), None) => Err(E::from(StoreError::Aborted)),
    }
}
