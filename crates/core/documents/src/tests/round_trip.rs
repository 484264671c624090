//! What is exported is read back as the same entity.

use cairn_base::{Number, Value};
use cairn_kb::tools::{RelationshipInput, UpsertInput};
use cairn_kb::{EntityType, FIELDS, Field, Properties, Relation, Shape};
use proptest::prelude::*;
use proptest::sample::select;

use super::shown;
use crate::{parse_markdown, parse_symbols, to_markdown, to_symbols_yaml};

/// Texts that readers of YAML and of Markdown stumble over, and arbitrary ones.
fn text() -> impl Strategy<Value = String> {
    let fixed = [
        "",
        "yes",
        "no",
        "null",
        "~",
        "1e3",
        "0x1F",
        "2026-05-01",
        "true",
        "a: b",
        "a #b",
        "- x",
        "---",
        "\n---\n",
        "\"quoted\"",
        "it's",
        " leading",
        "trailing ",
        "two\nlines",
        "two\n\nlines\n",
        "\r\n",
        "\u{feff}",
        "\u{0}",
        "\u{2028}",
        "{a}",
        "[a]",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%",
        "@",
        "`",
        "日本 größer 🦀",
        "\ttab",
        "a\\nb",
        "# heading\n\n    code\n\ntext",
        "\n\nspace around\n\n",
        "?",
        "a:",
        "::",
        "https://example.com/a?b=c#d",
    ];
    prop_oneof![
        3 => select(fixed.to_vec()).prop_map(str::to_owned),
        2 => "[ -~\n]{0,60}",
        1 => "(?s).{0,40}",
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[A-Z]{2,4}-[0-9]{1,3}",
        1 => select(vec!["yes", "1", "null", "a b", "a: b", "- x", "---", "日本", "'", "https://a.b/c"])
            .prop_map(str::to_owned),
    ]
}

fn value(field: &'static Field) -> BoxedStrategy<Value> {
    let scalar = || {
        let float = any::<f64>().prop_filter_map("it is finite", Number::from_f64);
        prop_oneof![
            text().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            float.prop_map(Value::from),
        ]
    };
    let list =
        |items: BoxedStrategy<Value>| prop::collection::vec(items, 0..4).prop_map(Value::Array).boxed();
    match field.shape {
        Shape::Word(words) => select(words.to_vec()).prop_map(Value::from).boxed(),
        Shape::Text(_) if matches!(field.name, "created_at" | "updated_at" | "result_at") => {
            select(vec!["2026-05-01T10:00:00Z", "2026-05-01T10:00:00.123+02:00"])
                .prop_map(Value::from)
                .boxed()
        }
        Shape::Text(_) if matches!(field.name, "title" | "source" | "status") => text()
            .prop_filter("it is not blank", |text| !text.trim().is_empty())
            .prop_map(Value::from)
            .boxed(),
        Shape::Text(_) => text().prop_map(Value::from).boxed(),
        Shape::Texts => list(text().prop_map(Value::from).boxed()),
        Shape::Scalars => list(scalar().boxed()),
        Shape::Integer => any::<i64>().prop_map(Value::from).boxed(),
        Shape::Number => {
            let float = any::<f64>().prop_filter_map("it is finite", Number::from_f64);
            prop_oneof![any::<u64>().prop_map(Value::from), float.prop_map(Value::from)].boxed()
        }
        Shape::Bool => any::<bool>().prop_map(Value::from).boxed(),
    }
}

fn properties(kind: EntityType) -> impl Strategy<Value = Properties> {
    let is_of = |field: &&Field| field.of.is_empty() || field.of.contains(&kind);
    // Kinds of facts have shapes of their own; legacy facts may have any field.
    let fields = FIELDS.iter().filter(is_of);
    let fields = fields.filter(|field| field.name != "fact_kind" && !field.is_read_only);
    let one = |field: &'static Field| {
        let value = value(field);
        let is_needed = matches!(field.name, "title" | "status" | "source");
        let value = if is_needed { value.prop_map(Some).boxed() } else { prop::option::of(value).boxed() };
        value.prop_map(move |value| Some((field.name.to_owned(), without_duplicates(field.name, value?))))
    };
    let all: Vec<_> = fields.map(one).collect();
    all.prop_map(|all| Properties(all.into_iter().flatten().collect()))
}

