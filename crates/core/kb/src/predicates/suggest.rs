//! `kb_suggest_predicates`: ranks the predicates of a branch and of the catalogue for a text.

use cairn_base::Value;

use super::arguments::{Source, is_missing};
use super::catalogue::CATALOGUE;
use super::keywords::Words;
use super::plan::{RelationshipPlan, fact, predicate_key, short_hash};
use super::schema::PredicateSchema;
use super::score::{Scored, keyword_score, score};
use crate::entity::{check_id, cut};
use crate::model::{FactKind, Polarity};
use crate::sentence::{clauses, prepare};
use crate::tools::{
    PredicateCandidate, RecommendedAction, SuggestPredicatesInput, SuggestPredicatesOutput, UpsertInput,
};
use crate::{KbError, Result, limits};

/// The source of facts whose request names none.
const DEFAULT_SOURCE: &str = "mcp://cairn/suggest-predicates";

/// Subjects of texts that contain these letters; the first one counts.
const SUBJECTS: &[(&str, &str)] = &[
    ("annotation", "editor.annotation"),
    ("editor", "editor"),
    ("session", "session"),
    ("customer data", "customer.data"),
    ("user", "user"),
];

/// Ranks predicates for a text. `schemas` are those of the branch.
pub(crate) fn suggest(
    input: &SuggestPredicatesInput,
    schemas: &[PredicateSchema],
) -> Result<SuggestPredicatesOutput> {
    let request = Request::check(input)?;
    let words = Words::of(&input.text);
    let split = clauses(&input.text);
    let prepared: Vec<String> = split.list.iter().map(|clause| prepare(clause)).collect();
    let subject = subject(input, &words);
    let has_hint = request.hint.is_some();
    let source = Source { text: &input.text, clauses: &prepared, words: &words, subject: &subject, has_hint };
    let schemas = if input.include_existing_schemas.unwrap_or(true) { schemas } else { &[] };
    let mut candidates = ranked(&source, schemas);
    candidates.retain(|candidate| candidate.score >= request.min_score && candidate.score > 0.0);
    candidates.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.predicate_name.cmp(&other.predicate_name))
    });
    candidates.truncate(request.max_candidates);
    let plan = match candidates.first() {
        Some(best) => predicate_plan(input, best),
        None => gap_plan(input),
    };
    let relationship_plan =
        candidates.first().and(input.requirement_id.as_deref()).map(|id| RelationshipPlan::new(id, &plan.id));
    let recommended_action = match candidates.first() {
        Some(_) => RecommendedAction::ApplyRequiresPredicate,
        None => RecommendedAction::RecordOntologyGap,
    };
    let warnings = warnings(candidates.first(), split.is_cut, schemas.len());
    Ok(SuggestPredicatesOutput {
        text: input.text.clone(),
        source: input.source.clone(),
        requirement_id: input.requirement_id.clone(),
        subject,
        candidates,
        recommended_action,
        apply_plan: vec![plan],
        relationship_plan,
        warnings,
    })
}

/// Arguments with their defaults.
struct Request<'a> {
    hint: Option<&'a str>,
    max_candidates: usize,
    min_score: f64,
}

impl<'a> Request<'a> {
    fn check(input: &'a SuggestPredicatesInput) -> Result<Self> {
        check_prose(&input.text)?;
        if let Some(id) = &input.requirement_id {
            check_id("requirementId", id)
                .map_err(|error| KbError::argument("requirementId", error.message))?;
        }
        check_short("source", input.source.as_deref())?;
        check_short("subjectHint", input.subject_hint.as_deref())?;
        let (default, max) = (limits::CANDIDATES_DEFAULT, limits::CANDIDATES_MAX);
        let max_candidates = input.max_candidates.unwrap_or(default);
        if !(1..=max).contains(&max_candidates) {
            let message = format!("{max_candidates} is not between 1 and {max}");
            return Err(KbError::argument("maxCandidates", message));
        }
        let min_score = input.min_score.unwrap_or(0.35);
        if !(0.0..=1.0).contains(&min_score) {
            return Err(KbError::argument("minScore", format!("{min_score} is not between 0 and 1")));
        }
        let max_candidates = usize::try_from(max_candidates).unwrap_or(usize::MAX);
        let hint = input.subject_hint.as_deref().map(str::trim).filter(|hint| !hint.is_empty());
        Ok(Request { hint, max_candidates, min_score })
    }
}

