//! `kb_model_requirement`, `kb_suggest_predicates` and `kb_semantic_advisor`: from prose to payloads of upserts.
//!
//! The analysis is a pure function of the text. It holds no lock and reads the branch only for its predicate schemas.

use cairn_access::Principal;
use cairn_kb::tools::{
    ModelRequirementInput, ModelRequirementOutput, SemanticAdvisorInput, SemanticAdvisorOutput,
    SuggestPredicatesInput, SuggestPredicatesOutput,
};
use cairn_kb::{EntityType, FactKind, NodeKey, PredicateSchema, limits, model_requirement};

use super::KbTarget;
use super::state::{BranchState, read_entities};
use crate::{Engine, EngineError};

impl Engine {
    /// Returns the entities of a normative statement as payloads of upserts. Stores nothing.
    pub fn kb_model_requirement(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &ModelRequirementInput,
    ) -> Result<ModelRequirementOutput, EngineError> {
        self.kb_open(principal, target)?;
        Ok(model_requirement(input)?)
    }

    /// Returns predicates that express a text, the built-in ones beside those of the branch. Stores nothing.
    pub fn kb_suggest_predicates(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &SuggestPredicatesInput,
    ) -> Result<SuggestPredicatesOutput, EngineError> {
        if input.include_existing_schemas == Some(false) {
            self.kb_open(principal, target)?;
            return Ok(input.run(&[])?);
        }
        let schemas = self.kb_read(principal, target, |state, view| {
            let entities = read_entities(view, &state.schema, &state.wanted(&schema_keys(state)))?;
            Ok(entities.iter().filter_map(PredicateSchema::of_entity).collect::<Vec<_>>())
        })?;
        Ok(input.run(&schemas)?)
    }

    /// Returns the claims in the prose of a requirement, with drafts of facts. Stores nothing.
    pub fn kb_semantic_advisor(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &SemanticAdvisorInput,
    ) -> Result<SemanticAdvisorOutput, EngineError> {
        self.kb_open(principal, target)?;
        Ok(input.run()?)
    }
}

/// The predicate schemas of a branch that are in use, in the order of their ids, up to one past the limit, so that the
/// result says that some were left out.
fn schema_keys(state: &BranchState) -> Vec<NodeKey> {
    let facts = state.branch.by_type(Some(EntityType::Fact));
    let schemas = facts.filter(|(_, node)| {
        node.status.as_ref() == "active"
            && node.fact.as_ref().and_then(|fact| fact.kind()) == Some(FactKind::PredicateSchema)
    });
    schemas.map(|(key, _)| key).take(limits::PREDICATE_SCHEMAS_MAX + 1).collect()
}
