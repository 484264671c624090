//! From a KIP command to its answer: plans, rows and writes.
//!
//! Everything here is a function over a reader or a transaction; only the engine opens those.

mod describe;
mod error;
mod found;
mod graph_error;
mod unregistered;

pub use describe::{concept_info, describe};
pub use error::QueryError;
pub use found::Found;
pub use unregistered::unregistered;
