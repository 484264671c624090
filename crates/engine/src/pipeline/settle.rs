//! What became of a transaction, for those who remember what the graph was before it.

use cairn_base::{ErrorCode, Position};
use cairn_graph::Changes;

use crate::EngineError;

/// What a transaction changed can be kept in memory again. If nobody knows whether it was committed, it cannot.
pub(super) fn settle<T>(changes: &Changes, outcome: &Result<(T, Position), EngineError>) {
    match outcome {
        Ok((_, position)) => changes.committed(*position),
        Err(error) if error.code() == ErrorCode::OutcomeUnknown => {}
        Err(_) => changes.aborted(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_graph::{Cache, GraphError, tables};
    use cairn_seam::StoreError;

    use super::*;

    #[test]
    fn only_what_nobody_knows_stays_pending() {
        let check = |outcome: Result<((), Position), EngineError>, is_pending: bool| {
            let changes = Changes::new(&Arc::new(Cache::new(1 << 20)));
            changes.note(tables::LINKS, &[0; 16]);
            assert!(changes.is_pending());
            settle(&changes, &outcome);
            assert_eq!(changes.is_pending(), is_pending, "{outcome:?}");
        };
        let unknown = || StoreError::OutcomeUnknown { cause: "the disk said nothing".into() };
        check(Ok(((), Position(7))), false);
        check(Err(StoreError::Aborted.into()), false);
        check(Err(StoreError::Overloaded.into()), false);
        check(Err(GraphError::OutOfNumbers.into()), false);
        check(Err(unknown().into()), true);
    }
}
