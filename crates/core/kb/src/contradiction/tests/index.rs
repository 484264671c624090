//! The index that follows writes equals one that is built from nothing.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::fields;
use super::groups::{every_conflict, node, predicate, subject};
use crate::{
    Branch, Conflicts, Edge, EntityType, FactFields, GroupIndex, GroupKey, NodeKey, Relation,
    conflicts_in_group,
};

const REQUIREMENTS: u64 = 4;
const FACTS: u64 = 6;

#[derive(Debug, Clone)]
enum Edit {
    Requirement(u64, bool),
    Fact(u64, usize),
    Remove(u64),
    Link(u64, Relation, u64, bool),
}

fn facts() -> Vec<FactFields> {
    vec![
        subject("s"),
        subject("t"),
        fields("eq int:1"),
        fields("eq int:2"),
        fields("gte int:2 subject=t"),
        fields("lt int:2 subject=t"),
        predicate("p", "[1]", None),
        predicate("p", "[1]", Some("deny")),
        predicate("p", "[1.0]", Some("deny")),
        FactFields { fact_kind: Some("observation".into()), ..fields("eq int:3") },
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let relation = proptest::sample::select(vec![
        Relation::Constrains,
        Relation::RequiresProperty,
        Relation::RequiresPredicate,
        Relation::Supersedes,
    ]);
    let link = (0..REQUIREMENTS, relation, 0..REQUIREMENTS.max(FACTS), proptest::bool::weighted(0.8))
        .prop_map(|(from, relation, to, add)| match relation {
            Relation::Supersedes => Edit::Link(from, relation, to % REQUIREMENTS, add),
            _ => Edit::Link(from, relation, REQUIREMENTS + to, add),
        });
    prop_oneof![
        2 => (0..REQUIREMENTS, proptest::bool::weighted(0.9)).prop_map(|(key, open)| Edit::Requirement(key, open)),
        3 => (0..FACTS, 0..facts().len()).prop_map(|(key, fact)| Edit::Fact(REQUIREMENTS + key, fact)),
        1 => (0..REQUIREMENTS + FACTS).prop_map(Edit::Remove),
        6 => link,
    ]
}

/// Applies an edit and returns the entity that it touches.
fn apply(branch: &mut Branch, edit: &Edit) -> NodeKey {
    match edit {
        Edit::Requirement(key, open) => {
            let status = if *open { "open" } else { "deprecated" };
            branch.put(NodeKey(*key), node(&format!("REQ-{key}"), EntityType::Req, status, None));
            NodeKey(*key)
        }
        Edit::Fact(key, fact) => {
            let fact = facts().swap_remove(*fact);
            branch.put(NodeKey(*key), node(&format!("FACT-{key}"), EntityType::Fact, "active", Some(fact)));
            NodeKey(*key)
        }
        Edit::Remove(key) => {
            branch.remove(NodeKey(*key));
            NodeKey(*key)
        }
        Edit::Link(from, relation, to, add) => {
            let edge = Edge { relation: *relation, from: NodeKey(*from), to: NodeKey(*to) };
            if *add {
                branch.link(edge)
            } else {
                branch.unlink(edge)
            }
            NodeKey(*from)
        }
    }
}

/// A branch in which each requirement and fact exists, so that edits meet something.
fn start() -> Branch {
    let mut branch = Branch::default();
    for key in 0..REQUIREMENTS {
        apply(&mut branch, &Edit::Requirement(key, true));
    }
    for key in 0..FACTS {
        apply(&mut branch, &Edit::Fact(REQUIREMENTS + key, key as usize));
    }
    branch
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn following_writes_equals_building_from_nothing(
        writes in proptest::collection::vec(proptest::collection::vec(edit(), 1..4), 1..25),
    ) {
        let mut branch = start();
        let mut index = GroupIndex::build(&branch);
        let mut known: BTreeMap<GroupKey, Conflicts> = BTreeMap::new();
        for write in writes {
            let touched: Vec<NodeKey> = write.iter().map(|edit| apply(&mut branch, edit)).collect();
            for group in index.update(&branch, &touched) {
                known.insert(group.clone(), conflicts_in_group(&branch, &index, &group, &[]));
            }
            prop_assert_eq!(&index, &GroupIndex::build(&branch));
            let followed = known.values().cloned().fold(Conflicts::default(), Conflicts::merge);
            prop_assert_eq!(followed, every_conflict(&branch, &[]));
        }
    }
}
