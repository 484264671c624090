//! Random histories against plain maps of concepts and links.
//!
//! Several steps share a transaction. One that fails undoes all of them, in the store and in the model.

mod check;
mod plain;

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, LinkId, LinkTarget, LinkWrite, Map, Part, PredicateId, Result, Target,
    TypeId, Writer, known,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::kit::Kit;
use plain::{Answer, Plain, kind_of_error};

/// A number that nothing has.
const NOWHERE: u64 = 1_000_000;

#[derive(Debug, Clone)]
enum Step {
    DefineType(u8, Map),
    DefinePredicate(u8, Map),
    PutNamed {
        kind: Index,
        is_known: bool,
        name: u8,
        expect: Option<u64>,
        attributes: Map,
        metadata: Map,
    },
    PutById {
        concept: Place,
        expect: Option<u64>,
        attributes: Map,
        metadata: Map,
    },
    Link {
        subject: Place,
        predicate: Index,
        object: Place,
        expect: Option<u64>,
        attributes: Map,
        metadata: Map,
    },
    LinkById {
        link: Index,
        attributes: Map,
        metadata: Map,
    },
    Remove {
        of: Place,
        part: bool,
        keys: Vec<String>,
    },
    DeleteConcepts(Vec<Place>),
    DeleteLinks(Vec<Index>),
}

/// Which element: mostly an ordinary one.
#[derive(Debug, Clone)]
enum Place {
    Ordinary(Index),
    Link(Index),
    Any(Index),
    Nowhere,
}

/// What a step is once it is known what there is.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Concept(ConceptWrite),
    Link(LinkWrite),
    Remove(Element, Part, Vec<String>),
    DeleteConcepts(Vec<ConceptId>),
    DeleteLinks(Vec<LinkId>),
}

fn content() -> impl Strategy<Value = Map> {
    const VALUES: [&str; 9] =
        ["null", "1", "1.0", "\"x\"", "\"\"", "[1]", "[\"y\"]", "{\"a\": {\"b\": \"z\"}}", "{}"];
    let value = select(&VALUES).prop_map(|json| Value::parse_json(json.as_bytes()).unwrap());
    btree_map(select(&["a", "b", "c"]).prop_map(str::to_owned), value, 0..3)
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        12 => any::<Index>().prop_map(Place::Ordinary),
        6 => any::<Index>().prop_map(Place::Link),
        1 => any::<Index>().prop_map(Place::Any),
        1 => Just(Place::Nowhere),
    ]
}

fn expectation() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![8 => Just(None), 1 => (0..3_u64).prop_map(Some)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..3_u8, content()).prop_map(|(name, attributes)| Step::DefineType(name, attributes)),
        2 => (0..3_u8, content()).prop_map(|(name, attributes)| Step::DefinePredicate(name, attributes)),
        8 => (any::<Index>(), prop::bool::weighted(0.97), 0..4_u8, expectation(), content(), content()).prop_map(
            |(kind, is_known, name, expect, attributes, metadata)| {
                Step::PutNamed { kind, is_known, name, expect, attributes, metadata }
            },
        ),
        2 => (place(), expectation(), content(), content()).prop_map(|(concept, expect, attributes, metadata)| {
            Step::PutById { concept, expect, attributes, metadata }
        }),
        12 => (place(), any::<Index>(), place(), expectation(), content(), content()).prop_map(
            |(subject, predicate, object, expect, attributes, metadata)| {
                Step::Link { subject, predicate, object, expect, attributes, metadata }
            },
        ),
        2 => (any::<Index>(), content(), content()).prop_map(|(link, attributes, metadata)| {
            Step::LinkById { link, attributes, metadata }
        }),
        3 => (place(), any::<bool>(), vec(select(&["a", "b", "d"]).prop_map(str::to_owned), 0..3)).prop_map(
            |(of, part, keys)| Step::Remove { of, part, keys },
        ),
        2 => vec(place(), 1..3).prop_map(Step::DeleteConcepts),
        2 => vec(any::<Index>(), 1..3).prop_map(Step::DeleteLinks),
    ]
}

impl Step {
    fn resolve(&self, plain: &Plain) -> Operation {
        let concept = |target, expect_version: &Option<u64>, attributes: &Map, metadata: &Map| {
            let (attributes, metadata) = (attributes.clone(), metadata.clone());
            Operation::Concept(ConceptWrite { target, expect_version: *expect_version, attributes, metadata })
        };
        let link = |target, expect_version: &Option<u64>, attributes: &Map, metadata: &Map| {
            let (attributes, metadata) = (attributes.clone(), metadata.clone());
            Operation::Link(LinkWrite { target, expect_version: *expect_version, attributes, metadata })
        };
        match self {
            Step::DefineType(name, attributes) => {
                let target = Target::Named(known::CONCEPT_TYPE, format!("Type{name}"));
                concept(target, &None, attributes, &Map::new())
            }
            Step::DefinePredicate(name, attributes) => {
                let target = Target::Named(known::PROPOSITION_TYPE, format!("predicate_{name}"));
                concept(target, &None, attributes, &Map::new())
            }
            Step::PutNamed { kind, is_known, name, expect, attributes, metadata } => {
                // Neither of the two types of definitions: those have names of their own style.
                let kinds = plain.of_kind(known::CONCEPT_TYPE);
                let kind = if *is_known { kind.get(&kinds[2..]).0 } else { NOWHERE };
                concept(Target::Named(TypeId(kind), format!("n{name}")), expect, attributes, metadata)
            }
            Step::PutById { concept: place, expect, attributes, metadata } => {
                concept(Target::Id(place.concept(plain)), expect, attributes, metadata)
            }
            Step::Link { subject, predicate, object, expect, attributes, metadata } => {
                let predicate = PredicateId(predicate.get(&plain.of_kind(known::PROPOSITION_TYPE)).0);
                let target = LinkTarget::Triple(subject.element(plain), predicate, object.element(plain));
                link(target, expect, attributes, metadata)
            }
            Step::LinkById { link: id, attributes, metadata } => {
                link(LinkTarget::Id(link_at(*id, plain)), &None, attributes, metadata)
            }
            Step::Remove { of, part, keys } => {
                let part = if *part { Part::Attributes } else { Part::Metadata };
                Operation::Remove(of.element(plain), part, keys.clone())
            }
            Step::DeleteConcepts(places) => {
                Operation::DeleteConcepts(places.iter().map(|place| place.concept(plain)).collect())
            }
            Step::DeleteLinks(links) => {
                Operation::DeleteLinks(links.iter().map(|link| link_at(*link, plain)).collect())
            }
        }
    }
}

