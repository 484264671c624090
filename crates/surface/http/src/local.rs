//! The local owner's own way in: a socket that only the owner of the data directory may open, or a pipe
//! inside the owner's process.

/// Extension of every request that came that way. Its caller is the local owner unless it shows a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FromLocalOwner;
