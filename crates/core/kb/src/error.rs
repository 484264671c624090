//! Reasons why the KB was not read or written.

use std::collections::BTreeSet;

use cairn_base::ErrorCode;
use cairn_graph::GraphError;
use cairn_seam::StoreError;

use crate::KbCode;
use crate::contradiction::Conflict;
use crate::entity::FieldError;
use crate::model::Relation;
use crate::sparql::SparqlError;

/// Situations a caller can act on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KbError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An entity is invalid.
    #[error("entity validation failed: {}", list(.0))]
    Entity(Vec<FieldError>),
    /// A relationship is invalid.
    #[error("relationship validation failed at index {index}: {message}")]
    Relationship {
        /// Its place in the request.
        index: usize,
        /// What is wrong with it.
        message: String,
    },
    /// An id belongs to an entity of another type.
    #[error("{id} is a {found}, not a {asked}; ids are unique in a branch across types")]
    OtherType {
        /// The id.
        id: String,
        /// The type of the entity.
        found: &'static str,
        /// The type of the request.
        asked: &'static str,
    },
    /// A symbol is linked more coarsely than its file allows.
    #[error("{0}")]
    Granularity(String),
    /// The write would create contradictions.
    #[error("contradiction detected for {id}: {}", .conflicts.join("; "))]
    Contradiction {
        /// The entity that was to be written.
        id: String,
        /// One line for each smallest set of conflicting requirements.
        conflicts: Vec<String>,
        /// Requirements that conflict with it.
        others: Vec<String>,
    },
    /// Entities are still referred to.
    #[error("deletion blocked: {}", blocked(.0))]
    Blocked(Vec<Dependents>),
    /// A parameter is invalid.
    #[error("{parameter}: {message}")]
    Argument {
        /// The parameter.
        parameter: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// There is no KB for the branch.
    #[error("workspace {workspace} has no KB for branch {branch:?}{}", did_you_mean(.near.as_deref()))]
    NoBranch {
        /// The workspace.
        workspace: String,
        /// The branch.
        branch: String,
        /// A branch with a similar name.
        near: Option<String>,
    },
    /// There are no entities with these ids.
    #[error("no such entity: {}", .0.join(", "))]
    NoEntity(Vec<String>),
    /// The store of a branch was lost or replaced.
    #[error("the KB of branch {branch:?} cannot be read: {detail}")]
    Refresh {
        /// The branch.
        branch: String,
        /// What was found.
        detail: String,
    },
    /// A branch is being created or deleted.
    #[error("branch {branch:?} is being {doing}")]
    Busy {
        /// The branch.
        branch: String,
        /// `created` or `deleted`.
        doing: &'static str,
    },
    /// Another sync was stored since the files were listed.
    #[error("the branch was synced again since its files were listed: {found} instead of {expected}")]
    SyncMoved {
        /// The sync that the caller expects.
        expected: String,
        /// The last sync of the branch.
        found: String,
    },
    /// A limit is reached.
    #[error("{what}: {count} are more than the {max} allowed")]
    TooLarge {
        /// What is limited.
        what: &'static str,
        /// How many there are or would be.
        count: u64,
        /// The limit.
        max: u64,
    },
    /// A function is switched off.
    #[error("{what} is off; `{setting}` switches it on")]
    Off {
        /// The function.
        what: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// A remote query was not run, or gave nothing.
    #[error(transparent)]
    Sparql(#[from] SparqlError),
    /// A record of the KB does not decode.
    #[error("a record of the KB is damaged: {0}")]
    Record(String),
}

/// Entities that refer to one that is to be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependents {
    /// The entity that is referred to.
    pub id: String,
    /// Relationships that end at it: type and source, sorted; at most some of them.
    pub from: Vec<(Relation, String)>,
    /// How many there are.
    pub count: usize,
}

impl KbError {
    /// The code of the situation.
    pub fn code(&self) -> ErrorCode {
        match self {
            KbError::Store(error) => error.code(),
            KbError::Graph(error) => error.code(),
            KbError::Entity(_) | KbError::OtherType { .. } => KbCode::KbInvalidEntity,
            KbError::Relationship { .. } => KbCode::KbInvalidRelationship,
            KbError::Granularity(_) => KbCode::KbGranularity,
            KbError::Contradiction { .. } => KbCode::KbContradiction,
            KbError::Blocked(_) => KbCode::KbBlocked,
            KbError::Argument { .. } => KbCode::KbInvalidArgument,
            KbError::NoBranch { .. } => KbCode::KbNoBranch,
            KbError::NoEntity(_) => KbCode::KbNoEntity,
            KbError::Refresh { .. } => KbCode::KbRefreshError,
            KbError::Busy { .. } => KbCode::KbBranchBusy,
            KbError::SyncMoved { .. } => KbCode::KbSyncMoved,
            KbError::TooLarge { .. } => KbCode::KbTooLarge,
            KbError::Off { .. } => KbCode::KbSwitchedOff,
            KbError::Sparql(error) => error.code(),
            KbError::Record(_) => ErrorCode::Damaged,
        }
    }

    /// The refusal of a write of an entity that would create these contradictions.
    pub fn contradiction(id: &str, found: &[Conflict]) -> Self {
        let shown = found.iter().take(CONFLICTS_SHOWN_MAX);
        let conflicts = shown.map(|conflict| format!("conflicts with {}", explained(id, conflict))).collect();
        let others = found.iter().flat_map(|conflict| &conflict.requirements).filter(|other| ***other != *id);
        let others: BTreeSet<String> = others.map(|other| other.to_string()).collect();
        KbError::Contradiction { id: id.to_owned(), conflicts, others: others.into_iter().collect() }
    }

    pub(crate) fn argument(parameter: &'static str, message: impl Into<String>) -> Self {
        KbError::Argument { parameter, message: message.into() }
    }
}

/// Contradictions that an error describes.
const CONFLICTS_SHOWN_MAX: usize = 20;

/// The requirements that a conflict is with, and the reason.
fn explained(id: &str, conflict: &Conflict) -> String {
    let others: Vec<&str> =
        conflict.requirements.iter().map(|other| &**other).filter(|other| *other != id).collect();
    let others = if others.is_empty() { "itself".to_owned() } else { others.join(" and ") };
    format!("{others}: {}", conflict.reason)
}

fn list(errors: &[FieldError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn blocked(dependents: &[Dependents]) -> String {
    let one = |dependents: &Dependents| {
        let named: Vec<_> =
            dependents.from.iter().map(|(relation, id)| format!("{id} ({relation})")).collect();
        let more = dependents.count - dependents.from.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{} is referred to by {}{more}", dependents.id, named.join(", "))
    };
    dependents.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default()
}
