//! Commands that write: one transaction each.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cairn_access::{Action, Resource, Scope};
use cairn_base::{Clock, SpaceId, Value, limits};
use cairn_graph::Writer;
use cairn_kip::tree::Command;
use cairn_query::{Allowance, Budget, Found, QueryError};
use cairn_seam::WriteTx;

use super::answer::told_apart;
use super::spaces::space_to_write;
use super::{Asking, Outcome};
use crate::{Act, EngineError};

impl Asking<'_> {
    pub(super) fn write(&self, command: Command) -> Outcome {
        let (engine, name) = (self.engine, self.space());
        let known = match (engine.space(self.principal, self.tenant, name)?, &command) {
            // Deleting makes no space.
            (None, Command::Delete(_)) => match engine.space_to_read(self.principal, self.tenant, name)? {
                Ok(space) => Some(space),
                Err(missing) => return Ok(Err(missing)),
            },
            (known, _) => known,
        };
        if let Some(space) = known {
            engine.make_whole(self.tenant, space);
        }
        let whole = Resource::tenant(self.tenant);
        let resource = known.map_or(whole, |space| Resource::space(self.tenant, space));
        let act = Act::new(Action::GraphWrite, resource);
        let act = if matches!(command, Command::Delete(_)) { act.deleting() } else { act };
        thread::sleep(engine.search_pause(&act));
        let work = Work {
            command,
            space: name.to_owned(),
            dry_run: self.request.dry_run,
            clock: Arc::clone(engine.clock()),
        };
        let body = move |tx: &mut dyn WriteTx, scope: &Scope| work.carry_out(tx, scope);
        let written = if self.request.dry_run {
            engine.pipeline.attempt(self.principal, &act, body).map(|(result, _)| result)
        } else {
            let committed = engine.pipeline.transact(self.principal, &act, body);
            committed.map(|committed| {
                let (result, space) = committed.value;
                engine.note_written(self.tenant, name, space);
                result
            })
        };
        told_apart(written.map(Found::from))
    }
}

/// What the transaction needs: it may run more than once, on another thread.
struct Work {
    command: Command,
    space: String,
    dry_run: bool,
    clock: Arc<dyn Clock>,
}

impl Work {
    fn carry_out(&self, tx: &mut dyn WriteTx, scope: &Scope) -> Result<(Value, SpaceId), EngineError> {
        let now_ms = self.clock.now_ms();
        let scope = space_to_write(tx, scope, &self.space, now_ms)?;
        let mut writer = Writer::new(tx, scope, now_ms);
        let result = change(&mut writer, &self.command, self.dry_run, &*self.clock, Duration::MAX)?;
        writer.finish()?;
        Ok((result, scope.space()))
    }
}

/// Has a command change what it says, in the time that it may take and in no more than `time_max`.
pub(super) fn change(
    writer: &mut Writer<'_>,
    command: &Command,
    dry_run: bool,
    clock: &dyn Clock,
    time_max: Duration,
) -> Result<Value, QueryError> {
    let budget =
        |time: Duration| Budget::new(clock, Allowance { time: time.min(time_max), ..Allowance::default() });
    match command {
        // Others wait while it writes, or looks for what to delete.
        Command::Upsert(capsule) => {
            let mut budget = budget(limits::KIP_UPSERT_TIME_MAX);
            match dry_run {
                true => cairn_query::try_upsert(writer, capsule, &mut budget),
                false => cairn_query::upsert(writer, capsule, &mut budget),
            }
        }
        Command::Delete(delete) => {
            cairn_query::delete(writer, delete, &mut budget(limits::KIP_DELETE_TIME_MAX))
        }
        // These only read, and nobody brings them here.
        Command::Find(_) | Command::Describe(_) | Command::Search(_) | Command::Explain { .. } => {
            Ok(Value::Null)
        }
    }
}
