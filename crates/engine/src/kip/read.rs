//! Commands that read.

use cairn_graph::View;
use cairn_kip::tree::Command;
use cairn_query::{Allowance, Budget, Found, QueryError, Shape};

use super::answer::told_apart;
use super::{Asking, Outcome};
use crate::EngineError;

impl Asking<'_> {
    pub(super) fn read(&self, command: &Command, page_bytes: Option<usize>) -> Outcome {
        let space = match self.engine.space_to_read(self.principal, self.tenant, self.space()) {
            Ok(space) => space,
            Err(EngineError::NoSpace(missing)) => return Ok(Err(missing.into())),
            Err(error) => return Err(error),
        };
        if let Command::Search(search) = command {
            return self.search(space, search);
        }
        let shape = Shape { format: self.request.format, bytes_max: page_bytes };
        let found = self.engine.read_space(self.permit, space, Allowance::default(), |view, budget| {
            Ok(answer(view, command, shape, &mut budget.into())?)
        });
        if let Ok(found) = &found {
            self.engine.note_wishes(self.tenant, space, &found.wishes);
        }
        told_apart(found)
    }
}

/// What a command finds that only reads.
pub(super) fn answer(
    view: &View<'_>,
    command: &Command,
    shape: Shape,
    budget: &mut Budget<'_>,
) -> Result<Found, QueryError> {
    match command {
        Command::Find(find) => cairn_query::find(view, find, shape, budget),
        Command::Explain { analyze, find } => Ok(cairn_query::explain(view, find, *analyze, budget)?.into()),
        Command::Describe(describe) => cairn_query::describe(view, describe, shape.bytes_max, budget),
        // These are not for a snapshot, and nobody brings them here.
        Command::Search(_) | Command::Upsert(_) | Command::Delete(_) => Ok(Found::default()),
    }
}
