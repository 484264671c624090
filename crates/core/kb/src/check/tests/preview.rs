//! Contradictions that a write would create.

use super::{Builder, build, link};
use crate::{Change, Relation};

/// A requires 5 of s.p, B may require 7.
fn builder() -> Builder {
    Builder::new("req:A req:B req:C")
        .subject("S", "s")
        .property("FIVE", "s", "p", "5")
        .property("SEVEN", "s", "p", "7")
        .link("A constrains S")
        .link("A requires_property FIVE")
        .link("B constrains S")
        .link("C constrains S")
}

#[test]
fn a_new_contradiction_is_returned_with_the_smallest_set() {
    let claims = builder();
    let [a, b, c, seven] = ["A", "B", "C", "SEVEN"].map(|id| claims.key(id));
    let mut branch = claims.branch();
    let mut state = build(&branch);
    let before = (state.clone(), branch.clone());

    let wrong = link(b, Relation::RequiresProperty, seven);
    let new = state.new_contradictions(&mut branch, [wrong.clone()]);
    assert_eq!(new.iter().map(|found| found.entity_id()).collect::<Vec<_>>(), ["A/B"]);
    assert_eq!(new[0].reason, "Value conflict on s.p: eq 5 vs eq 7");
    let resolved = [wrong.clone(), link(b, Relation::Supersedes, a)];
    assert_eq!(state.new_contradictions(&mut branch, resolved), []);
    assert_eq!((&state, &branch), (&before.0, &before.1));

    // What is there already is no reason to refuse another write.
    let undo = branch.apply([wrong]);
    state.update(&branch, &undo);
    let retitled = branch.node(b).unwrap().clone();
    assert_eq!(state.new_contradictions(&mut branch, [Change::Put(b, Box::new(retitled))]), []);
    let third = state.new_contradictions(&mut branch, [link(c, Relation::RequiresProperty, seven)]);
    assert_eq!(third.iter().map(|found| found.entity_id()).collect::<Vec<_>>(), ["A/C"]);
}

#[test]
fn a_fact_that_changes_is_looked_at_in_all_requirements() {
    let claims =
        builder().link("B requires_property FIVE").link("C requires_property SEVEN").status("C", "draft");
    let (five, c) = (claims.key("FIVE"), claims.key("C"));
    let mut branch = claims.branch();
    let mut state = build(&branch);
    let mut other = branch.node(five).unwrap().clone();
    other.fact.as_mut().unwrap().value_string = Some("6".into());
    assert_eq!(state.new_contradictions(&mut branch, [Change::Put(five, Box::new(other))]), []);
    let mut open = branch.node(c).unwrap().clone();
    open.status = "open".into();
    let new = state.new_contradictions(&mut branch, [Change::Put(c, Box::new(open))]);
    assert_eq!(new.iter().map(|found| found.entity_id()).collect::<Vec<_>>(), ["A/C", "B/C"]);
}
