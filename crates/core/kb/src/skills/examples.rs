//! Examples and tables of the bundled skills name only tools, types, relationships, rules and fields that exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::bundled::BUNDLES;
use crate::{
    EntityType, FactKind, Granularity, Operator, Polarity, Relation, SymbolRole, ValueType,
    VerificationPerspective, VerificationScope,
};

const RULES: &[&str] = &[
    "must-priority-coverage",
    "symbol-coverage",
    "symbol-traceability",
    "no-dangling-refs",
    "no-cycles",
    "required-fields",
    "deprecated-adr-no-successor",
    "domain-contradictions",
    "strict-fact-shape",
    "strict-req-fact-pairing",
];

/// Every tool, its required arguments and its optional ones.
pub(crate) const TOOLS: &[(&str, &[&str], &[&str])] = &[
    ("kb_query", &[], &["type", "id", "tags", "sourceFile", "limit", "offset"]),
    ("kb_search", &["query"], &["type", "limit", "offset"]),
    ("kb_status", &[], &[]),
    ("kb_skills_list", &[], &[]),
    ("kb_skills_load", &["id"], &[]),
    ("kb_skills_read", &["id", "resource"], &[]),
    (
        "kb_find_gaps",
        &[],
        &["type", "missingRelationships", "presentRelationships", "tags", "sourceFile", "limit", "offset"],
    ),
    ("kb_coverage", &[], &["by", "tags", "includePassing", "includeTransitive", "limit", "offset"]),
    (
        "kb_graph",
        &["seedIds"],
        &["relationships", "direction", "depth", "entityTypes", "maxNodes", "maxEdges"],
    ),
    ("kb_sparql_remote", &["endpoint", "query"], &["timeoutMs"]),
    ("kb_semantic_advisor", &["text"], &["type", "id", "title", "source", "status"]),
    (
        "kb_model_requirement",
        &["text"],
        &[
            "statement",
            "source",
            "sourceFiles",
            "confidence",
            "subjectKey",
            "propertyKey",
            "operator",
            "value",
            "provenance",
            "claim",
        ],
    ),
    (
        "kb_suggest_predicates",
        &["text"],
        &["requirementId", "source", "subjectHint", "maxCandidates", "minScore", "includeExistingSchemas"],
    ),
    (
        "kb_autopilot_generate",
        &[],
        &["includeGenericMarkdown", "minConfidence", "maxCandidates", "entityTypes", "bootstrapContext"],
    ),
    ("kb_upsert", &["type", "id", "properties"], &["relationships"]),
    ("kb_validate_upsert", &["type", "id", "properties"], &["relationships"]),
    ("kb_delete", &["ids"], &[]),
    ("kb_check", &[], &["rules", "limit", "offset"]),
    (
        "kb_matrix",
        &[],
        &["by", "tags", "priorities", "sourceFile", "onlyGaps", "includeRetired", "limit", "offset"],
    ),
    ("kb_impact", &[], &["ids", "paths", "relationships", "depth", "limit"]),
    ("kb_suspect", &[], &["ids", "relationships", "limit", "offset"]),
    ("kb_accept", &[], &["ids", "all", "includeUnknown"]),
];

/// Fields of `properties`, and the words that they may have.
const PROPERTIES: &[(&str, &[&str])] = &[
    ("title", &[]),
    ("status", &[]),
    ("source", &[]),
    ("tags", &[]),
    ("owner", &[]),
    ("priority", &[]),
    ("text_ref", &[]),
    ("sourceFile", &[]),
    ("symbol_role", SymbolRole::TEXTS),
    ("granularity_reason", Granularity::TEXTS),
    ("verification_scope", VerificationScope::TEXTS),
    ("verification_perspective", VerificationPerspective::TEXTS),
    ("fact_kind", FactKind::TEXTS),
    ("subject_key", &[]),
    ("property_key", &[]),
    ("operator", Operator::TEXTS),
    ("value_type", ValueType::TEXTS),
    ("value_string", &[]),
    ("value_int", &[]),
    ("unit", &[]),
    ("polarity", Polarity::TEXTS),
    ("canonical_key", &[]),
    ("predicate_name", &[]),
    ("predicate_args", &[]),
    ("predicate_arity", &[]),
    ("argument_names", &[]),
    ("argument_types", &[]),
];

