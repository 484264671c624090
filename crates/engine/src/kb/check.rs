//! `kb_check`.

use cairn_access::Principal;
use cairn_kb::tools::{CheckInput, CheckOutput};
use cairn_kb::{CheckReport, CheckRequest, CheckState, Rule};

use super::KbTarget;
use super::open::Opened;
use super::state::snapshot_id;
use crate::{Engine, EngineError};

impl Engine {
    /// Returns the report of the rules. The first check of a branch looks at everything; `on_progress` hears how many
    /// of how many entities are done. Later ones only read what writes have kept current.
    pub fn kb_check(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &CheckInput,
        on_progress: &mut dyn FnMut(usize, usize),
    ) -> Result<CheckOutput, EngineError> {
        let request = CheckRequest::new(input, &Rule::defaults(), false)?;
        self.kb_attempt(principal, target, |opened| self.kb_check_opened(opened, &request, on_progress))
    }

    fn kb_check_opened(
        &self,
        opened: &Opened,
        request: &CheckRequest,
        on_progress: &mut dyn FnMut(usize, usize),
    ) -> Result<CheckOutput, EngineError> {
        let has_checks = self.kb_read_opened(opened, |state, _| Ok(state.checks.is_some()))?;
        if !has_checks {
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            // The lock keeps the branch as it is, so others may read it meanwhile.
            let checks = {
                let state = opened.held.state.read();
                let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
                state.checks.is_none().then(|| CheckState::build(&state.branch, on_progress))
            };
            if let (Some(checks), Some(state)) = (checks, opened.held.state.write().as_mut()) {
                state.checks = Some(checks);
            }
        }
        self.kb_read_opened(opened, |state, _| {
            let checks = state.checks.as_ref();
            let checks = checks.ok_or_else(|| self.kb_lost(opened, "it was dropped while it was checked"))?;
            let CheckReport { violations, count, counts, diagnostics } =
                checks.report(&state.branch, request);
            let snapshot_id = snapshot_id(state.record.space, state.version);
            Ok(CheckOutput { violations, count, counts, diagnostics, snapshot_id })
        })
    }
}
