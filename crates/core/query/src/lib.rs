//! From a KIP command to its answer: plans, rows and writes.
//!
//! Everything here is a function over a reader or a transaction; only the engine opens those.

mod absent;
mod budget;
mod cell;
mod delete;
mod describe;
mod error;
mod eval;
mod export;
mod fields;
mod filter;
mod find;
mod graph_error;
mod hash;
pub mod limits;
mod matches;
mod optimize;
mod options;
mod plan;
mod rows;
mod unregistered;
mod upsert;

pub use budget::{Allowance, Budget};
pub use cairn_kip::Format;
pub use delete::delete;
pub use describe::{concept_info, describe};
pub use error::{QueryError, Result};
pub use export::{Export, ExportError, KipSelection};
pub use find::{Found, Shape, explain, find, find_with};
pub use matches::matches;
pub use optimize::{Pass, Passes};
pub use options::Options;
pub use unregistered::{unregistered, unregistered_beside};
pub use upsert::{UpsertCounts, try_upsert, upsert, upsert_counted};
