//! Import of test results.

use std::thread;

use cairn_access::{Action, Principal, Resource};
use cairn_base::Position;
use cairn_graph::{View, Writer};
use cairn_kb::tools::{ResultsInput, ResultsOutput};
use cairn_kb::{
    Assigned, Entity, EntityType, NodeKey, assign_results, check_results, plan_results, store_results,
};

use super::KbTarget;
use super::open::Opened;
use super::state::{snapshot_id, space_scope};
use crate::{Act, Engine, EngineError};

/// Tests that are read from one snapshot.
const READ_AT_ONCE: usize = 1_000;

impl Engine {
    /// Sets the status of tests by the cases of a test run, all of them in one transaction. Cases that belong to no test
    /// are listed, and so are tests with later results, which stay as they are. Blocks while others write to the
    /// branch, and until it is durable.
    pub fn kb_import_results(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &ResultsInput,
    ) -> Result<ResultsOutput, EngineError> {
        self.kb_attempt(principal, target, |opened| {
            let act = Act::new(Action::KbWrite, Resource::space(target.tenant, opened.record.space));
            self.pipeline.permit(principal, &act)?;
            let at = check_results(input, self.clock().now_ms())?;
            thread::sleep(self.search_pause(&act));
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            let (assigned, wanted, mut version) = {
                let state = opened.held.state.read();
                let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
                let assigned = assign_results(&state.branch, &input.cases)?;
                let mut keys: Vec<NodeKey> = assigned.tests.keys().copied().collect();
                keys.sort_by_key(|key| state.branch.node(*key).map(|node| &node.id));
                (assigned, state.wanted(&keys), state.version)
            };
            let tests = self.kb_read_tests(opened, &wanted)?;
            let plan = plan_results(&assigned, tests, input, &at);
            if !plan.changes.is_empty() {
                let storing = plan.clone();
                let store = move |writer: &mut Writer<'_>| Ok(store_results(writer, &storing)?);
                ((), version) = self.kb_store(principal, &act, opened, &mut writing, store)?;
                self.kb_apply(opened, plan.changes(), version);
            }
            let Assigned { tests, matched, unmatched, unmatched_count } = assigned;
            Ok(ResultsOutput {
                cases: input.cases.len() as u64,
                matched,
                tests: (tests.len() as u64).saturating_sub(plan.older_count),
                updated_count: plan.changes.len() as u64,
                updated: plan.updated,
                older: plan.older,
                older_count: plan.older_count,
                unmatched,
                unmatched_count,
                snapshot_id: snapshot_id(opened.record.space, version),
            })
        })
    }

    /// Reads tests as they are stored, in the same order.
    fn kb_read_tests(
        &self,
        opened: &Opened,
        wanted: &[(NodeKey, EntityType)],
    ) -> Result<Vec<(NodeKey, Entity)>, EngineError> {
        let schema = self.kb_schema(opened)?;
        let mut tests = Vec::with_capacity(wanted.len());
        for part in wanted.chunks(READ_AT_ONCE) {
            let read = self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
                let scope = space_scope(scope, opened.record.space)?;
                let view = View::of_snapshot(snapshot, scope, &self.memories.graph.cache);
                Ok(cairn_kb::entities(&view, &schema, part)?)
            })?;
            for ((key, _), entity) in part.iter().zip(read) {
                let entity = entity.ok_or_else(|| self.kb_lost(opened, "an entity is not in the store"))?;
                tests.push((*key, entity));
            }
        }
        Ok(tests)
    }
}
