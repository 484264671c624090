//! The requirements KB: what must hold, and does it.
//!
//! Entities (requirements, scenarios, tests, decisions, flags, events, symbols, facts) and their relationships are
//! concepts and propositions of one graph space per workspace and branch. This crate has the model, the rules of a
//! write, the checks, the reports, and one typed input and output per `kb_*` tool. It parses no KIP and reads no
//! files.

mod branch;
pub mod limits;
mod model;
mod sparql;
pub mod tools;

pub use branch::{Branch, Claim, ClaimValue, Edge, FactFields, Node, NodeKey};
pub use model::{
    EntityType, FactKind, Granularity, Operator, Polarity, Relation, STATUSES, SymbolRole, ValueType,
    VerificationPerspective, VerificationScope,
};
pub use sparql::{
    SparqlAnswer, SparqlCode, SparqlEndpoint, SparqlError, SparqlRequest, SparqlRow, SparqlTerm,
    SparqlTermType,
};
