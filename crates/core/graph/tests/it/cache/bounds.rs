//! How much is kept, and of what.

use cairn_graph::{CacheStats, ConceptId, LinkTarget, Lookup, Meta, PredicateId, Target, TypeId};
use cairn_seam::Visit;

use super::noting::Cached;
use crate::kit::{Kit, concept_write, link_write};

const ROOM: u64 = 128 << 10;

struct World {
    cached: Cached,
    kind: TypeId,
    predicate: PredicateId,
    concepts: Vec<ConceptId>,
}

impl World {
    /// A ring of concepts.
    fn ring(count: usize, bytes_max: u64) -> Self {
        let kit = Kit::new();
        let (kind, predicate) = (kit.define_type("Note"), kit.define_predicate("next"));
        let concepts = kit
            .write(move |writer| {
                let concepts = (0..count)
                    .map(|number| {
                        let target = Target::Named(kind, format!("n{number}"));
                        let attributes = format!(r#"{{"text":"{}"}}"#, "x".repeat(number % 400));
                        Ok(writer.upsert_concept(concept_write(target, &attributes, "{}"))?.0)
                    })
                    .collect::<cairn_graph::Result<Vec<ConceptId>>>()?;
                for (at, subject) in concepts.iter().enumerate() {
                    let object = concepts[(at + 1) % count];
                    let target = LinkTarget::Triple((*subject).into(), predicate, object.into());
                    writer.upsert_link(link_write(target, "{}", "{}"))?;
                }
                Ok(concepts)
            })
            .unwrap();
        World { cached: Cached::new(kit, bytes_max), kind, predicate, concepts }
    }

    fn stats(&self) -> CacheStats {
        self.cached.cache.stats()
    }

    /// A concept by its name, with its record and its neighbours.
    fn visit(&self, view: &cairn_graph::View<'_>, number: usize) {
        let found = view.find_concepts(&[(self.kind, &format!("n{number}"))]).unwrap()[0].unwrap();
        assert_eq!(found, self.concepts[number]);
        view.concept_views(&[(found, self.kind)], &mut |_, record| assert!(record.is_some())).unwrap();
        let out = Lookup::Out { subject: found.into(), predicate: Some(self.predicate) };
        let into = Lookup::In { object: found.into(), predicate: Some(self.predicate) };
        let mut count = 0;
        view.edges(&[out, into], &mut |_, _| {
            count += 1;
            Visit::Continue
        })
        .unwrap();
        assert_eq!(count, 2);
    }
}

#[test]
fn a_graph_that_is_larger_than_the_room_stays_within_it() {
    let world = World::ring(1000, ROOM);
    let snapshot = world.cached.kit.snapshot();
    let view = world.cached.view(&*snapshot);
    let mut number = 1;
    for _ in 0..4000 {
        number = (number * 613 + 71) % world.concepts.len();
        world.visit(&view, number);
        assert!(world.stats().bytes <= ROOM, "{:?}", world.stats());
    }
    assert!(world.stats().bytes > ROOM / 2, "there is room for more: {:?}", world.stats());
}

#[test]
fn walks_over_everything_change_nothing_of_what_is_kept() {
    let world = World::ring(300, ROOM);
    let snapshot = world.cached.kit.snapshot();
    let view = world.cached.view(&*snapshot);
    world.visit(&view, 7);
    let before = world.stats();
    assert!(before.entries > 0);
    let mut seen = 0;
    view.concepts_of_type(world.kind, None, &mut |_, _| {
        seen += 1;
        Visit::Continue
    })
    .unwrap();
    view.all_concepts(None, &mut |_, _| {
        seen += 1;
        Visit::Continue
    })
    .unwrap();
    let whole = [Lookup::Predicate { predicate: world.predicate, after: None }, Lookup::All { after: None }];
    view.edges(&whole, &mut |_, _| {
        seen += 1;
        Visit::Continue
    })
    .unwrap();
    view.definitions(Meta::Types, &mut |_, _| Visit::Continue).unwrap();
    view.statistics(&mut |_, _| Visit::Continue).unwrap();
    assert!(seen >= 4 * world.concepts.len(), "{seen}");
    assert_eq!(world.stats(), before);
}

#[test]
fn what_was_read_once_is_not_read_again() {
    let world = World::ring(10, ROOM);
    let snapshot = world.cached.kit.snapshot();
    let view = world.cached.view(&*snapshot);
    world.visit(&view, 3);
    let before = world.stats();
    world.visit(&view, 3);
    let after = world.stats();
    // Its name, its record to see that it has the name, its record, and two lists.
    assert_eq!((after.hits - before.hits, after.misses - before.misses), (5, 0));
    // The list of one end says whether there is a link to another, from both sides.
    let (one, other) = (world.concepts[3].into(), world.concepts[9].into());
    for (subject, object) in [(one, other), (other, one)] {
        let lookup = Lookup::Exact { subject, predicate: world.predicate, object };
        view.edges(&[lookup], &mut |_, _| panic!("there is none")).unwrap();
    }
    assert_eq!(world.stats().misses, after.misses);
    assert_eq!(world.stats().hits, after.hits + 2);
}

#[test]
fn names_that_nobody_has_are_not_kept() {
    let world = World::ring(2, ROOM);
    let snapshot = world.cached.kit.snapshot();
    let view = world.cached.view(&*snapshot);
    for name in ["a", "b", "c"] {
        assert_eq!(view.find_concepts(&[(world.kind, name)]).unwrap(), [None]);
    }
    assert_eq!(world.stats().entries, 0);
}

#[test]
fn lists_are_kept_if_they_were_read_to_their_end() {
    let world = World::ring(3, ROOM);
    let snapshot = world.cached.kit.snapshot();
    let view = world.cached.view(&*snapshot);
    let of = |at: usize| Lookup::Out { subject: world.concepts[at].into(), predicate: Some(world.predicate) };
    let read = |lookups: &[Lookup], verdict: Visit| {
        view.edges(lookups, &mut |_, _| verdict).unwrap();
        world.stats().entries
    };
    assert_eq!(read(&[of(0)], Visit::Stop), 0);
    assert_eq!(read(&[of(0)], Visit::NextRange), 0);
    assert_eq!(read(&[of(0), of(1)], Visit::NextRange), 0);
    assert_eq!(read(&[of(0)], Visit::Continue), 1);
    // An empty one has an end too.
    let none = Lookup::Out { subject: ConceptId(1).into(), predicate: Some(world.predicate) };
    assert_eq!(read(&[none], Visit::Stop), 2);
    // What comes before the place where somebody stopped was read.
    let none = Lookup::In { object: ConceptId(1).into(), predicate: Some(world.predicate) };
    let into = Lookup::In { object: world.concepts[1].into(), predicate: Some(world.predicate) };
    assert_eq!(read(&[none, into], Visit::Stop), 3);
}

#[test]
fn a_hub_with_too_many_links_is_not_kept() {
    const MOST: usize = 8192;
    let kit = Kit::new();
    let (kind, predicate) = (kit.define_type("Note"), kit.define_predicate("about"));
    let (small, large) = (kit.put(kind, "small", "{}"), kit.put(kind, "large", "{}"));
    kit.write(move |writer| {
        for number in 0..=MOST {
            let target = Target::Named(kind, format!("n{number}"));
            let (subject, ..) = writer.upsert_concept(concept_write(target, "{}", "{}"))?;
            let hubs = if number < MOST { &[small, large][..] } else { &[large] };
            for hub in hubs {
                let target = LinkTarget::Triple(subject.into(), predicate, (*hub).into());
                writer.upsert_link(link_write(target, "{}", "{}"))?;
            }
        }
        Ok(())
    })
    .unwrap();
    let cached = Cached::new(kit, 64 << 20);
    let snapshot = cached.kit.snapshot();
    let view = cached.view(&*snapshot);
    for (hub, links, kept) in [(large, MOST + 1, 0), (small, MOST, 1)] {
        for _ in 0..2 {
            let mut count = 0;
            let lookup = Lookup::In { object: hub.into(), predicate: Some(predicate) };
            view.edges(&[lookup], &mut |_, _| {
                count += 1;
                Visit::Continue
            })
            .unwrap();
            assert_eq!(count, links);
            assert_eq!(cached.cache.stats().entries, kept);
        }
    }
}

#[test]
fn a_cache_without_room_is_no_cache() {
    let world = World::ring(3, 0);
    let snapshot = world.cached.kit.snapshot();
    world.visit(&world.cached.view(&*snapshot), 1);
    assert_eq!(world.stats(), CacheStats::default());
    // Room can be given and taken while it is in use.
    world.cached.cache.resize(ROOM);
    world.visit(&world.cached.view(&*snapshot), 1);
    assert!(world.stats().entries > 0);
    world.cached.cache.resize(0);
    assert_eq!((world.stats().entries, world.stats().bytes), (0, 0));
}
