//! Counts are exact, however statements mix what is new with what is there.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::Position;
use cairn_graph::{Lookup, Statistic, View};
use cairn_seam::{Store, Visit};
use proptest::prelude::*;

use crate::world::World;

/// Every count, made anew by looking at everything.
fn recounted(view: &View<'_>) -> BTreeMap<Statistic, u64> {
    let mut counts = BTreeMap::new();
    view.all_concepts(None, &mut |_, kind| {
        *counts.entry(Statistic::Type(kind)).or_default() += 1;
        Visit::Continue
    })
    .unwrap();
    let (mut subjects, mut objects) = (BTreeSet::new(), BTreeSet::new());
    view.edges(&[Lookup::All { after: None }], &mut |_, edge| {
        let mut add = |statistic| *counts.entry(statistic).or_default() += 1;
        add(Statistic::Predicate(edge.predicate));
        edge.subject_type.into_iter().for_each(|kind| add(Statistic::SubjectType(kind, edge.predicate)));
        edge.object_type.into_iter().for_each(|kind| add(Statistic::ObjectType(edge.predicate, kind)));
        if subjects.insert((edge.predicate, edge.subject)) {
            add(Statistic::Subjects(edge.predicate));
        }
        if objects.insert((edge.predicate, edge.object)) {
            add(Statistic::Objects(edge.predicate));
        }
        Visit::Continue
    })
    .unwrap();
    counts
}

fn stored(view: &View<'_>) -> BTreeMap<Statistic, u64> {
    let mut counts = BTreeMap::new();
    view.statistics(&mut |statistic, count| {
        counts.insert(statistic, count);
        Visit::Continue
    })
    .unwrap();
    counts
}

/// A drug or a symptom by number; a predicate; and another one of those.
type Fact = (u8, bool, u8);

fn name(number: u8) -> String {
    let kind = if number.is_multiple_of(2) { "Drug" } else { "Symptom" };
    format!("{{type: \"{kind}\", name: \"N{number}\"}}")
}

fn predicate(is_first: bool) -> &'static str {
    if is_first { "treats" } else { "stated" }
}

/// Each fact in the form of a SET PROPOSITIONS, and one about the first fact.
fn statement(facts: &[Fact]) -> String {
    let concepts: BTreeSet<u8> = facts.iter().flat_map(|(subject, _, object)| [*subject, *object]).collect();
    let concepts: String =
        concepts.iter().map(|number| format!("CONCEPT {{ {} }}\n", name(*number))).collect();
    let facts: Vec<_> = facts
        .iter()
        .map(|(subject, is_first, object)| (name(*subject), predicate(*is_first), name(*object)))
        .collect();
    let links: String = facts
        .iter()
        .map(|(subject, predicate, object)| {
            format!("CONCEPT {{ {subject} SET PROPOSITIONS {{ (\"{predicate}\", {object}) }} }}\n")
        })
        .collect();
    let about: String = facts
        .first()
        .map(|(subject, predicate, object)| {
            format!("PROPOSITION {{ ({subject}, \"stated\", ({subject}, \"{predicate}\", {object})) }}")
        })
        .unwrap_or_default();
    format!("UPSERT {{ {concepts}{links}{about} }}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn counts_are_what_recounting_gives(
        statements in prop::collection::vec(prop::collection::vec((0..8_u8, any::<bool>(), 0..8_u8), 1..8), 1..5),
        deleted in 0..8_u8,
    ) {
        let world = World::new();
        let check = || {
            let snapshot = world.store.snapshot(Position::START).unwrap();
            let view = View::new(&*snapshot, world.scope);
            prop_assert_eq!(stored(&view), recounted(&view));
            Ok(())
        };
        for facts in &statements {
            world.ok(&statement(facts));
            check()?;
        }
        world.ok(&format!("UPSERT {{ CONCEPT {{ {} }} }}", name(deleted)));
        world.ok(&format!("DELETE CONCEPT ?x DETACH WHERE {{ ?x {} }}", name(deleted)));
        check()?;
    }
}
