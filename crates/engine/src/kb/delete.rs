//! `kb_delete`.

use std::thread;

use cairn_access::{Action, Principal, Resource};
use cairn_graph::Writer;
use cairn_kb::tools::{DeleteInput, DeleteOutput};
use cairn_kb::{plan_delete, store_deletion};

use super::KbTarget;
use super::state::snapshot_id;
use crate::{Act, Engine, EngineError};

impl Engine {
    /// Deletes entities, all of them or none. Blocks while others write to the branch, and until it is durable.
    pub fn kb_delete(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &DeleteInput,
    ) -> Result<DeleteOutput, EngineError> {
        self.kb_attempt(principal, target, |opened| {
            let act = Act::new(Action::KbWrite, Resource::space(target.tenant, opened.record.space));
            let act = act.deleting();
            self.pipeline.permit(principal, &act)?;
            thread::sleep(self.search_pause(&act));
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            let (plan, mut version) = {
                let state = opened.held.state.read();
                let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
                (plan_delete(&state.branch, &input.ids)?, state.version)
            };
            if !plan.keys.is_empty() {
                let going = plan.clone();
                let store = move |writer: &mut Writer<'_>| Ok(store_deletion(writer, &going)?);
                ((), version) = self.kb_store(principal, &act, opened, &mut writing, store)?;
                self.kb_apply(opened, plan.changes(), version);
            }
            Ok(DeleteOutput {
                deleted: plan.keys.len() as u64,
                skipped: plan.skipped,
                errors: Vec::new(),
                warnings: plan.warnings,
                snapshot_id: snapshot_id(opened.record.space, version),
            })
        })
    }
}
