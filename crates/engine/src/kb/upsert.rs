//! `kb_upsert` and its dry run.

use std::thread;

use cairn_access::{Action, Principal, Resource};
use cairn_base::Position;
use cairn_graph::{View, Writer};
use cairn_kb::tools::{EntityJson, SemanticAdvisorOutput, UpsertInput, UpsertOutput, ValidateUpsertOutput};
use cairn_kb::{
    Change, Entity, Examined, FieldError, KbError, NodeKey, Stored, SymbolFacts, Version, advise,
    examine_upsert, is_modeled, store_upsert,
};
use cairn_seam::StoreError;
use parking_lot::MutexGuard;

use super::KbTarget;
use super::open::{Opened, version_of};
use super::state::{snapshot_id, space_scope};
use crate::{Act, Engine, EngineError};

/// The number of an entity that is not stored yet, while it is examined.
const NOT_STORED: NodeKey = NodeKey(u64::MAX - 1);

impl Engine {
    /// Creates or updates an entity and adds relationships that start at it, or changes nothing. Blocks while others
    /// write to the branch, and until the write is durable.
    pub fn kb_upsert(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &UpsertInput,
        facts: Option<&SymbolFacts>,
    ) -> Result<UpsertOutput, EngineError> {
        self.kb_attempt(principal, target, |opened| {
            let act = Act::new(Action::KbWrite, Resource::space(target.tenant, opened.record.space));
            self.pipeline.permit(principal, &act)?;
            thread::sleep(self.search_pause(&act));
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            let examined = self.kb_examine(opened, input, facts)?;
            if let Some(problem) = examined.problems.into_iter().next() {
                return Err(problem.into());
            }
            let plan = examined.plan;
            self.kb_refuse_contradictions(opened, &input.id, &plan)?;
            let (stored, version) = {
                let (plan, schema) = (plan.clone(), self.kb_schema(opened)?);
                let store = move |writer: &mut Writer<'_>| Ok(store_upsert(writer, &schema, &plan)?);
                self.kb_store(principal, &act, opened, &mut writing, store)?
            };
            let Stored { key, links } = stored;
            let is_modeled = self.kb_is_modeled(opened, input)?;
            self.kb_apply(opened, plan.changes(key), version);
            drop(writing);
            let SemanticAdvisorOutput { receipt, warnings } = advise(input, &plan.entity, is_modeled);
            Ok(UpsertOutput {
                id: input.id.clone(),
                created: u32::from(plan.key.is_none()),
                updated: u32::from(plan.key.is_some()),
                relationships_created: u32::try_from(links).unwrap_or(u32::MAX),
                warnings: [examined.warnings, warnings].concat(),
                semantic_advisor: Some(receipt),
                snapshot_id: snapshot_id(opened.record.space, version),
            })
        })
    }

    /// Says whether an upsert would be stored, and everything that is wrong with it. Stores nothing.
    pub fn kb_validate_upsert(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &UpsertInput,
        facts: Option<&SymbolFacts>,
    ) -> Result<ValidateUpsertOutput, EngineError> {
        self.kb_attempt(principal, target, |opened| {
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            let Examined { problems, warnings, plan } = self.kb_examine(opened, input, facts)?;
            let mut errors: Vec<FieldError> = problems.iter().flat_map(as_field_errors).collect();
            if errors.is_empty() {
                match self.kb_refuse_contradictions(opened, &input.id, &plan) {
                    Err(EngineError::Kb(error)) if matches!(*error, KbError::Contradiction { .. }) => {
                        errors.extend(as_field_errors(&error));
                    }
                    others => others?,
                }
            }
            let valid = errors.is_empty();
            let normalized_preview = valid.then(|| EntityJson::from(&plan.entity));
            let is_modeled = self.kb_is_modeled(opened, input)?;
            drop(writing);
            let advice = advise(input, &plan.entity, is_modeled);
            Ok(ValidateUpsertOutput {
                valid,
                errors,
                warnings: [warnings, advice.warnings].concat(),
                semantic_advisor: Some(advice.receipt),
                normalized_preview,
            })
        })
    }