/// Entity types by the prefix of their ids in the texts.
const PREFIXES: &[(&str, EntityType)] = &[
    ("REQ-", EntityType::Req),
    ("SCN-", EntityType::Scenario),
    ("TEST-", EntityType::Test),
    ("ADR-", EntityType::Adr),
    ("FLAG-", EntityType::Flag),
    ("EVT-", EntityType::Event),
    ("SYM-", EntityType::Symbol),
    ("FACT-", EntityType::Fact),
];

/// Every text with its name.
fn texts() -> impl Iterator<Item = (String, &'static str)> {
    BUNDLES.iter().flat_map(|bundle| {
        let named = [("SKILL.md", bundle.skill)].into_iter().chain(bundle.resources.iter().copied());
        named.map(|(path, text)| (format!("{}/{path}", bundle.folder), text))
    })
}

/// The examples of a text in JSON, each with the tool that the paragraph in front of it names first.
fn examples(name: &str, text: &'static str) -> Vec<(&'static str, Map<String, Value>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("```json\n") {
        let paragraph = text[..at].trim_end().rsplit("\n\n").next().unwrap_or_default();
        let tool = words(paragraph).find(|word| word.starts_with("kb_"));
        let tool = tool.unwrap_or_else(|| panic!("{name}: no tool is named before the example at {at}"));
        let (json, _) = text[at + 8..].split_once("\n```").expect("an end of the example");
        found.push((
            tool,
            serde_json::from_str(json).unwrap_or_else(|error| panic!("{name}: {error}: {json}")),
        ));
    }
    found
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn type_of(id: &str) -> EntityType {
    let row = PREFIXES.iter().find(|(prefix, _)| id.starts_with(prefix));
    row.unwrap_or_else(|| panic!("the id {id} has no known prefix")).1
}

fn strings<'v>(object: &'v Map<String, Value>, key: &str) -> Vec<&'v str> {
    let items = object.get(key).map(|value| value.as_array().unwrap_or_else(|| panic!("{key}: {value}")));
    items.into_iter().flatten().map(|item| item.as_str().unwrap_or_else(|| panic!("{key}: {item}"))).collect()
}

#[test]
fn every_example_is_a_valid_call() {
    let mut seen = BTreeMap::<&str, usize>::new();
    for (name, text) in texts() {
        for (tool, arguments) in examples(&name, text) {
            *seen.entry(tool).or_default() += 1;
            let context = format!("{name}, {tool} {}", Value::Object(arguments.clone()));
            check(tool, &arguments, &context);
        }
        assert_eq!(text.matches("\n```").count() % 2, 0, "{name}: an example has no end");
    }
    for tool in ["kb_query", "kb_search", "kb_graph", "kb_check", "kb_delete", "kb_coverage", "kb_find_gaps"]
    {
        assert!(seen.contains_key(tool), "no example of {tool}: {seen:?}");
    }
    assert!(seen["kb_upsert"] > 20, "{seen:?}");
}

