//! What is noted of a command that was carried out: its metrics, and its line in the query log.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::Principal;
use cairn_base::{Clock, TenantId};
use cairn_kip::{KipCommand, KipRequest};

use super::kind::Kind;
use super::log::{KipLogLine, shortened};
use super::{KipLog, KipMetrics, Outcome, space_of};
use crate::Engine;

/// The outcome of a command that nothing is wrong with.
pub(super) const OK: &str = "ok";

/// A command that is going to be noted. It outlives its request: a write may end after its deadline.
pub(super) struct Note {
    log: Arc<KipLog>,
    metrics: Arc<KipMetrics>,
    clock: Arc<dyn Clock>,
    started: Duration,
    tenant: TenantId,
    kind: Kind,
    user: Box<str>,
    space: Box<str>,
    command: Box<str>,
    is_cut: bool,
    dry_run: bool,
}

impl Note {
    pub(super) fn new(
        engine: &Engine,
        principal: &Principal,
        tenant: TenantId,
        request: &KipRequest,
        command: &KipCommand,
        started: Duration,
    ) -> Self {
        let (text, is_cut) = shortened(&command.text);
        Note {
            log: Arc::clone(&engine.memories.kip.log),
            metrics: Arc::clone(&engine.memories.kip.metrics),
            clock: Arc::clone(engine.clock()),
            started,
            tenant,
            kind: Kind::Syntax,
            user: principal.user_id().into(),
            space: shortened(space_of(request)).0,
            command: text,
            is_cut,
            dry_run: request.dry_run,
        }
    }

    /// The same for a command whose kind is known.
    pub(super) fn of_kind(self, kind: Kind) -> Self {
        Note { kind, ..self }
    }

    /// The command is done.
    pub(super) fn add(self, outcome: &'static str) {
        let took = self.clock.monotonic().saturating_sub(self.started);
        self.add_with(outcome, took);
    }

    /// The command is done, and took this long.
    pub(super) fn add_with(self, outcome: &'static str, took: Duration) {
        self.metrics.count(self.kind, outcome == OK, took);
        self.log.add(
            self.tenant,
            KipLogLine {
                sequence: 0,
                time_ms: self.clock.now_ms(),
                user: self.user,
                space: self.space,
                kind: self.kind.name(),
                command: self.command,
                is_cut: self.is_cut,
                dry_run: self.dry_run,
                outcome,
                took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            },
        );
    }
}

/// The name of an outcome in the log.
pub(super) fn named(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(Ok(_)) => OK,
        Ok(Err(error)) => error.code.text(),
        Err(error) => error.code().row().name,
    }
}
