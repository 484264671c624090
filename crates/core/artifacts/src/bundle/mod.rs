//! Bundles (`.kcp`): artifacts, content, public keys and tombstones in one append-only file.
//!
//! A bundle is a header and a sequence of entries. Each session of appending ends with a signed head: the root of
//! a Merkle tree over all entries so far, signed by the exporting node. Entries count only if a valid head
//! follows them; a torn tail behind the last head is ignored. The bytes are drawn in `docs/format.md`.
//!
//! Nothing inside a bundle is trusted: a head proves only that its key signed these entries, a signature only
//! that its key signed the payload, and public keys in entries are hints. Who a key belongs to is for the caller
//! to know. Content is streamed both ways and never held in memory.

mod append;
mod batch;
mod entry;
mod error;
mod format;
mod head;
mod proof;
mod read;
mod scan;
#[cfg(test)]
pub(crate) mod tests;
mod verify;
mod write;

pub use append::BundleFile;
pub use entry::{AttestedBy, BundledArtifact, BundledKey, BundledTombstone};
pub use error::{BundleError, BundleProblem};
pub use head::Head;
pub use proof::{Proof, ProofError, prove};
pub use read::{BundleReader, Entry, Tail};
pub use verify::{ArtifactVerdict, Damage, TombstoneVerdict, VerifyProgress, VerifyReport, verify};
pub use write::BundleWriter;
