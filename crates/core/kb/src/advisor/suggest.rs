//! From a clause to a suggestion: a predicate, an ontology gap, an ambiguity or a strict property, whichever detector
//! fires first.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::claim::find_claim;
use super::draft::Requirement;
use super::receipt::{Interpretation, RecommendedSchema, SuggestedPredicate, Suggestion, SuggestionKind};
use super::signal::EXAMPLE_READINGS;
use crate::limits;
use crate::predicates::{RelationshipPlan, predicate_key};
use crate::sentence::{Clauses, Use, find_pattern, prepare, regex};
use crate::tools::UpsertInput;

/// The tool that models strict properties.
pub(super) const MODEL_TOOL: &str = "kb_model_requirement";
/// The tool that finds predicates.
pub(super) const PREDICATE_TOOL: &str = "kb_suggest_predicates";

/// Readings of a bare number of sessions.
const SESSION_READINGS: &[Interpretation] = &[
    Interpretation::Exactly,
    Interpretation::AtMost,
    Interpretation::AtLeast,
    Interpretation::IllustrativeExample,
];

static MODAL: LazyLock<Regex> = LazyLock::new(|| regex(r"{B}{M}{B}"));
static RATE: LazyLock<Regex> = LazyLock::new(|| regex(r"{B}rate limited to {N} .+? per \S"));
static SESSIONS: LazyLock<Regex> = LazyLock::new(|| regex(r"{B}{N} (?:active )?sessions?{B}"));
static BOUND: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"{B}(?:at most|at least|exactly|no more than|no less than|up to|cap(?:s|ped)?|less than|fewer than|more than|greater than|minimum|maximum|not exceed|limited to|only){B}",
    )
});
static EXAMPLES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"[\w)][\s,(]+(?:such as|for example|for instance|e\.g\.)\s"));

/// Returns the suggestions for the clauses of a requirement, and whether some were left out.
pub(super) fn suggestions(requirement: &Requirement<'_>, clauses: &Clauses<'_>) -> (Vec<Suggestion>, bool) {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut subject = None;
    for clause in &clauses.list {
        let plain = with_subject(prepare(clause), &mut subject);
        let Some(suggestion) = suggestion(requirement, clause, &plain) else { continue };
        let evidence = suggestion.evidence.trim_end_matches('.').to_owned();
        if !seen.insert((suggestion.kind, evidence, suggestion.tool.clone())) {
            continue;
        }
        if found.len() == limits::SUGGESTIONS_MAX {
            return (found, true);
        }
        found.push(suggestion);
    }
    (found, clauses.is_cut)
}

/// The plain form of a clause that begins with its modal verb, behind the subject of the clause before it: "A must b
/// and must c".
fn with_subject(plain: String, subject: &mut Option<String>) -> String {
    let Some(modal) = MODAL.find(&plain) else { return plain };
    if modal.start() > 0 {
        *subject = Some(plain[..modal.start()].to_owned());
        return plain;
    }
    match subject {
        Some(subject) => format!("{subject}{plain}"),
        None => plain,
    }
}

fn suggestion(requirement: &Requirement<'_>, clause: &str, plain: &str) -> Option<Suggestion> {
    let evidence = clause.split_whitespace().collect::<Vec<_>>().join(" ");
    let evidence = evidence.trim_end_matches([';', ',']);
    predicate(requirement, plain, evidence)
        .or_else(|| gap(requirement, plain, evidence))
        .or_else(|| sessions(requirement, plain, evidence))
        .or_else(|| strict(requirement, plain, evidence))
        .or_else(|| examples(requirement, evidence))
}

