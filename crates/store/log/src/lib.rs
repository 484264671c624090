//! The commit log: the truth of the embedded store.
//!
//! Append-only segments of checksummed frames, written a group at a time with one sync each; the
//! recovery that tells a torn tail from damage; the side files that find hashed entries; the manifest
//! that says which files count; and which of them make up a copy. It knows nothing of the index.
//!
//! Every byte is drawn in `docs/format.md`.

mod batch;
mod blob_file;
mod blob_frame;
mod copy;
mod frame;
mod gather;
mod group;
mod hashed;
mod housekeep;
mod keep;
mod log;
mod manifest;
mod memory;
mod memory_file;
mod pack;
mod place;
mod read;
mod read_around;
mod recover;
mod rewrite;
mod runs;
mod salvage;
mod seal;
mod segment;
mod set_aside;
mod side;
mod verify;
mod writer;

pub use batch::{BadBatch, Op, Ops};
pub use blob_file::{LogUpload, StagedFile};
pub use copy::{CopyFile, CopyKind, CopyPlan, ExpectedFile, FrozenCopy, Published, Sides};
pub use frame::{Frame, FrameKind};
pub use group::Group;
pub use hashed::{BLOB_PLACES, HashKey, HashedEntry, HashedMap, HashedName, NameHasher};
pub use keep::KeptFiles;
pub use log::{Log, LogOptions, Segment};
pub use manifest::{FORMAT, ImageRow, Thinned, image_name};
pub use memory::LogMemory;
pub use place::{BlobAt, BlobPlace};
pub use read::change_of;
pub use recover::{LogDir, Progress, RecoverFrom, Recovered, RecoveryReport, Replay, Unreadable};
pub use rewrite::{BlobInSegment, Fate, Sieve};
pub use salvage::{
    Advance, BlobSource, CopiedBlobs, CopiedLog, DamagedLog, OnTransaction, PatientFile, Survey,
};
pub use seal::{
    BadSeal, Cipher, DerivedSealer, EncryptionKey, FileKind, NONCE_BYTES, Sealer, TAG_BYTES, check_key,
    counted, rotate,
};
pub use verify::{
    BlobFilesCheck, CopyCheck, DirectoryCheck, Findings, Fold, LogCheck, LogFigures, OnBytes, Part,
    SidesCheck, Watch,
};
pub use writer::{LogPlan, LogWriter, Written};