    /// Examines an upsert against the branch in memory.
    fn kb_examine(
        &self,
        opened: &Opened,
        input: &UpsertInput,
        facts: Option<&SymbolFacts>,
    ) -> Result<Examined, EngineError> {
        let state = opened.held.state.read();
        let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
        let known = state.branch.find(&input.id).map(|(key, node)| (key, node.kind));
        let current: Option<Entity> = match known {
            None => None,
            Some(wanted) => self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
                let scope = space_scope(scope, opened.record.space)?;
                let view = View::of_snapshot(snapshot, scope, &self.memories.graph.cache);
                Ok(cairn_kb::entities(&view, &state.schema, &[wanted])?.pop().flatten())
            })?,
        };
        if known.is_some() && current.is_none() {
            return Err(self.kb_lost(opened, "an entity is not in the store"));
        }
        let mut examined =
            examine_upsert(&state.branch, current.as_ref(), input, facts, self.clock().now_ms());
        let (count, max) = (state.branch.len() as u64 + 1, cairn_kb::limits::BRANCH_ENTITIES_MAX as u64);
        if known.is_none() && count > max {
            examined.problems.push(KbError::TooLarge { what: "entities of a branch", count, max });
        }
        Ok(examined)
    }

    /// Whether the requirement of an upsert is linked to the facts of a claim, by the upsert or before it.
    fn kb_is_modeled(&self, opened: &Opened, input: &UpsertInput) -> Result<bool, EngineError> {
        let state = opened.held.state.read();
        let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
        Ok(is_modeled(&state.branch, input))
    }

    /// Fails if a plan would create contradictions that are not there yet. The branch in memory stays as it is.
    fn kb_refuse_contradictions(
        &self,
        opened: &Opened,
        id: &str,
        plan: &cairn_kb::UpsertPlan,
    ) -> Result<(), EngineError> {
        let mut state = opened.held.state.write();
        let state = state.as_mut().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
        if !plan.may_contradict() {
            return Ok(());
        }
        state.checks();
        let (branch, checks) = (&mut state.branch, state.checks.as_mut());
        let checks = checks.expect("they were just built");
        let found = checks.new_contradictions(branch, plan.changes(plan.key.unwrap_or(NOT_STORED)));
        if found.is_empty() {
            return Ok(());
        }
        Err(KbError::contradiction(id, &found).into())
    }

    /// Stores a write in one transaction, together with the next version of the branch. Fails with
    /// [`StoreError::Conflict`] if the branch is not the one in memory. If nobody knows whether the write was stored, the
    /// next request compares versions and reads the branch again if it was.
    pub(super) fn kb_store<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: &Act,
        opened: &Opened,
        _writing: &mut MutexGuard<'_, ()>,
        mut store: impl FnMut(&mut Writer<'_>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<(T, Version), EngineError> {
        let expected = opened.held.state.read().as_ref().map(|state| state.version);
        let expected = expected.ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
        let clock = std::sync::Arc::clone(self.clock());
        let record = opened.record.clone();
        let committed = self.pipeline.transact(principal, act, move |tx, scope| {
            if version_of(&*tx, &record, scope)? != Ok(expected) {
                return Err(StoreError::Conflict.into());
            }
            let now_ms = clock.now_ms();
            let mut writer = Writer::new(tx, *scope, now_ms);
            let stored = store(&mut writer)?;
            writer.finish()?;
            let next = Version { number: expected.number + 1, written_at_ms: now_ms };
            cairn_kb::put_version(tx, scope, next)?;
            Ok((stored, next))
        })?;
        Ok(committed.value)
    }

    /// Makes the changes of a stored write in memory: the branch and its version at once.
    pub(super) fn kb_apply(&self, opened: &Opened, changes: Vec<Change>, version: Version) {
        let mut state = opened.held.state.write();
        // One that is not in memory is read again.
        let Some(state) = state.as_mut() else { return };
        let undo = state.branch.apply(changes);
        if let Some(checks) = &mut state.checks {
            checks.update(&state.branch, &undo);
        }
        state.version = version;
    }

    pub(super) fn kb_schema(&self, opened: &Opened) -> Result<cairn_kb::Schema, EngineError> {
        let state = opened.held.state.read();
        let schema = state.as_ref().map(|state| state.schema.clone());
        schema.ok_or_else(|| self.kb_lost(opened, "it was dropped"))
    }
}

/// A problem as errors of fields.
fn as_field_errors(problem: &KbError) -> Vec<FieldError> {
    let one =
        |field: &str, message: String, hint| vec![FieldError { field: field.to_owned(), message, hint }];
    if let KbError::Entity(errors) = problem {
        errors.clone()
    } else if let KbError::Relationship { index, message } = problem {
        one(&format!("relationships[{index}]"), message.clone(), None)
    } else if let KbError::OtherType { .. } = problem {
        one("type", problem.to_string(), None)
    } else if let KbError::Granularity(message) = problem {
        one("granularity_reason", message.clone(), None)
    } else {
        one("properties", problem.to_string(), Some(problem.code().hint().to_owned()))
    }
}
