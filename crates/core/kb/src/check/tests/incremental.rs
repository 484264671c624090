//! The state after any changes equals the state built from nothing, finding by finding.

use proptest::prelude::*;

use super::{build, node};
use crate::check::{CheckRequest, CheckState, Rule};
use crate::{Branch, Change, Edge, EntityType, FactFields, Node, NodeKey, Relation};

const KEYS: u64 = 14;

/// The type of an entity follows from its key, mostly, so that most relationships are legal.
fn kind_of(key: u64) -> EntityType {
    use EntityType::{Adr, Fact, Req, Scenario, Symbol, Test};
    [Req, Req, Req, Req, Scenario, Scenario, Test, Test, Symbol, Adr, Fact, Fact, Fact, Fact]
        [key as usize % 14]
}

fn fact() -> impl Strategy<Value = FactFields> {
    let kinds = ["subject", "property_value", "property_value", "predicate", "meta", "odd"];
    let kind = proptest::sample::select(kinds.to_vec());
    let subjects = proptest::sample::select(vec!["s", "t", "requirement.E0.verification"]);
    let properties = proptest::sample::select(vec!["p", "verification_scope"]);
    let values = proptest::sample::select(vec!["unit", "other"]);
    let polarity = proptest::sample::select(vec!["", "assert", "deny"]);
    (kind, proptest::option::weighted(0.9, subjects), properties, values, polarity).prop_map(
        |(kind, subject, property, value, polarity)| FactFields {
            fact_kind: Some(kind.into()),
            subject_key: subject.map(Into::into),
            property_key: Some(property.into()),
            operator: Some("eq".into()),
            value_type: Some("string".into()),
            value_string: Some(value.into()),
            polarity: (!polarity.is_empty()).then(|| polarity.into()),
            predicate_name: Some("holds".into()),
            predicate_args: Some(vec![value.into()].into()),
            canonical_key: Some("holds(x)".into()),
            ..FactFields::default()
        },
    )
}

fn entity() -> impl Strategy<Value = (NodeKey, Node)> {
    let statuses = vec!["open", "active", "closed", "deprecated", "superseded", ""];
    (0..KEYS, 0_u64..20, proptest::sample::select(statuses), any::<[bool; 4]>(), fact()).prop_map(
        |(key, other, status, [must, scoped, sourced, timed], fact)| {
            // Now and then an entity of another type, or one that changes its id.
            let kind = if other == 0 { EntityType::Scenario } else { kind_of(key) };
            let id = if other == 1 { format!("Z{key}") } else { format!("E{key}") };
            let mut node = node(kind, &id);
            node.status = status.into();
            node.priority = must.then(|| "must".into());
            node.verification_scope = scoped.then(|| "unit".into());
            node.lacks_times[1] = timed;
            if !sourced {
                node.source = "".into();
            }
            if kind == EntityType::Fact {
                node.fact = Some(Box::new(fact));
            }
            (NodeKey(key), node)
        },
    )
}

/// A relationship, of a legal pair of types more often than not.
fn edge() -> impl Strategy<Value = Edge> {
    let relation = proptest::sample::select(Relation::ALL.to_vec());
    (relation, 0..KEYS, 0..KEYS, 0_u8..10).prop_map(|(relation, from, to, wild)| {
        let nearest = |key: u64, kind: EntityType| {
            (0..KEYS).map(|step| (key + step) % KEYS).find(|key| kind_of(*key) == kind).unwrap_or(key)
        };
        let (from, to) = match relation.pairs() {
            Some(pairs) if wild > 0 => {
                let (start, end) = pairs[(from + to) as usize % pairs.len()];
                (nearest(from, start), nearest(to, end))
            }
            Some(_) | None => (from, to),
        };
        Edge { relation, from: NodeKey(from), to: NodeKey(to) }
    })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => entity().prop_map(|(key, node)| Change::Put(key, Box::new(node))),
        1 => (0..KEYS).prop_map(|key| Change::Remove(NodeKey(key))),
        8 => edge().prop_map(Change::Link),
        3 => edge().prop_map(Change::Unlink),
    ]
}

fn batches() -> impl Strategy<Value = Vec<Vec<Change>>> {
    proptest::collection::vec(proptest::collection::vec(change(), 1..6), 1..30)
}

fn request(require_adr: bool) -> CheckRequest {
    CheckRequest { rules: Rule::ALL.to_vec(), require_adr, limit: 1_000, offset: 0 }
}

fn assert_current(state: &CheckState, branch: &Branch) {
    let fresh = build(branch);
    for (row, (kept, found)) in state.found.iter().zip(&fresh.found).enumerate() {
        let (kept, found): (Vec<_>, Vec<_>) = (kept.rows().collect(), found.rows().collect());
        assert_eq!(kept, found, "row {row}");
    }
    for require_adr in [false, true] {
        let request = request(require_adr);
        assert_eq!(state.report(branch, &request), fresh.report(branch, &request));
    }
    assert_eq!(state.derived.covering, fresh.derived.covering);
    assert_eq!(state.derived.cycles, fresh.derived.cycles);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changes_lead_to_the_state_built_from_nothing(batches in batches()) {
        let mut branch = Branch::default();
        let mut state = build(&branch);
        for batch in batches {
            let undo = branch.apply(batch);
            state.update(&branch, &undo);
            assert_current(&state, &branch);
        }
    }

    #[test]
    fn undoing_leads_back(first in proptest::collection::vec(change(), 1..40), second in batches()) {
        let mut branch = Branch::default();
        branch.apply(first);
        let mut state = build(&branch);
        let before = (state.clone(), branch.clone());
        for batch in second {
            let undo = branch.apply(batch);
            state.update(&branch, &undo);
            let redo = branch.apply(undo);
            state.update(&branch, &redo);
            prop_assert_eq!(&branch, &before.1);
            assert_current(&state, &branch);
        }
    }

    #[test]
    fn a_preview_changes_nothing_and_finds_what_the_change_adds(
        first in proptest::collection::vec(change(), 1..60), second in batches()
    ) {
        let mut branch = Branch::default();
        branch.apply(first);
        let mut state = build(&branch);
        for batch in second {
            let before = (state.clone(), branch.clone());
            let new = state.new_contradictions(&mut branch, batch.clone());
            prop_assert_eq!(&branch, &before.1);
            prop_assert_eq!(&state, &before.0);
            let undo = branch.apply(batch);
            state.update(&branch, &undo);
            let ids = |state: &CheckState, branch: &Branch| {
                let only = CheckRequest { rules: vec![Rule::DomainContradictions], ..request(false) };
                let violations = state.report(branch, &only).violations;
                violations.into_iter().map(|found| found.entity_id).collect::<std::collections::BTreeSet<_>>()
            };
            let (old, all) = (ids(&before.0, &before.1), ids(&state, &branch));
            for conflict in &new {
                prop_assert!(all.contains(&conflict.entity_id()));
            }
            let named: std::collections::BTreeSet<_> = new.iter().map(|conflict| conflict.entity_id()).collect();
            prop_assert!(all.difference(&old).all(|id| named.contains(id)));
        }
    }
}
