//! Remote SPARQL: SELECT queries that an endpoint elsewhere runs.
//!
//! This module checks the request and reads the answer. It opens no connection: a surface implements
//! [`SparqlEndpoint`], and decides which addresses may be reached. A query is checked to be a SELECT before it is
//! sent; what the endpoint does with it (`SERVICE`, `FROM`) is the endpoint's own business.

mod answer;
mod code;
mod error;
mod request;
mod select;
mod token;

pub use answer::{SparqlAnswer, SparqlRow, SparqlTerm, SparqlTermType};
pub use code::SparqlCode;
pub use error::SparqlError;
pub use request::SparqlRequest;

use std::fmt;

/// Runs SELECT queries at SPARQL endpoints.
pub trait SparqlEndpoint: fmt::Debug + Send + Sync {
    /// Sends a query and reads its answer, within the timeout of the request. Blocks.
    ///
    /// # Errors
    ///
    /// If the address may not be reached, the endpoint does not respond in time or responds with something other
    /// than an answer within the limits.
    fn select(&self, request: &SparqlRequest) -> Result<SparqlAnswer, SparqlError>;
}
