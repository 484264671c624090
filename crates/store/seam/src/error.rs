//! Situations a caller of a store can act on.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use cairn_base::{ContentHash, ErrorCode, Position};

use crate::{Missing, StoreCode, limits};
/// The name of a store's index, which is made from its log.
pub const INDEX_FILE: &str = "index.redb";

/// Where damage was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedAt {
    /// The file.
    pub file: PathBuf,
    /// The first bad byte.
    pub offset: u64,
    /// What is wrong there.
    pub detail: String,
}

impl DamagedAt {
    /// Whether it is in the index, which the next opening rebuilds.
    pub fn is_in_index(&self) -> bool {
        self.file.file_name().is_some_and(|name| name == INDEX_FILE)
    }
}

/// Why a store did not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The snapshot outlived its time.
    #[error("the snapshot is older than {} s; take a new one and read on from the last key", limits::SNAPSHOT_AGE_MAX.as_secs())]
    SnapshotTooOld,
    /// The store has not reached that position.
    #[error("position {asked} is ahead of the store, which stands at {at}")]
    PositionAhead {
        /// What was asked for.
        asked: Position,
        /// Where the store is.
        at: Position,
    },
    /// Changes that far back are gone.
    #[error("changes before position {horizon} are gone; start again from a snapshot")]
    TooOld {
        /// The oldest position that can be read after.
        horizon: Position,
    },
    /// A key is empty or too long.
    #[error("a key of {bytes} bytes; keys have 4 to {} bytes", limits::KEY_BYTES_MAX)]
    KeyLength {
        /// Its length.
        bytes: usize,
    },
    /// A value does not fit into a record.
    #[error(
        "a value of {bytes} bytes; values have at most {} bytes, more is a blob",
        limits::VALUE_BYTES_MAX
    )]
    ValueTooLarge {
        /// Its length.
        bytes: usize,
    },
    /// A value does not fit into an entry of a hashed keyspace.
    #[error("a hashed value of {bytes} bytes; they have at most {} bytes", limits::HASHED_VALUE_BYTES_MAX)]
    HashedValueTooLarge {
        /// Its length.
        bytes: usize,
    },
    /// A blob is too large for what was to be done with it.
    #[error(
        "a blob of at least {bytes} bytes, where {max} are the most; read and write larger ones in pieces"
    )]
    BlobTooLarge {
        /// Its length, as far as it is known.
        bytes: u64,
        /// The limit.
        max: u64,
    },
    /// A blob was swept, because nothing referred to it any more.
    #[error("blob {hash} was removed, because nothing referred to it any more")]
    BlobGone {
        /// Its name.
        hash: ContentHash,
    },
    /// A record names a blob, and nothing holds it: it was damaged.
    #[error("blob {hash} is lost: a record names it, and it is in none of the store's files")]
    BlobLost {
        /// Its name.
        hash: ContentHash,
    },
    /// A blob was made for another store.
    #[error("a blob that was uploaded to another store")]
    ForeignBlob,
    /// The transaction grew too large.
    #[error(
        "the transaction exceeds {} changes or {} bytes; do it in steps",
        limits::COMMIT_CHANGES_MAX,
        limits::COMMIT_BYTES_MAX
    )]
    CommitTooLarge,
    /// A key of another tenant inside a transaction.
    #[error("a transaction stays inside one tenant; this key belongs to another")]
    ForeignTenant,
    /// The closure gave up.
    #[error("the transaction was given up by its own closure")]
    Aborted,
    /// The closure panicked; nothing of it is kept.
    #[error("the transaction panicked: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
    },
    /// Other transactions kept getting in between.
    #[error("the transaction kept conflicting with others; try again")]
    Conflict,
    /// The queue is full.
    #[error("too many transactions are waiting; try again shortly")]
    Overloaded,
    /// The disk failed while this was written: it may or may not be there after a restart.
    #[error("the outcome is unknown: {cause}; after a restart, look before trying again")]
    OutcomeUnknown {
        /// What failed.
        cause: String,
    },
    /// An earlier write failed, so nothing more is written.
    #[error("the store is read-only until restarted, because a write failed: {cause}")]
    Poisoned {
        /// What failed.
        cause: String,
    },
    /// The store was opened to be read, because the log is damaged.
    #[error("the store is open read-only, because its log is damaged: {cause}")]
    ReadOnly {
        /// What is damaged.
        cause: String,
    },
    /// The disk is nearly full.
    #[error(
        "the disk is nearly full: {free_bytes} bytes free, {reserve_bytes} must be free; free at least {} bytes on \
         the disk that holds the data directory",
        .reserve_bytes.saturating_sub(*.free_bytes)
    )]
    StorageFull {
        /// Bytes free.
        free_bytes: u64,
        /// Bytes that must be free.
        reserve_bytes: u64,
    },
    /// The disk is nearly full, and the transaction is too large to come from the reserve.
    #[error(
        "the disk is nearly full, and {changes} changes with {bytes} bytes are more than the {} changes with \
         {bytes_max} bytes that one transaction may take from the reserve; do it in smaller steps, or free space",
        limits::RESERVE_COMMIT_CHANGES_MAX
    )]
    ReserveExceeded {
        /// Bytes of its keys and values.
        bytes: usize,
        /// How many changes it makes.
        changes: usize,
        /// Bytes that it may have.
        bytes_max: usize,
    },
    /// Durable bytes are damaged.
    #[error("damaged at byte {} of {}: {}", .0.offset, .0.file.display(), .0.detail)]
    Damaged(DamagedAt),
    /// The index is damaged and is being rebuilt.
    #[error("the index is damaged and is being rebuilt from the log; retry in a moment: {detail}")]
    IndexRebuilding {
        /// What is wrong with it.
        detail: String,
    },
    /// A record cannot be read, and what it refers to is not known.
    #[error("a stored record cannot be read: {detail}")]
    Record {
        /// What is wrong with it.
        detail: String,
    },
    /// Another process owns the data directory.
    #[error("the data directory {} is in use by {owner}", .dir.display())]
    Locked {
        /// The directory.
        dir: PathBuf,
        /// What the owner wrote into the lock.
        owner: String,
    },
    /// The data directory was written by a newer cairn.
    #[error("{} has format {found}; this cairn reads up to format {known}: use a newer cairn", .dir.display())]
    NewerFormat {
        /// The directory.
        dir: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// The store is sealed, and no key was given.
    #[error("the store in {} is sealed; name its key file with CAIRN_ENCRYPTION_KEY_FILE", .dir.display())]
    KeyMissing {
        /// The directory.
        dir: PathBuf,
    },
    /// The store is sealed with another key.
    #[error("the key does not fit the store in {}", .dir.display())]
    KeyMismatch {
        /// The directory.
        dir: PathBuf,
    },
    /// A key was given for a store that was made without one.
    #[error(
        "the store in {} is not sealed, and a key was given; encryption is chosen when a store is made",
        .dir.display()
    )]
    NotSealed {
        /// The directory.
        dir: PathBuf,
    },
    /// The operating system said no.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// Something is there where something new was to be made; it was left alone.
    #[error("{} is in the way: {advice}", .path.display())]
    Occupied {
        /// What is there.
        path: PathBuf,
        /// What to do about it.
        advice: &'static str,
    },
    /// A backup lacks data that could not be read when it was written.
    #[error("{} is a partial backup: {places} places are missing from it, the first is {first}", .path.display())]
    PartialBackup {
        /// The backup.
        path: PathBuf,
        /// The number of places.
        places: u64,
        /// The first of them.
        first: Box<Missing>,
    },
    /// The directory holds what is left of a restore that did not end.
    #[error("a restore into {} was cut short, and what it wrote is not complete", .dir.display())]
    UnfinishedRestore {
        /// The directory.
        dir: PathBuf,
    },
    /// This kind of store cannot do that.
    #[error("this store does not support {what}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },
    /// Whoever waited for it said so.
    #[error("stopped before it was done; nothing was changed")]
    Stopped,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Wraps an I/O error with what was being done.
    pub fn io(doing: impl Into<String>, source: io::Error) -> Self {
        StoreError::Io { doing: doing.into(), source: Arc::new(source) }
    }

    /// Whether the disk had no room for it.
    pub fn is_full(&self) -> bool {
        if let StoreError::Io { source, .. } = self {
            return cairn_base::fs::is_full(source);
        }
        matches!(self, StoreError::StorageFull { .. } | StoreError::ReserveExceeded { .. })
    }

    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            StoreError::SnapshotTooOld => StoreCode::SnapshotTooOld,
            StoreError::PositionAhead { .. } => StoreCode::PositionAhead,
            StoreError::TooOld { .. } => StoreCode::PositionTooOld,
            StoreError::KeyLength { .. }
            | StoreError::ValueTooLarge { .. }
            | StoreError::HashedValueTooLarge { .. }
            | StoreError::BlobTooLarge { .. }
            | StoreError::CommitTooLarge => ErrorCode::TooLarge,
            StoreError::BlobGone { .. } => StoreCode::Gone,
            StoreError::ForeignBlob => ErrorCode::InvalidRequest,
            StoreError::ForeignTenant => ErrorCode::Forbidden,
            StoreError::Aborted | StoreError::Panicked { .. } => ErrorCode::Internal,
            StoreError::Conflict => ErrorCode::Conflict,
            StoreError::Overloaded => ErrorCode::Overloaded,
            StoreError::OutcomeUnknown { .. } => StoreCode::OutcomeUnknown,
            StoreError::Poisoned { .. } => StoreCode::StorePoisoned,
            StoreError::ReadOnly { .. } => StoreCode::StoreReadOnly,
            StoreError::StorageFull { .. } | StoreError::ReserveExceeded { .. } => StoreCode::StorageFull,
            StoreError::Damaged(place) if place.is_in_index() => StoreCode::IndexDamaged,
            StoreError::Damaged(_)
            | StoreError::Record { .. }
            | StoreError::BlobLost { .. }
            | StoreError::PartialBackup { .. }
            | StoreError::UnfinishedRestore { .. } => ErrorCode::Damaged,
            StoreError::Locked { .. } => StoreCode::Locked,
            StoreError::NewerFormat { .. } => StoreCode::NewerFormat,
            StoreError::KeyMissing { .. } => StoreCode::KeyMissing,
            StoreError::KeyMismatch { .. } => StoreCode::KeyMismatch,
            StoreError::NotSealed { .. } => StoreCode::NotSealed,
            StoreError::Io { .. } if self.is_full() => StoreCode::StorageFull,
            StoreError::Io { .. } => ErrorCode::Internal,
            StoreError::Occupied { .. } | StoreError::Unsupported { .. } => ErrorCode::InvalidRequest,
            StoreError::Stopped => ErrorCode::DeadlineExceeded,
            StoreError::Closed | StoreError::IndexRebuilding { .. } => ErrorCode::Unavailable,
        }
    }
}
