//! Units of sizes.

/// Bytes of a kibibyte.
pub const KIB: usize = 1024;
/// Bytes of a mebibyte.
pub const MIB: usize = 1024 * KIB;
