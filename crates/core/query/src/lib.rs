//! From a KIP command to its answer: plans, rows and writes.
//!
//! Everything here is a function over a reader or a transaction; only the engine opens those.

mod budget;
mod cell;
mod error;
mod eval;
mod fields;
mod filter;
mod find;
mod matches;
mod plan;
mod rows;

pub use budget::{Allowance, Budget};
pub use cairn_kip::Format;
pub use error::{QueryError, Result};
pub use find::{Found, explain, find};
pub use matches::matches;