/// Fails if a text in prose is blank or too long.
pub(crate) fn check_prose(text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(KbError::argument("text", "it is blank; send the prose of a requirement"));
    }
    let (count, max) = (text.len() as u64, limits::PROSE_BYTES_MAX as u64);
    if count > max {
        return Err(KbError::TooLarge { what: "bytes of a text that is analysed", count, max });
    }
    Ok(())
}

/// Fails if a short argument is too long.
pub(crate) fn check_short(parameter: &'static str, text: Option<&str>) -> Result<()> {
    let text = text.unwrap_or_default();
    if text.len() > limits::PROSE_ARGUMENT_BYTES_MAX {
        let (bytes, max) = (text.len(), limits::PROSE_ARGUMENT_BYTES_MAX);
        let message = format!("{:?}: {bytes} bytes are more than the {max} allowed", cut(text));
        return Err(KbError::argument(parameter, message));
    }
    Ok(())
}

/// The key of the subject of a text.
fn subject(input: &SuggestPredicatesInput, words: &Words) -> String {
    let hint = input.subject_hint.as_deref().map(str::trim).filter(|hint| !hint.is_empty());
    let found = || SUBJECTS.iter().find(|(letters, _)| words.contains(letters)).map(|(_, key)| *key);
    hint.or_else(found).unwrap_or("requirement.subject").to_owned()
}

/// Every schema that scores, those of the branch first. A schema of the branch with the name and the number of
/// arguments of a built-in predicate stands for it.
fn ranked(source: &Source<'_>, schemas: &[PredicateSchema]) -> Vec<PredicateCandidate> {
    let mut found = Vec::new();
    let schemas = &schemas[..schemas.len().min(limits::PREDICATE_SCHEMAS_MAX)];
    for schema in schemas {
        let keywords = [&schema.predicate_name].into_iter().chain(&schema.aliases).chain(&schema.tags);
        let keywords: Vec<&str> = keywords.map(String::as_str).collect();
        let (own, rationale) = keyword_score(&keywords, source.words);
        let own = Scored { score: own, rationale, found: None };
        let built_in = CATALOGUE.iter().find(|row| stands_for(schema, row.name, row.arguments.len()));
        let (scored, args) = match built_in {
            Some(row) => {
                let scored = score(row.name, row.keywords, source.clauses, source.words);
                let args = arguments(source, row.name, schema, &scored);
                if scored.score >= own.score { (scored, args) } else { (own, args) }
            }
            None => (own, source.declared(&schema.argument_names, &schema.argument_types)),
        };
        found.extend(candidate(source.text, schema.clone(), args, scored));
    }
    for row in CATALOGUE {
        if schemas.iter().any(|schema| stands_for(schema, row.name, row.arguments.len())) {
            continue;
        }
        let scored = score(row.name, row.keywords, source.clauses, source.words);
        if scored.score > 0.0 {
            let schema = PredicateSchema::of_built_in(row);
            let args = arguments(source, row.name, &schema, &scored);
            found.extend(candidate(source.text, schema, args, scored));
        }
    }
    found
}

fn stands_for(schema: &PredicateSchema, name: &str, arity: usize) -> bool {
    schema.predicate_namespace.is_none()
        && schema.predicate_name == name
        && schema.argument_names.len() == arity
}

/// Arguments of a built-in predicate: those of its pattern, else words of the text. A hint is the first one where the
/// signature begins with a subject.
fn arguments(source: &Source<'_>, name: &str, schema: &PredicateSchema, scored: &Scored) -> Vec<String> {
    let Some(found) = &scored.found else { return source.arguments(name, &schema.argument_names) };
    let mut args = found.args.clone();
    let begins_with_subject = schema.argument_names.first().is_some_and(|name| name == "subject");
    if let Some(first) = args.first_mut().filter(|_| source.has_hint && begins_with_subject) {
        source.subject.clone_into(first);
    }
    args
}

