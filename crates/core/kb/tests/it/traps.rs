//! Traps that knowledge bases of this kind have fallen into, each just avoided and just not overdone.

use cairn_kb::tools::SemanticAdvisorInput;
use cairn_kb::{LogicReadiness, SuggestionKind};
use serde_json::{Value, json};

use super::kit::{Kb, conflict};

#[track_caller]
fn check(rows: &[(Value, Value, bool)]) {
    for (one, other, expected) in rows {
        assert_eq!(conflict(one, other), *expected, "{one} and {other}");
    }
}

/// Claims of two values, each with one field of its own.
fn with(field: &str, one: &str, other: &str) -> (Value, Value) {
    (json!({"value_int": 5, field: one}), json!({"value_int": 6, field: other}))
}

#[test]
fn trap_1_keys_units_and_scopes_are_compared_whole_and_never_by_their_last_segment() {
    for field in ["subject_key", "property_key", "unit", "scope"] {
        for (one, other, expected) in [
            ("a/b", "a/b", true),
            ("a/b", "c/b", false),
            ("a/b", "b", false),
            ("a/b", "/b", false),
            ("a/b", "a/b/", false),
            ("https://one.example/b", "https://two.example/b", false),
            ("req/s", "ops/s", false),
            ("a/b", "A/b", false),
        ] {
            let (one, other) = with(field, one, other);
            check(&[(one, other, expected)]);
        }
    }
}

#[test]
fn trap_1_values_are_compared_whole_too() {
    let text = |value: &str| json!({"value_string": value});
    check(&[
        (text("a/b"), text("c/b"), true),
        (text("a/b"), text("b"), true),
        (text("a/b"), text("a/b"), false),
        (json!({"value_string": "a/b", "operator": "neq"}), text("c/b"), false),
        (json!({"value_string": "a/b", "operator": "neq"}), text("a/b"), true),
    ]);
}

#[test]
fn trap_1_predicates_are_compared_whole() {
    for (name, arg, expected) in
        [("x/may", "u/1", 1), ("y/may", "u/1", 0), ("x/may", "v/1", 0), ("may", "u/1", 0)]
    {
        let mut kb = Kb::default();
        for (id, name, arg, polarity) in [("A", "x/may", "u/1", "assert"), ("B", name, arg, "deny")] {
            let fact = json!({
                "fact_kind": "predicate", "predicate_name": name, "predicate_args": [arg],
                "canonical_key": format!("{name}({arg})"), "polarity": polarity,
            });
            let fact_id = format!("{id}-P");
            kb.put("fact", &fact_id, &fact, &[]);
            kb.put("req", id, &json!({}), &[("requires_predicate", &fact_id)]);
        }
        assert_eq!(kb.conflicts().len(), expected, "{name}({arg})");
    }
}

#[test]
fn trap_2_equality_is_compared_with_order_operators() {
    let five = json!({"value_int": 5});
    for (operator, conflicting, fitting) in
        [("gt", 5, 4), ("gte", 6, 5), ("lt", 5, 6), ("lte", 4, 5), ("neq", 5, 4), ("eq", 4, 5)]
    {
        for (value, expected) in [(conflicting, true), (fitting, false)] {
            let other = json!({"operator": operator, "value_int": value});
            check(&[(five.clone(), other, expected)]);
        }
    }
}

#[test]
fn trap_2_an_empty_unit_matches_only_an_empty_unit() {
    let (none, six) = (json!({"value_int": 5}), json!({"value_int": 6}));
    let six_of = |unit: &str| json!({"value_int": 6, "unit": unit});
    check(&[
        (none.clone(), six.clone(), true),
        (none.clone(), six_of(""), true),
        (none.clone(), six_of("ms"), false),
        (none.clone(), six_of("req/s"), false),
        (json!({"value_int": 5, "unit": ""}), six_of("ms"), false),
        (json!({"value_int": 5, "unit": "ms"}), six_of("ms"), true),
        (json!({"value_string": "x"}), json!({"value_string": "y", "unit": "ms"}), false),
    ]);
}

#[test]
fn trap_2_two_prohibitions_never_conflict() {
    let forbid =
        |operator: &str, value: i64| json!({"operator": operator, "value_int": value, "polarity": "forbid"});
    let require = |operator: &str, value: i64| json!({"operator": operator, "value_int": value});
    let operators = ["eq", "neq", "lt", "lte", "gt", "gte"];
    for (one, other) in operators.iter().flat_map(|one| operators.iter().map(move |other| (one, other))) {
        for value in [4, 5, 6] {
            check(&[(forbid(one, 5), forbid(other, value), false)]);
        }
    }
    check(&[
        (forbid("eq", 5), require("eq", 5), true),
        (forbid("eq", 5), require("eq", 6), false),
        (forbid("gte", 5), require("gte", 5), true),
        (forbid("gte", 5), require("eq", 4), false),
        (
            json!({"value_string": "a", "polarity": "forbid"}),
            json!({"value_string": "b", "polarity": "forbid"}),
            false,
        ),
        (json!({"value_string": "a", "polarity": "forbid"}), json!({"value_string": "a"}), true),
    ]);
}

