//! The commit log: the truth of the embedded store.
//!
//! Append-only segments of checksummed frames, written a group at a time with one sync each; the
//! recovery that tells a torn tail from damage; the side files that find hashed entries; and the
//! manifest that says which files count. It knows nothing of the index.
//!
//! Every byte is drawn in `docs/format.md`.

mod batch;
mod frame;
mod gather;
mod group;
mod hashed;
mod housekeep;
mod log;
mod manifest;
mod read;
mod recover;
mod runs;
mod segment;
mod set_aside;
mod side;
mod verify;
mod writer;

pub use batch::{BadBatch, Op, Ops};
pub use frame::{Frame, FrameKind};
pub use group::Group;
pub use hashed::{BLOB_PLACES, BlobPlace, HashKey, HashedEntry, HashedMap, HashedName, NameHasher};
pub use log::{Log, LogOptions, Segment};
pub use manifest::{FORMAT, ImageRow, image_name};
pub use read::change_of;
pub use recover::{LogDir, Progress, RecoverFrom, Recovered, RecoveryReport, Replay};
pub use verify::{DirectoryCheck, Findings, Fold, LogCheck, LogFigures, Part, SidesCheck, Watch};
pub use writer::{LogPlan, LogWriter, Written};
