//! The shape of answers, and of what is in them.

use cairn_base::Value;
use cairn_kip::Format;
use cairn_query::Allowance;

use crate::kit::World;
use crate::patterns::medicine;

#[test]
fn one_expression_is_its_column_and_several_are_several() {
    let world = medicine();
    world.check(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#, r#"["Aspirin","Ibuprofen","Water"]"#);
    world.check(
        r#"FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: "Drug"} }"#,
        r#"[["Aspirin","Ibuprofen","Water"],[2,4,null]]"#,
    );
    world.check(r#"FIND(?d.name) WHERE { ?d {name: "nobody"} }"#, "[]");
    world.check(r#"FIND(?d.name, ?d.type) WHERE { ?d {name: "nobody"} }"#, "[[],[]]");
}

#[test]
fn aggregates_that_nothing_groups_are_values() {
    let world = medicine();
    world.check(r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#, "3");
    world.check(r#"FIND(COUNT(?d), AVG(?d.attributes.risk)) WHERE { ?d {type: "Drug"} }"#, "[3,3.0]");
    world
        .check(r#"FIND(?s.name, COUNT(?d)) WHERE { (?d, "treats", ?s) }"#, r#"[["Fever","Headache"],[1,2]]"#);
    world.check(r#"FIND(COUNT(?d)) WHERE { ?d {name: "nobody"} }"#, "0");
    world.check(r#"FIND(?d.type, COUNT(?d)) WHERE { ?d {name: "nobody"} }"#, "[[],[]]");
}

#[test]
fn rows_are_rows_whatever_is_asked_for() {
    let world = medicine();
    for (query, expected) in [
        (r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#, r#"[["Aspirin"],["Ibuprofen"],["Water"]]"#),
        (
            r#"FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: "Drug"} }"#,
            r#"[["Aspirin",2],["Ibuprofen",4],["Water",null]]"#,
        ),
        (r#"FIND(COUNT(?d), SUM(?d.attributes.risk)) WHERE { ?d {type: "Drug"} }"#, "[[3,6]]"),
        (r#"FIND(?d.name, ?d.type) WHERE { ?d {name: "nobody"} }"#, "[]"),
    ] {
        let found = world.ask(query, Format::Rows, &*world.clock, Allowance::default()).unwrap();
        assert_eq!(found.result.to_json(), expected, "{query}");
    }
}

#[test]
fn whole_elements_have_everything() {
    let mut world = medicine();
    world.add(r#"Drug Codeine {"tags": ["a", {"b": null}]} {"source": "book"}"#);
    let kept =
        r#""_created_at":"2023-11-14T22:13:20.000Z","_updated_at":"2023-11-14T22:13:20.000Z","_version":1"#;
    let (codeine, aspirin, fever) = (world.id("Codeine"), world.id("Aspirin"), world.id("Fever"));
    world.check(
        r#"FIND(?d) WHERE { ?d {name: "Codeine"} }"#,
        &format!(
            r#"[{{"_type":"ConceptNode","attributes":{{"tags":["a",{{"b":null}}]}},"id":"{codeine}","metadata":{{{kept},"source":"book"}},"name":"Codeine","type":"Drug"}}]"#
        ),
    );
    // Without attributes there is no key for them.
    let link = world.id("@af");
    world.check(
        r#"FIND(?l) WHERE { ?l ({name: "Aspirin"}, "treats", {name: "Fever"}) }"#,
        &format!(
            r#"[{{"_type":"PropositionLink","id":"{link}","metadata":{{{kept}}},"object":"{fever}","predicate":"treats","subject":"{aspirin}"}}]"#
        ),
    );
    // Links to links name them in full.
    let fact = world.id("@ah");
    world.check(
        r#"FIND(?l.object, ?l.id) WHERE { ?l ({name: "Ada"}, "stated", ?x) }"#,
        &format!(r#"[["{fact}"],["{}"]]"#, world.id("@said")),
    );
}

#[test]
fn fields_of_elements_and_null_for_what_is_missing() {
    let world = World::new(
        r#"
        Node A {"deep": {"er": {"est": 1}}, "list": [1, 2], "nothing": null} {"source": "book"}
        Node B
        @l A -links_to-> B {"weight": 0.5}
        "#,
    );
    let (a, b, l) = (world.id("A"), world.id("B"), world.id("@l"));
    for (field, of_concept, of_link) in [
        ("id", format!("\"{a}\""), format!("\"{l}\"")),
        ("type", r#""Node""#.into(), "null".into()),
        ("name", r#""A""#.into(), "null".into()),
        ("subject", "null".into(), format!("\"{a}\"")),
        ("predicate", "null".into(), r#""links_to""#.into()),
        ("object", "null".into(), format!("\"{b}\"")),
        ("attributes.deep.er", r#"{"est":1}"#.into(), "null".into()),
        ("attributes.deep.er.est", "1".into(), "null".into()),
        ("attributes.deep.nowhere.est", "null".into(), "null".into()),
        ("attributes.list", "[1,2]".into(), "null".into()),
        ("attributes.list.x", "null".into(), "null".into()),
        ("attributes.nothing", "null".into(), "null".into()),
        ("attributes.weight", "null".into(), "0.5".into()),
        ("attributes.none", "null".into(), "null".into()),
        ("metadata.source", r#""book""#.into(), "null".into()),
        ("metadata._version", "1".into(), "1".into()),
    ] {
        let query = format!(r#"FIND(?a.{field}, ?l.{field}) WHERE {{ ?l (?a, "links_to", ?b) }}"#);
        world.check(&query, &format!("[[{of_concept}],[{of_link}]]"));
    }
    world.check(r#"FIND(?b.attributes) WHERE { ?b {name: "B"} }"#, "[{}]");
    let Value::Array(found) = world.find(r#"FIND(?b.metadata) WHERE { ?b {name: "B"} }"#).result else {
        panic!("no column")
    };
    assert_eq!(found[0].as_object().unwrap().len(), 3);
}

#[test]
fn rows_that_agree_on_what_is_projected_are_one() {
    let mut world = medicine();
    world.check_rows(r#"FIND(?s.name) WHERE { (?d, "treats", ?s) }"#, "Headache, Fever");
    world.check_rows(r#"FIND(?d.type) WHERE { (?d, "treats", ?s) }"#, "Drug, Drug");
    // Two concepts with one name are two rows.
    world.add("Place Fever");
    world.check_rows(r#"FIND(?x.name) WHERE { ?x {name: "Fever"} }"#, "Fever, Fever");
}