/// Checks that the arguments of a call are those of its tool.
pub(crate) fn check(tool: &str, arguments: &Map<String, Value>, context: &str) {
    let row = TOOLS.iter().find(|(name, _, _)| *name == tool);
    let (_, required, optional) = row.unwrap_or_else(|| panic!("{context}: no such tool"));
    for key in arguments.keys().map(String::as_str) {
        assert!(required.contains(&key) || optional.contains(&key), "{context}: unknown argument {key}");
    }
    assert!(required.iter().all(|key| arguments.contains_key(*key)), "{context}: an argument is missing");
    for rule in strings(arguments, "rules") {
        assert!(RULES.contains(&rule), "{context}: {rule}");
    }
    for kind in
        strings(arguments, "entityTypes").into_iter().chain(arguments.get("type").and_then(Value::as_str))
    {
        assert!(EntityType::parse(kind).is_some(), "{context}: {kind}");
    }
    if arguments.contains_key("properties") {
        return check_upsert(arguments, context);
    }
    for key in ["relationships", "missingRelationships", "presentRelationships"] {
        for relation in strings(arguments, key) {
            assert!(Relation::parse(relation).is_some(), "{context}: {relation}");
        }
    }
    if let Some(context_of) = arguments.get("bootstrapContext") {
        let known = [
            "projectSummary",
            "sourceOfTruthPaths",
            "sourceOfTruthNotes",
            "priorityRoots",
            "verificationAnchors",
        ];
        let names = context_of.as_object().expect("an object").keys();
        names.for_each(|name| assert!(known.contains(&name.as_str()), "{context}: {name}"));
    }
    for id in strings(arguments, "ids").into_iter().chain(strings(arguments, "seedIds")) {
        type_of(id);
    }
    if let Some(by) = arguments.get("by") {
        assert!(["req", "symbol", "type"].map(Value::from).contains(by), "{context}");
    }
    if let Some(direction) = arguments.get("direction") {
        assert!(["outgoing", "incoming", "both"].map(Value::from).contains(direction), "{context}");
    }
}

fn check_upsert(arguments: &Map<String, Value>, context: &str) {
    let kind = EntityType::parse(arguments["type"].as_str().expect("a type")).expect("a known type");
    let id = arguments["id"].as_str().expect("an id");
    assert_eq!(type_of(id), kind, "{context}");
    let properties = arguments["properties"].as_object().expect("an object");
    let status = properties["status"].as_str().expect("a status");
    assert!(kind.statuses().contains(&status), "{context}: status {status}");
    assert!(properties["title"].is_string(), "{context}");
    for (key, value) in properties {
        let row = PROPERTIES.iter().find(|(name, _)| name == key);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{context}: unknown property {key}"));
        let known = allowed.is_empty() || value.as_str().is_some_and(|text| allowed.contains(&text));
        assert!(known, "{context}: {key} is {value}");
    }
    check_fact(properties, context);
    let relationships = arguments.get("relationships").map(|value| value.as_array().expect("a list"));
    for link in relationships.into_iter().flatten() {
        let field = |key: &str| link[key].as_str().unwrap_or_else(|| panic!("{context}: {link}"));
        let relation = Relation::parse(field("type")).unwrap_or_else(|| panic!("{context}: {link}"));
        assert_eq!(field("from"), id, "{context}: {link}");
        assert!(relation.allows(kind, type_of(field("to"))), "{context}: {link}");
        assert_eq!(link.as_object().map(Map::len), Some(3), "{context}: {link}");
    }
}

/// Facts that name their kind have the fields of that kind.
fn check_fact(properties: &Map<String, Value>, context: &str) {
    let Some(kind) = properties.get("fact_kind").and_then(Value::as_str).and_then(FactKind::parse) else {
        return;
    };
    let needed: &[&str] = match kind {
        FactKind::Subject => &["subject_key"],
        FactKind::PropertyValue => &["subject_key", "property_key", "operator", "value_type"],
        FactKind::PredicateSchema => {
            &["predicate_name", "predicate_arity", "argument_names", "argument_types"]
        }
        FactKind::Predicate => &["predicate_name", "predicate_args", "canonical_key"],
        FactKind::Observation | FactKind::Meta => &[],
    };
    assert!(needed.iter().all(|key| properties.contains_key(*key)), "{context}");
    let values: Vec<&String> =
        properties.keys().filter(|key| key.starts_with("value_") && *key != "value_type").collect();
    match properties.get("value_type").and_then(Value::as_str) {
        Some(value_type) => assert_eq!(values, [&format!("value_{value_type}")], "{context}"),
        None => assert!(values.is_empty(), "{context}"),
    }
    if kind == FactKind::Predicate {
        let args = strings(properties, "predicate_args").join(",");
        let key = format!("{}({args})", properties["predicate_name"].as_str().unwrap_or_default());
        assert_eq!(properties["canonical_key"], key, "{context}");
    }
    if kind == FactKind::PredicateSchema {
        for list in ["argument_names", "argument_types"] {
            assert_eq!(properties["predicate_arity"], strings(properties, list).len(), "{context}");
        }
    }
}