impl Place {
    fn element(&self, plain: &Plain) -> Element {
        match self {
            Place::Link(index) => Element::Link(link_at(*index, plain)),
            Place::Ordinary(_) | Place::Any(_) | Place::Nowhere => Element::Concept(self.concept(plain)),
        }
    }

    fn concept(&self, plain: &Plain) -> ConceptId {
        let all: Vec<ConceptId> = plain.concepts.keys().copied().collect();
        match self {
            Place::Ordinary(index) | Place::Link(index) => {
                // The last of the bootstrap and what was made since.
                let ordinary: Vec<ConceptId> =
                    all.into_iter().filter(|id| id.0 >= 21 || *id == known::SELF).collect();
                *index.get(&ordinary)
            }
            Place::Any(index) => *index.get(&all),
            Place::Nowhere => ConceptId(NOWHERE),
        }
    }
}

/// Links of the bootstrap seldom, others mostly.
fn link_at(index: Index, plain: &Plain) -> LinkId {
    let all: Vec<LinkId> = plain.links.keys().copied().collect();
    let made: Vec<LinkId> = all.iter().copied().filter(|id| id.0 > 18).collect();
    if made.is_empty() || index.index(16) == 0 { *index.get(&all) } else { *index.get(&made) }
}

fn run(writer: &mut Writer<'_>, operation: &Operation) -> Result<Answer> {
    Ok(match operation {
        Operation::Concept(write) => {
            let (id, kind, outcome) = writer.upsert_concept(write.clone())?;
            Answer::Concept(id, kind, outcome)
        }
        Operation::Link(write) => {
            let (id, outcome) = writer.upsert_link(write.clone())?;
            Answer::Link(id, outcome)
        }
        Operation::Remove(element, part, keys) => Answer::Removed(writer.remove_keys(*element, *part, keys)?),
        Operation::DeleteConcepts(ids) => Answer::Deleted(writer.delete_concepts(ids)?),
        Operation::DeleteLinks(ids) => Answer::DeletedLinks(writer.delete_links(ids)?),
    })
}

/// Runs one transaction on both, and gives what the model is then.
fn transact(kit: &Kit, plain: Plain, steps: &[Step]) -> Plain {
    let now_ms = kit.now_ms() + 1;
    let mut after = plain.clone();
    let mut operations = Vec::new();
    let mut expected = Ok(Vec::new());
    for step in steps {
        let operation = step.resolve(&after);
        operations.push(operation.clone());
        match after.apply(&operation, now_ms) {
            Ok(answer) => expected.iter_mut().for_each(|answers| answers.push(answer.clone())),
            Err(error) => {
                expected = Err(error);
                break;
            }
        }
    }
    let before = kit.store.position();
    let shown = format!("{operations:?}");
    let found = kit.write(move |writer| {
        operations.iter().map(|operation| run(writer, operation)).collect::<Result<Vec<_>>>()
    });
    assert_eq!(found.map_err(|error| kind_of_error(&error)), expected, "{shown}");
    let mut told = kit.events_after(before);
    let kept = if expected.is_ok() { &mut after } else { &mut plain.clone() };
    let mut events = std::mem::take(&mut kept.events);
    for list in [&mut told, &mut events] {
        list.sort_by_key(|event| format!("{event:?}"));
    }
    assert_eq!(told, events, "{shown}");
    if expected.is_ok() { after } else { plain }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn graphs_are_those_of_the_model(transactions in vec(vec(step(), 1..5), 1..20)) {
        let kit = Kit::new();
        let mut plain = Plain::of(&kit);
        for steps in &transactions {
            plain = transact(&kit, plain, steps);
            check::check(&kit, &plain);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn graphs_on_a_disk_are_those_of_the_model_and_survive_a_power_cut(
        transactions in vec((vec(step(), 1..6), prop::bool::weighted(0.1)), 1..24)
    ) {
        let mut kit = Kit::on_disk();
        let mut plain = Plain::of(&kit);
        for (steps, is_cut) in &transactions {
            plain = transact(&kit, plain, steps);
            if *is_cut {
                kit.restart();
            }
        }
        check::check(&kit, &plain);
        kit.restart();
        check::check(&kit, &plain);
    }
}
