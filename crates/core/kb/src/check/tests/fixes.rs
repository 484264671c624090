//! Suggested fixes, applied to a branch in memory as an upsert would apply them.

use cairn_base::Value;

use super::{Builder, node, of_rule, violations};
use crate::check::Rule;
use crate::entity::{check_fact_shape, check_id, check_properties};
use crate::testing::Synthetic;
use crate::tools::{UpsertInput, Violation};
use crate::{Branch, Edge, FactFields, Node, NodeKey};

/// Whether a fix ends its violation; a violation without a fix passes.
pub(super) fn ends(branch: &Branch, violation: &Violation, require_adr: bool) -> bool {
    if violation.fix.is_empty() {
        return true;
    }
    let mut fixed = branch.clone();
    violation.fix.iter().for_each(|fix| upsert(&mut fixed, &fix.0));
    let is_same = |other: &Violation| {
        other.entity_id == violation.entity_id && other.description == violation.description
    };
    !of_rule(&fixed, violation.rule, require_adr).iter().any(is_same)
}

/// Upserts an entity, with the conditions of the write path that need no files.
fn upsert(branch: &mut Branch, input: &UpsertInput) {
    let UpsertInput { kind, id, properties, .. } = input;
    let mut errors = Vec::new();
    check_properties(*kind, properties, &mut errors);
    assert_eq!(errors, []);
    assert_eq!(check_id("id", id), Ok(()));
    let found = branch.find(id).map(|(key, node)| (key, node.clone()));
    let (key, mut merged) = found.unwrap_or_else(|| {
        let last = branch.by_id().map(|(key, _)| key.0).max().unwrap_or_default();
        let new = Node { title: "".into(), status: "".into(), ..node(*kind, id) };
        (NodeKey(last + 1), new)
    });
    assert_eq!(merged.kind, *kind);
    merge(&mut merged, &properties.0.clone().into_iter().collect());
    assert!(!merged.title.is_empty() && !merged.status.is_empty(), "{merged:?}");
    if let Some(fact) = &merged.fact {
        assert_eq!(check_fact_shape(fact), Ok(()));
    }
    branch.put(key, merged);
    for relationship in &input.relationships {
        assert_eq!(relationship.from, *id);
        let (to, end) = branch.find(&relationship.to).expect("the fix names an entity that exists");
        assert!(relationship.relation.allows(*kind, end.kind));
        branch.link(Edge { relation: relationship.relation, from: key, to });
    }
}

fn merge(into: &mut Node, sent: &cairn_graph::Map) {
    let new = Node::of(&into.id, into.kind, sent);
    into.lacks_times = [false; 2];
    let (to, from) = (into.fact.get_or_insert_default(), new.fact.clone().unwrap_or_default());
    for (name, value) in sent {
        match name.as_str() {
            "title" => into.title = new.title.clone(),
            "status" => into.status = new.status.clone(),
            "source" => into.source = new.source.clone(),
            "verification_scope" => into.verification_scope = new.verification_scope.clone(),
            "verification_perspective" => {
                into.verification_perspective = new.verification_perspective.clone();
            }
            other => merge_fact(to, &from, other, value),
        }
    }
    if into.kind != crate::EntityType::Fact {
        into.fact = None;
    }
}

fn merge_fact(to: &mut FactFields, from: &FactFields, name: &str, value: &Value) {
    match name {
        "fact_kind" => to.fact_kind = from.fact_kind.clone(),
        "subject_key" => to.subject_key = from.subject_key.clone(),
        "property_key" => to.property_key = from.property_key.clone(),
        "operator" => to.operator = from.operator.clone(),
        "value_type" => to.value_type = from.value_type.clone(),
        "value_string" => to.value_string = from.value_string.clone(),
        "value_int" => to.value_int = from.value_int,
        "value_number" => to.value_number = from.value_number,
        "value_bool" => to.value_bool = from.value_bool,
        "polarity" => to.polarity = from.polarity.clone(),
        "canonical_key" => to.canonical_key = from.canonical_key.clone(),
        "predicate_name" => to.predicate_name = from.predicate_name.clone(),
        "predicate_args" => to.predicate_args = from.predicate_args.clone(),
        "predicate_arity" => to.predicate_arity = from.predicate_arity,
        "argument_names" => to.argument_names = from.argument_names,
        "argument_types" => to.argument_types = from.argument_types,
        other => panic!("a fix sets {other} to {value:?}, which this test does not know"),
    }
}

#[test]
fn a_fix_names_ids_that_are_free() {
    let builder = Builder::new("req:R scenario:SCEN-R test:TEST-R scenario:SCEN-R-2")
        .set("R", |node| node.priority = Some("must".into()));
    let found = violations(&builder, Rule::MustPriorityCoverage, false);
    let ids: Vec<&str> = found[0].fix.iter().map(|fix| &*fix.0.id).collect();
    assert_eq!(ids, ["SCEN-R-3", "TEST-R-2", "R"]);
}

#[test]
fn a_symbol_is_linked_to_the_test_that_is_there() {
    let builder = Builder::new("symbol:F req:R test:T").link("F implements R").link("T validates R");
    let found = violations(&builder, Rule::SymbolCoverage, false);
    assert_eq!(found[0].fix.len(), 1);
    assert_eq!(found[0].fix[0].0.relationships[0].to, "T");
    assert!(ends(&builder.branch, &found[0], false));
}

#[test]
fn a_test_of_a_demanding_requirement_is_of_its_kind() {
    let demanding = |scope: &str| {
        Builder::new("symbol:F req:R scenario:S")
            .link("F implements R")
            .link("R specified_by S")
            .property("P", "requirement.R.verification", "verification_scope", scope)
            .link("R requires_property P")
    };
    let possible = demanding("end_to_end");
    let found = violations(&possible, Rule::SymbolCoverage, false);
    assert_eq!(found[0].fix[0].0.properties.text("verification_scope"), Some("end_to_end"));
    assert!(ends(&possible.branch, &found[0], false));
    assert!(violations(&demanding("by hand"), Rule::SymbolCoverage, false)[0].fix.is_empty());
}

#[test]
fn what_an_upsert_cannot_correct_has_no_fix() {
    let builder = Builder::new("req:A req:B")
        .link("A depends_on B")
        .link("B depends_on A")
        .and("test:T")
        .link("A verified_by T")
        .without("T");
    for rule in [Rule::NoCycles, Rule::NoDanglingRefs] {
        assert!(violations(&builder, rule, false)[0].fix.is_empty());
    }
}

#[test]
fn every_fix_of_a_synthetic_branch_ends_its_violation() {
    let branch = Synthetic { entities: 300, relationships: 400, seed: 3 }.branch();
    for rule in Rule::ALL.iter().copied() {
        let found = of_rule(&branch, rule, true);
        let sample = found.iter().step_by(found.len().div_ceil(12).max(1));
        for violation in sample {
            assert!(ends(&branch, violation, true), "{violation:#?}");
        }
    }
}
