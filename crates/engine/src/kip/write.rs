//! Commands that write: one transaction each.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cairn_base::{Clock, Value};
use cairn_graph::Writer;
use cairn_kip::KipError;
use cairn_kip::tree::Command;
use cairn_query::{Budget, Found, QueryError};

use super::answer::told_apart;
use super::{Asking, Outcome};
use crate::graph::lifecycle::check_not_managed;
use crate::limits;

impl Asking<'_> {
    pub(super) fn write(&self, command: Command) -> Outcome {
        let (engine, name) = (self.engine, self.space());
        if let Err(error) = check_not_managed(name) {
            return told_apart(Err(error));
        }
        let target = engine.space_target(self.principal, self.tenant, name)?;
        let is_delete = matches!(command, Command::Delete(_));
        if is_delete && target.space().is_none() {
            // Deleting makes no space.
            return Ok(Err(KipError::from(engine.no_space(self.tenant, name)?)));
        }
        let act = if is_delete { target.act().deleting() } else { target.act() };
        let dry_run = self.request.dry_run;
        let clock = Arc::clone(engine.clock());
        let body =
            move |writer: &mut Writer<'_>| Ok(change(writer, &command, dry_run, &*clock, Duration::MAX)?);
        thread::sleep(engine.search_pause(&act));
        let written = if dry_run {
            let tried = engine.pipeline.attempt(self.principal, &act, engine.writing(&target, body));
            tried.map(|(result, _)| result)
        } else {
            let committed = engine.pipeline.transact(self.principal, &act, engine.writing(&target, body));
            committed.map(|committed| {
                let (result, space) = committed.value;
                engine.note_written(&target, space);
                result
            })
        };
        told_apart(written.map(Found::from))
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
    let budget = |time: Duration| Budget::within(clock, time.min(time_max));
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
