//! Errors of bundles.

use std::io;

use super::format::VERSION;
use crate::limits::BUNDLE_ENTRIES_MAX;

/// The reason why a bundle cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file could not be read or written.
    #[error("could not access the bundle: {0}")]
    Io(#[from] io::Error),
    /// The file does not begin like a bundle.
    #[error("not a KCP bundle: the first bytes are not those of a `.kcp` file; check the file name")]
    NotABundle,
    /// The format of the file is newer.
    #[error("unsupported bundle format {version}: this version reads format {VERSION}; upgrade cairn")]
    UnsupportedVersion {
        /// The format of the file.
        version: u16,
    },
    /// Bytes in front of a valid signed head are damaged.
    #[error("damaged bundle: {problem} at byte {offset}; get another copy of the file")]
    Damaged {
        /// Offset of the entry that is damaged.
        offset: u64,
        /// What is wrong there.
        problem: BundleProblem,
    },
    /// The file has no valid signed head, so none of its entries counts.
    #[error("no valid signed head in the bundle: {problem} at byte {offset}; export it again")]
    NoHead {
        /// Offset of the entry where reading ended.
        offset: u64,
        /// What is wrong there.
        problem: BundleProblem,
    },
    /// A part of an entry is too large to be written.
    #[error("{part} of {bytes} bytes exceeds the limit of {max} bytes in a bundle; leave this entry out")]
    TooLarge {
        /// The part.
        part: &'static str,
        /// Its bytes.
        bytes: u64,
        /// The limit.
        max: u64,
    },
    /// The bundle is full.
    #[error("a bundle has at most {BUNDLE_ENTRIES_MAX} entries; start another bundle")]
    TooManyEntries,
    /// The content that was to be written is not the one that was announced.
    #[error(
        "the content does not match its SHA-256 and its length of {length} bytes; verify the stored content"
    )]
    WrongContent {
        /// The length that was announced.
        length: u64,
    },
    /// An earlier write failed, so the bundle cannot be finished.
    #[error("an earlier write to this bundle failed; append to the file again, or start another bundle")]
    Unfinished,
}

/// What is wrong with an entry of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BundleProblem {
    /// The file ends inside an entry.
    #[error("the file ends inside an entry")]
    CutOff,
    /// The file ends behind entries without a head.
    #[error("the file ends without a signed head")]
    Unsigned,
    /// The kind of the entry is unknown.
    #[error("unknown entry kind {0:#04x}")]
    UnknownKind(u8),
    /// The length is outside of what its kind allows.
    #[error("invalid entry length {0}")]
    Length(u32),
    /// The bytes of the entry do not match its check value.
    #[error("the entry does not match its check value")]
    Check,
    /// The entry is intact, but its fields are not valid.
    #[error("malformed entry")]
    Malformed,
    /// The content does not have the SHA-256 that names it.
    #[error("the content does not match its SHA-256")]
    Content,
    /// The signature of a head is wrong.
    #[error("the signature of the head is wrong")]
    HeadSignature,
    /// A head does not belong to the entries in front of it.
    #[error("the head does not belong to the entries before it")]
    HeadTree,
    /// The bundle has too many entries.
    #[error("more than {BUNDLE_ENTRIES_MAX} entries")]
    TooManyEntries,
}
