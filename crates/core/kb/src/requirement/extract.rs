//! A claim from a statement: four sentence patterns, tried in order, and a fallback.

use std::sync::LazyLock;

use cairn_base::Value;
use regex::{Captures, Regex};

use super::arguments::{Arguments, GivenClaim};
use super::claim::{ClaimOperator, ClaimScalar, SemanticClaim};
use super::normalize::{is_lossy, property_key, subject_key};
use crate::Result;
use crate::advisor::find_claim;
use crate::limits::MODEL_KEY_BYTES_MAX;
use crate::model::words;
use crate::sentence::{SubjectFault, clauses, is_question, prepare, subject_fault, without_marks};

words! {
    /// The origin of a claim.
    ExtractionMode {
        /// The caller gave it.
        Provided = "provided",
        /// A sentence pattern found it.
        Heuristic = "heuristic",
        /// No pattern matched: the statement as a whole is the value.
        Fallback = "fallback",
    }
}

/// Highest confidence of a claim that no pattern supports.
const FALLBACK_CONFIDENCE_MAX: f64 = 0.69;

/// A claim and how it was found.
#[derive(Debug)]
pub(super) struct Extracted {
    pub(super) claim: SemanticClaim,
    pub(super) mode: ExtractionMode,
    pub(super) warnings: Vec<String>,
}

/// The claim of the arguments: the one that is given, else the one that a pattern finds in the statement, else the
/// statement as a whole.
pub(super) fn claim_of(arguments: &Arguments) -> Result<Extracted> {
    let confidence = arguments.confidence;
    if let Some(GivenClaim { subject_key, property_key, operator, value }) = &arguments.claim {
        let claim = SemanticClaim {
            subject_key: subject_key.clone(),
            property_key: property_key.clone(),
            operator: *operator,
            value: value.clone(),
            confidence,
        };
        return Ok(Extracted { claim, mode: ExtractionMode::Provided, warnings: Vec::new() });
    }
    let found = heuristic(&arguments.statement);
    let reason = match found {
        Some(Found { subject, property, operator, value }) => {
            if let Some(reason) = unusable(&subject, &property) {
                reason
            } else {
                let warnings = doubts(&arguments.statement, &subject, operator);
                let (subject, property) = (subject_key(&subject), property_key(&property));
                let value = ClaimScalar(value);
                let claim = SemanticClaim {
                    subject_key: subject,
                    property_key: property,
                    operator,
                    value,
                    confidence,
                };
                return Ok(Extracted { claim, mode: ExtractionMode::Heuristic, warnings });
            }
        }
        None if is_question(&arguments.statement) => "the statement is a question",
        None => "no sentence pattern matches the statement",
    };
    let claim = SemanticClaim {
        subject_key: fallback_subject(&arguments.source),
        property_key: "statement".to_owned(),
        operator: ClaimOperator::Eq,
        value: ClaimScalar(Value::from(arguments.statement.as_str())),
        confidence: confidence.min(FALLBACK_CONFIDENCE_MAX),
    };
    let warning = format!(
        "{reason}: the statement is kept as a whole; send subjectKey, propertyKey, operator and value to model it"
    );
    Ok(Extracted { claim, mode: ExtractionMode::Fallback, warnings: vec![warning] })
}

/// A claim as a pattern finds it.
struct Found {
    subject: String,
    property: String,
    operator: ClaimOperator,
    value: Value,
}

static RETAINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?P<s>.+?)\s+(?:must|shall|should)\s+be\s+retained\s+for\s+(?P<n>\d{1,18})\s+(?P<u>day|month|year)s?$",
    )
});
static SWITCHED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?P<s>.+?)\s+(?:must|shall|should)\s+(?P<not>(?:not|never)\s+)?be\s+(?P<e>enabled|disabled)$")
});
static FORBIDDEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?P<s>.+?)\s+(?:must|shall|should)\s+(?:not|never)\s+(?P<p>.+)$"));
static REQUIRED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?P<s>.+?)\s+(?:must|shall|should)\s+(?P<p>.+)$"));
static ARTICLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:the|an|a)\s+"));
static SEVERAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:and|or)\b|,"));
static CONDITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:if|when|unless|except|while|until)\b"));

