//! What the graph refuses, in the words of the protocol.

use cairn_graph::GraphError;
use cairn_kip::{KipCode, KipError};
use cairn_seam::StoreError;

use crate::QueryError;

impl From<GraphError> for QueryError {
    fn from(error: GraphError) -> Self {
        let (code, hint) = match &error {
            GraphError::Store(store) => return store.clone().into(),
            GraphError::BadRecord { .. } => {
                return QueryError::Store(StoreError::Record { detail: error.to_string() });
            }
            GraphError::NoConcept(_)
            | GraphError::NoLink(_)
            | GraphError::NoIndex(_)
            | GraphError::NoSpace(_) => (KipCode::NotFound, None),
            GraphError::SpaceExists(_) | GraphError::NotStaged(_) => (KipCode::DuplicateExists, None),
            GraphError::NoType(_) | GraphError::NoPredicate(_) => (KipCode::TypeMismatch, None),
            GraphError::Protected { .. } => (KipCode::ImmutableTarget, None),
            GraphError::TypeInUse { .. } => (KipCode::ConstraintViolation, Some(in_use())),
            GraphError::VersionMismatch { expected, found, .. } => {
                (KipCode::VersionMismatch, Some(other_version(*expected, *found)))
            }
            GraphError::ReservedKey(_) => (KipCode::ConstraintViolation, Some(reserved())),
            GraphError::BadName { corrected, .. } => {
                (KipCode::InvalidIdentifier, corrected.as_ref().map(|name| format!("call it {name:?}")))
            }
            GraphError::BadSpaceName { .. } => (KipCode::InvalidIdentifier, None),
            GraphError::Constraint { .. } => (KipCode::ConstraintViolation, None),
            GraphError::ValueType { .. } => (KipCode::InvalidValueType, None),
            GraphError::Empty { .. } | GraphError::BadIndexField { .. } => (KipCode::InvalidSyntax, None),
            GraphError::TooLarge { .. } | GraphError::TooDeep { .. } => {
                (KipCode::ResourceExhausted, Some(smaller()))
            }
            GraphError::TooManyInside { .. } => (KipCode::ResourceExhausted, Some(about_a_concept())),
            GraphError::IndexesFull { .. } | GraphError::IndexesDropping { .. } => {
                (KipCode::ResourceExhausted, None)
            }
            GraphError::OutOfNumbers => (KipCode::ResourceExhausted, Some(other_space())),
        };
        let error = KipError::new(code, error.to_string());
        match hint {
            Some(hint) => error.hint(hint).into(),
            None => error.into(),
        }
    }
}

fn in_use() -> String {
    "find what follows it with FIND, delete that first, or keep the definition".to_owned()
}

fn other_version(expected: u64, found: u64) -> String {
    match (expected, found) {
        (0, _) => "EXPECT VERSION 0 only creates; leave it out to change what is there".to_owned(),
        (_, 0) => "it is not there (any more); leave EXPECT VERSION out to create it".to_owned(),
        (_, found) => format!("read it again, decide anew, and send EXPECT VERSION {found}"),
    }
}

fn reserved() -> String {
    "keys of metadata that begin with _ can be read, and neither written nor deleted".to_owned()
}

fn smaller() -> String {
    "keep long texts elsewhere, and a reference or a summary here".to_owned()
}

fn about_a_concept() -> String {
    "make a concept that stands for what was said, and say more about that one".to_owned()
}

fn other_space() -> String {
    "use another space".to_owned()
}
