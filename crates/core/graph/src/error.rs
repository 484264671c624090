//! Why something was not read from the graph, or not written to it.

use cairn_base::{ErrorCode, SpaceId};
use cairn_seam::StoreError;

use crate::{ConceptId, IndexId, LinkId, Meta, PredicateId, TypeId};

/// Situations a caller can act on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GraphError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such concept.
    #[error("there is no concept {0}")]
    NoConcept(ConceptId),
    /// There is no such link.
    #[error("there is no link {0}")]
    NoLink(LinkId),
    /// No concept of type `$ConceptType` has this number.
    #[error("concept C:{} defines no type; define it as a concept of type $ConceptType first", .0.0)]
    NoType(TypeId),
    /// No concept of type `$PropositionType` has this number.
    #[error("concept C:{} defines no predicate; define it as a concept of type $PropositionType first", .0.0)]
    NoPredicate(PredicateId),
    /// It stays as it is.
    #[error("{what} is protected: {rule}")]
    Protected {
        /// What was to be changed.
        what: String,
        /// What may not be done with it.
        rule: &'static str,
    },
    /// A definition cannot go while something follows it.
    #[error("the {what} `{name}` is in use by {count} {of}; delete them first", what = .meta.singular(), of = .meta.instances(*.count))]
    TypeInUse {
        /// Whether it is a type or a predicate.
        meta: Meta,
        /// Its name.
        name: String,
        /// How many concepts or links there are of it.
        count: u64,
    },
    /// It is not in the version that the writer expected.
    #[error("{what} has version {found}, not {expected}")]
    VersionMismatch {
        /// The concept or link.
        what: String,
        /// What the writer expected; 0 if it was to be made.
        expected: u64,
        /// What it is; 0 if it is not there.
        found: u64,
    },
    /// A key of metadata that only cairn writes.
    #[error("the metadata key `{0}` is not for writing: keys that begin with `_` are kept by cairn itself")]
    ReservedKey(String),
    /// A definition is not named as the conventions say.
    #[error("`{name}` is no name for a {what}: {rule}", what = .meta.singular(), rule = .meta.convention())]
    BadName {
        /// Whether it is a type or a predicate.
        meta: Meta,
        /// The name.
        name: String,
        /// How it would be right, if that can be guessed.
        corrected: Option<String>,
    },
    /// The name of a space is none.
    #[error("{name:?} is no name for a space: {rule}")]
    BadSpaceName {
        /// The name.
        name: String,
        /// What is wrong with it.
        rule: &'static str,
    },
    /// A space has no name (any more).
    #[error("there is no space with number {0}; it was deleted")]
    NoSpace(SpaceId),
    /// A copy is to get the name of another space.
    #[error("there is a space {0:?} already; delete it first, or choose another name")]
    SpaceExists(String),
    /// A space is not staged (any more), and so it cannot be filled or published.
    #[error("space {0} is not staged; begin the copy again")]
    NotStaged(SpaceId),
    /// The schema does not allow it.
    #[error("{what} {problem}")]
    Constraint {
        /// The concept, link or definition.
        what: String,
        /// What the schema says.
        problem: String,
    },
    /// The schema wants a value of another kind.
    #[error("{what}: `{key}` must be {expected}, and is {found}")]
    ValueType {
        /// The concept, link or definition.
        what: String,
        /// The attribute.
        key: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: &'static str,
    },
    /// A name or key is empty.
    #[error("the {what} is empty")]
    Empty {
        /// Which one.
        what: &'static str,
    },
    /// Something is over its limit.
    #[error("the {what} has {bytes} bytes, and {max} are the most")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// An attribute has too many arrays and objects inside each other.
    #[error("the value of `{key}` is nested more than {max} levels deep")]
    TooDeep {
        /// The key.
        key: String,
        /// The limit.
        max: usize,
    },
    /// A link is about links that are about links, too many of them.
    #[error(
        "a link about links may have {levels_max} of them inside each other and {links_max} in all, and this one would have more"
    )]
    TooManyInside {
        /// How deep they may stand in each other.
        levels_max: usize,
        /// How many there may be.
        links_max: usize,
    },
    /// There is no such index, or it is being dropped.
    #[error("there is no index {}", .0.0)]
    NoIndex(IndexId),
    /// What is to be indexed is no field of attributes or metadata.
    #[error("{field:?} is no field that can be indexed: {rule}")]
    BadIndexField {
        /// What was named.
        field: String,
        /// What is wrong with it.
        rule: &'static str,
    },
    /// A space has as many indexes as it may have.
    #[error("this space has {max} indexes, which is the most; drop one that is not used")]
    IndexesFull {
        /// The limit.
        max: usize,
    },
    /// A space has as many indexes as it can keep track of, because some are still being dropped.
    #[error(
        "this space has {max} indexes, those included that are being dropped, which is the most; try again when they are gone"
    )]
    IndexesDropping {
        /// The limit.
        max: usize,
    },
    /// No more numbers are left to give.
    #[error("this space has given all its numbers")]
    OutOfNumbers,
    /// A stored record cannot be read.
    #[error("the stored {what} is damaged: {detail}")]
    BadRecord {
        /// Which record.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
}

impl GraphError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            GraphError::Store(error) => error.code(),
            GraphError::NoConcept(_)
            | GraphError::NoLink(_)
            | GraphError::NoType(_)
            | GraphError::NoPredicate(_)
            | GraphError::NoIndex(_)
            | GraphError::NoSpace(_) => ErrorCode::NotFound,
            GraphError::Protected { .. } => ErrorCode::Forbidden,
            GraphError::TypeInUse { .. }
            | GraphError::IndexesDropping { .. }
            | GraphError::SpaceExists(_)
            | GraphError::NotStaged(_) => ErrorCode::Conflict,
            GraphError::VersionMismatch { .. } => ErrorCode::PreconditionFailed,
            GraphError::ReservedKey(_)
            | GraphError::BadName { .. }
            | GraphError::BadSpaceName { .. }
            | GraphError::BadIndexField { .. }
            | GraphError::Constraint { .. }
            | GraphError::ValueType { .. }
            | GraphError::Empty { .. } => ErrorCode::InvalidRequest,
            GraphError::TooLarge { .. }
            | GraphError::TooDeep { .. }
            | GraphError::TooManyInside { .. }
            | GraphError::IndexesFull { .. }
            | GraphError::OutOfNumbers => ErrorCode::TooLarge,
            GraphError::BadRecord { .. } => ErrorCode::Damaged,
        }
    }
}
