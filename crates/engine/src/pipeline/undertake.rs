//! Audited acts that are more than one transaction: a line before they begin, and one when they ended.
//!
//! Whatever happens in between, be it the end of the process, the trail says that somebody was at it. A
//! line that says so and has no end behind it is of work that goes on or died half-way.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use cairn_access::{Principal, Scope};
use cairn_base::{ErrorCode, TenantId};
use cairn_seam::{StoreError, WriteClass, WriteTx};

use super::changes::Changes;
use super::{Pipeline, tracked};
use crate::audit::{self, AuditLine};
use crate::{Act, AuditOutcome, EngineError};

/// What to do when the store takes no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutLine {
    /// It is done all the same: a store in trouble is when such work is needed most.
    GoOn,
    /// It is not done: nothing irreversible happens without its line.
    Refuse,
}

impl Pipeline {
    /// Has an act prepared and done, with its lines around the doing. What fails while it is prepared has
    /// changed nothing and leaves no line.
    ///
    /// What was done is done: a line about its end that cannot be written fails nothing, and is reported
    /// in the log. What was prepared is kept until that line is there.
    pub(crate) fn undertake<P, T>(
        &self,
        principal: &Principal,
        act: &Act,
        without_line: WithoutLine,
        prepare: impl FnOnce() -> Result<P, EngineError>,
        body: impl FnOnce(&Scope, &P) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let running = self.begin(principal, act)?;
        let scope = running.permit.scope();
        let leave = |outcome| self.leave_line(scope.tenant(), principal, act, outcome);
        let prepared = prepare().and_then(|prepared| {
            leave(AuditOutcome::Begun).or_else(|error| go_on(without_line, act, error))?;
            Ok(prepared)
        });
        let prepared = prepared.inspect_err(|_| running.count(false))?;
        let result = catch_unwind(AssertUnwindSafe(|| body(&scope, &prepared)));
        let outcome = match &result {
            Ok(Ok(_)) => AuditOutcome::Done,
            Ok(Err(error)) => ended_by(error),
            Err(_) => AuditOutcome::Failed { code: ErrorCode::Internal },
        };
        running.count(outcome == AuditOutcome::Done);
        if let Err(error) = leave(outcome) {
            let action = act.action.name();
            tracing::warn!(%error, action, outcome = outcome.name(), "the end of an act left no audit line");
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// One transaction of an act that was begun, without a line of its own.
    pub(crate) fn step<T: Send + 'static>(
        &self,
        scope: &Scope,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.step_as(WriteClass::Ordinary, scope, body)
    }

    /// The same for one that only deletes.
    pub(crate) fn deleting_step<T: Send + 'static>(
        &self,
        scope: &Scope,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.step_as(WriteClass::Reserve, scope, body)
    }

    fn step_as<T: Send + 'static>(
        &self,
        class: WriteClass,
        scope: &Scope,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let changes = Changes::new(&self.shared.trackers);
        let body = tracked(*scope, None, changes.clone(), body);
        let outcome = cairn_seam::write_as(&*self.store, scope.tenant(), class, body);
        changes.settle(scope.tenant(), &outcome);
        let ((value, kinds), position) = outcome?;
        self.shared.announce(scope.tenant(), position, kinds);
        Ok(value)
    }

    /// Leaves a line about something that was done, in the trail of a tenant. Returns when it is on disk.
    pub(crate) fn leave_done(
        &self,
        tenant: TenantId,
        principal: &Principal,
        act: &Act,
    ) -> Result<(), EngineError> {
        self.leave_line(tenant, principal, act, AuditOutcome::Done)
    }

    /// Returns when the line is on disk.
    fn leave_line(
        &self,
        tenant: TenantId,
        principal: &Principal,
        act: &Act,
        outcome: AuditOutcome,
    ) -> Result<(), EngineError> {
        let line = AuditLine::new(self.shared.clock.now_ms(), principal, act, outcome);
        cairn_seam::write_as(&*self.store, tenant, act.class, move |tx| audit::append(tx, &line)).map(drop)
    }
}

/// What becomes of an act whose first line could not be written.
fn go_on(without_line: WithoutLine, act: &Act, error: EngineError) -> Result<(), EngineError> {
    // A store that is only busy takes the line in a moment.
    let is_busy = matches!(error, EngineError::Store(StoreError::Overloaded | StoreError::Conflict));
    if is_busy || without_line == WithoutLine::Refuse {
        return Err(EngineError::NoLine(Box::new(error)));
    }
    tracing::warn!(%error, action = act.action.name(), "an act begins without an audit line");
    Ok(())
}

fn ended_by(error: &EngineError) -> AuditOutcome {
    if error.is_stop() { AuditOutcome::Stopped } else { AuditOutcome::Failed { code: error.code() } }
}
