//! The local owner's own way in: a socket that only the owner of the data directory may open, or a pipe
//! inside the owner's process.

/// Stands in the extensions of every request that came that way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FromLocalOwner;