fn predicate(requirement: &Requirement<'_>, plain: &str, evidence: &str) -> Option<Suggestion> {
    let found = find_pattern(plain, |row| !matches!(row.used, Use::Suggestion(_)))?;
    let predicate = SuggestedPredicate {
        predicate_name: found.pattern.predicate.to_owned(),
        canonical_key: predicate_key(found.pattern.predicate, &found.args),
        predicate_args: found.args,
        polarity: found.pattern.polarity,
    };
    let plan = requirement.predicate_plan(&predicate, evidence);
    let relationship_plan = requirement.id.map(|id| RelationshipPlan::new(id, &plan.id));
    Some(Suggestion {
        rejected_alternatives: vec![SuggestionKind::StrictProperty],
        predicate: Some(predicate),
        relationship_plan,
        ..plain_suggestion(
            SuggestionKind::Predicate,
            evidence,
            0.84,
            "the sentence states a predicate",
            vec![plan],
        )
    })
}

fn gap(requirement: &Requirement<'_>, plain: &str, evidence: &str) -> Option<Suggestion> {
    if !RATE.is_match(plain) {
        return None;
    }
    let texts = |list: [&str; 4]| list.map(str::to_owned).to_vec();
    let schema = RecommendedSchema {
        predicate_name: "rate_limit".to_owned(),
        argument_names: texts(["subject", "action", "window", "count"]),
        argument_types: texts(["entity", "action", "window", "number"]),
    };
    let plan = vec![requirement.gap_plan(evidence)];
    let rationale = "a rate limit whose subject or modal verb is not plain";
    Some(Suggestion {
        recommended_predicate_schema: Some(schema),
        ..plain_suggestion(SuggestionKind::OntologyGap, evidence, 0.82, rationale, plan)
    })
}

fn sessions(requirement: &Requirement<'_>, plain: &str, evidence: &str) -> Option<Suggestion> {
    let number = SESSIONS.find(plain)?;
    if BOUND.is_match(&plain[..number.start()]) {
        return None;
    }
    Some(ambiguity(requirement, evidence, SESSION_READINGS, "a number of sessions without a bound"))
}

fn strict(requirement: &Requirement<'_>, plain: &str, evidence: &str) -> Option<Suggestion> {
    let (claim, confidence) = find_claim(plain)?;
    let plan = requirement.strict_plan(&claim);
    let is_several = claim.subject_key.split('.').any(|word| ["and", "or"].contains(&word));
    let rationale = if is_several {
        "the sentence states a property of several subjects; write a claim for each"
    } else {
        "the sentence states a property of a subject"
    };
    Some(Suggestion {
        claim: Some(claim),
        ..plain_suggestion(SuggestionKind::StrictProperty, evidence, confidence, rationale, plan)
    })
}

fn examples(requirement: &Requirement<'_>, evidence: &str) -> Option<Suggestion> {
    let rationale = "a list that may be complete or may only have examples";
    EXAMPLES.is_match(evidence).then(|| ambiguity(requirement, evidence, EXAMPLE_READINGS, rationale))
}

fn ambiguity(
    requirement: &Requirement<'_>,
    evidence: &str,
    readings: &[Interpretation],
    rationale: &str,
) -> Suggestion {
    let plan = vec![requirement.ambiguity_plan(evidence, readings)];
    Suggestion {
        ambiguity: readings.to_vec(),
        ..plain_suggestion(SuggestionKind::AmbiguityObservation, evidence, 0.78, rationale, plan)
    }
}

fn plain_suggestion(
    kind: SuggestionKind,
    evidence: &str,
    confidence: f64,
    rationale: &str,
    apply_plan: Vec<UpsertInput>,
) -> Suggestion {
    let tool = match kind {
        SuggestionKind::StrictProperty | SuggestionKind::AmbiguityObservation => MODEL_TOOL,
        SuggestionKind::Predicate | SuggestionKind::OntologyGap => PREDICATE_TOOL,
    };
    Suggestion {
        kind,
        evidence: evidence.to_owned(),
        confidence,
        tool: tool.to_owned(),
        rationale: rationale.to_owned(),
        rejected_alternatives: Vec::new(),
        claim: None,
        predicate: None,
        ambiguity: Vec::new(),
        recommended_predicate_schema: None,
        apply_plan,
        relationship_plan: None,
    }
}
