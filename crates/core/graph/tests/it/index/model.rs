//! Random histories of concepts and indexes.

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, GraphError, IndexId, Map, Part, Result, Target, TypeId, Writer, known,
};
use cairn_seam::Visit;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index as Pick, select};

use super::recompute::check;
use super::{begin, build, clear, take_out};
use crate::kit::Kit;

const FIELDS: [&str; 6] = [
    "attributes.a",
    "attributes.b",
    "attributes.a.x",
    "metadata.a",
    "metadata._version",
    "metadata._updated_at",
];

#[derive(Debug, Clone)]
enum Step {
    /// Several changes in one transaction, read ahead or not.
    Write(Vec<Change>, bool),
    Begin(u8, usize),
    Build(Pick),
    Drop(Pick),
    Clear(Pick),
    Restart,
}

#[derive(Debug, Clone)]
enum Change {
    Define(u8),
    Put { kind: u8, name: u8, attributes: Map, metadata: Map },
    Remove { concept: Pick, part: Part, key: &'static str },
    Delete(Vec<Pick>),
    DeleteType(u8),
}

fn value() -> impl Strategy<Value = Value> {
    let text = |bytes: usize, end: &str| format!("\"{}{end}\"", "x".repeat(bytes));
    let values: Vec<String> = [
        "null",
        "true",
        "false",
        "0",
        "-0.0",
        "1",
        "1.0",
        "-7",
        "2.5",
        "1e300",
        "-1e-300",
        "9007199254740993",
        "9007199254740992.0",
        "18446744073709551615",
        "-9223372036854775808",
        "\"\"",
        "\"a\"",
        "\"a\\u0000b\"",
        "[]",
        "[1, null]",
        "[\"a\"]",
        "{}",
        "{\"x\": 1}",
        "{\"x\": null}",
        "{\"x\": [2], \"y\": \"z\"}",
    ]
    .into_iter()
    .map(str::to_owned)
    // Around where an entry is cut: a kind before the text, and two bytes behind it.
    .chain([text(252, ""), text(253, ""), text(254, ""), text(300, "a"), text(300, "b"), text(60_000, "")])
    .collect();
    select(values).prop_map(|json| Value::parse_json(json.as_bytes()).unwrap())
}

fn content() -> impl Strategy<Value = Map> {
    btree_map(select(&["a", "b"]).prop_map(str::to_owned), value(), 0..3)
}

fn change() -> impl Strategy<Value = Change> {
    let part = any::<bool>().prop_map(|is| if is { Part::Attributes } else { Part::Metadata });
    prop_oneof![
        2 => (0..3_u8).prop_map(Change::Define),
        12 => (0..3_u8, 0..6_u8, content(), content()).prop_map(|(kind, name, attributes, metadata)| {
            Change::Put { kind, name, attributes, metadata }
        }),
        3 => (any::<Pick>(), part, select(&["a", "b"])).prop_map(|(concept, part, key)| {
            Change::Remove { concept, part, key }
        }),
        2 => vec(any::<Pick>(), 1..4).prop_map(Change::Delete),
        1 => (0..3_u8).prop_map(Change::DeleteType),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (vec(change(), 1..4), any::<bool>()).prop_map(|(changes, ahead)| Step::Write(changes, ahead)),
        4 => (0..3_u8, 0..FIELDS.len()).prop_map(|(kind, field)| Step::Begin(kind, field)),
        6 => any::<Pick>().prop_map(Step::Build),
        1 => any::<Pick>().prop_map(Step::Drop),
        1 => any::<Pick>().prop_map(Step::Clear),
        1 => Just(Step::Restart),
    ]
}

fn name_of_type(number: u8) -> String {
    format!("Type{number}")
}

fn kind(kit: &Kit, number: u8) -> Option<TypeId> {
    kit.read(|view| view.type_id(&name_of_type(number))).unwrap()
}

fn picked(kit: &Kit, pick: &Pick) -> Option<IndexId> {
    let all = kit.read(|view| view.indexes()).unwrap();
    (!all.is_empty()).then(|| pick.get(&all).index.id)
}

impl Change {
    fn apply(&self, writer: &mut Writer<'_>) -> Result<()> {
        let mut ordinary = Vec::new();
        writer.view().all_concepts(None, &mut |id, kind| {
            if kind.0 > known::SYSTEM.0 {
                ordinary.push(id);
            }
            Visit::Continue
        })?;
        let pick = |pick: &Pick| if ordinary.is_empty() { ConceptId(1 << 40) } else { *pick.get(&ordinary) };
        let upsert = |writer: &mut Writer<'_>, target, attributes: &Map, metadata: &Map| {
            let (attributes, metadata) = (attributes.clone(), metadata.clone());
            let write = ConceptWrite { target, expect_version: None, attributes, metadata };
            writer.upsert_concept(write).map(drop)
        };
        match self {
            Change::Define(number) => {
                let target = Target::Named(known::CONCEPT_TYPE, name_of_type(*number));
                upsert(writer, target, &Map::new(), &Map::new())
            }
            Change::Put { kind, name, attributes, metadata } => {
                let Some(kind) = writer.view().type_id(&name_of_type(*kind))? else { return Ok(()) };
                upsert(writer, Target::Named(kind, format!("name{name}")), attributes, metadata)
            }
            Change::Remove { concept, part, key } => {
                match writer.remove_keys(Element::Concept(pick(concept)), *part, &[(*key).to_owned()]) {
                    Err(GraphError::NoConcept(_)) => Ok(()),
                    other => other.map(drop),
                }
            }
            Change::Delete(picks) => {
                let ids: Vec<ConceptId> = picks.iter().map(pick).collect();
                writer.delete_concepts(&ids).map(drop)
            }
            Change::DeleteType(number) => {
                let Some(kind) = writer.view().type_id(&name_of_type(*number))? else { return Ok(()) };
                let mut all = vec![kind.concept()];
                writer.view().concepts_of_type(kind, None, &mut |id, _| {
                    all.push(id);
                    Visit::Continue
                })?;
                writer.delete_concepts(&all).map(drop)
            }
        }
    }
}

fn run(mut kit: Kit, steps: &[Step]) {
    for number in 0..3 {
        kit.define_type(&name_of_type(number));
    }
    for step in steps {
        match step {
            Step::Write(changes, ahead) => {
                let (changes, ahead) = (changes.clone(), *ahead);
                kit.write(move |writer| {
                    if ahead {
                        writer.read_ahead()?;
                    }
                    changes.iter().try_for_each(|change| change.apply(writer))
                })
                .unwrap();
            }
            Step::Begin(number, field) => {
                if let Some(kind) = kind(&kit, *number) {
                    begin(&kit, kind, FIELDS[*field]).unwrap();
                }
            }
            Step::Build(pick) => {
                if let Some(id) = picked(&kit, pick) {
                    match build(&kit, id, 2) {
                        Ok(_) | Err(GraphError::NoIndex(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
            Step::Drop(pick) => {
                if let Some(id) = picked(&kit, pick) {
                    let _ = take_out(&kit, id);
                }
            }
            Step::Clear(pick) => {
                if let Some(id) = picked(&kit, pick) {
                    clear(&kit, id, 2);
                }
            }
            Step::Restart => kit.restart(),
        }
        check(&kit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn indexes_hold_what_records_say_after_every_transaction(steps in vec(step(), 1..40)) {
        run(Kit::new(), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn and_also_after_cuts_of_power(steps in vec(step(), 1..40)) {
        run(Kit::on_disk(), &steps);
    }
}