fn candidate(
    text: &str,
    schema: PredicateSchema,
    args: Vec<String>,
    scored: Scored,
) -> Option<PredicateCandidate> {
    if scored.score <= 0.0 {
        return None;
    }
    let canonical_key = predicate_key(&schema.predicate_name, &args);
    let denies = args.last().is_some_and(|last| last == "deny");
    Some(PredicateCandidate {
        id: format!("SUGGEST-{}", short_hash(&[&schema.id, &canonical_key, text]).to_ascii_uppercase()),
        predicate_name: schema.predicate_name.clone(),
        predicate_args: args,
        canonical_key,
        polarity: if denies { Polarity::Deny } else { Polarity::Assert },
        score: scored.score,
        rationale: scored.rationale,
        schema,
    })
}

/// The fact of the first candidate.
fn predicate_plan(input: &SuggestPredicatesInput, best: &PredicateCandidate) -> UpsertInput {
    let (requirement, source) = given(input);
    let id = short_hash(&[requirement, source, &best.canonical_key]).to_ascii_uppercase();
    let schema_tags = best.schema.tags.iter().map(|tag| format!("predicate:{tag}"));
    let tags: Vec<String> =
        ["lane:ontology", "predicate-suggestion"].into_iter().map(str::to_owned).chain(schema_tags).collect();
    let tags: Vec<&str> = tags.iter().take(limits::ENTITY_LIST_ITEMS_MAX).map(String::as_str).collect();
    let args = best.predicate_args.iter().map(|arg| Value::from(arg.as_str())).collect();
    let more = [
        ("source", Value::from(if source.is_empty() { DEFAULT_SOURCE } else { source })),
        ("fact_kind", FactKind::Predicate.text().into()),
        ("predicate_name", best.predicate_name.as_str().into()),
        ("predicate_args", Value::Array(args)),
        ("canonical_key", best.canonical_key.as_str().into()),
        ("polarity", best.polarity.text().into()),
    ];
    let mut plan =
        fact(format!("FACT-PRED-{id}"), &format!("Predicate: {}", best.canonical_key), &tags, more);
    if !source.is_empty() {
        plan.properties.0.insert("text_ref".into(), source.into());
    }
    if let Some(namespace) = &best.schema.predicate_namespace {
        plan.properties.0.insert("predicate_namespace".into(), namespace.as_str().into());
    }
    plan
}

/// An observation that no predicate expresses the text.
fn gap_plan(input: &SuggestPredicatesInput) -> UpsertInput {
    let (requirement, source) = given(input);
    let id = short_hash(&[requirement, source, &input.text]).to_ascii_uppercase();
    let more = [
        ("source", Value::from(if source.is_empty() { DEFAULT_SOURCE } else { source })),
        ("fact_kind", FactKind::Observation.text().into()),
        ("value_type", "string".into()),
        ("value_string", input.text.as_str().into()),
    ];
    let title = format!("Ontology gap: {}", input.text.trim());
    let tags = ["review:ontology-gap", "needs_schema_extension"];
    fact(format!("FACT-ONTOLOGY-GAP-{id}"), &title, &tags, more)
}

/// The requirement and the source of a request; empty if not given.
fn given(input: &SuggestPredicatesInput) -> (&str, &str) {
    (input.requirement_id.as_deref().unwrap_or_default(), input.source.as_deref().unwrap_or_default())
}

fn warnings(best: Option<&PredicateCandidate>, is_cut: bool, schemas: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(best) = best {
        let missing = best.schema.argument_names.iter().zip(&best.predicate_args);
        let missing: Vec<&str> =
            missing.filter(|(name, arg)| is_missing(name, arg)).map(|(name, _)| name.as_str()).collect();
        if !missing.is_empty() {
            warnings.push(format!(
                "the text does not state {} of {}; set it in the plan before you apply it",
                missing.join(", "),
                best.predicate_name
            ));
        }
    }
    if is_cut {
        warnings.push(
            "the text has too many or too long sentences; the rest was only searched for keywords".into(),
        );
    }
    if schemas > limits::PREDICATE_SCHEMAS_MAX {
        warnings.push(format!(
            "the branch has {schemas} predicate schemas; the first {} were ranked",
            limits::PREDICATE_SCHEMAS_MAX
        ));
    }
    warnings
}
