//! Why the engine did not do what was asked.

use std::io;

use cairn_access::registry::RegistryError;
use cairn_access::{CannotTrust, Refusal};
use cairn_artifacts::ArtifactError;
use cairn_base::{ErrorCode, Position};
use cairn_graph::GraphError;
use cairn_kb::KbError;
use cairn_kip::KipError;
use cairn_query::QueryError;
use cairn_seam::{StoreCode, StoreError};
use cairn_search::{SearchCode, SearchError};
use cairn_turns::TurnsError;

use crate::graph::{NoSpace, NoType};
use crate::limits;

/// Situations a caller of the engine can act on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The caller may not do that.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The memory of turns did not do it.
    #[error(transparent)]
    Turns(#[from] TurnsError),
    /// The graph did not do it.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The memory of artifacts did not do it.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The requirements KB did not do it.
    #[error(transparent)]
    Kb(Box<KbError>),
    /// This node has no key to sign with.
    #[error("this node cannot sign: {detail}")]
    NoSigning {
        /// The reason.
        detail: String,
    },
    /// The graph has no such space.
    #[error(transparent)]
    NoSpace(#[from] NoSpace),
    /// A space has no such type.
    #[error(transparent)]
    NoType(#[from] NoType),
    /// Something is wrong with a command of KIP; surfaces answer it in KIP's own words.
    #[error(transparent)]
    Kip(Box<KipError>),
    /// The search index did not do it.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// There is nothing to search in at the moment.
    #[error("the search index is not there: {detail}")]
    NoSearch {
        /// Why.
        detail: String,
    },
    /// This node keeps no search index.
    #[error("search is switched off here; set search.enabled to on and start again")]
    SearchOff,
    /// Somebody waits for a new search index already.
    #[error("the search index is made anew already; wait until it is done")]
    SearchRebuilding,
    /// A space that the knowledge base writes is not written in any other way.
    #[error("the space {name:?} belongs to the knowledge base, and KIP only reads it")]
    ManagedSpace {
        /// The name of the space.
        name: String,
    },
    /// As many copies of spaces run as may run at once.
    #[error(
        "{} spaces are being copied already; try again when one of them is done",
        limits::SPACE_COPIES_MAX
    )]
    CopiesFull,
    /// A space was written to more quickly than it could be copied.
    #[error("the space {name:?} changed too much while it was copied; nothing was kept of the copy")]
    CopyOutrun {
        /// The name of the space that was to be copied.
        name: String,
    },
    /// Values would become parts of keys.
    #[error(
        "this store is sealed, and ordered indexes are not made in one: they hold values of attributes in the \
         keys of records"
    )]
    IndexesSealed,
    /// There is no such index.
    #[error("there is no index of {kind} {field}")]
    NoOrderedIndex {
        /// The type.
        kind: String,
        /// The field.
        field: String,
    },
    /// The registry of principals did not do it.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// There is no such tenant, or not for the caller.
    #[error("there is no tenant {name:?}")]
    NoTenant {
        /// What it was called.
        name: String,
    },
    /// Nobody can come in as the user that an operator names.
    #[error(transparent)]
    CannotTrust(#[from] CannotTrust),
    /// A line of an import makes no sense, or does not fit to those before it.
    #[error("line {line}: {error}")]
    ImportLine {
        /// Which one, from 1 on.
        line: u64,
        /// What is wrong with it.
        error: TurnsError,
    },
    /// A command or line of an import is wrong.
    #[error("line {line}{}: {error}", column.map(|column| format!(", column {column}")).unwrap_or_default())]
    ImportKip {
        /// Which line of the input, from 1 on.
        line: u64,
        /// Where in it, from 1 on, if that is known.
        column: Option<usize>,
        /// What is wrong with it.
        error: Box<KipError>,
    },
    /// What an import is called is too long, or nothing.
    #[error(
        "what an import is called has 1 to {} bytes, and this has {bytes}",
        cairn_turns::limits::IMPORT_ID_BYTES_MAX
    )]
    ImportName {
        /// Its length.
        bytes: usize,
    },
    /// The input differs from the one that was begun under the same name.
    #[error(
        "the input differs from what was imported of it before; begin anew with --restart (restart=true), \
         which changes only what differs, or give this import another name"
    )]
    ImportChanged,
    /// Another import goes by the same name at the same time.
    #[error(
        "another import of the same input, or under the same name, is under way; \
         wait until it is done and import again"
    )]
    ImportMoved,
    /// The input of an import cannot be read.
    #[error("the input cannot be read: {cause}; import it again to go on")]
    Input {
        /// Why.
        cause: String,
    },
    /// An export cannot be written.
    #[error("the export cannot be written: {cause}")]
    Output {
        /// Why.
        cause: String,
    },
    /// A consumer's name is not one.
    #[error(
        "a consumer's name has 1 to {} characters of a-z, 0-9, '-', '_' and '.'",
        limits::CONSUMER_NAME_BYTES_MAX
    )]
    ConsumerName,
    /// Nobody of that name follows the feed.
    #[error("no consumer is called {name}; register it first")]
    ConsumerUnknown {
        /// The name.
        name: String,
    },
    /// There are as many consumers as there may be.
    #[error("{} consumers follow the feed already; remove one that is no longer used", limits::CONSUMERS_MAX)]
    ConsumersFull,
    /// A consumer's position only moves forward.
    #[error("consumer {name} is at position {at} and does not go back to {asked}")]
    ConsumerBackwards {
        /// The consumer.
        name: String,
        /// Where it is.
        at: Position,
        /// Where it was to go.
        asked: Position,
    },
    /// The changes a consumer still has to read are gone.
    #[error(
        "consumer {name} is at position {at}, and changes before {horizon} are gone; \
         start again from a snapshot and advance to its position"
    )]
    ConsumerTooOld {
        /// The consumer.
        name: String,
        /// Where it is.
        at: Position,
        /// The oldest position that can be read after.
        horizon: Position,
    },
    /// A consumer has not read what would be forgotten.
    #[error(
        "consumer {name} is at position {at} and has not read everything that would be forgotten; \
         let it catch up, or remove it"
    )]
    ConsumerBehind {
        /// The consumer.
        name: String,
        /// Where it is.
        at: Position,
    },
    /// What is to be forgotten cannot be made out.
    #[error("{selector:?} does not say what to forget: {detail}")]
    Selector {
        /// What was written.
        selector: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A client calls itself by too long a name.
    #[error("a client's tag has at most {max} bytes, this one has {bytes}", max = limits::CLIENT_TAG_BYTES_MAX)]
    ClientTag {
        /// Its length.
        bytes: usize,
    },
    /// There are as many live listeners as there may be.
    #[error("{} listeners are connected already; try again later", limits::EVENT_BUS_SUBSCRIBERS_MAX)]
    ListenersFull,
    /// Maintenance is one at a time.
    #[error("maintenance is under way already; wait until it is done")]
    MaintenanceRunning,
    /// Sleep cycles are one at a time in a space.
    #[error("a sleep cycle is under way in this space already; wait until it is done")]
    SleepRunning,
    /// The store does not take the audit line of an act that is not done without one.
    #[error("nothing was done, because it cannot be noted in the audit trail before: {0}")]
    NoLine(Box<EngineError>),
    /// A stored record cannot be read.
    #[error("the stored {what} is damaged: {detail}")]
    BadRecord {
        /// Which record.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// A stored record was written by a newer cairn.
    #[error("the stored {what} has version {found}; this cairn reads up to {known}: use a newer cairn")]
    NewerRecord {
        /// Which record.
        what: &'static str,
        /// Its version.
        found: u8,
        /// The newest version known here.
        known: u8,
    },
    /// The system gave us no thread.
    #[error("cannot start the {what} thread: {source}")]
    Thread {
        /// What it was for.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl EngineError {
    /// Whether the caller asked to stop.
    pub(crate) fn is_stop(&self) -> bool {
        matches!(
            self,
            EngineError::Store(StoreError::Stopped)
                | EngineError::Turns(TurnsError::Store(StoreError::Stopped))
        )
    }

    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            EngineError::Refused(refusal) => refusal.code(),
            EngineError::Store(error) => error.code(),
            EngineError::Turns(error) => error.code(),
            EngineError::ImportLine { error, .. } => error.code(),
            EngineError::Graph(error) => error.code(),
            EngineError::Artifact(error) => error.code(),
            EngineError::Kb(error) => error.code(),
            EngineError::NoSigning { .. } => ErrorCode::Unavailable,
            EngineError::NoSpace(_)
            | EngineError::NoType(_)
            | EngineError::Kip(_)
            | EngineError::ImportKip { .. }
            | EngineError::ImportName { .. } => ErrorCode::InvalidRequest,
            EngineError::ImportChanged => ErrorCode::PreconditionFailed,
            EngineError::ImportMoved => ErrorCode::Conflict,
            EngineError::Input { .. } | EngineError::Output { .. } => ErrorCode::InvalidRequest,
            EngineError::Search(error) => error.code(),
            EngineError::NoSearch { .. } => SearchCode::SearchNotReady,
            EngineError::SearchOff => ErrorCode::InvalidRequest,
            EngineError::SearchRebuilding => ErrorCode::Conflict,
            EngineError::ManagedSpace { .. } => ErrorCode::Forbidden,
            EngineError::CopiesFull | EngineError::CopyOutrun { .. } => ErrorCode::Overloaded,
            EngineError::IndexesSealed => ErrorCode::InvalidRequest,
            EngineError::NoOrderedIndex { .. } => ErrorCode::NotFound,
            EngineError::Registry(error) => error.code(),
            EngineError::NoTenant { .. } => ErrorCode::NotFound,
            EngineError::CannotTrust(error) => error.code(),
            EngineError::ConsumerName => ErrorCode::InvalidRequest,
            EngineError::ConsumerUnknown { .. } => ErrorCode::NotFound,
            EngineError::ConsumersFull => ErrorCode::TooLarge,
            EngineError::ConsumerBackwards { .. } => ErrorCode::PreconditionFailed,
            EngineError::ConsumerTooOld { .. } => StoreCode::PositionTooOld,
            EngineError::ConsumerBehind { .. } => ErrorCode::PreconditionFailed,
            EngineError::Selector { .. } => ErrorCode::InvalidRequest,
            EngineError::ClientTag { .. } => ErrorCode::InvalidRequest,
            EngineError::ListenersFull => ErrorCode::Overloaded,
            EngineError::MaintenanceRunning | EngineError::SleepRunning => ErrorCode::Conflict,
            EngineError::NoLine(error) => error.code(),
            EngineError::BadRecord { .. } => ErrorCode::Damaged,
            EngineError::NewerRecord { .. } => StoreCode::NewerFormat,
            EngineError::Thread { .. } => ErrorCode::Internal,
        }
    }
}

impl From<KipError> for EngineError {
    fn from(error: KipError) -> Self {
        EngineError::Kip(Box::new(error))
    }
}

impl From<QueryError> for EngineError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Kip(error) => error.into(),
            QueryError::Store(error) => error.into(),
        }
    }
}
