//! Tables of the page equal the tables in code.

use std::collections::BTreeSet;

use cairn_kb::tools::{
    AcceptInput, CheckInput, CoverageInput, DeleteInput, FindGapsInput, GraphInput, ImpactInput, MatrixInput,
    ModelRequirementInput, QueryInput, RelationshipInput, SearchInput, SemanticAdvisorInput, SkillsListInput,
    SkillsLoadInput, SkillsReadInput, SparqlRemoteInput, StatusInput, SuggestPredicatesInput, SuspectInput, UpsertInput,
};
use cairn_kb::{EntityType, FIELDS, FactKind, KbCode, Relation, Rule, STATUSES};
use utoipa::PartialSchema;

use super::page::{read, rows, section};

/// Columns of a table, joined.
fn columns(heading: &str, count: usize) -> Vec<String> {
    let rows = rows(section(&read(), heading));
    rows.iter().map(|row| row[..count].join(" | ")).collect()
}

#[test]
fn entities_and_statuses() {
    let row =
        |kind: &EntityType| format!("{kind} | {} | {}", kind.concept_type(), kind.statuses().join(", "));
    assert_eq!(columns("Entities", 3), EntityType::ALL.iter().map(row).collect::<Vec<_>>());
    let page = read();
    let words: Vec<&str> = section(&page, "All statuses").split('`').skip(1).step_by(2).collect();
    assert_eq!(words, STATUSES);
}

#[test]
fn relationships_and_their_pairs() {
    let row = |relation: &Relation| {
        let pairs = relation.pairs().map_or_else(
            || "any → any".to_owned(),
            |pairs| pairs.iter().map(|(from, to)| format!("{from} → {to}")).collect::<Vec<_>>().join(", "),
        );
        format!("{relation} | {pairs}")
    };
    assert_eq!(columns("Relationships", 2), Relation::ALL.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn kinds_of_facts_and_fields() {
    assert_eq!(columns("Facts", 1), FactKind::TEXTS);
    let row = |field: &cairn_kb::Field| {
        let of = field.of.first().map_or("all", |kind| kind.text());
        format!("{} | {of} | {}", field.name, field.about.replace('`', ""))
    };
    assert_eq!(columns("Fields", 3), FIELDS.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn rules_and_errors() {
    let row = |rule: &Rule| format!("{rule} | {}", if rule.is_default() { "on" } else { "when named" });
    assert_eq!(columns("Rules", 2), Rule::ALL.iter().map(row).collect::<Vec<_>>());
    let codes: Vec<_> = KbCode::ALL.iter().map(|code| code.name().to_owned()).collect();
    assert_eq!(columns("Errors", 1), codes);
}

/// Names of the parameters of a tool, but for the correlation id that all of them take.
fn parameters<T: PartialSchema>() -> BTreeSet<String> {
    let schema = serde_json::to_value(T::schema()).expect("plain data");
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    properties.into_iter().map(|(name, _)| name).filter(|name| name != "_requestId").collect()
}

/// A tool and its parameters.
type Tool = (&'static str, fn() -> BTreeSet<String>);

#[test]
fn tools_and_their_parameters() {
    let tools: [Tool; 21] = [
        ("kb_query", parameters::<QueryInput>),
        ("kb_search", parameters::<SearchInput>),
        ("kb_status", parameters::<StatusInput>),
        ("kb_find_gaps", parameters::<FindGapsInput>),
        ("kb_coverage", parameters::<CoverageInput>),
        ("kb_graph", parameters::<GraphInput>),
        ("kb_matrix", parameters::<MatrixInput>),
        ("kb_impact", parameters::<ImpactInput>),
        ("kb_suspect", parameters::<SuspectInput>),
        ("kb_accept", parameters::<AcceptInput>),
        ("kb_check", parameters::<CheckInput>),
        ("kb_upsert", parameters::<UpsertInput>),
        ("Relationships of an upsert", parameters::<RelationshipInput>),
        ("kb_semantic_advisor", parameters::<SemanticAdvisorInput>),
        ("kb_model_requirement", parameters::<ModelRequirementInput>),
        ("kb_suggest_predicates", parameters::<SuggestPredicatesInput>),
        ("kb_delete", parameters::<DeleteInput>),
        ("kb_sparql_remote", parameters::<SparqlRemoteInput>),
        ("kb_skills_list", parameters::<SkillsListInput>),
        ("kb_skills_load", parameters::<SkillsLoadInput>),
        ("kb_skills_read", parameters::<SkillsReadInput>),
    ];
    for (heading, expected) in tools {
        assert_eq!(columns(heading, 1).into_iter().collect::<BTreeSet<_>>(), expected(), "{heading}");
    }
}
