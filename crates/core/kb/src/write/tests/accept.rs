//! Suspect links, from an upsert to their acceptance.

use super::{Kb, plain, sent};
use crate::branch::Trust;
use crate::limits::{ACCEPT_LINKS_MAX, SUSPECT_IDS_MAX};
use crate::report::suspect;
use crate::tools::{AcceptInput, StatusOutput, SuspectInput};
use crate::write::plan_accept;
use crate::{Branch, Change, Edge, EntityType, KbError, NodeKey, Relation};

/// Suspect links as `source relation target: changed`, and how many are known and unknown.
fn found(branch: &Branch, ids: &[&str]) -> (String, u64, u64) {
    let input = SuspectInput { ids: owned(ids), ..SuspectInput::default() };
    let output = suspect(branch, &input, StatusOutput::default()).unwrap();
    let links = output.links.iter();
    let links = links.map(|link| format!("{} {} {}: {}", link.from, link.relation, link.to, link.changed));
    (links.collect::<Vec<_>>().join("; "), output.known, output.unknown)
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

fn accept(ids: &[&str]) -> AcceptInput {
    AcceptInput { ids: owned(ids), all: ids.is_empty(), ..AcceptInput::default() }
}

/// `R-2` depends on `R-1`, which `S` implements.
fn kb() -> Kb {
    let mut kb = Kb::default();
    kb.put(&plain(EntityType::Req, "R-1", &[]));
    kb.put(&plain(EntityType::Req, "R-2", &[(Relation::DependsOn, "R-1"), (Relation::RelatesTo, "R-2")]));
    kb.put(&plain(EntityType::Symbol, "S", &[(Relation::Implements, "R-1")]));
    kb
}

#[test]
fn links_are_suspect_once_the_content_of_an_end_changes() {
    let mut kb = kb();
    assert_eq!(found(&kb.branch, &[]), (String::new(), 3, 0));
    kb.put(&sent(EntityType::Req, "R-1", r#"{"status":"closed","tags":["x"],"owner":"ada"}"#));
    assert_eq!(found(&kb.branch, &[]).0, "");
    kb.put(&sent(EntityType::Req, "R-1", r#"{"title":"other"}"#));
    let both = "R-2 depends_on R-1: target; S implements R-1: target";
    assert_eq!(found(&kb.branch, &[]).0, both);
    kb.put(&sent(EntityType::Req, "R-2", r#"{"text_ref":"why"}"#));
    let all = "R-2 depends_on R-1: both; S implements R-1: target; R-2 relates_to R-2: both";
    assert_eq!(found(&kb.branch, &[]), (all.to_owned(), 3, 0));
    assert_eq!(found(&kb.branch, &["S"]), ("S implements R-1: target".to_owned(), 1, 0));
    kb.put(&sent(EntityType::Req, "R-1", r#"{"title":"t"}"#));
    assert_eq!(found(&kb.branch, &["R-1"]).0, "R-2 depends_on R-1: source");
}

#[test]
fn sending_a_link_again_keeps_it_as_it_is() {
    let mut kb = kb();
    kb.put(&sent(EntityType::Req, "R-1", r#"{"title":"other"}"#));
    kb.put(&plain(EntityType::Symbol, "S", &[(Relation::Implements, "R-1")]));
    assert_eq!(found(&kb.branch, &["S"]).0, "S implements R-1: target");
}

#[test]
fn accepted_links_are_suspect_no_more_until_the_next_change() {
    let mut kb = kb();
    kb.put(&sent(EntityType::Req, "R-1", r#"{"title":"other"}"#));
    let plan = plan_accept(&kb.branch, &accept(&["S"])).unwrap();
    assert_eq!((plan.links.len(), plan.remaining), (1, 0));
    kb.branch.apply(plan.changes());
    assert_eq!(found(&kb.branch, &[]).0, "R-2 depends_on R-1: target");
    kb.branch.apply(plan_accept(&kb.branch, &accept(&[])).unwrap().changes());
    assert_eq!(found(&kb.branch, &[]).0, "");
    kb.put(&sent(EntityType::Req, "R-1", r#"{"title":"t"}"#));
    assert_eq!(found(&kb.branch, &["S"]).0, "S implements R-1: target");
}

#[test]
fn links_of_older_versions_are_unknown_until_they_are_accepted() {
    let mut kb = kb();
    let edges: Vec<Edge> = kb.branch.edges().collect();
    edges.iter().for_each(|edge| kb.branch.note_ends(*edge, None));
    kb.put(&sent(EntityType::Req, "R-1", r#"{"title":"other"}"#));
    assert_eq!(found(&kb.branch, &[]), (String::new(), 0, 3));
    assert_eq!(plan_accept(&kb.branch, &accept(&[])).unwrap().links, []);
    let all = AcceptInput { include_unknown: true, ..accept(&[]) };
    kb.branch.apply(plan_accept(&kb.branch, &all).unwrap().changes());
    assert_eq!(found(&kb.branch, &[]), (String::new(), 3, 0));
}

#[test]
fn requests_have_bounds() {
    let kb = kb();
    let refused = |input: &AcceptInput| plan_accept(&kb.branch, input).unwrap_err();
    let neither = AcceptInput::default();
    let both = AcceptInput { all: true, ..accept(&["S"]) };
    for input in [&neither, &both] {
        assert!(matches!(refused(input), KbError::Argument { parameter: "ids", .. }), "{input:?}");
    }
    assert!(matches!(refused(&accept(&["S", "none"])), KbError::NoEntity(ids) if ids == ["none"]));
    let many = |count| AcceptInput { ids: vec!["S".into(); count], ..AcceptInput::default() };
    assert!(plan_accept(&kb.branch, &many(SUSPECT_IDS_MAX)).is_ok());
    assert!(matches!(refused(&many(SUSPECT_IDS_MAX + 1)), KbError::Argument { parameter: "ids", .. }));
    let input = SuspectInput { ids: vec!["none".into(), "S".into()], ..SuspectInput::default() };
    let output = suspect(&kb.branch, &input, StatusOutput::default()).unwrap();
    assert_eq!((output.unknown_ids, output.known), (vec!["none".to_owned()], 1));
}

#[test]
fn one_request_accepts_so_many_links() {
    let mut kb = kb();
    let (from, node) = kb.branch.find("R-2").map(|(key, node)| (key, node.clone())).unwrap();
    let old = node.digest;
    for at in 0..ACCEPT_LINKS_MAX as u64 + 5 {
        let to = NodeKey(1_000 + at);
        let other = crate::Node { id: format!("X-{at:06}").into(), ..node.clone() };
        let link = Edge { relation: Relation::DependsOn, from, to };
        let other_now = crate::Node { digest: crate::ContentDigest(old.0 ^ 1), ..other.clone() };
        kb.branch.apply([
            Change::Put(to, Box::new(other)),
            Change::Link(link),
            Change::Put(to, Box::new(other_now)),
        ]);
        assert_eq!(kb.branch.trust(link), Trust::Suspect { from: false, to: true });
    }
    let plan = plan_accept(&kb.branch, &accept(&[])).unwrap();
    assert_eq!((plan.links.len(), plan.remaining), (ACCEPT_LINKS_MAX, 5));
    kb.branch.apply(plan.changes());
    let plan = plan_accept(&kb.branch, &accept(&[])).unwrap();
    assert_eq!((plan.links.len(), plan.remaining), (5, 0));
}
