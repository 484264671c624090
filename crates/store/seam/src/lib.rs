//! The store seam: the five things the engine needs of a store, and no more.
//!
//! 1. [`Store::snapshot`]: ordered reads at one position;
//! 2. [`Store::submit`]/[`Store::write`]: atomic, durable transactions run as closures;
//! 3. hashed keyspaces: exact get and put with expiry, no scans;
//! 4. blobs by content hash;
//! 5. [`Store::changes`]: typed events in commit order.
//!
//! That is the data contract, and all that a store has to implement. What only a local directory has
//! (backups to a path, keys, background verification, seals of derived files) is [`LocalStore`], which
//! [`Store::local`] yields if there is one.
//!
//! Everything reads in batches, because on a database over the wire each call is a round trip.
//! Bytes handed to a visitor are valid only inside the call.
//!
//! The same contract tests (feature `contract`) run on every store.

mod admission;
mod blob;
mod class;
mod code;
#[cfg(feature = "contract")]
pub mod contract;
#[cfg(feature = "counting")]
mod counting;
mod derived;
mod error;
mod event;
mod faulty;
mod forward;
mod keyspace;
pub mod limits;
mod local;
mod maintain;
mod memory;
mod range;
mod read;
mod salvage;
mod scrub;
mod stats;
mod store;
mod write;

pub use admission::{Admission, is_expired};
pub use blob::{
    Blob, BlobInMemory, BlobReader, HASHED_KEYSPACES, Packer, Sha256, Sha256Hasher, Upload, blob_by_sha256,
    put_sha256, unpack,
};
pub use class::WriteClass;
pub use code::StoreCode;
#[cfg(feature = "counting")]
pub use counting::CountingStore;
pub use derived::{BlockPlace, DERIVED_TAG_BYTES, DerivedSeal, FileSeal, NotAsSealed, SealStamp};
pub use error::{DamagedAt, INDEX_FILE, StoreError};
pub use event::{Change, ChangePage, Event, EventKind};
pub use faulty::{FaultPlan, FaultyStore, SeamFault};
pub use keyspace::{HashedKeyspace, Keyspace};
pub use local::LocalStore;
pub use maintain::{
    Compaction, Finding, Forget, KeepChanges, Maintenance, MaintenanceReport, Missing, MissingList, OnStage,
    References, Selection, Stage,
};
pub use memory::MemoryStore;
pub use range::{KeyRange, Order, Visit};
pub use read::{Read, Reader, Snapshot, get, read_all};
pub use salvage::{Certainty, Fix, Item, LostRange, Rebuilt, SalvagedStore, Trace, UnreadKeys, Witness};
pub use scrub::{ScrubKind, ScrubPass, ScrubPolicy, ScrubStatus, ScrubTally};
pub use stats::{FileStats, Health, StoreStats, UpkeepReport};
pub use store::Store;
pub use write::{Aborted, TxBody, TxDone, WriteTx, submit, submit_as, write, write_as};

/// What [`forward!`] names, wherever it is used.
#[doc(hidden)]
pub mod named {
    pub use cairn_base::{ContentHash, TenantId};
}
