//! Hints for errors whose code stands for several situations.

use cairn_access::registry::RegistryError;
use cairn_graph::GraphError;
use cairn_seam::StoreError;
use cairn_turns::TurnsError;
use cairn_turns::projection::HintError;

use crate::EngineError;

const WAIT: &str = "wait until the other one is done, then send the request again";

impl EngineError {
    /// What to do next: more exact than the hint of its code where that code has several causes.
    pub fn hint(&self) -> &'static str {
        let particular = match self {
            EngineError::Turns(error) | EngineError::ImportLine { error, .. } => of_turns(error),
            EngineError::Store(error) => of_store(error),
            EngineError::Graph(error) => of_graph(error),
            EngineError::Registry(error) => of_registry(error),
            EngineError::NoLine(error) => Some(error.hint()),
            EngineError::ImportMoved
            | EngineError::SearchRebuilding
            | EngineError::MaintenanceRunning
            | EngineError::SleepRunning => Some(WAIT),
            EngineError::ManagedSpace { .. } => {
                Some("write to it with `cairn kb upsert` or the tool kb_upsert; read it with FIND")
            }
            EngineError::CopyOutrun { .. } => {
                Some("copy it again when fewer clients write to it, or hold their writes back meanwhile")
            }
            EngineError::ConsumersFull => Some("remove a consumer that is no longer used"),
            EngineError::NoSigning { .. } => {
                Some("run `cairn identity create`, or sign the payload yourself")
            }
            EngineError::Refused(_)
            | EngineError::Artifact(_)
            | EngineError::Kb(_)
            | EngineError::NoSpace(_)
            | EngineError::NoType(_)
            | EngineError::Kip(_)
            | EngineError::Search(_)
            | EngineError::NoSearch { .. }
            | EngineError::SearchOff
            | EngineError::IndexesSealed
            | EngineError::CopiesFull
            | EngineError::NoOrderedIndex { .. }
            | EngineError::NoTenant { .. }
            | EngineError::CannotTrust(_)
            | EngineError::ImportKip { .. }
            | EngineError::ImportName { .. }
            | EngineError::ImportChanged
            | EngineError::Input { .. }
            | EngineError::Output { .. }
            | EngineError::ConsumerName
            | EngineError::ConsumerUnknown { .. }
            | EngineError::ConsumerBackwards { .. }
            | EngineError::ConsumerTooOld { .. }
            | EngineError::ConsumerBehind { .. }
            | EngineError::Selector { .. }
            | EngineError::ClientTag { .. }
            | EngineError::ListenersFull
            | EngineError::BadRecord { .. }
            | EngineError::NewerRecord { .. }
            | EngineError::Thread { .. } => None,
        };
        particular.unwrap_or_else(|| self.code().hint())
    }
}

fn of_turns(error: &TurnsError) -> Option<&'static str> {
    match error {
        TurnsError::Store(error) => of_store(error),
        TurnsError::HeadMoved { .. } => Some("read what was appended meanwhile, and decide again"),
        TurnsError::KeyReused(_) => {
            Some("use a new key for a new turn; send a repeated one exactly as before")
        }
        TurnsError::IllegalEvolution(_) => {
            Some("publish the change as a new version with new tags; what was published keeps its meaning")
        }
        TurnsError::BundleDiffers(_) => Some("publish the new content under a new bundle_id"),
        TurnsError::ChainFull(_) => Some("fork the context from an earlier turn, and append there"),
        TurnsError::DescriptionTooLarge { .. } => Some("split the type into several types"),
        TurnsError::Hint(HintError::OtherType { .. }) => Some("name the type of the turns in as_type_id"),
        TurnsError::RegistryFull => Some("use the types that are published; no more fit into this tenant"),
        TurnsError::AncestorLost { .. }
        | TurnsError::NoContext(_)
        | TurnsError::NoTurn(_)
        | TurnsError::NotInContext { .. }
        | TurnsError::NoBlob(_)
        | TurnsError::NoTree(_)
        | TurnsError::NoPath { .. }
        | TurnsError::KeyTooLong { .. }
        | TurnsError::TypeTooLong { .. }
        | TurnsError::BadTree(..)
        | TurnsError::BadBundle(_)
        | TurnsError::TypeUnknown { .. }
        | TurnsError::NotImported(_)
        | TurnsError::ImportIdLength { .. }
        | TurnsError::Hint(HintError::Missing | HintError::Unpublished { .. })
        | TurnsError::BadRecord { .. } => None,
    }
}

fn of_store(error: &StoreError) -> Option<&'static str> {
    // Everything else has one cause for each code.
    if matches!(error, StoreError::Conflict) {
        Some("nothing was changed: send the same request again")
    } else if matches!(error, StoreError::CommitTooLarge) {
        Some("split the request into several smaller ones")
    } else if matches!(error, StoreError::Unsupported { .. }) {
        Some("this needs a store in a local directory; use the tools of the store that holds the data")
    } else {
        None
    }
}

fn of_graph(error: &GraphError) -> Option<&'static str> {
    if matches!(error, GraphError::TypeInUse { .. }) {
        Some("delete what is of it first")
    } else if matches!(error, GraphError::IndexesDropping { .. }) {
        Some("wait until the dropped indexes are gone, then send the request again")
    } else if let GraphError::Store(error) = error {
        of_store(error)
    } else {
        None
    }
}

fn of_registry(error: &RegistryError) -> Option<&'static str> {
    if matches!(error, RegistryError::Exists { .. }) {
        Some("use what is there, or choose another name")
    } else if matches!(error, RegistryError::KeyTaken) {
        Some("register another key")
    } else if matches!(error, RegistryError::Full { .. }) {
        Some("remove what is no longer used")
    } else if let RegistryError::Store(error) = error {
        of_store(error)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::{ContextId, ErrorCode, TurnId};
    use cairn_turns::registry::Wrong;

    use super::*;

    #[test]
    fn only_a_lost_race_is_told_to_send_the_same_again() {
        let wrong = || Wrong { at: "types.T".into(), problem: "is another one".into() };
        let head = TurnsError::HeadMoved { context: ContextId(1), head: TurnId(3), expected: TurnId(2) };
        let conflicts: Vec<EngineError> = vec![
            head.into(),
            TurnsError::KeyReused(TurnId(7)).into(),
            TurnsError::IllegalEvolution(wrong()).into(),
            TurnsError::BundleDiffers("b".into()).into(),
            RegistryError::KeyTaken.into(),
            EngineError::MaintenanceRunning,
            EngineError::SleepRunning,
            EngineError::SearchRebuilding,
            EngineError::ImportMoved,
        ];
        for error in conflicts {
            assert_eq!(error.code(), ErrorCode::Conflict, "{error}");
            let hint = error.hint();
            assert!(hint != ErrorCode::Conflict.hint(), "{error}: {hint}");
            assert!(!hint.contains("same request again"), "{error}: {hint}");
        }
        let lost = [EngineError::from(StoreError::Conflict), TurnsError::Store(StoreError::Conflict).into()];
        assert!(lost.iter().all(|error| error.hint().contains("send the same request again")));
        assert_eq!(EngineError::ListenersFull.hint(), ErrorCode::Overloaded.hint());
    }
}
