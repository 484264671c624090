//! The naive evaluator itself, on graphs that can be drawn on paper.

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_kip::tree::Command;

use super::{Answer, Concept, Element, Link, World, columns, find};

/// A world out of lines: `Drug Aspirin rank=2`, or `Aspirin treats Headache`; names are told apart by the
/// order of lines, and a link is called by its number, like `#1`.
fn world(lines: &[&str]) -> World {
    let mut world = World::default();
    let metas = ["Drug", "Symptom", "Node"].map(|kind| ("$ConceptType", kind));
    let predicates = ["treats", "links_to", "p1", "p2", "stated"].map(|name| ("$PropositionType", name));
    for (kind, name) in metas.into_iter().chain(predicates) {
        concept(&mut world, kind, name, BTreeMap::new());
    }
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        if let [subject, predicate, object] = words[..]
            && !object.contains('=')
        {
            let (subject, object) = (end(&world, subject), end(&world, object));
            let id = world.links.len() as u64 + 1;
            let (predicate, attributes, metadata) = (predicate.to_owned(), BTreeMap::new(), BTreeMap::new());
            world.links.push(Link { id, subject, predicate, object, attributes, metadata });
            continue;
        }
        let attributes = words[2..].iter().map(|pair| {
            let (key, value) = pair.split_once('=').unwrap();
            (key.to_owned(), Value::parse_json(value.as_bytes()).unwrap())
        });
        concept(&mut world, words[0], words[1], attributes.collect());
    }
    world
}

fn concept(world: &mut World, kind: &str, name: &str, attributes: BTreeMap<String, Value>) {
    let id = world.concepts.len() as u64 + 1;
    let (kind, name) = (kind.to_owned(), name.to_owned());
    world.concepts.push(Concept { id, kind, name, attributes, metadata: BTreeMap::new() });
}

fn end(world: &World, name: &str) -> Element {
    if let Some(number) = name.strip_prefix('#') {
        return Element::Link(number.parse().unwrap());
    }
    Element::Concept(world.concepts.iter().find(|concept| concept.name == name).unwrap().id)
}

fn check(lines: &[&str], rows: &[(&str, &str)]) {
    let world = world(lines);
    for (text, expected) in rows {
        let Command::Find(tree) = cairn_kip::parse(text).unwrap() else { unreachable!("a FIND: {text}") };
        let answered = match find(&world, &tree) {
            Answer::Rows { rows, .. } => columns(&tree, &rows).to_json(),
            Answer::Refused(codes) => codes.iter().map(|code| code.text()).collect::<Vec<_>>().join(" "),
            Answer::TooMany => "too many".into(),
        };
        assert_eq!(answered, *expected, "{text}");
    }
}

const MEDICINE: [&str; 7] = [
    "Symptom Headache",
    "Symptom Fever",
    "Symptom Cough",
    "Drug Aspirin rank=2",
    "Drug Placebo",
    "Aspirin treats Headache",
    "Aspirin treats Fever",
];