/// Cells of the rows of tables whose first cell is a word in backticks.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| line.starts_with("| `"));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

fn resource(folder: &str, path: &str) -> &'static str {
    let bundle = BUNDLES.iter().find(|bundle| bundle.folder == folder).expect("a bundle");
    bundle.resources.iter().find(|(name, _)| *name == path).expect("a resource").1
}

#[test]
fn tables_say_what_the_model_says() {
    let usage = BUNDLES.iter().find(|bundle| bundle.folder == "cairn-usage").expect("bundled").skill;
    let shown: Vec<(&str, Vec<&str>)> =
        rows(usage).map(|row| (row[0].trim_matches('`'), words(row[2]).collect())).collect();
    let statuses: Vec<(&str, Vec<&str>)> =
        EntityType::ALL.iter().map(|kind| (kind.text(), kind.statuses().to_vec())).collect();
    assert_eq!(shown, statuses);

    let directions = resource("cairn-usage", "resources/relationship-directions.md");
    let shown: Vec<String> = rows(directions).map(|row| row[..3].join(" ").replace('`', "")).collect();
    let pairs = Relation::ALL.iter().flat_map(|relation| match relation.pairs() {
        Some(pairs) => pairs.iter().map(|(from, to)| format!("{relation} {from} {to}")).collect(),
        None => vec![format!("{relation} any any")],
    });
    assert_eq!(shown, pairs.collect::<Vec<_>>());

    let access = resource("cairn-usage", "resources/operation-access.md");
    let shown: Vec<Vec<&str>> =
        rows(access).map(|row| vec![row[0].trim_matches('`'), row[1].trim_matches('`')]).collect();
    assert_eq!(
        shown,
        EntityType::ALL.iter().map(|kind| vec![kind.text(), kind.concept_type()]).collect::<Vec<_>>()
    );

    let rules = resource("cairn-traceability", "resources/check-rules.md");
    let shown: Vec<(&str, &str)> = rows(rules).map(|row| (row[0].trim_matches('`'), row[1])).collect();
    let default = |rule: &&str| if rule.starts_with("strict-") { "only when named" } else { "on" };
    assert_eq!(shown, RULES.iter().map(|rule| (*rule, default(rule))).collect::<Vec<_>>());
}

#[test]
fn tools_and_skills_in_the_prose_exist() {
    let paths: BTreeSet<&str> =
        BUNDLES.iter().flat_map(|bundle| bundle.resources.iter().map(|(path, _)| *path)).collect();
    for (name, text) in texts() {
        let word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.'));
        for word in text.split(word).map(|word| word.trim_end_matches(['.', '/'])) {
            let is_tool = word.starts_with("kb_") && word != "kb_";
            assert!(
                !is_tool || TOOLS.iter().any(|(tool, _, _)| *tool == word),
                "{name}: unknown tool {word}"
            );
            let is_resource = word.starts_with("resources/");
            assert!(!is_resource || paths.contains(word), "{name}: unknown resource {word}");
            let is_skill = word.starts_with("cairn-") && word != "cairn-kb.toml" && !word.contains('/');
            assert!(
                !is_skill || BUNDLES.iter().any(|bundle| bundle.folder == word),
                "{name}: unknown skill {word}"
            );
        }
    }
}
