//! Commands that read.

use cairn_access::{Action, Resource};
use cairn_base::{Clock, Position};
use cairn_graph::View;
use cairn_kip::tree::Command;
use cairn_query::{Allowance, Budget, Found, QueryError};

use super::answer::told_apart;
use super::{Asking, Outcome};
use crate::Act;

impl Asking<'_> {
    pub(super) fn read(&self, command: &Command) -> Outcome {
        let space = match self.engine.space_to_read(self.principal, self.tenant, self.space())? {
            Ok(space) => space,
            Err(missing) => return Ok(Err(missing)),
        };
        let act = Act::new(Action::GraphRead, Resource::space(self.tenant, space));
        if let Command::Search(search) = command {
            return self.search(&act, search);
        }
        let clock = self.engine.clock();
        let found = self.engine.pipeline.read(self.principal, &act, Position::START, |snapshot, scope| {
            let view = View::of_snapshot(snapshot, *scope, &self.engine.pipeline.shared().graph_cache);
            Ok(self.answer(&view, command, &**clock)?)
        });
        if let Ok(found) = &found {
            self.engine.note_wishes(self.tenant, space, &found.wishes);
        }
        told_apart(found)
    }

    fn answer(&self, view: &View<'_>, command: &Command, clock: &dyn Clock) -> Result<Found, QueryError> {
        let mut budget = Budget::new(clock, Allowance::default());
        match command {
            Command::Find(find) => cairn_query::find(view, find, self.request.format, &mut budget),
            Command::Explain { analyze, find } => {
                let result = cairn_query::explain(view, find, *analyze, &mut budget)?;
                Ok(result.into())
            }
            Command::Describe(describe) => cairn_query::describe(view, describe, &mut budget),
            // These are not for a snapshot, and nobody brings them here.
            Command::Search(_) | Command::Upsert(_) | Command::Delete(_) => Ok(Found::default()),
        }
    }
}
