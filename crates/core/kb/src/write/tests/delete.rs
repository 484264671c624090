//! Deleting: all or nothing, and nothing while others refer to it.

use super::Kb;
use super::plain;
use crate::limits::{BLOCKED_NAMED_MAX, DELETE_IDS_MAX};
use crate::write::plan_delete;
use crate::{Edge, EntityType, KbError, NodeKey, Relation};

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

fn key(kb: &Kb, id: &str) -> NodeKey {
    kb.branch.find(id).unwrap().0
}

#[test]
fn traps_3_and_5_an_incoming_edge_of_each_type_blocks() {
    for relation in Relation::ALL.iter().copied() {
        let pairs = relation.pairs().unwrap_or(&[(EntityType::Adr, EntityType::Flag)]);
        for (from, to) in pairs {
            let mut kb = Kb::new();
            let (start, end) = (plain(*from, "start", &[]), plain(*to, "end", &[]));
            kb.put(&end);
            kb.put(&start);
            plan_delete(&kb.branch, &ids(&["end"])).unwrap();
            kb.put(&plain(*from, "start", &[(relation, "end")]));
            let blocked = plan_delete(&kb.branch, &ids(&["end"])).unwrap_err();
            let expected = format!("deletion blocked: end is referred to by start ({relation})");
            assert_eq!(blocked.to_string(), expected);
            // Those that go together block nothing, and edges that start at what goes go with it.
            assert_eq!(plan_delete(&kb.branch, &ids(&["end", "start"])).unwrap().keys.len(), 2);
            let plan = plan_delete(&kb.branch, &ids(&["start"])).unwrap();
            kb.branch.apply(plan.changes());
            assert_eq!(kb.branch.edge_count(), 0);
        }
    }
}

#[test]
fn unknown_ids_are_skipped_and_a_cycle_can_go() {
    let mut kb = Kb::new();
    kb.put(&plain(EntityType::Req, "A", &[]));
    kb.put(&plain(EntityType::Req, "B", &[(Relation::DependsOn, "A")]));
    kb.put(&plain(EntityType::Req, "A", &[(Relation::DependsOn, "B"), (Relation::RelatesTo, "A")]));
    assert!(matches!(plan_delete(&kb.branch, &ids(&["A"])), Err(KbError::Blocked(_))));
    let plan = plan_delete(&kb.branch, &ids(&["B", "x", "A", "B", "x", "b"])).unwrap();
    assert_eq!(plan.keys, [key(&kb, "A"), key(&kb, "B")]);
    assert_eq!(plan.skipped, ["b", "x"]);
    // One of them is blocked: none goes.
    kb.branch.link(Edge { relation: Relation::RelatesTo, from: key(&kb, "test"), to: key(&kb, "B") });
    assert!(plan_delete(&kb.branch, &ids(&["A", "B"])).is_err());
}

#[test]
fn requests_and_refusals_have_bounds() {
    let mut kb = Kb::new();
    assert!(matches!(plan_delete(&kb.branch, &[]), Err(KbError::Argument { .. })));
    let many: Vec<String> = (0..=DELETE_IDS_MAX).map(|at| format!("x{at}")).collect();
    assert!(matches!(plan_delete(&kb.branch, &many), Err(KbError::TooLarge { .. })));
    assert_eq!(plan_delete(&kb.branch, &many[1..]).unwrap().skipped.len(), DELETE_IDS_MAX);
    let mut all = Vec::new();
    for at in 0..30 {
        let id = format!("E{at}");
        kb.put(&plain(EntityType::Event, &id, &[]));
        for from in 0..25 {
            kb.put(&plain(EntityType::Adr, &format!("A{from}"), &[(Relation::RelatesTo, &id)]));
        }
        all.push(id);
    }
    let Err(KbError::Blocked(blocked)) = plan_delete(&kb.branch, &all) else { panic!() };
    assert_eq!((blocked[0].count, blocked[0].from.len()), (25, 20));
    let named: usize = blocked.iter().map(|one| 1 + one.from.len()).sum();
    assert!((BLOCKED_NAMED_MAX..BLOCKED_NAMED_MAX + 21).contains(&named), "{named}");
    assert!(KbError::Blocked(blocked).to_string().contains("and 5 more"));
}
