//! Limits of the requirements KB. All limits of cairn together are in `docs/limits.md`.

use cairn_base::KIB;

/// Bytes of the `SKILL.md` of an agent skill.
pub const SKILL_BYTES_MAX: usize = 256 * KIB;
/// Bytes of one resource of an agent skill.
pub const SKILL_RESOURCE_BYTES_MAX: usize = 128 * KIB;
/// Bytes of a skill id or a resource path in a request.
pub const SKILL_NAME_BYTES_MAX: usize = 256;
