//! A KB in memory that runs payloads of tools as pages have them.

use cairn_kb::report::{coverage, find_gaps, graph, query};
use cairn_kb::tools::{
    CheckInput, CoverageInput, DeleteInput, FindGapsInput, GraphInput, ModelRequirementInput, QueryInput,
    SearchInput, SemanticAdvisorInput, SparqlRemoteInput, StatusInput, StatusOutput, SuggestPredicatesInput,
    UpsertInput,
};
use cairn_kb::{
    Branch, CheckRequest, CheckState, Entity, EntityType, KbError, NodeKey, Rule, SymbolFacts,
    examine_upsert, model_requirement, plan_delete,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

const NOW_MS: u64 = 1_780_000_000_000;

/// A branch with its entities.
#[derive(Default)]
pub(super) struct Play {
    branch: Branch,
    entities: Vec<Entity>,
    next: u64,
}

impl Play {
    /// Runs a tool. Panics if the payload is no input of the tool.
    pub(super) fn call(&mut self, tool: &str, payload: &Value) -> Result<(), KbError> {
        match tool {
            "kb_upsert" if payload.is_array() => {
                payload.as_array().into_iter().flatten().try_for_each(|one| self.upsert(&read(one)))
            }
            "kb_upsert" => self.upsert(&read(payload)),
            "kb_delete" => self.delete(&read(payload)),
            "kb_query" => query(&self.branch, &read::<QueryInput>(payload)).map(drop),
            "kb_find_gaps" => {
                find_gaps(&self.branch, &read::<FindGapsInput>(payload), StatusOutput::default()).map(drop)
            }
            "kb_coverage" => {
                coverage(&self.branch, &read::<CoverageInput>(payload), StatusOutput::default()).map(drop)
            }
            "kb_graph" => {
                graph(&self.branch, &read::<GraphInput>(payload), StatusOutput::default()).map(drop)
            }
            "kb_check" => CheckRequest::new(&read::<CheckInput>(payload), &Rule::defaults(), false).map(drop),
            "kb_model_requirement" => {
                let output = model_requirement(&read::<ModelRequirementInput>(payload))?;
                output.apply_plan.iter().try_for_each(|input| self.upsert(input))
            }
            "kb_suggest_predicates" => {
                let output = read::<SuggestPredicatesInput>(payload).run(&[])?;
                output.apply_plan.iter().try_for_each(|input| self.upsert(input))
            }
            "kb_semantic_advisor" => read::<SemanticAdvisorInput>(payload).run().map(drop),
            "kb_search" => {
                read::<SearchInput>(payload);
                Ok(())
            }
            "kb_status" => {
                read::<StatusInput>(payload);
                Ok(())
            }
            "kb_sparql_remote" => {
                read::<SparqlRemoteInput>(payload);
                Ok(())
            }
            other => panic!("unknown tool {other}"),
        }
    }

    /// Creates or updates an entity as `kb_upsert` does.
    pub(super) fn upsert(&mut self, input: &UpsertInput) -> Result<(), KbError> {
        let at = self.entities.iter().position(|entity| entity.id == input.id);
        let current = at.map(|at| &self.entities[at]);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let facts = SymbolFacts { behavioral: names(&["purgeExpired", "countExpired"]), other: Vec::new() };
        let facts = (input.kind == EntityType::Symbol).then_some(&facts);
        let mut examined = examine_upsert(&self.branch, current, input, facts, NOW_MS);
        if !examined.problems.is_empty() {
            return Err(examined.problems.swap_remove(0));
        }
        let key = examined.plan.key.unwrap_or_else(|| {
            self.next += 1;
            NodeKey(self.next)
        });
        let mut state = CheckState::build(&self.branch, &mut |_, _| {});
        let found = state.new_contradictions(&mut self.branch, examined.plan.changes(key));
        if !found.is_empty() {
            return Err(KbError::contradiction(&input.id, &found));
        }
        self.branch.apply(examined.plan.changes(key));
        match at {
            Some(at) => self.entities[at] = examined.plan.entity,
            None => self.entities.push(examined.plan.entity),
        }
        Ok(())
    }

    fn delete(&mut self, input: &DeleteInput) -> Result<(), KbError> {
        let plan = plan_delete(&self.branch, &input.ids)?;
        self.branch.apply(plan.changes());
        self.entities.retain(|entity| !input.ids.contains(&entity.id));
        Ok(())
    }
}

/// Whether a payload is an input of a tool that pages show unreadable ones of.
pub(super) fn is_readable(tool: &str, payload: &Value) -> bool {
    match tool {
        "kb_upsert" => serde_json::from_value::<UpsertInput>(payload.clone()).is_ok(),
        "kb_query" => serde_json::from_value::<QueryInput>(payload.clone()).is_ok(),
        other => panic!("unknown tool {other}"),
    }
}

fn read<T: DeserializeOwned>(payload: &Value) -> T {
    serde_json::from_value(payload.clone()).unwrap_or_else(|error| panic!("{error}: {payload}"))
}
