//! What the first turn of a history says about it: who wrote it, what it is called, where it came from.
//!
//! It is read from the payload once, when the turn is appended, and stored beside it. A context has what
//! the first turn of its head's chain says; so a fork has the metadata of the history that it goes on
//! with, and a context whose head was moved below another first turn has that one's from then on. Appends
//! to the head never change it, and cost nothing more.
//!
//! First turns with a payload of more than 1 MiB, or in another encoding than msgpack, have none.

mod extract;
mod index;
mod load;
mod provenance;
mod record;

use std::collections::BTreeMap;

pub(crate) use index::{Indexed, begin, settle, term_prefix, terms_of, withdraw};
pub use load::{metadata, root_of};
pub use provenance::{PROVENANCE_FIELDS, Provenance, ProvenanceField, ProvenanceKind, ProvenanceValue};

/// What is said about a history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// What the writer calls itself.
    pub client_tag: Option<String>,
    /// What the history is called.
    pub title: Option<String>,
    /// Labels, each once, in the writer's order.
    pub labels: Vec<String>,
    /// Whatever else the writer says.
    pub custom: BTreeMap<String, String>,
    /// Where it came from.
    pub provenance: Option<Provenance>,
}

impl Metadata {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Metadata::default()
    }
}
