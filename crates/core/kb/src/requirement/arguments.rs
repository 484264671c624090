//! Arguments of the tool: two spellings, one meaning.

use super::claim::{ClaimOperator, ClaimScalar};
use super::normalize::{property_key, subject_key};
use super::write_set::REQUIREMENTS_DIR;
use crate::limits::{ENTITY_TEXT_BYTES_MAX, MODEL_SOURCE_FILES_MAX, MODEL_STATEMENT_BYTES_MAX};
use crate::tools::{ClaimInput, ModelRequirementInput};
use crate::{KbError, Result};

/// The source of requirements whose caller names none.
const DEFAULT_SOURCE: &str = "mcp://cairn/model-requirement";
/// Confidence of a claim whose caller names none.
const DEFAULT_CONFIDENCE: f64 = 0.80;

/// Arguments that are checked.
#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) statement: String,
    pub(super) source: String,
    pub(super) source_files: Vec<String>,
    /// Origin of the statement, if it is not the source.
    pub(super) provenance: Option<String>,
    pub(super) confidence: f64,
    pub(super) claim: Option<GivenClaim>,
    pub(super) requirements_dir: String,
}

/// A claim of the caller, its keys normalised.
#[derive(Debug)]
pub(super) struct GivenClaim {
    pub(super) subject_key: String,
    pub(super) property_key: String,
    pub(super) operator: ClaimOperator,
    pub(super) value: ClaimScalar,
}

impl Arguments {
    pub(super) fn read(input: &ModelRequirementInput) -> Result<Self> {
        let statement = statement(input)?;
        let flat = Spelling::flat(input);
        let nested = input.claim.as_ref().map(Spelling::nested).unwrap_or_default();
        if !flat.is_empty() && !nested.is_empty() {
            let message =
                "the claim is given twice; send `claim`, or subjectKey, propertyKey, operator and value";
            return Err(KbError::argument("claim", message));
        }
        let claim = if flat.is_empty() { nested } else { flat };
        let source_ref = input.claim.as_ref().and_then(|claim| stated(&claim.source_ref));
        let source_files: Vec<String> =
            input.source_files.iter().filter_map(|file| stated_text(file)).map(str::to_owned).collect();
        if source_files.len() > MODEL_SOURCE_FILES_MAX {
            let (what, count) = ("sourceFiles", source_files.len() as u64);
            return Err(KbError::TooLarge { what, count, max: MODEL_SOURCE_FILES_MAX as u64 });
        }
        let source = stated(&input.source)
            .or_else(|| source_files.first().map(String::as_str))
            .or(source_ref)
            .unwrap_or(DEFAULT_SOURCE)
            .to_owned();
        let provenance = stated(&input.provenance).or(source_ref).map(str::to_owned);
        let dir = stated(&input.requirements_dir).map(|dir| dir.trim_end_matches('/')).unwrap_or_default();
        let dir = if dir.is_empty() { REQUIREMENTS_DIR } else { dir };
        bounded("source", &source)?;
        bounded("provenance", provenance.as_deref().unwrap_or_default())?;
        // An id of the requirement follows.
        bounded("requirementsDir", &format!("{dir}{}", " ".repeat(64)))?;
        source_files.iter().try_for_each(|file| bounded("sourceFiles", file))?;
        let confidence = input.claim.as_ref().and_then(|claim| claim.confidence).or(input.confidence);
        if confidence.is_some_and(|confidence| !confidence.is_finite()) {
            return Err(KbError::argument("confidence", "it is no number; send one from 0 to 1"));
        }
        Ok(Arguments {
            statement,
            source,
            source_files,
            provenance,
            confidence: rounded(confidence.unwrap_or(DEFAULT_CONFIDENCE)),
            claim: claim.complete()?,
            requirements_dir: dir.to_owned(),
        })
    }
}

/// The statement, under one of its two names.
fn statement(input: &ModelRequirementInput) -> Result<String> {
    let (text, statement) = (stated(&input.text), stated(&input.statement));
    if let (Some(text), Some(statement)) = (text, statement)
        && text != statement
    {
        return Err(KbError::argument("text", "`text` and `statement` differ; send one of them"));
    }
    let Some(found) = text.or(statement) else {
        return Err(KbError::argument("text", "it is blank; send the statement to model"));
    };
    if found.len() > MODEL_STATEMENT_BYTES_MAX {
        let (count, max) = (found.len() as u64, MODEL_STATEMENT_BYTES_MAX as u64);
        return Err(KbError::TooLarge { what: "bytes of text", count, max });
    }
    Ok(found.to_owned())
}

/// Fields of a claim in one of the two spellings.
#[derive(Debug, Default)]
struct Spelling<'a> {
    subject: Option<&'a str>,
    property: Option<&'a str>,
    operator: Option<ClaimOperator>,
    value: Option<&'a ClaimScalar>,
}

impl<'a> Spelling<'a> {
    fn flat(input: &'a ModelRequirementInput) -> Self {
        Spelling {
            subject: input.subject_key.as_deref(),
            property: input.property_key.as_deref(),
            operator: input.operator,
            value: input.value.as_ref(),
        }
    }

    fn nested(claim: &'a ClaimInput) -> Self {
        Spelling {
            subject: claim.subject_key.as_deref(),
            property: claim.property_key.as_deref(),
            operator: claim.operator,
            value: claim.value.as_ref(),
        }
    }

    fn is_empty(&self) -> bool {
        self.missing().len() == 4
    }

    fn missing(&self) -> Vec<&'static str> {
        let fields = [
            ("subjectKey", self.subject.is_none()),
            ("propertyKey", self.property.is_none()),
            ("operator", self.operator.is_none()),
            ("value", self.value.is_none()),
        ];
        fields.into_iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| name).collect()
    }

    /// The claim if all four fields are there, `None` if all are absent.
    fn complete(self) -> Result<Option<GivenClaim>> {
        let Spelling {
            subject: Some(subject),
            property: Some(property),
            operator: Some(operator),
            value: Some(value),
        } = self
        else {
            let missing = self.missing();
            if missing.len() == 4 {
                return Ok(None);
            }
            let message = format!(
                "{} missing; send subjectKey, propertyKey, operator and value together, or none of them",
                missing.join(", ")
            );
            return Err(KbError::argument("claim", message));
        };
        let value = value.clone().checked(operator)?;
        Ok(Some(GivenClaim {
            subject_key: key("subjectKey", subject, subject_key)?,
            property_key: key("propertyKey", property, property_key)?,
            operator,
            value,
        }))
    }
}

/// A normalised key, which is not empty.
fn key(parameter: &'static str, text: &str, normalize: fn(&str) -> String) -> Result<String> {
    bounded(parameter, text)?;
    let key = normalize(text);
    if key.is_empty() {
        let message = "it has no letter and no digit of ASCII, which keys are made of";
        return Err(KbError::argument(parameter, message));
    }
    Ok(key)
}

fn bounded(what: &'static str, text: &str) -> Result<()> {
    if text.len() > ENTITY_TEXT_BYTES_MAX {
        let message = format!("{} bytes are more than the {ENTITY_TEXT_BYTES_MAX} allowed", text.len());
        return Err(KbError::argument(what, message));
    }
    Ok(())
}

fn stated(text: &Option<String>) -> Option<&str> {
    stated_text(text.as_deref()?)
}

fn stated_text(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// A confidence from 0 to 1 with two decimals.
fn rounded(confidence: f64) -> f64 {
    (confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0
}
