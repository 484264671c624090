//! The analysis of a payload: signals, suggestions, and the receipt of both.

use std::borrow::Cow;

use super::draft::{DEFAULT_SOURCE, Requirement};
use super::payload::payload_hash;
use super::receipt::{
    CandidateLane, LogicReadiness, MODELED_SUMMARY, RECEIPT_VERSION, Receipt, Signal, Suggestion,
    SuggestionKind,
};
use super::signal::{lane, signals, witnesses};
use super::suggest::{MODEL_TOOL, PREDICATE_TOOL, suggestions};
use crate::branch::Branch;
use crate::entity::{Entity, Properties, check_id, cut};
use crate::model::{EntityType, Relation, STATUSES};
use crate::predicates::{check_prose, check_short, cut_title};
use crate::sentence::{clauses, first_sentence};
use crate::tools::{SemanticAdvisorInput, SemanticAdvisorOutput, UpsertInput};
use crate::{KbError, Result, limits};

/// The id of a requirement that has none yet, for the hash of its payload.
const PREVIEW_ID: &str = "REQ-SEMANTIC-ADVISOR-PREVIEW";

/// Analyses the entity that an upsert leads to, given whether it [is modeled](is_modeled). The hash is that of the
/// payload. Only requirements are analysed; the receipts of others are `not_applicable`. Texts beyond the limits are
/// analysed in part.
pub fn advise(input: &UpsertInput, entity: &Entity, is_modeled: bool) -> SemanticAdvisorOutput {
    analyse(input, Some(&input.id), &Properties(entity.shown()), is_modeled)
}

/// Analyses prose that is no payload yet.
pub(crate) fn advise_text(input: &SemanticAdvisorInput) -> Result<SemanticAdvisorOutput> {
    let payload = payload_of(input)?;
    Ok(analyse(&payload, input.id.as_deref(), &payload.properties, false))
}

/// The payload that the prose would become.
fn payload_of(input: &SemanticAdvisorInput) -> Result<UpsertInput> {
    check_prose(&input.text)?;
    if let Some(id) = &input.id {
        check_id("id", id).map_err(|error| KbError::argument("id", error.message))?;
    }
    check_short("title", input.title.as_deref())?;
    check_short("source", input.source.as_deref())?;
    let status = input.status.as_deref().unwrap_or("open");
    if !STATUSES.contains(&status) {
        let message = format!("{:?} is not one of {}", cut(status), STATUSES.join(", "));
        return Err(KbError::argument("status", message));
    }
    let title = input.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let title = title.map_or_else(|| title_of(&input.text), str::to_owned);
    Ok(UpsertInput {
        kind: input.kind.unwrap_or(EntityType::Req),
        id: input.id.as_deref().unwrap_or(PREVIEW_ID).to_owned(),
        properties: Properties::from([
            ("title", title.into()),
            ("status", status.into()),
            ("source", input.source.as_deref().unwrap_or(DEFAULT_SOURCE).into()),
            ("text_ref", input.text.as_str().into()),
        ]),
        relationships: Vec::new(),
        request_id: None,
    })
}

/// The first sentence, without the end of a long one.
fn title_of(text: &str) -> String {
    match first_sentence(text) {
        "" => cut_title(text),
        sentence if sentence.len() > limits::PROSE_ARGUMENT_BYTES_MAX => cut_title(sentence),
        sentence => sentence.to_owned(),
    }
}

/// The receipt of a payload for an entity with these properties, and remarks. `id` is that of the requirement, if it is
/// known.
fn analyse(
    input: &UpsertInput,
    id: Option<&str>,
    properties: &Properties,
    is_modeled: bool,
) -> SemanticAdvisorOutput {
    let (receipt, is_cut) = receipt(input, id, properties, is_modeled);
    let mut warnings = receipt.warnings();
    if is_cut {
        warnings.push(format!(
            "the text has more than {} bytes, {} clauses or {} suggestions, or a sentence of more than {} bytes; the rest \
             was not analysed",
            limits::PROSE_BYTES_MAX,
            limits::CLAUSES_MAX,
            limits::SUGGESTIONS_MAX,
            limits::SENTENCE_BYTES_MAX
        ));
    }
    SemanticAdvisorOutput { receipt, warnings }
}

