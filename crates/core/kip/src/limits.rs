//! Limits of the texts and requests of KIP. All limits of cairn together are in `docs/limits.md`.

use cairn_base::MIB;

/// Largest body of an HTTP request with KIP commands: the longest capsule, and what is around it.
pub const KIP_BODY_BYTES_MAX: usize = 17 * MIB;
/// Bytes of the text of a KIP command.
pub const KIP_TEXT_BYTES_MAX: usize = MIB;
/// Bytes of the text of a capsule: one `UPSERT` or more.
pub const KIP_CAPSULE_BYTES_MAX: usize = 16 * MIB;
/// Levels of brackets and negations of a KIP command, and of arrays and objects in a parameter of one.
pub const KIP_LEVELS_MAX: usize = 64;
/// Commands of one KIP request.
pub const KIP_COMMANDS_MAX: usize = 256;
/// Bytes that the values of parameters may take in one command, each as often as it is used.
pub const KIP_BOUND_BYTES_MAX: usize = 64 * MIB;
