//! `kb_model_requirement`: from a normative sentence or an explicit claim to the entities that make it checkable.
//!
//! A claim of enough confidence becomes a strict write set: a requirement, a subject fact, a property value, and the two
//! relationships that pair them. A claim of less confidence becomes one observation, which no check compares. Ids are
//! hashes of the normalised claim, so the same claim always gives the same entities. Nothing is stored here: the plan is a
//! list of upserts.

mod arguments;
mod claim;
mod extract;
mod id;
mod normalize;
mod schema_version;
#[cfg(test)]
mod tests;
mod title;
mod write_set;

pub use claim::{ClaimOperator, ClaimScalar, SemanticClaim};
pub use extract::ExtractionMode;
pub use schema_version::{SCHEMA_VERSION_LATEST, SchemaVersionState, SchemaVersionStatus};
pub use write_set::{ObservationWriteSet, StrictWriteSet, WriteSet};

use self::arguments::Arguments;
use self::extract::Extracted;
use self::id::StableKey;
use self::write_set::Parts;
use crate::Result;
use crate::tools::{ModelRequirementInput, ModelRequirementOutput, ModelWarning};

/// Lowest confidence of a strict write set.
const STRICT_CONFIDENCE_MIN: f64 = 0.70;

/// Models a requirement. Reads and stores nothing; the same input always gives the same output.
///
/// # Errors
///
/// Fails with [`KbError::Argument`](crate::KbError::Argument) if the statement is blank or too long, if a claim is given in part or in
/// both spellings, or if one of its keys has no letter or digit of ASCII.
pub fn model_requirement(input: &ModelRequirementInput) -> Result<ModelRequirementOutput> {
    let arguments = Arguments::read(input)?;
    let Extracted { claim, mode, warnings: extraction_warnings } = extract::claim_of(&arguments)?;
    let key = StableKey::new(&arguments.source, &claim)?;
    let parts = Parts { arguments: &arguments, claim: &claim, key: &key };
    let is_strict = claim.confidence >= STRICT_CONFIDENCE_MIN;
    let write_set = if is_strict { parts.strict() } else { parts.observation() };
    let schema_version_status = input.schema_version.map(SchemaVersionStatus::of);
    Ok(ModelRequirementOutput {
        apply_plan: write_set.plan(),
        is_strict,
        confidence: claim.confidence,
        extraction_mode: mode,
        extraction_warnings,
        warnings: if is_strict { Vec::new() } else { vec![downgrade(claim.confidence)] },
        migration_warning: schema_version_status.as_ref().and_then(|status| status.warning.clone()),
        schema_version_status,
        write_set,
        claim,
        statement: arguments.statement,
        source: arguments.source,
        source_files: arguments.source_files,
    })
}

fn downgrade(confidence: f64) -> ModelWarning {
    ModelWarning {
        kind: "low_confidence_observation_downgrade".to_owned(),
        message: format!(
            "confidence {confidence:.2} is below {STRICT_CONFIDENCE_MIN:.2}: the plan is one observation, which takes no \
             part in contradictions"
        ),
        next_action: "call kb_model_requirement again with subjectKey, propertyKey, operator, value and a confidence of \
                      0.70 or more, or call kb_suggest_predicates if the sentence has no property and value"
            .to_owned(),
    }
}
