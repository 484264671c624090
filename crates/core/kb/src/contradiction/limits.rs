//! Limits of the search for contradictions.

/// Conflicts reported per group; more set [`Conflicts::cut`](super::Conflicts::cut).
pub const CONFLICTS_PER_GROUP_MAX: usize = 1_000;
/// Claims of one conflict: a lower bound, an upper bound and a `neq` per value between them. Larger sets are not
/// reported.
pub const CONFLICT_CLAIMS_MAX: usize = 16;
/// Claims visited while one group is searched. A group without conflicts in which few claims have a scope visits each
/// claim a few times; the limit ends searches of groups built to be slow.
pub const CONFLICT_STEPS_MAX: usize = 2_000_000;
/// Characters of one value or one argument list in the reason of a conflict.
pub const CONFLICT_TEXT_CHARS_MAX: usize = 120;
