//! Limits of one KIP command. All limits of cairn together are in `docs/limits.md`.

/// Rows of an answer to FIND, unless somebody says how many.
pub const KIP_ROWS_DEFAULT: usize = 1_000;
/// Rows of an answer to FIND.
pub const KIP_ROWS_MAX: usize = 10_000;
/// Patterns of one KIP command, those inside others included: choosing their order takes the square of it.
pub const KIP_PATTERNS_MAX: usize = 256;
/// Expressions of one FIND, keys of its ORDER BY, and different fields in the FILTERs of one KIP command, each.
pub const KIP_FIELDS_MAX: usize = 256;
/// Predicates that one pattern of a KIP command lets through, one or the other.
pub const KIP_ALTERNATIVES_MAX: usize = 64;
/// Different regular expressions that stand in one KIP command.
pub const KIP_EXPRESSIONS_MAX: usize = 64;
