//! Reports: pure functions of a branch for the tools that read.
//!
//! Each validates its input, so that a surface passes on what a client sent. The order of every result is that of
//! types, ids and scores, never that of the numbers of entities: equal branches give equal bytes.

mod coverage;
mod filter;
mod find_gaps;
mod graph;
mod impact;
mod matrix;
mod page;
mod query;
mod search;
pub(crate) mod suspect;
mod symbol_links;
#[cfg(test)]
pub(crate) mod tests;

pub use coverage::coverage;
pub use find_gaps::find_gaps;
pub use graph::graph;
pub use impact::impact;
pub use matrix::matrix;
pub use query::query;
pub use search::{Ranked, RankedHit, SEARCH_CANDIDATES, body_match, check_search, rank, search_in_memory};
pub use suspect::suspect;
pub use symbol_links::symbol_links;
