//! `kb_model_requirement`: from a normative sentence to facts that are compared.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{RelationshipInput, UpsertInput, bounded};
use crate::requirement::{
    ClaimOperator, ClaimScalar, ExtractionMode, SchemaVersionStatus, SemanticClaim, WriteSet,
};

/// Arguments of `kb_model_requirement`. The claim has two spellings: the fields `subjectKey`, `propertyKey`, `operator`
/// and `value`, or the object `claim`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "text": "Customer data must be retained for 7 years.", "source": "docs/requirements/retention.md",
    "subjectKey": "customer.data", "propertyKey": "retention_years", "operator": "eq", "value": 7, "confidence": 0.9
}))]
pub struct ModelRequirementInput {
    /// The statement to model; required under this name or as `statement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Another name of `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The document of the statement; defaults to the first of `sourceFiles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Documents of the statement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_files: Vec<String>,
    /// Confidence from 0 to 1; defaults to 0.8. Below 0.7 the plan is an observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Key of the subject, like `customer.data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_key: Option<String>,
    /// Key of the property, like `retention_years`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_key: Option<String>,
    /// Comparison of the property with the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<ClaimOperator>,
    /// The value; `require` or `forbid` for the operator `polarity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ClaimScalar>,
    /// Origin of the statement, such as a line of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
    /// The claim as one object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimInput>,
    /// Version of the model that the workspace is configured for, 0 if it names none. The process that has the working
    /// tree fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<i64>,
    /// Folder of requirements of the workspace; defaults to `documentation/requirements`. The process that has the working
    /// tree fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements_dir: Option<String>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// A claim as one object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimInput {
    /// Key of the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_key: Option<String>,
    /// Key of the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_key: Option<String>,
    /// Comparison of the property with the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<ClaimOperator>,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ClaimScalar>,
    /// Confidence from 0 to 1; goes before `confidence` outside of the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Origin of the statement; the source, too, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
}

/// Result of `kb_model_requirement`. Nothing is stored until the plan is applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequirementOutput {
    /// The statement, without white space at its ends.
    pub statement: String,
    /// The document of the statement.
    pub source: String,
    /// Documents of the statement.
    pub source_files: Vec<String>,
    /// The claim, its keys normalised.
    pub claim: SemanticClaim,
    /// The entities.
    pub write_set: WriteSet,
    /// Payloads of `kb_upsert` that store the entities, in their order.
    pub apply_plan: Vec<UpsertInput>,
    /// Whether checks compare the entities.
    pub is_strict: bool,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// The origin of the claim.
    pub extraction_mode: ExtractionMode,
    /// Reasons to look twice at the claim.
    pub extraction_warnings: Vec<String>,
    /// Remarks that block nothing.
    pub warnings: Vec<ModelWarning>,
    /// What to do about the schema version of the workspace; null if it is the latest one, or not known.
    pub migration_warning: Option<String>,
    /// The schema version of the workspace; null if it is not known.
    pub schema_version_status: Option<SchemaVersionStatus>,
}

/// A remark about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelWarning {
    /// Its kind, such as `low_confidence_observation_downgrade`.
    pub kind: String,
    /// What it is about.
    pub message: String,
    /// What to do about it.
    pub next_action: String,
}

impl ModelRequirementOutput {
    /// Returns the essentials as text: the claim, the plan and every warning.
    pub fn text(&self) -> String {
        let lane = if self.is_strict { "strict claim" } else { "observation" };
        let SemanticClaim { subject_key, property_key, operator, value, confidence } = &self.claim;
        let mut text = format!(
            "Modelled as {lane}, confidence {confidence:.2} ({}).\nClaim: subject_key={subject_key} \
             property_key={property_key} operator={operator} value={}",
            self.extraction_mode,
            value.0.to_json()
        );
        text.push_str("\nApply in order with kb_upsert:");
        for (index, row) in self.apply_plan.iter().enumerate() {
            let title = row.properties.text("title").unwrap_or_default();
            text.push_str(&format!("\n{}. {} {} ({title})", index + 1, row.kind, row.id));
            let link = |link: &RelationshipInput| format!("\n   {} {}", link.relation, link.to);
            text.extend(row.relationships.iter().map(link));
        }
        for warning in &self.extraction_warnings {
            text.push_str(&format!("\nWarning: {warning}"));
        }
        for ModelWarning { message, next_action, .. } in &self.warnings {
            text.push_str(&format!("\nWarning: {message}; {next_action}"));
        }
        text.extend(self.migration_warning.iter().map(|warning| format!("\nWarning: {warning}")));
        bounded(text)
    }
}
