//! Ordered indexes: the concepts of a type by the value of one field.
//!
//! An index is made by need, and kept in the transactions that change the graph. Every concept of the type has
//! exactly one entry; where the field is null or not there, it stands under null, behind all others. So an
//! index that is ready is as complete as a scan of its type.
//!
//! It is made in pages, each a transaction of its own, in the order of the numbers of concepts: up to the last
//! one that it covers it is kept like one that is ready, and what is behind that is still to come. It is
//! dropped in pages too, and from the first one on nobody sees it.

mod build;
mod definition;
mod entry;
mod field;
mod remove;
mod survey;
mod verify;
mod walk;

use crate::{ConceptId, Part, TypeId};

pub use build::{BuildProgress, build_index_page, create_index};
pub(crate) use definition::Indexes;
pub(crate) use entry::{entry_key, value_bytes};
pub use field::IndexField;
pub(crate) use field::value_of;
pub use remove::{Dropped, drop_index, drop_index_page};
pub use survey::all_indexes;
pub use verify::{CheckPlace, IndexCheck};
pub use walk::IndexedKey;

/// An index. Numbers start at 1 in every space and are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub u64);

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its number.
    pub id: IndexId,
    /// The type whose concepts it holds.
    pub kind: TypeId,
    /// The map of theirs that the field is in.
    pub part: Part,
    /// The keys on the way to the field, at least one.
    pub path: Vec<String>,
}

/// What is known of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexInfo {
    /// What it holds.
    pub index: Index,
    /// How far it is.
    pub state: IndexState,
    /// Who wanted it.
    pub origin: IndexOrigin,
}

/// How far an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// It holds the concepts up to this number, and others are still to come.
    Building {
        /// The last one that is looked after.
        covered: ConceptId,
    },
    /// It is complete.
    Ready,
    /// It is gone for everybody, and only has to be cleared away.
    Dropping,
}

/// Who wanted an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexOrigin {
    /// Somebody asked for it.
    Asked,
    /// Queries would have been quicker with it, time and again.
    Automatic,
}

/// An index that a query could have used, had there been one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wish {
    /// The type whose concepts it looked at.
    pub kind: TypeId,
    /// The map of theirs that the field is in.
    pub part: Part,
    /// The keys on the way to the field.
    pub path: Vec<String>,
    /// How many concepts it looked at.
    pub rows: u64,
}

impl IndexInfo {
    /// Whether the index holds an entry for a concept of its type.
    pub(crate) fn holds(&self, id: ConceptId) -> bool {
        match self.state {
            IndexState::Building { covered } => id <= covered,
            IndexState::Ready => true,
            IndexState::Dropping => false,
        }
    }

    /// Whether it is, or is going to be, an index of this field.
    fn is_of(&self, kind: TypeId, part: Part, path: &[&str]) -> bool {
        let Index { kind: own_kind, part: own_part, path: own_path, .. } = &self.index;
        self.state != IndexState::Dropping
            && (*own_kind, *own_part) == (kind, part)
            && own_path.len() == path.len()
            && own_path.iter().zip(path).all(|(own, key)| own == key)
    }
}
