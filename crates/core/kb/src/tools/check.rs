//! `kb_check`: the report of the rules.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{UpsertInput, bounded};
use crate::check::Rule;

/// Arguments of `kb_check`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"rules": ["required-fields", "domain-contradictions"]}))]
pub struct CheckInput {
    /// Rules to check; those that are on by default if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<Rule>>,
    /// Whether symbol-traceability also asks for a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_adr: Option<bool>,
    /// Violations of one page; 100 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Violations to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_check`: violations in the order of the rules, then by entity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckOutput {
    /// Violations of this page.
    pub violations: Vec<Violation>,
    /// Violations of all pages.
    pub count: u64,
    /// Violations of each rule that was checked, in their order.
    pub counts: Vec<RuleCount>,
    /// Remarks about the check itself.
    pub diagnostics: Vec<Diagnostic>,
    /// Snapshot of the branch that was checked.
    pub snapshot_id: String,
}

/// Violations of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleCount {
    /// The rule.
    pub rule: Rule,
    /// Its violations.
    pub count: u64,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The entity, or the entities joined with `/`.
    pub entity_id: String,
    /// What is wrong.
    pub description: String,
    /// What to do.
    pub suggestion: String,
    /// Source of the entity; empty if it has none.
    pub source: String,
    /// Payloads that correct it when they are applied in order; placeholders are in angle brackets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<SuggestedFix>,
}

/// A ready-to-apply payload of `kb_upsert`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct SuggestedFix(pub UpsertInput);

/// A remark about a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Diagnostic {
    /// Category, such as `limits`.
    pub category: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// The remark.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl CheckOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        if self.count == 0 {
            return "No violations found".into();
        }
        let mut text = format!("{} violations found", self.count);
        for found in &self.violations {
            let Violation { rule, entity_id, source, description, suggestion, .. } = found;
            text.push_str(&format!(
                "\n- {rule} | {entity_id} | {source} | {description} | Suggestion: {suggestion}"
            ));
        }
        bounded(text)
    }
}