#[test]
fn medicine() {
    check(
        &MEDICINE,
        &[
            (
                r#"FIND(?d.name, ?s.name) WHERE { (?d, "treats", ?s) }"#,
                r#"[["Aspirin","Aspirin"],["Headache","Fever"]]"#,
            ),
            (r#"FIND(?d.name) WHERE { (?d, "treats", ?s) }"#, r#"["Aspirin"]"#),
            (r#"FIND(?d.name) WHERE { (?d, "treats", ?s) } ORDER BY ?s.name DESC"#, r#"["Aspirin"]"#),
            (r#"FIND(COUNT(?d), COUNT(DISTINCT ?d)) WHERE { (?d, "treats", ?s) }"#, "[2,1]"),
            (
                r#"FIND(?s.name, COUNT(?d)) WHERE { ?s {type: "Symptom"} OPTIONAL { (?d, "treats", ?s) } } ORDER BY COUNT(?d) DESC, ?s.name"#,
                r#"[["Fever","Headache","Cough"],[1,1,0]]"#,
            ),
            (
                r#"FIND(SUM(?d.attributes.rank), AVG(?d.attributes.rank), MIN(?d.name), MAX(?d.attributes.none)) WHERE { ?d {type: "Drug"} }"#,
                r#"[2,2.0,"Aspirin",null]"#,
            ),
            (r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug", name: "Aspirin"} ?d {type: "Symptom"} }"#, "0"),
            (r#"FIND(?s.name) WHERE { ?s {type: "Symptom"} NOT { (?d, "treats", ?s) } }"#, r#"["Cough"]"#),
            (r#"FIND(?s.name) WHERE { ?s {type: "Symptom"} NOT { ?x {type: "Drug"} } }"#, "[]"),
            (
                r#"FIND(?s.name) WHERE { ?s {type: "Symptom"} NOT { ?x {name: "Nobody"} } }"#,
                r#"["Headache","Fever","Cough"]"#,
            ),
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { FILTER(?d.attributes.rank == 2) } }"#,
                r#"["Placebo"]"#,
            ),
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(!(?d.attributes.rank < 2)) }"#,
                r#"["Aspirin","Placebo"]"#,
            ),
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.rank != 3) }"#,
                r#"["Aspirin","Placebo"]"#,
            ),
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.rank DESC"#,
                r#"["Aspirin","Placebo"]"#,
            ),
            (
                r#"FIND(?x.name) WHERE { UNION { ?x {type: "Drug"} } UNION { ?x {name: "Fever"} } }"#,
                r#"["Fever","Aspirin","Placebo"]"#,
            ),
            (
                r#"FIND(?x.name, ?y.name) WHERE { ?x {name: "Cough"} UNION { ?y {name: "Fever"} } }"#,
                r#"[["Cough",null],[null,"Fever"]]"#,
            ),
            (
                r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) UNION { ?s {name: "Cough"} } } }"#,
                r#"[["Aspirin","Aspirin","Aspirin","Placebo"],["Headache","Fever","Cough","Cough"]]"#,
            ),
            (
                r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"} OPTIONAL { UNION { (?d, "treats", ?s) } } }"#,
                r#"[["Aspirin","Aspirin","Placebo"],["Headache","Fever",null]]"#,
            ),
            // Decision 12: null matches nothing.
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } ?s {type: "Symptom"} }"#,
                r#"["Aspirin"]"#,
            ),
            (
                r#"FIND(?d.name, ?o.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } OPTIONAL { (?o, "treats", ?s) } FILTER(IS_NULL(?s)) }"#,
                r#"[["Placebo"],[null]]"#,
            ),
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } FILTER(IS_NULL(?s)) NOT { ?s {type: "Symptom"} } }"#,
                r#"["Placebo"]"#,
            ),
            (r#"FIND(?d) WHERE { ?x {type: "Drug"} NOT { ?d {type: "Drug"} } }"#, "KIP_3001"),
            (r#"FIND(?d) WHERE { ?d {type: "drug"} }"#, "KIP_2001"),
            (r#"FIND(?d) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treat", ?s) } }"#, "KIP_2001"),
            (r#"FIND(?d) WHERE { ?d {type: "Drug", name: "Nobody"} }"#, "KIP_3002"),
            (
                r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { ?d {type: "Drug", name: "Nobody"} } } LIMIT 1"#,
                r#"["Aspirin"]"#,
            ),
            (r#"FIND(?d) WHERE { ?d {type: "Drug"} } LIMIT 10001"#, "KIP_4002"),
        ],
    );
}

#[test]
fn pairs() {
    check(
        &["Node A1", "Node A2", "Node B1", "Node B2", "A1 p1 B1", "A2 p1 B2", "A1 p2 B2", "A2 p2 B2"],
        &[
            (r#"FIND(?a.name, ?b.name) WHERE { (?a, "p1", ?b) (?a, "p2", ?b) }"#, r#"[["A2"],["B2"]]"#),
            (
                r#"FIND(?a.name, ?b.name) WHERE { (?a, "p1", ?b) NOT { (?a, "p2", ?b) } }"#,
                r#"[["A1"],["B1"]]"#,
            ),
            (
                r#"FIND(?a.name, ?p) WHERE { (?a, ?p, {name: "B2"}) }"#,
                r#"[["A1","A2","A2"],["p2","p1","p2"]]"#,
            ),
            (r#"FIND(COUNT(?b)) WHERE { ({name: "A2"}, "p1" | "p2", ?b) }"#, "2"),
            (
                r#"FIND(?a.name, ?b.name) WHERE { ?a {type: "Node"} ?b {type: "Node"} FILTER(?a != ?b && ?a.name < ?b.name && STARTS_WITH(?b.name, "A")) }"#,
                r#"[["A1"],["A2"]]"#,
            ),
        ],
    );
}

#[test]
fn chain() {
    check(
        &[
            "Node A",
            "Node B",
            "Node C",
            "Node D",
            "Node X",
            "A links_to B",
            "B links_to C",
            "C links_to D",
            "A links_to D",
            "D stated #1",
            "X links_to X",
        ],
        &[
            (r#"FIND(?n.name) WHERE { ({name: "A"}, "links_to"{3}, ?n) }"#, r#"["D"]"#),
            (r#"FIND(?n.name) WHERE { ({name: "A"}, "links_to"{1,3}, ?n) }"#, r#"["B","C","D"]"#),
            (r#"FIND(?n.name) WHERE { ({name: "A"}, "links_to"{0,1}, ?n) }"#, r#"["A","B","D"]"#),
            (r#"FIND(?n.name) WHERE { (?n, "links_to"{2,}, {name: "D"}) }"#, r#"["A","B"]"#),
            (r#"FIND(?n.name) WHERE { ({name: "X"}, "links_to"{5}, ?n) }"#, r#"["X"]"#),
            (
                r#"FIND(?n.name) WHERE { ?n {type: "Node"} (?n, "links_to"{0}, ?n) }"#,
                r#"["A","B","C","D","X"]"#,
            ),
            (r#"FIND(?n.name) WHERE { (?n, "links_to", ?n) }"#, r#"["X"]"#),
            (r#"FIND(?l) WHERE { ?l ({name: "A"}, "links_to"{1,3}, ?n) }"#, "[null]"),
            (
                r#"FIND(?who.name, ?to.name) WHERE { (?who, "stated", ?f ({name: "A"}, "links_to", ?to)) }"#,
                r#"[["D"],["B"]]"#,
            ),
            (r#"FIND(?f.subject, ?f.predicate) WHERE { (?who, "stated", ?f) }"#, r#"[["C:9"],["links_to"]]"#),
            (r#"FIND(?n) WHERE { (?n, "stated", (?a, "links_to"{1,2}, ?b)) }"#, "KIP_1001"),
            (r#"FIND(?n) WHERE { (?n, "stated", (id: "C:9")) }"#, "KIP_1001"),
            (r#"FIND(?n.name) WHERE { (?n, "stated", (id: "P:1:links_to")) }"#, r#"["D"]"#),
            (r#"FIND(?n.name) WHERE { (?n, "stated", (id: "P:1:stated")) }"#, "KIP_3002"),
        ],
    );
}
