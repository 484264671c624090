//! Inputs and outputs of the `kb_*` tools: one file per tool.

mod sparql_remote;

pub use sparql_remote::{SparqlRemoteInput, SparqlRemoteOutput};
