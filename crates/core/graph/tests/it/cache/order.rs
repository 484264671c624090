//! Visitors are called in the same order, and end it in the same way, whatever of it was kept.

use cairn_graph::{ConceptId, Edge, Element, Lookup, PredicateId};
use cairn_seam::Visit;
use proptest::prelude::*;

use super::noting::Cached;
use crate::kit::Kit;

/// Concepts; each has a link to some of those behind it.
const CONCEPTS: usize = 8;

struct World {
    cached: Cached,
    concepts: Vec<ConceptId>,
    predicate: PredicateId,
}

impl World {
    fn new() -> Self {
        let kit = Kit::new();
        let (kind, predicate) = (kit.define_type("Note"), kit.define_predicate("about"));
        let concepts: Vec<ConceptId> =
            (0..CONCEPTS).map(|name| kit.put(kind, &format!("n{name}"), "{}")).collect();
        for (at, subject) in concepts.iter().enumerate() {
            for object in concepts.iter().skip(at + 1).step_by(1 + at % 2) {
                kit.link(*subject, predicate, *object);
            }
        }
        World { cached: Cached::new(kit, 1 << 20), concepts, predicate }
    }

    fn lookup(&self, (kind, one, other): (u8, usize, usize)) -> Lookup {
        let (one, other): (Element, Element) = (self.concepts[one].into(), self.concepts[other].into());
        let predicate = self.predicate;
        match kind {
            0 | 1 => Lookup::Out { subject: one, predicate: Some(predicate) },
            2 | 3 => Lookup::In { object: one, predicate: Some(predicate) },
            4 | 5 => Lookup::Exact { subject: one, predicate, object: other },
            6 => Lookup::Out { subject: one, predicate: None },
            _ => Lookup::Predicate { predicate, after: Some((one, other)) },
        }
    }
}

fn visited(view: &cairn_graph::View<'_>, lookups: &[Lookup], verdicts: &[u8]) -> Vec<(usize, Edge)> {
    let mut visited = Vec::new();
    view.edges(lookups, &mut |at, edge| {
        let verdict = verdicts[visited.len() % verdicts.len()];
        visited.push((at, *edge));
        match verdict {
            0 => Visit::Stop,
            1..4 => Visit::NextRange,
            _ => Visit::Continue,
        }
    })
    .unwrap();
    visited
}

fn lookups() -> impl Strategy<Value = Vec<(u8, usize, usize)>> {
    prop::collection::vec((0_u8..8, 0..CONCEPTS, 0..CONCEPTS), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn visitors_see_the_same_in_the_same_order(
        rounds in prop::collection::vec((lookups(), prop::collection::vec(0_u8..24, 1..12)), 1..8),
    ) {
        let world = World::new();
        let snapshot = world.cached.kit.snapshot();
        let (through, plain) = (world.cached.view(&*snapshot), world.cached.plain(&*snapshot));
        for (lookups, verdicts) in rounds {
            let lookups: Vec<Lookup> = lookups.into_iter().map(|lookup| world.lookup(lookup)).collect();
            prop_assert_eq!(
                visited(&through, &lookups, &verdicts),
                visited(&plain, &lookups, &verdicts)
            );
        }
    }
}

#[test]
fn records_come_in_the_order_in_which_they_were_asked_for() {
    let world = World::new();
    let snapshot = world.cached.kit.snapshot();
    let view = world.cached.view(&*snapshot);
    let kind = view.types_of(&world.concepts[..1]).unwrap()[0].unwrap();
    let ask = |concepts: &[ConceptId]| {
        let wanted: Vec<_> = concepts.iter().map(|id| (*id, kind)).collect();
        let mut found = Vec::new();
        view.concepts(&wanted, &mut |at, concept| found.push((at, concept.map(|concept| concept.id))))
            .unwrap();
        found
    };
    let some: Vec<ConceptId> = world.concepts.iter().copied().step_by(2).collect();
    ask(&some);
    let before = world.cached.cache.stats();
    let mut mixed: Vec<ConceptId> = world.concepts.iter().rev().copied().collect();
    mixed.insert(3, ConceptId(999));
    let expected: Vec<_> = mixed.iter().map(|id| Some(*id).filter(|id| id.0 != 999)).enumerate().collect();
    assert_eq!(ask(&mixed), expected);
    let after = world.cached.cache.stats();
    assert_eq!((after.hits - before.hits, after.misses - before.misses), (4, 5));
}
