//! Reading what is left of a damaged store, and carrying it into a new directory.
//!
//! [`read_around`] reads every run of a segment around damage. [`DamagedLog`] finds the segments of a
//! directory that nothing else can open, and copies what can be read of them. It never writes to that
//! directory.

mod around;
mod blobs;
mod claims;
mod copy;
mod manifest;
mod patient;
mod seed;
mod source;
mod survey;
mod write;

pub(crate) use around::{Around, Lost, RunAround, read_around};
pub use blobs::{BlobSource, CopiedBlobs};
pub use copy::{Advance, CopiedLog, OnTransaction};
pub use patient::PatientFile;
pub use source::DamagedLog;
pub use survey::Survey;
