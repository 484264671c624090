//! `kb_accept`.

use std::thread;

use cairn_access::{Action, Principal, Resource};
use cairn_graph::Writer;
use cairn_kb::tools::{AcceptInput, AcceptOutput};
use cairn_kb::{plan_accept, store_acceptance};

use super::KbTarget;
use super::state::snapshot_id;
use crate::{Act, Engine, EngineError};

impl Engine {
    /// Accepts the present contents of the ends of suspect links, so that they are suspect no more. Blocks while others
    /// write to the branch, and until it is durable.
    pub fn kb_accept(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &AcceptInput,
    ) -> Result<AcceptOutput, EngineError> {
        self.kb_attempt(principal, target, |opened| {
            let act = Act::new(Action::KbWrite, Resource::space(target.tenant, opened.record.space));
            self.pipeline.permit(principal, &act)?;
            thread::sleep(self.search_pause(&act));
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            let (plan, mut version) = {
                let state = opened.held.state.read();
                let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
                (plan_accept(&state.branch, input)?, state.version)
            };
            if !plan.links.is_empty() {
                let (stored, schema) = (plan.clone(), self.kb_schema(opened)?);
                let store = move |writer: &mut Writer<'_>| Ok(store_acceptance(writer, &schema, &stored)?);
                ((), version) = self.kb_store(principal, &act, opened, &mut writing, store)?;
                self.kb_apply(opened, plan.changes(), version);
            }
            Ok(AcceptOutput {
                accepted: plan.links.len() as u64,
                remaining: plan.remaining,
                snapshot_id: snapshot_id(opened.record.space, version),
            })
        })
    }
}