/// Lists of names hold each once in the KB.
fn without_duplicates(name: &str, value: Value) -> Value {
    let Value::Array(items) = &value else { return value };
    if !matches!(name, "tags" | "links" | "aliases") {
        return value;
    }
    let mut kept: Vec<Value> = Vec::new();
    items.iter().for_each(|item| {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    });
    Value::Array(kept)
}

prop_compose! {
    fn relationship()(
        relation in select(Relation::ALL.to_vec()),
        to in id(),
        created_at in prop::option::of(Just("2026-05-01T10:00:00Z".to_owned())),
        created_by in prop::option::of(text()),
        source in prop::option::of(text()),
        confidence in prop::option::of(0.0..=1.0_f64),
    ) -> RelationshipInput {
        RelationshipInput { relation, from: String::new(), to, created_at, created_by, source, confidence }
    }
}

fn entity(kind: EntityType) -> impl Strategy<Value = UpsertInput> {
    let links = prop::collection::vec(relationship(), 0..4);
    (id(), properties(kind), links).prop_map(move |(id, properties, mut relationships)| {
        relationships.sort_by(|one, other| (one.relation, &one.to).cmp(&(other.relation, &other.to)));
        relationships.dedup_by(|one, other| (one.relation, &one.to) == (other.relation, &other.to));
        relationships.iter_mut().for_each(|link| link.from = id.clone());
        UpsertInput { kind, id, properties, relationships, request_id: None }
    })
}

fn any_entity() -> impl Strategy<Value = UpsertInput> {
    select(EntityType::ALL.to_vec()).prop_flat_map(entity)
}

proptest! {
    #[test]
    fn an_exported_document_is_the_same_entity(entity in any_entity()) {
        let path = "docs/x.md";
        let text = to_markdown(path, &entity);
        let document = parse_markdown(path, text.as_bytes(), None);
        prop_assert!(document.problems.is_empty(), "{}\n{}", text, shown(&document));
        prop_assert_eq!(&document.entities[0].input, &entity, "{}", text);
        prop_assert_eq!(to_markdown(path, &document.entities[0].input), text);
    }

    #[test]
    fn exported_symbols_are_the_same_symbols(symbols in prop::collection::vec(entity(EntityType::Symbol), 0..4)) {
        let mut symbols = symbols;
        symbols.sort_by(|one, other| one.id.cmp(&other.id));
        symbols.dedup_by(|one, other| one.id == other.id);
        let text = to_symbols_yaml("s.yaml", &symbols);
        let document = parse_symbols("s.yaml", text.as_bytes());
        prop_assert!(document.problems.is_empty(), "{}\n{}", text, shown(&document));
        let read: Vec<UpsertInput> = document.entities.into_iter().map(|entity| entity.input).collect();
        prop_assert_eq!(read, symbols, "{}", text);
    }
}

#[test]
fn an_exported_document_looks_like_one_that_people_write() {
    let text = "---\nid: REQ-1\ntype: req\ntitle: Sessions end\nstatus: open\ntags:\n  - auth\npriority: must\n\
                text_ref: |-\n  One.\n\n  Two.\ncreated_at: \"2026-05-01T10:00:00Z\"\nlinks:\n  - type: specified_by\n    \
                target: SCEN-1\n    confidence: 0.5\n---\n\n# Why\n\nBecause.\n";
    let document = parse_markdown("docs/a.md", text.as_bytes(), None);
    assert_eq!(to_markdown("docs/a.md", &document.entities[0].input), text);
    // A source that is not the path is written.
    assert!(to_markdown("docs/b.md", &document.entities[0].input).contains("\nsource: docs/a.md\n"));
}

#[test]
fn what_a_write_would_refuse_is_left_out() {
    let mut entity = parse_markdown("a.md", b"---\nid: R\ntype: req\ntitle: t\nstatus: open\n---\n", None)
        .entities
        .remove(0)
        .input;
    entity.properties.0.insert("unknown".into(), "x".into());
    entity.properties.0.insert("owner".into(), 5_u64.into());
    entity.properties.0.insert("severity".into(), Value::Null);
    // Only syncs set these.
    entity.properties.0.insert("file".into(), "a.md".into());
    entity.properties.0.insert("diverged".into(), true.into());
    assert_eq!(to_markdown("a.md", &entity), "---\nid: R\ntype: req\ntitle: t\nstatus: open\n---\n");
}
