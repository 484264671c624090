//! Limits of what this crate reads. All limits of cairn together are in `docs/limits.md`.

use crate::MIB;

/// Deepest nesting of JSON that is read.
pub const JSON_DEPTH_MAX: usize = 128;
/// Longest JSON that is made canonical: room for 8 MiB of content as base64, and for what stands around it.
pub const CANONICAL_JSON_BYTES_MAX: usize = 16 * MIB;
/// Levels of MessagePack values inside each other.
pub const MSGPACK_LEVELS_MAX: usize = 128;