/// The receipt, and whether parts of the text were left out.
fn receipt(
    input: &UpsertInput,
    id: Option<&str>,
    properties: &Properties,
    is_modeled: bool,
) -> (Receipt, bool) {
    let mut receipt = Receipt {
        version: RECEIPT_VERSION.to_owned(),
        payload_hash: payload_hash(input),
        logic_readiness: LogicReadiness::NotApplicable,
        candidate_lane: CandidateLane::None,
        signals: Vec::new(),
        ambiguity_witnesses: Vec::new(),
        suggestions: Vec::new(),
        suggested_next_tools: Vec::new(),
        summary: "Only requirements are analysed.".to_owned(),
    };
    if input.kind != EntityType::Req {
        return (receipt, false);
    }
    let (prose, is_long) = prose(properties);
    receipt.signals = signals(&prose);
    receipt.ambiguity_witnesses = witnesses(&receipt.signals);
    if is_modeled {
        receipt.logic_readiness = LogicReadiness::Modeled;
        receipt.summary = MODELED_SUMMARY.to_owned();
        return (receipt, false);
    }
    let statement = statement(properties);
    let requirement = Requirement { id, properties, statement: &statement };
    let (found, is_cut) = suggestions(&requirement, &clauses(bounded(&statement)));
    receipt.candidate_lane = lane_of(&found, &receipt.signals);
    receipt.suggested_next_tools = next_tools(receipt.candidate_lane);
    receipt.summary = summary(&found, &receipt.signals);
    if !found.is_empty() || !receipt.signals.is_empty() {
        receipt.logic_readiness = LogicReadiness::NeedsModeling;
    }
    receipt.suggestions = found;
    (receipt, is_cut || is_long)
}

/// Whether a requirement is linked to the facts of a claim, by the relationships of the payload or by stored ones.
pub fn is_modeled(branch: &Branch, input: &UpsertInput) -> bool {
    let stored = branch.find(&input.id).filter(|(_, node)| node.kind == input.kind);
    let has_stored = |relation| stored.is_some_and(|(key, _)| branch.targets(key, relation).next().is_some());
    let has_sent = |relation| input.relationships.iter().any(|link| link.relation == relation);
    let has = |relation| has_sent(relation) || has_stored(relation);
    has(Relation::Constrains) && has(Relation::RequiresProperty) || has(Relation::RequiresPredicate)
}

/// Title, prose and body, as far as they are analysed.
fn prose(properties: &Properties) -> (String, bool) {
    let parts = ["title", "text_ref", "body"].into_iter().filter_map(|name| properties.text(name));
    let parts: Vec<&str> = parts.collect();
    let is_long = parts.iter().any(|part| part.len() > limits::PROSE_BYTES_MAX);
    (parts.into_iter().map(bounded).collect::<Vec<_>>().join("\n"), is_long)
}

/// The prose that suggestions are for: `text_ref` or else the title, and the body. A `text_ref` without blanks is a
/// reference to prose elsewhere.
fn statement(properties: &Properties) -> Cow<'_, str> {
    let text = |name| properties.text(name).map(str::trim).filter(|text| !text.is_empty());
    let prose = text("text_ref").filter(|text| text.contains(char::is_whitespace));
    let prose = prose.or_else(|| text("title")).unwrap_or_default();
    match text("body").map(bounded) {
        Some(body) => format!("{}\n\n{body}", bounded(prose)).into(),
        None => prose.into(),
    }
}

/// The beginning of a text within the limit.
fn bounded(text: &str) -> &str {
    let end = text.floor_char_boundary(limits::PROSE_BYTES_MAX.min(text.len()));
    &text[..end]
}

fn lane_of(suggestions: &[Suggestion], signals: &[Signal]) -> CandidateLane {
    let has = |kind| suggestions.iter().any(|suggestion| suggestion.kind == kind);
    if has(SuggestionKind::StrictProperty) {
        CandidateLane::StrictProperty
    } else if has(SuggestionKind::Predicate) {
        CandidateLane::Predicate
    } else {
        lane(signals)
    }
}

fn next_tools(lane: CandidateLane) -> Vec<String> {
    let tools: &[&str] = match lane {
        CandidateLane::StrictProperty => &[MODEL_TOOL],
        CandidateLane::Predicate => &[PREDICATE_TOOL],
        CandidateLane::ObservationReview => &[MODEL_TOOL, PREDICATE_TOOL],
        CandidateLane::None => &[],
    };
    tools.iter().map(|tool| (*tool).to_owned()).collect()
}

fn summary(suggestions: &[Suggestion], signals: &[Signal]) -> String {
    if suggestions.is_empty() {
        return match signals.len() {
            0 => "The prose makes no claim.".to_owned(),
            _ => "The prose has signs of claims, but no pattern models it.".to_owned(),
        };
    }
    let kinds = [
        (SuggestionKind::StrictProperty, "strict property", "strict properties"),
        (SuggestionKind::Predicate, "predicate", "predicates"),
        (SuggestionKind::AmbiguityObservation, "ambiguity", "ambiguities"),
        (SuggestionKind::OntologyGap, "ontology gap", "ontology gaps"),
    ];
    let parts = kinds.into_iter().filter_map(|(kind, one, many)| {
        let count = suggestions.iter().filter(|suggestion| suggestion.kind == kind).count();
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
    });
    format!("The prose is not modeled yet: {} suggested.", parts.collect::<Vec<_>>().join(", "))
}
