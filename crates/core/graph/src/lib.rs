//! The graph: what is known. Concepts, the propositions that link them, and the schema they follow.
//!
//! A concept has a type and a name; a link says that its subject stands in a relation, its predicate, to its
//! object. Subject and object are concepts or links. Types and predicates are concepts too: the number of a
//! type is the number of the concept that defines it.
//!
//! [`View`] reads, over a snapshot or a transaction; [`Writer`] writes, and keeps indexes and statistics exact
//! in the same transaction. Everything here is a function over a reader or a transaction and a
//! [`Scope`](cairn_access::Scope). It knows nothing of KIP, the language that asks for it.

mod bootstrap;
mod budget;
mod cache;
mod counters;
mod element;
mod error;
mod event;
mod fetch;
mod id;
mod index;
mod keys;
pub mod known;
pub mod limits;
mod lookup;
mod name;
mod nearest;
mod protected;
mod record;
pub mod salvage;
mod scan;
mod schema;
pub mod search;
pub mod sleep;
pub mod spaces;
mod statistics;
mod stored;
pub mod tables;
mod view;
mod write;

pub use bootstrap::{FirstContent, Named, bootstrap, restore};
pub use budget::{Allowance, Budget, OverBudget};
pub use cache::{Cache, CacheStats, Changes, Noting};
pub use element::{Concept, Edge, Link, Map, Part};
pub use error::GraphError;
pub use event::GraphEvent;
pub use id::{
    ConceptId, Element, LinkId, ParsedId, PredicateId, TypeId, concept_text, element_text, link_text,
    parse_id,
};
pub use index::{
    BuildProgress, CheckPlace, Dropped, Index, IndexCheck, IndexField, IndexId, IndexInfo, IndexOrigin,
    IndexState, IndexedKey, Wish, all_indexes, build_index_page, create_index, drop_index, drop_index_page,
};
pub use lookup::Lookup;
pub use protected::{is_fixed, protected_attribute};
pub use protected::{keeps_concept, keeps_link_of};
pub use record::{RecordView, blob_of_concept, blob_of_link};
pub use schema::{ENFORCE_SCHEMA, check_predicate_name, check_type_name};
pub use statistics::Statistic;
pub use stored::{StoredConcept, StoredLink};
pub use view::{Meta, View};
pub use write::{ConceptWrite, Deleted, LinkTarget, LinkWrite, Outcome, Target, Writer};

/// What reading or writing the graph gives.
pub type Result<T> = std::result::Result<T, GraphError>;
