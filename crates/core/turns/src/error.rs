//! Why turns were not written or read.

use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId};
use cairn_seam::StoreError;

use crate::limits;
use crate::projection::HintError;
use crate::registry::{Refused, Wrong};

/// Situations a caller can act on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TurnsError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such context.
    #[error("there is no context {0}")]
    NoContext(ContextId),
    /// There is no such turn.
    #[error("there is no turn {0}")]
    NoTurn(TurnId),
    /// A turn that others were appended below is not there: nothing but damage takes it away.
    #[error("turn {lost}, which turn {below} was appended below, is lost; read history from turn {below} on")]
    AncestorLost {
        /// The turn that is lost.
        lost: TurnId,
        /// The turn whose parent it was.
        below: TurnId,
    },
    /// The turn exists, and is not part of this context's history.
    #[error("turn {turn} is not in the history of context {context}")]
    NotInContext {
        /// The turn.
        turn: TurnId,
        /// The context.
        context: ContextId,
    },
    /// A blob that is referred to was not uploaded.
    #[error("there is no blob {0}; upload it first")]
    NoBlob(ContentHash),
    /// Neither the turn nor any above it has a file tree.
    #[error("turn {0} has no file tree, and inherits none")]
    NoTree(TurnId),
    /// The file tree has nothing at a path.
    #[error("the file tree of turn {turn} has nothing at {path:?}")]
    NoPath {
        /// The turn.
        turn: TurnId,
        /// The path.
        path: String,
    },
    /// The head is not the one that the writer expected.
    #[error("the head of context {context} is turn {head}, not {expected}")]
    HeadMoved {
        /// The context.
        context: ContextId,
        /// Its head.
        head: TurnId,
        /// What the writer took for its head.
        expected: TurnId,
    },
    /// An idempotency key was used before, for something else.
    #[error("this idempotency key was used for turn {0}, which differs; use a new key for a new turn")]
    KeyReused(TurnId),
    /// An idempotency key is longer than allowed.
    #[error("an idempotency key has at most {max} bytes, this one has {bytes}", max = limits::IDEMPOTENCY_KEY_BYTES_MAX)]
    KeyTooLong {
        /// Its length.
        bytes: usize,
    },
    /// A type's name is longer than allowed.
    #[error("a type id has at most {max} bytes, this one has {bytes}", max = limits::TYPE_ID_BYTES_MAX)]
    TypeTooLong {
        /// Its length.
        bytes: usize,
    },
    /// The chain has as many turns as a depth can count.
    #[error("the history of context {0} is full; fork it from an earlier turn")]
    ChainFull(ContextId),
    /// A blob is not the tree object it was taken for.
    #[error("blob {0} is no tree object: {1}")]
    BadTree(ContentHash, &'static str),
    /// A bundle makes no sense.
    #[error("the bundle is not taken: {at} {problem}", at = .0.at, problem = .0.problem)]
    BadBundle(Wrong),
    /// A bundle would change the meaning of something that was published before.
    #[error("the bundle is not taken: {at} {problem}", at = .0.at, problem = .0.problem)]
    IllegalEvolution(Wrong),
    /// Another bundle has this id.
    #[error("the bundle `{0}` was published with other content; give the new one an id of its own")]
    BundleDiffers(String),
    /// A type or an enum is too large to be stored.
    #[error("the bundle is not taken: {at} takes {bytes} bytes, and {max} is the most", max = cairn_seam::limits::VALUE_BYTES_MAX)]
    DescriptionTooLarge {
        /// Which one.
        at: String,
        /// Its length.
        bytes: usize,
    },
    /// The type of a turn was not published, and has to be here.
    #[error(
        "version {version} of the type `{id}` is not published, and this server takes only published types"
    )]
    TypeUnknown {
        /// The type.
        id: String,
        /// Its version.
        version: u32,
    },
    /// The registry has no room.
    #[error("the registry has reached {max} bytes; no more types fit", max = limits::REGISTRY_BYTES_MAX)]
    RegistryFull,
    /// A line of an import refers to a turn that did not come before it.
    #[error("turn {0} did not come before the line that refers to it; import the whole file, in its order")]
    NotImported(TurnId),
    /// What an import is called is no name.
    #[error("the id of an import has 1 to {max} bytes, this one has {bytes}", max = limits::IMPORT_ID_BYTES_MAX)]
    ImportIdLength {
        /// Its length.
        bytes: usize,
    },
    /// Nothing says as what payloads are to be read.
    #[error(transparent)]
    Hint(#[from] HintError),
    /// A stored record cannot be read.
    #[error("the stored {what} is damaged: {detail}")]
    BadRecord {
        /// Which record.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
}

impl TurnsError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            TurnsError::Store(error) => error.code(),
            TurnsError::Hint(error) => error.code(),
            TurnsError::NoContext(_)
            | TurnsError::NoTurn(_)
            | TurnsError::NotInContext { .. }
            | TurnsError::NoBlob(_)
            | TurnsError::NoTree(_)
            | TurnsError::NoPath { .. } => ErrorCode::NotFound,
            TurnsError::HeadMoved { .. }
            | TurnsError::KeyReused(_)
            | TurnsError::IllegalEvolution(_)
            | TurnsError::BundleDiffers(_) => ErrorCode::Conflict,
            TurnsError::KeyTooLong { .. }
            | TurnsError::TypeTooLong { .. }
            | TurnsError::NotImported(_)
            | TurnsError::ImportIdLength { .. }
            | TurnsError::BadTree(..)
            | TurnsError::BadBundle(_) => ErrorCode::InvalidRequest,
            TurnsError::TypeUnknown { .. } => ErrorCode::PreconditionFailed,
            TurnsError::ChainFull(_) | TurnsError::DescriptionTooLarge { .. } | TurnsError::RegistryFull => {
                ErrorCode::TooLarge
            }
            TurnsError::AncestorLost { .. } | TurnsError::BadRecord { .. } => ErrorCode::Damaged,
        }
    }
}

impl From<Refused> for TurnsError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unresolved(wrong) => TurnsError::BadBundle(wrong),
            Refused::Illegal(wrong) => TurnsError::IllegalEvolution(wrong),
        }
    }
}

impl From<Wrong> for TurnsError {
    fn from(wrong: Wrong) -> Self {
        TurnsError::BadBundle(wrong)
    }
}
