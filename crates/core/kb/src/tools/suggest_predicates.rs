//! `kb_suggest_predicates`: predicates that express a claim in prose, best first.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{UpsertInput, bounded};
use crate::Result;
use crate::model::{Polarity, words};
use crate::predicates::{PredicateSchema, RelationshipPlan, suggest};

/// Arguments of `kb_suggest_predicates`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "text": "When the editor closes, the editor must save the draft.", "requirementId": "REQ-EDITOR-004",
    "source": "requirements/editor.md#L12", "subjectHint": "editor.annotation"
}))]
pub struct SuggestPredicatesInput {
    /// A requirement or a claim in prose.
    pub text: String,
    /// Id of an existing requirement; the response then has a relationship plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement_id: Option<String>,
    /// Provenance of the facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Key of the subject, for the first argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_hint: Option<String>,
    /// Candidates to return, from 1 to 20; 5 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_candidates: Option<u32>,
    /// Lowest score of a candidate, from 0 to 1; 0.35 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// Whether predicate schemas of the branch are ranked beside the built-in ones; true by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_existing_schemas: Option<bool>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

words! {
    /// The next step after a suggestion.
    RecommendedAction {
        /// Apply the plan and link its predicate by `requires_predicate`.
        ApplyRequiresPredicate = "apply_requires_predicate",
        /// Apply the plan, an observation that a predicate is missing.
        RecordOntologyGap = "record_ontology_gap",
    }
}

/// Result of `kb_suggest_predicates`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestPredicatesOutput {
    /// The text.
    pub text: String,
    /// Provenance of the facts; null if none was given.
    pub source: Option<String>,
    /// Id of the requirement; null if none was given.
    pub requirement_id: Option<String>,
    /// Key of the subject.
    pub subject: String,
    /// Candidates, ordered by score, then by name.
    pub candidates: Vec<PredicateCandidate>,
    /// The next step.
    pub recommended_action: RecommendedAction,
    /// Payload of `kb_upsert`: the predicate of the first candidate, or an observation of the ontology gap.
    pub apply_plan: Vec<UpsertInput>,
    /// Link from the requirement to the predicate; null without a requirement or a candidate.
    pub relationship_plan: Option<RelationshipPlan>,
    /// Remarks that block nothing.
    pub warnings: Vec<String>,
}

/// A predicate that may express the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PredicateCandidate {
    /// Id of the suggestion, the same for the same schema, arguments and text.
    pub id: String,
    /// Name of the predicate.
    pub predicate_name: String,
    /// Its arguments, in order.
    pub predicate_args: Vec<String>,
    /// `name(a,b,c)`.
    pub canonical_key: String,
    /// `assert` or `deny`.
    pub polarity: Polarity,
    /// Score from 0 to 1.
    pub score: f64,
    /// Reason for the score.
    pub rationale: String,
    /// Schema of the predicate.
    pub schema: PredicateSchema,
}

impl SuggestPredicatesInput {
    /// Ranks the built-in predicates and those of the branch. Fails if the text is blank or too long, or if another
    /// argument is invalid.
    ///
    /// `schemas` are the `predicate_schema` facts of the branch, in the order of their ids; see
    /// [`PredicateSchema::of_entity`]. They are ignored if the input excludes them.
    pub fn run(&self, schemas: &[PredicateSchema]) -> Result<SuggestPredicatesOutput> {
        suggest(self, schemas)
    }
}

impl SuggestPredicatesOutput {
    /// Returns the essentials as text: each candidate with its key and score, then the plan.
    pub fn text(&self) -> String {
        let mut text = match self.candidates.len() {
            0 => "No predicate fits; record the ontology gap.".to_owned(),
            1 => "1 predicate candidate:".to_owned(),
            count => format!("{count} predicate candidates:"),
        };
        for candidate in &self.candidates {
            let PredicateCandidate { canonical_key, polarity, score, rationale, .. } = candidate;
            text.push_str(&format!("\n{score:.2} {canonical_key} ({polarity}): {rationale}"));
        }
        for row in &self.apply_plan {
            text.push_str(&format!("\nPlan: upsert {} {}", row.kind, row.id));
        }
        if let Some(plan) = &self.relationship_plan {
            let link = &plan.relationship;
            text.push_str(&format!("\nThen link {} {} {}", link.from, link.relation, link.to));
        }
        self.warnings.iter().for_each(|warning| text.push_str(&format!("\nWarning: {warning}")));
        bounded(text)
    }
}
