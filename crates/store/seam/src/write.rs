//! Transactions as closures.

use std::sync::Arc;

use cairn_base::{Position, TenantId};
use parking_lot::Mutex;

use crate::{Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, Store, StoreError};

/// A transaction in the making. Reads see the transaction's own writes.
///
/// Keys start with the transaction's tenant (four bytes, big endian); any other key is refused.
pub trait WriteTx: Reader {
    /// The tenant this transaction stays inside.
    fn tenant(&self) -> TenantId;

    /// Sets a key.
    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Removes a key; an absent one is fine.
    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError>;

    /// Removes every key of a range and says how many there were. Each counts as a change.
    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError>;

    /// Sets an entry of a hashed keyspace, gone after `expires_at_ms` (Unix time) if given.
    fn hashed_put(
        &mut self,
        keyspace: HashedKeyspace,
        key: &[u8],
        value: &[u8],
        expires_at_ms: Option<u64>,
    ) -> Result<(), StoreError>;

    /// Stores a blob unless the tenant has it already.
    fn put_blob(&mut self, blob: &Blob) -> Result<(), StoreError>;

    /// Adds an event to the change feed.
    fn emit(&mut self, event: Event) -> Result<(), StoreError>;
}

/// The closure gave up: nothing of it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// A transaction's closure. It may run more than once, and only the last run counts.
pub type TxBody = Box<dyn FnMut(&mut dyn WriteTx) -> Result<(), Aborted> + Send>;

/// Called once, with where in the history the transaction is durable, or why it is not.
pub type TxDone = Box<dyn FnOnce(Result<Position, StoreError>) + Send>;

/// Runs a transaction with a result of its own and waits until it is durable.
pub fn write<T, E>(
    store: &dyn Store,
    tenant: TenantId,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
) -> Result<(T, Position), E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (body, slot) = with_slot(body);
    finish(&slot, store.write(tenant, body))
}

/// Queues a transaction with a result of its own; `done` is called when it is durable or has failed.
pub fn submit<T, E>(
    store: &dyn Store,
    tenant: TenantId,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, E> + Send + 'static,
    done: impl FnOnce(Result<(T, Position), E>) + Send + 'static,
) where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (body, slot) = with_slot(body);
    store.submit(tenant, body, Box::new(move |outcome| done(finish(&slot, outcome))));
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
