//! DELETE: what goes, what is counted, and what stays as it is.

use cairn_kip::KipCode;

use crate::world::{World, part};

/// Two drugs for two symptoms, and what is said about one of these links.
fn world() -> World {
    let world = World::new();
    world.ok(r#"UPSERT {
        CONCEPT ?i { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES { risk: 3, old: true }
            SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Headache"}) ("treats", {type: "Symptom", name: "Fever"}) } }
            WITH METADATA { old: true }
        PROPOSITION ?fact { (?i, "treats", {type: "Symptom", name: "Fever"}) SET ATTRIBUTES { old: 1 } }
        CONCEPT ?who { {type: "Person", name: "Ada"} }
        PROPOSITION ?said { (?who, "stated", ?fact) }
        PROPOSITION { (?who, "stated", ?said) }
    }"#);
    world
}

#[test]
fn keys_go_from_concepts_and_links_and_those_that_lost_one_count() {
    let world = world();
    let all = r#"DELETE ATTRIBUTES {"old", "nothing"} FROM ?x WHERE { ?x {type: "Drug"} }"#;
    assert_eq!(world.json(all), r#"{"updated_concepts":1,"updated_propositions":0}"#);
    assert_eq!(world.json(all), r#"{"updated_concepts":0,"updated_propositions":0}"#);
    let links = r#"DELETE ATTRIBUTES {"old"} FROM ?l WHERE { ?l (?d, "treats", ?s) }"#;
    assert_eq!(world.json(links), r#"{"updated_concepts":0,"updated_propositions":1}"#);
    let metadata = r#"DELETE METADATA {"old"} FROM ?x WHERE { ?x {type: "Drug"} }"#;
    assert_eq!(world.json(metadata), r#"{"updated_concepts":1,"updated_propositions":0}"#);
    let found = world.json(r#"FIND(?x.attributes, ?x.metadata.old) WHERE { ?x {name: "Ibuprofen"} }"#);
    assert_eq!(found, r#"[[{"risk":3}],[null]]"#);
}

#[test]
fn both_kinds_of_element_may_be_meant_at_once() {
    let world = world();
    let both = r#"DELETE ATTRIBUTES {"old"} FROM ?x WHERE {
        ?x {type: "Drug"} UNION { ?x (?d, "treats", ?s) } }"#;
    assert_eq!(world.json(both), r#"{"updated_concepts":1,"updated_propositions":1}"#);
}

#[test]
fn links_go_with_everything_that_is_said_about_them() {
    let world = world();
    let before = world.size();
    let gone =
        world.ok(r#"DELETE PROPOSITIONS ?l WHERE { ?l ({type: "Drug", name: "Ibuprofen"}, "treats", ?s) }"#);
    assert_eq!(part(&gone, "deleted_propositions"), "4");
    assert_eq!(world.size(), (before.0, before.1 - 4));
    let again =
        world.ok(r#"DELETE PROPOSITIONS ?l WHERE { ?l ({type: "Drug", name: "Ibuprofen"}, "treats", ?s) }"#);
    assert_eq!(part(&again, "deleted_propositions"), "0");
}

#[test]
fn concepts_go_with_their_links() {
    let world = world();
    let before = world.size();
    let gone = world.json(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Ibuprofen"} }"#);
    assert_eq!(gone, r#"{"deleted_concepts":1,"deleted_propositions":4}"#);
    assert_eq!(world.size(), (before.0 - 1, before.1 - 4));
    assert_eq!(world.json(r#"FIND(?p.name) WHERE { ?p {type: "Person", name: "Ada"} }"#), r#"["Ada"]"#);
    let none = world.json(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} FILTER(?d.name == "X") }"#);
    assert_eq!(none, r#"{"deleted_concepts":0,"deleted_propositions":0}"#);
}

#[test]
fn a_variable_of_the_wrong_kind_deletes_nothing_and_is_named() {
    let world = world();
    let before = world.size();
    let wrong = |text: &str, target: &str| world.fails_at(text, KipCode::ConstraintViolation, target);
    wrong(r#"DELETE PROPOSITIONS ?d WHERE { ?d {type: "Drug"} }"#, "?d");
    wrong(r#"DELETE CONCEPT ?l DETACH WHERE { ?l (?d, "treats", ?s) }"#, "?l");
    // What a pattern says of its variables does not depend on what there is.
    let none = r#"FILTER(1 == 2)"#;
    wrong(&format!(r#"DELETE PROPOSITIONS ?d WHERE {{ ?d {{type: "Drug"}} {none} }}"#), "?d");
    wrong(&format!(r#"DELETE PROPOSITIONS ?d WHERE {{ (?d {{type: "Drug"}}, "treats", ?s) {none} }}"#), "?d");
    wrong(
        &format!(r#"DELETE CONCEPT ?l DETACH WHERE {{ (?a, "stated", ?l (?d, "treats", ?s)) {none} }}"#),
        "?l",
    );
    wrong(
        &format!(
            r#"DELETE CONCEPT ?l DETACH WHERE {{ ?d {{type: "Drug"}} OPTIONAL {{ ?l (?d, "treats", ?s) }} {none} }}"#
        ),
        "?l",
    );
    wrong(&format!(r#"DELETE CONCEPT ?p DETACH WHERE {{ (?d, ?p, ?s) {none} }}"#), "?p");
    wrong(&format!(r#"DELETE ATTRIBUTES {{"old"}} FROM ?p WHERE {{ (?d, ?p, ?s) {none} }}"#), "?p");
    wrong(r#"DELETE ATTRIBUTES {"old"} FROM ?p WHERE { (?d, ?p, ?s) }"#, "?p");
    // An end may be one or the other: what it is bound to says so.
    wrong(r#"DELETE PROPOSITIONS ?d WHERE { (?d, "treats", ?s) }"#, "?d");
    wrong(r#"DELETE CONCEPT ?l DETACH WHERE { (?who, "stated", ?l) }"#, "?l");
    // One of them is enough.
    wrong(
        r#"DELETE CONCEPT ?x DETACH WHERE { ?x {type: "Person", name: "Ada"} UNION { ?x (?d, "treats", ?s) } }"#,
        "?x",
    );
    wrong(r#"DELETE PROPOSITIONS ?x WHERE { ?x {type: "Drug"} UNION { ?x (?d, "treats", ?s) } }"#, "?x");
    assert_eq!(world.size(), before);
}

#[test]
fn an_end_that_is_of_the_right_kind_everywhere_is_deleted() {
    let world = world();
    let gone = world.ok(r#"DELETE PROPOSITIONS ?l WHERE { ({type: "Person", name: "Ada"}, "stated", ?l) }"#);
    assert_eq!(part(&gone, "deleted_propositions"), "3");
    let none =
        r#"DELETE CONCEPT ?x DETACH WHERE { (?who, "stated", ?x) OPTIONAL { ?x (?d, "treats", ?s) } }"#;
    assert_eq!(world.json(none), r#"{"deleted_concepts":0,"deleted_propositions":0}"#);
}

#[test]
fn one_protected_element_keeps_all_of_them() {
    let world = world();
    for text in [
        r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Domain"} }"#,
        r#"DELETE CONCEPT ?p DETACH WHERE { ?p {type: "Person"} }"#,
        r#"DELETE ATTRIBUTES {"description"} FROM ?t WHERE { ?t {type: "$ConceptType"} }"#,
        r#"DELETE ATTRIBUTES {"core_directives"} FROM ?p WHERE { ?p {type: "Person"} }"#,
    ] {
        world.fails(text, KipCode::ImmutableTarget);
    }
    // A definition that is in use stays as well.
    world.fails(
        r#"DELETE CONCEPT ?t DETACH WHERE { ?t {type: "$ConceptType", name: "Drug"} }"#,
        KipCode::ConstraintViolation,
    );
}

#[test]
fn what_is_deleted_has_to_be_bound_and_what_is_named_has_to_be_there() {
    let world = world();
    world.fails_at(
        r#"DELETE ATTRIBUTES {"old"} FROM ?nobody WHERE { ?x {type: "Drug"} }"#,
        KipCode::ReferenceError,
        "?nobody",
    );
    world
        .fails(r#"DELETE CONCEPT ?x DETACH WHERE { ?x {type: "Drug", name: "Nothing"} }"#, KipCode::NotFound);
    world.fails(r#"DELETE CONCEPT ?x DETACH WHERE { ?x {type: "drug"} }"#, KipCode::TypeMismatch);
    world.fails_at(
        r#"DELETE METADATA {"source", "_version"} FROM ?x WHERE { ?x {type: "Drug"} FILTER(?x.name == "None") }"#,
        KipCode::ConstraintViolation,
        r#""_version""#,
    );
}