/// `R-1` depends on `R-2` and `R-3`.
fn three() -> Kb {
    let mut kb = Kb::default();
    kb.put("req", "R-3", &json!({}), &[]);
    kb.put("req", "R-2", &json!({}), &[]);
    kb.put("req", "R-1", &json!({}), &[("depends_on", "R-3"), ("depends_on", "R-2")]);
    kb
}

#[test]
fn trap_9_an_unknown_seed_of_a_graph_is_named_and_is_no_failure() {
    let kb = three();
    let found = kb.graph(json!({"seedIds": ["nobody", "R-1", "alas"]}));
    assert_eq!((found.nodes.len(), found.edges.len()), (3, 2));
    assert_eq!(found.unknown_seeds, ["alas", "nobody"]);
    assert!(!found.truncated);
    let found = kb.graph(json!({"seedIds": ["nobody"], "maxNodes": 1}));
    assert!(found.nodes.is_empty() && found.edges.is_empty() && !found.truncated);
    assert_eq!(found.unknown_seeds, ["nobody"]);
    assert!(kb.graph(json!({"seedIds": ["R-1"]})).unknown_seeds.is_empty());
}

#[test]
fn trap_9_a_graph_is_truncated_only_when_something_was_left_out() {
    let kb = three();
    for (limit, value, nodes, edges, truncated) in [
        ("maxNodes", 4, 3, 2, false),
        ("maxNodes", 3, 3, 2, false),
        ("maxNodes", 2, 2, 1, true),
        ("maxNodes", 1, 1, 0, true),
        ("maxEdges", 3, 3, 2, false),
        ("maxEdges", 2, 3, 2, false),
        ("maxEdges", 1, 2, 1, true),
    ] {
        let found = kb.graph(json!({"seedIds": ["R-1"], "depth": 3, limit: value}));
        let got = (found.nodes.len(), found.edges.len(), found.truncated);
        assert_eq!(got, (nodes, edges, truncated), "{limit} {value}");
    }
}

#[test]
fn trap_9_a_query_is_sorted_by_type_and_id() {
    let mut kb = Kb::default();
    for (kind, id) in [
        ("test", "a"),
        ("symbol", "b"),
        ("req", "R-2"),
        ("fact", "z"),
        ("req", "R-10"),
        ("adr", "y"),
        ("req", "R-1"),
    ] {
        kb.put(kind, id, &json!({}), &[]);
    }
    let sorted = ["adr y", "fact z", "req R-1", "req R-10", "req R-2", "symbol b", "test a"];
    let (all, count) = kb.query(json!({}));
    assert_eq!((all.as_slice(), count), (sorted.map(str::to_owned).as_slice(), 7));
    assert_eq!(kb.query(json!({"type": "req"})).0, sorted[2..5]);
    assert_eq!(
        kb.query(json!({"limit": 2, "offset": 2})),
        (sorted[2..4].iter().map(|row| (*row).to_owned()).collect(), 7)
    );
}

/// Kinds of the suggestions for a requirement.
fn suggested(text: &str) -> Vec<SuggestionKind> {
    let input = SemanticAdvisorInput { text: text.into(), ..SemanticAdvisorInput::default() };
    let receipt = input.run().expect("a text").receipt;
    assert_eq!(
        receipt.logic_readiness == LogicReadiness::NotApplicable,
        receipt.signals.is_empty(),
        "{text}"
    );
    receipt.suggestions.into_iter().map(|suggestion| suggestion.kind).collect()
}

#[test]
fn trap_10_statements_on_all_of_a_kind_and_examples_have_receipts() {
    use SuggestionKind::{AmbiguityObservation, Predicate, StrictProperty};
    for (text, expected) in [
        ("All mutations are recorded in the audit log.", &[Predicate][..]),
        ("Every invoice is owned by the billing team.", &[Predicate]),
        ("All sessions expire after 30 minutes.", &[StrictProperty]),
        ("The product knows roles such as admin and editor.", &[AmbiguityObservation]),
        ("Actions such as delete must be recorded in the audit log.", &[Predicate]),
        ("The mutation of a gene is recorded in books.", &[]),
        ("Such as it is, the sky is blue.", &[]),
    ] {
        assert_eq!(suggested(text), expected, "{text}");
    }
}

#[test]
fn trap_10_the_text_of_a_result_has_the_keys_of_claims() {
    let text = "Sessions expire after 30 minutes.".to_owned();
    let output = SemanticAdvisorInput { text, ..SemanticAdvisorInput::default() }.run().expect("a text");
    assert!(output.text().contains("subject_key=session property_key=expiry_minutes operator=eq value=30"));
}
