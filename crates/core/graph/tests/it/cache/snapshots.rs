//! Writers and readers in any order: what a snapshot reads through the cache is what it reads in the store.

use std::cell::Cell;

use cairn_graph::{
    Concept, ConceptId, Edge, Element, GraphError, Link, LinkId, LinkTarget, Lookup, PredicateId, Result,
    Statistic, Target, TypeId, View, Writer, known,
};
use cairn_seam::{Snapshot, Visit};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::noting::{Cached, Unsettled};
use crate::kit::{Kit, concept_write, link_write};

/// Concepts by name: few, so that everybody meets at the same ones.
const NAMES: u8 = 4;

#[derive(Debug, Clone)]
enum Change {
    /// Makes a concept, or changes what is written on it; a long text is a blob.
    Put {
        name: u8,
        value: u32,
        is_long: bool,
    },
    Link {
        subject: u8,
        object: u8,
        value: u32,
    },
    Unlink {
        subject: u8,
        object: u8,
    },
    Delete {
        name: u8,
    },
    /// A link about a link.
    Remark {
        subject: u8,
        object: u8,
    },
}

#[derive(Debug, Clone)]
enum Step {
    Write {
        changes: Vec<Change>,
        is_kept: bool,
        is_settled: bool,
    },
    /// The outcome of some transaction is heard of.
    Settle(usize),
    Open,
    Close(usize),
    /// Some snapshot reads everything.
    Read(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let name = || 0..NAMES;
    prop_oneof![
        4 => (name(), any::<u32>(), prop::bool::weighted(0.1))
            .prop_map(|(name, value, is_long)| Change::Put { name, value, is_long }),
        4 => (name(), name(), any::<u32>())
            .prop_map(|(subject, object, value)| Change::Link { subject, object, value }),
        2 => (name(), name()).prop_map(|(subject, object)| Change::Unlink { subject, object }),
        1 => name().prop_map(|name| Change::Delete { name }),
        1 => (name(), name()).prop_map(|(subject, object)| Change::Remark { subject, object }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let write = (prop::collection::vec(change(), 1..4), prop::bool::weighted(0.9), any::<bool>());
    prop_oneof![
        4 => write.prop_map(|(changes, is_kept, is_settled)| Step::Write { changes, is_kept, is_settled }),
        2 => any::<usize>().prop_map(Step::Settle),
        2 => Just(Step::Open),
        1 => any::<usize>().prop_map(Step::Close),
        5 => any::<usize>().prop_map(Step::Read),
    ]
}

struct World {
    cached: Cached,
    kind: TypeId,
    about: PredicateId,
    unsettled: Vec<Unsettled>,
    snapshots: Vec<Box<dyn Snapshot>>,
    writes: u64,
}

impl World {
    fn new(kit: Kit) -> Self {
        let (kind, about) = (kit.define_type("Note"), kit.define_predicate("about"));
        let snapshots = vec![kit.snapshot()];
        let cached = Cached::new(kit, 1 << 20);
        World { cached, kind, about, unsettled: Vec::new(), snapshots, writes: 0 }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Write { changes, is_kept, is_settled } => {
                self.writes += 1;
                let (changes, is_kept) = (changes.clone(), *is_kept);
                let (kind, about) = (self.kind, self.about);
                let unsettled = self.cached.write(10_000 + self.writes, move |writer| {
                    for change in &changes {
                        apply(writer, kind, about, change)?;
                    }
                    if is_kept { Ok(()) } else { Err(GraphError::OutOfNumbers) }
                });
                match is_settled {
                    true => unsettled.settle(),
                    false => self.unsettled.push(unsettled),
                }
            }
            Step::Settle(_) if self.unsettled.is_empty() => {}
            Step::Settle(which) => self.unsettled.remove(which % self.unsettled.len()).settle(),
            Step::Open => self.snapshots.push(self.cached.kit.snapshot()),
            Step::Close(_) if self.snapshots.len() == 1 => {}
            Step::Close(which) => drop(self.snapshots.remove(which % self.snapshots.len())),
            Step::Read(which) => {
                let snapshot = &*self.snapshots[which % self.snapshots.len()];
                let plain = self.all(&self.cached.plain(snapshot));
                let through = self.all(&self.cached.view(snapshot));
                assert_eq!(through, plain, "at {:?}", snapshot.position());
            }
        }
    }

    fn all(&self, view: &View<'_>) -> All {
        let mut all = All::default();
        let names: Vec<String> = (0..NAMES).map(name_of).collect();
        let wanted: Vec<(TypeId, &str)> = names.iter().map(|name| (self.kind, name.as_str())).collect();
        all.found = view.find_concepts(&wanted).unwrap();
        // All numbers that were given so far and a few more.
        let ids: Vec<ConceptId> = (1..60).map(ConceptId).collect();
        all.types = view.types_of(&ids).unwrap();
        let typed: Vec<(ConceptId, TypeId)> =
            ids.iter().zip(&all.types).map(|(id, kind)| (*id, kind.unwrap_or(self.kind))).collect();
        view.concepts(&typed, &mut |_, concept| all.concepts.push(concept)).unwrap();
        view.concept_views(&typed, &mut |at, record| {
            all.names.push((at, record.and_then(|record| record.name().map(str::to_owned))));
        })
        .unwrap();
        let links: Vec<LinkId> = (1..60).map(LinkId).collect();
        view.links(&links, &mut |_, link| all.links.push(link)).unwrap();
        view.link_views(&links, &mut |at, record| {
            all.edges.extend(record.map(|record| (at, *record.edge().unwrap())))
        })
        .unwrap();
        let lookups = self.lookups();
        view.edges(&lookups, &mut |at, edge| {
            all.edges.push((at, *edge));
            Visit::Continue
        })
        .unwrap();
        all.counts =
            [Statistic::Type(self.kind), Statistic::Predicate(self.about), Statistic::Objects(self.about)]
                .map(|of| view.count(of).unwrap())
                .to_vec();
        all.counts.push(view.schema_generation().unwrap());
        all.definitions =
            [self.kind.0, self.about.0, 59].map(|id| view.definition_name(id).unwrap()).to_vec();
        all
    }

    fn lookups(&self) -> Vec<Lookup> {
        let elements = || (25..50).map(|id| Element::Concept(ConceptId(id)));
        let links = (1..20).map(|id| Element::Link(LinkId(id)));
        let out = elements().chain(links).map(|subject| Lookup::Out { subject, predicate: Some(self.about) });
        let all = elements().map(|subject| Lookup::Out { subject, predicate: None });
        let into = elements().map(|object| Lookup::In { object, predicate: Some(self.about) });
        let of = known::BELONGS_TO_DOMAIN;
        let members = [Lookup::In { object: known::CORE_SCHEMA.into(), predicate: Some(of) }];
        let exact = elements().zip(elements().skip(1)).map(|(subject, object)| Lookup::Exact {
            subject,
            predicate: self.about,
            object,
        });
        let whole = [Lookup::Predicate { predicate: self.about, after: None }, Lookup::All { after: None }];
        out.chain(all).chain(into).chain(members).chain(exact).chain(whole).collect()
    }
}

/// Everything that can be read.
#[derive(Debug, Default, PartialEq)]
struct All {
    found: Vec<Option<ConceptId>>,
    types: Vec<Option<TypeId>>,
    concepts: Vec<Option<Concept>>,
    names: Vec<(usize, Option<String>)>,
    links: Vec<Option<Link>>,
    edges: Vec<(usize, Edge)>,
    counts: Vec<u64>,
    definitions: Vec<Option<String>>,
}

fn name_of(name: u8) -> String {
    format!("n{name}")
}

fn apply(writer: &mut Writer<'_>, kind: TypeId, about: PredicateId, change: &Change) -> Result<()> {
    let find = |writer: &Writer<'_>, name: u8| -> Result<Option<ConceptId>> {
        Ok(writer.view().find_concepts(&[(kind, &name_of(name))])?[0])
    };
    let between = |writer: &Writer<'_>, subject: u8, object: u8| -> Result<Option<LinkId>> {
        let (Some(subject), Some(object)) = (find(writer, subject)?, find(writer, object)?) else {
            return Ok(None);
        };
        let mut found = None;
        let lookup = Lookup::Exact { subject: subject.into(), predicate: about, object: object.into() };
        writer.view().edges(&[lookup], &mut |_, edge| {
            found = Some(edge.link);
            Visit::Stop
        })?;
        Ok(found)
    };
    match *change {
        Change::Put { name, value, is_long } => {
            let text = if is_long { "x".repeat(100_000) } else { String::new() };
            let attributes = format!(r#"{{"value":{value},"text":"{text}"}}"#);
            writer.upsert_concept(concept_write(Target::Named(kind, name_of(name)), &attributes, "{}"))?;
        }
        Change::Link { subject, object, value } => {
            if let (Some(subject), Some(object)) = (find(writer, subject)?, find(writer, object)?) {
                let target = LinkTarget::Triple(subject.into(), about, object.into());
                writer.upsert_link(link_write(target, &format!(r#"{{"value":{value}}}"#), "{}"))?;
            }
        }
        Change::Unlink { subject, object } => {
            if let Some(link) = between(writer, subject, object)? {
                writer.delete_links(&[link])?;
            }
        }
        Change::Delete { name } => {
            let found: Vec<ConceptId> = find(writer, name)?.into_iter().collect();
            writer.delete_concepts(&found)?;
        }
        Change::Remark { subject, object } => {
            let link = between(writer, subject, object)?;
            if let (Some(link), Some(concept)) = (link, find(writer, subject)?) {
                writer.upsert_link(link_write(
                    LinkTarget::Triple(link.into(), about, concept.into()),
                    "{}",
                    "{}",
                ))?;
            }
        }
    }
    Ok(())
}

fn check(cases: u32, make: fn() -> Kit) {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let hits = Cell::new(0);
    let outcome = runner.run(&prop::collection::vec(step(), 10..50), |steps| {
        let mut world = World::new(make());
        steps.iter().for_each(|step| world.take(step));
        hits.set(hits.get() + world.cached.cache.stats().hits);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(hits.get() > 1000, "the cache was of no use: {} hits", hits.get());
}

#[test]
fn snapshots_read_the_same_with_and_without_a_cache() {
    check(150, Kit::new);
}

#[test]
fn so_they_do_in_a_store_on_a_disk() {
    check(40, Kit::on_disk);
}
