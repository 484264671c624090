//! Ids, fields, sizes and the shapes of facts.

use cairn_base::Value;

use super::{Kb, fact, plain, property, sent};
use crate::limits::{
    ENTITY_BODY_BYTES_MAX, ENTITY_BYTES_MAX, ENTITY_ID_BYTES_MAX, ENTITY_LIST_ITEMS_MAX,
    ENTITY_PROSE_BYTES_MAX, ENTITY_TEXT_BYTES_MAX, FIELD_ERRORS_MAX,
};
use crate::{EntityType, STATUSES};

#[test]
fn ids() {
    let kb = Kb::new();
    for id in ["R", "a b", "REQ/1", "ä", &"x".repeat(ENTITY_ID_BYTES_MAX)] {
        kb.allows(&plain(EntityType::Req, id, &[]));
    }
    for id in ["", " R", "R ", "a\nb", "a\u{0}", &"x".repeat(ENTITY_ID_BYTES_MAX + 1)] {
        kb.refuses(&plain(EntityType::Req, id, &[]), &["id: "]);
    }
    let other = kb.problems(&plain(EntityType::Req, "test", &[]));
    assert_eq!(other, ["test is a test, not a req; ids are unique in a branch across types"]);
}

#[test]
fn title_and_status_are_required_of_new_entities_only() {
    let mut kb = Kb::new();
    let new = |properties| sent(EntityType::Req, "R", properties);
    kb.refuses(&new(r#"{"status":"open"}"#), &["title: it is required"]);
    kb.refuses(&new(r#"{"title":" ","status":"open"}"#), &["title: it is required"]);
    kb.refuses(&new(r#"{"title":"t"}"#), &["status: it is required"]);
    kb.put(&new(r#"{"title":"t","status":"open"}"#));
    kb.allows(&new("{}"));
    kb.refuses(&new(r#"{"status":null}"#), &["status: it is required"]);
    kb.refuses(&new(r#"{"title":7}"#), &["title: 7 is not a string"]);
}

#[test]
fn unknown_fields_name_the_one_that_was_meant() {
    let kb = Kb::new();
    for (name, meant) in [
        ("subjectKey", "subject_key"),
        ("propertyKey", "property_key"),
        ("predicateName", "predicate_name"),
        ("predicateArgs", "predicate_args"),
        ("canonicalKey", "canonical_key"),
        ("closedWorld", "closed_world"),
        ("source_file", "sourceFile"),
        ("Title", "title"),
        ("ownr", "owner"),
    ] {
        let input = sent(EntityType::Fact, "fact", &format!("{{{name:?}:true}}"));
        kb.refuses(&input, &[name, "unknown field", &format!("did you mean {meant:?}?")]);
    }
    for (value, kind) in [("true", "bool"), ("7", "int"), ("7.5", "number"), ("\"x\"", "string")] {
        let input = sent(EntityType::Fact, "fact", &format!("{{\"value\":{value}}}"));
        kb.refuses(&input, &[&format!("\"value_type\": \"{kind}\""), &format!("\"value_{kind}\"")]);
    }
    kb.refuses(&sent(EntityType::Fact, "fact", r#"{"qqqqqqqqqqqq":1}"#), &["fields are title, status"]);
}

#[test]
fn many_wrong_fields_are_counted_and_not_all_described() {
    let kb = Kb::new();
    let many = |count: usize| {
        let fields: Vec<_> = (0..count).map(|at| format!("\"wrong-{at}\":1")).collect();
        sent(EntityType::Req, "req", &format!("{{{}}}", fields.join(",")))
    };
    let shown = |count| kb.problems(&many(count)).remove(0);
    assert!(!shown(FIELD_ERRORS_MAX).contains("more of them"));
    assert!(shown(FIELD_ERRORS_MAX + 1).contains("properties: 1 more of them are wrong"));
    assert!(shown(20_000).len() < 100_000);
}

#[test]
fn words_list_what_is_allowed_and_the_nearest_one() {
    let kb = Kb::new();
    let wrong = sent(EntityType::Req, "req", r#"{"status":"opne"}"#);
    kb.refuses(&wrong, &["\"opne\" is not one of active, inactive", "did you mean \"open\"?"]);
    for (kind, id, name, word) in [
        (EntityType::Symbol, "symbol", "symbol_role", "module"),
        (EntityType::Symbol, "symbol", "granularity_reason", "legacy-link"),
        (EntityType::Test, "test", "verification_scope", "end_to_end"),
        (EntityType::Test, "test", "verification_perspective", "consumer"),
        (EntityType::Fact, "fact", "fact_kind", "observation"),
    ] {
        kb.allows(&sent(kind, id, &format!("{{{name:?}:{word:?}}}")));
        kb.refuses(&sent(kind, id, &format!("{{{name:?}:\"{word}s\"}}")), &[name, "is not one of", word]);
        // Other types do not have it.
        kb.refuses(&sent(EntityType::Adr, "adr", &format!("{{{name:?}:{word:?}}}")), &[name, "not of adr"]);
    }
}

#[test]
fn every_status_is_accepted_and_unusual_ones_give_a_warning() {
    let kb = Kb::new();
    for kind in EntityType::ALL {
        for status in STATUSES {
            let examined = kb.examine(&sent(*kind, kind.text(), &format!("{{\"status\":{status:?}}}")));
            assert!(examined.problems.is_empty());
            let is_usual = kind.statuses().contains(status);
            assert_eq!(examined.warnings.is_empty(), is_usual, "{kind} {status}");
        }
    }
}

#[test]
fn sizes_at_the_limit_and_one_past_it() {
    let kb = Kb::new();
    for (name, max) in [
        ("title", ENTITY_TEXT_BYTES_MAX),
        ("text_ref", ENTITY_PROSE_BYTES_MAX),
        ("body", ENTITY_BODY_BYTES_MAX),
    ] {
        let of =
            |bytes: usize| sent(EntityType::Req, "req", &format!("{{{name:?}:{:?}}}", "x".repeat(bytes)));
        kb.allows(&of(max));
        kb.refuses(&of(max + 1), &[name, &format!("{} bytes are more than the {max} allowed", max + 1)]);
    }
    let tags = |count: usize| {
        let tags: Vec<_> = (0..count).map(|at| format!("\"{at}\"")).collect();
        sent(EntityType::Req, "req", &format!("{{\"tags\":[{}]}}", tags.join(",")))
    };
    kb.allows(&tags(ENTITY_LIST_ITEMS_MAX));
    kb.refuses(&tags(ENTITY_LIST_ITEMS_MAX + 1), &["tags", "257 items"]);
}

#[test]
fn an_entity_does_not_grow_past_its_limit_in_several_calls() {
    let mut kb = Kb::new();
    let list = |name: &str, items: usize| {
        let items = vec![format!("{:?}", "x".repeat(ENTITY_PROSE_BYTES_MAX - 2)); items];
        sent(EntityType::Fact, "fact", &format!("{{{name:?}:[{}]}}", items.join(",")))
    };
    kb.put(&list("examples", 4));
    kb.put(&list("use_when", 3));
    let whole: usize = ENTITY_BYTES_MAX;
    kb.refuses(&list("do_not_use_when", 2), &["properties", &format!("more than the {whole} allowed")]);
    kb.put(&sent(EntityType::Fact, "fact", r#"{"examples":null}"#));
    kb.allows(&list("do_not_use_when", 2));
}

#[test]
fn times_are_times() {
    let kb = Kb::new();
    for name in ["created_at", "updated_at"] {
        kb.allows(&sent(
            EntityType::Req,
            "new",
            &format!("{{\"title\":\"t\",\"status\":\"open\",{name:?}:\"2026-05-01T10:00:00Z\"}}"),
        ));
        kb.refuses(&sent(EntityType::Req, "req", &format!("{{{name:?}:\"today\"}}")), &[name, "is no time"]);
    }
}

/// A fact of a kind with everything that it needs.
fn whole(kind: &str) -> crate::tools::UpsertInput {
    let list =
        |items: &[&str]| Value::Array(items.iter().map(|item| Value::String((*item).into())).collect());
    match kind {
        "subject" => fact("f", &[("fact_kind", "subject"), ("subject_key", "s")]),
        "property_value" => property("f"),
        "predicate" => {
            let mut input =
                fact("f", &[("fact_kind", "predicate"), ("predicate_name", "p"), ("canonical_key", "p(a)")]);
            input.properties.0.insert("predicate_args".into(), list(&["a"]));
            input
        }
        "predicate_schema" => {
            let mut input = fact("f", &[("fact_kind", "predicate_schema"), ("predicate_name", "p")]);
            input.properties.0.insert("predicate_arity".into(), super::json("1"));
            input.properties.0.insert("argument_names".into(), list(&["a"]));
            input.properties.0.insert("argument_types".into(), list(&["string"]));
            input
        }
        other => fact("f", &[("fact_kind", other)]),
    }
}

#[test]
fn facts_need_the_fields_of_their_kind_and_the_first_one_is_named() {
    let kb = Kb::new();
    let needed: [(&str, &[&str]); 6] = [
        ("subject", &["subject_key"]),
        ("property_value", &["subject_key", "property_key", "operator", "value_type", "value_string"]),
        ("predicate", &["predicate_name", "predicate_args", "canonical_key"]),
        ("predicate_schema", &["predicate_name", "predicate_arity", "argument_names", "argument_types"]),
        ("observation", &[]),
        ("meta", &[]),
    ];
    for (kind, fields) in needed {
        kb.allows(&whole(kind));
        for (at, field) in fields.iter().enumerate() {
            let mut input = whole(kind);
            // This one and all behind it are missing: this one is named.
            fields[at..].iter().for_each(|field| drop(input.properties.0.remove(*field)));
            let shown = if *field == "value_string" { "value_*" } else { field };
            kb.refuses(&input, &[shown, "needs"]);
        }
    }
    kb.allows(&plain(EntityType::Fact, "legacy", &[]));
}

#[test]
fn values_fit_their_type_and_there_is_one() {
    let kb = Kb::new();
    let with = |name: &str, value: &str| {
        let mut input = property("f");
        input.properties.0.insert(name.into(), super::json(value));
        input
    };
    kb.refuses(&with("value_int", "1"), &["value_string and value_int"]);
    kb.refuses(&with("value_type", "\"int\""), &["value_string", "value_type is \"int\""]);
    kb.refuses(&with("polarity", "\"assert\""), &["polarity"]);
    kb.allows(&with("polarity", "\"forbid\""));
    let mut denied = whole("predicate");
    denied.properties.0.insert("polarity".into(), super::json("\"deny\""));
    kb.allows(&denied);
    denied.properties.0.insert("polarity".into(), super::json("\"forbid\""));
    kb.refuses(&denied, &["polarity"]);
    let mut schema = whole("predicate_schema");
    schema.properties.0.insert("predicate_arity".into(), super::json("2"));
    kb.refuses(&schema, &["argument_names", "predicate_arity is 2"]);
    schema.properties.0.insert("predicate_arity".into(), super::json("0"));
    kb.refuses(&schema, &["predicate_arity", "less than 1"]);
    kb.refuses(&with("value_string", "1"), &["value_string", "is not a string"]);
}