fn pattern(pattern: &str) -> Regex {
    Regex::new(&format!("(?is){pattern}")).expect("a test compiles it")
}

fn heuristic(statement: &str) -> Option<Found> {
    if is_question(statement) {
        return None;
    }
    let statement = without_marks(statement);
    let subject = |found: &Captures<'_>| ARTICLE.replace(&found["s"], "").into_owned();
    if let Some(found) = RETAINED.captures(&statement) {
        // Up to 18 digits are an i64.
        let number: i64 = found["n"].parse().ok()?;
        let property = format!("retention {}s", found["u"].to_lowercase());
        return Some(Found {
            subject: subject(&found),
            property,
            operator: ClaimOperator::Eq,
            value: number.into(),
        });
    }
    if let Some(found) = SWITCHED.captures(&statement) {
        let is_enabled = found["e"].eq_ignore_ascii_case("enabled") != found.name("not").is_some();
        let (property, operator) = ("enabled".to_owned(), ClaimOperator::Bool);
        return Some(Found { subject: subject(&found), property, operator, value: is_enabled.into() });
    }
    [(&FORBIDDEN, "forbid"), (&REQUIRED, "require")].into_iter().find_map(|(pattern, polarity)| {
        let found = pattern.captures(&statement)?;
        let (property, operator) = (found["p"].to_owned(), ClaimOperator::Polarity);
        Some(Found { subject: subject(&found), property, operator, value: polarity.into() })
    })
}

/// The reason why words that a pattern found are no keys.
fn unusable(subject: &str, property: &str) -> Option<&'static str> {
    if subject_fault(subject) == Some(SubjectFault::Unnamed) {
        return Some("the words in front of the modal verb name no subject");
    }
    if is_lossy(subject) || is_lossy(property) {
        return Some("the subject or the property has characters that keys leave out");
    }
    let (subject, property) = (subject_key(subject), property_key(property));
    if subject.is_empty() || property.is_empty() {
        return Some("the subject or the property has no letter and no digit of ASCII");
    }
    let is_long = subject.len() > MODEL_KEY_BYTES_MAX || property.len() > MODEL_KEY_BYTES_MAX;
    is_long.then_some("the subject or the property is too long to be a key")
}

/// Reasons to look twice at a claim that a pattern found.
fn doubts(statement: &str, subject: &str, operator: ClaimOperator) -> Vec<String> {
    let mut doubts = Vec::new();
    let fault = subject_fault(subject);
    if CONDITION.is_match(statement) || fault == Some(SubjectFault::Condition) {
        doubts.push(
            "the statement has a condition, which the claim leaves out; kb_suggest_predicates models it"
                .to_owned(),
        );
    }
    let inner = statement.trim_end_matches(['.', '!', ' ']);
    if inner.contains(". ") || inner.contains(".\n") {
        doubts.push("the statement has several sentences; model each by itself".to_owned());
    } else if clauses(statement).list.len() > 1 {
        doubts.push("the statement has several claims; model each by itself".to_owned());
    }
    if fault.is_none() && SEVERAL.is_match(subject) {
        doubts.push("the subject names several things; model each by itself".to_owned());
    }
    if operator == ClaimOperator::Polarity
        && let Some((bound, _)) = find_claim(&prepare(statement))
    {
        doubts.push(format!("the statement has a value, which the claim has in its property: {bound}"));
    }
    doubts
}

/// The file name of a source without its extension, as a subject.
fn fallback_subject(source: &str) -> String {
    let path = source.split('#').next().unwrap_or_default();
    let name = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let key = subject_key(&stem.replace(['-', '_'], " "));
    if key.is_empty() { "requirement".to_owned() } else { key }
}
