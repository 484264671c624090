//! Concepts, links and what stands inside each other.

use crate::kit::World;

pub(crate) fn medicine() -> World {
    World::new(
        r#"
        Drug Aspirin {"risk": 2}
        Drug Ibuprofen {"risk": 4}
        Drug Water
        Symptom Headache
        Symptom Fever
        Class NSAID
        User Ada
        User Bob
        @ah Aspirin -treats-> Headache {"since": 1899}
        @af Aspirin -treats-> Fever
        @ih Ibuprofen -treats-> Headache
        Aspirin -prevents-> Fever
        Aspirin -is_class_of-> NSAID
        @said Ada -stated-> @ah {"sure": true}
        Bob -doubts-> @said
        Bob -stated-> @ih
        Ada -knows-> Bob
        Bob -knows-> Bob
        "#,
    )
}

#[test]
fn concepts_by_type_by_name_by_both_and_by_id() {
    let world = medicine();
    world.check_rows(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#, "Aspirin, Ibuprofen, Water");
    world.check_rows(r#"FIND(?d.name) WHERE { ?d {type: "Drug", name: "Water"} }"#, "Water");
    world.check_rows(r#"FIND(?d.type) WHERE { ?d {name: "Headache"} }"#, "Symptom");
    world.check_rows(r#"FIND(?d.type) WHERE { ?d {name: "Nothing"} }"#, "");
    let id = world.id("Ibuprofen");
    world.check_rows(&format!(r#"FIND(?d.name) WHERE {{ ?d {{id: "{id}"}} }}"#), "Ibuprofen");
    // Two clauses on one variable hold together.
    world.check_rows(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} ?d {type: "Symptom"} }"#, "");
    world.check_rows(r#"FIND(?d.name) WHERE { ?d {name: "Water"} ?d {type: "Drug"} }"#, "Water");
}

#[test]
fn one_name_may_belong_to_concepts_of_many_types() {
    let mut world = medicine();
    world.add("Place Fever\nPlace Paris\nAda -visited-> Paris");
    world.check_rows(r#"FIND(?x.type) WHERE { ?x {name: "Fever"} }"#, "Symptom, Place");
    // The loader's last `Fever` is the place.
    world.add("Ada -visited-> Fever");
    world.check_rows(
        r#"FIND(?a.name, ?x.type) WHERE { (?a, ?p, ?x {name: "Fever"}) }"#,
        "Aspirin Symptom, Ada Place",
    );
}

#[test]
fn links_from_either_end_and_from_none() {
    let world = medicine();
    let all = "Aspirin Headache, Aspirin Fever, Ibuprofen Headache";
    world.check_rows(r#"FIND(?d.name, ?s.name) WHERE { (?d, "treats", ?s) }"#, all);
    world.check_rows(r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"} (?d, "treats", ?s) }"#, all);
    world.check_rows(r#"FIND(?d.name, ?s.name) WHERE { (?d, "treats", ?s) ?s {type: "Symptom"} }"#, all);
    world.check_rows(
        r#"FIND(?d.name) WHERE { (?d, "treats", {type: "Symptom", name: "Headache"}) }"#,
        "Aspirin, Ibuprofen",
    );
    world.check_rows(
        r#"FIND(?s.name) WHERE { ({type: "Drug", name: "Aspirin"}, "treats", ?s) }"#,
        "Headache, Fever",
    );
    world.check_rows(r#"FIND(?d.name) WHERE { (?d, "treats", {name: "Fever"}) }"#, "Aspirin");
    world.check_rows(r#"FIND(?d.name) WHERE { (?d, "treats", {type: "Drug"}) }"#, "");
    world.check_rows(
        r#"FIND(?d.name, ?s.name) WHERE { (?d, "treats", ?s) (?d, "prevents", ?s) }"#,
        "Aspirin Fever",
    );
}

#[test]
fn alternatives_match_the_links_of_all_of_them() {
    let world = medicine();
    let query =
        |what| format!(r#"FIND({what}) WHERE {{ ?l (?d, "treats" | "prevents", {{name: "Fever"}}) }}"#);
    world.check_rows(&query("?l.predicate"), "treats, prevents");
    world.check_rows(&query("COUNT(?d)"), "2");
    world.check_rows(&query("?d.name"), "Aspirin");
    // Named twice, it is still one predicate.
    world.check_rows(r#"FIND(COUNT(?d)) WHERE { (?d, "treats" | "treats", ?s) }"#, "3");
}

#[test]
fn a_variable_in_the_place_of_the_predicate_is_its_name() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?p, ?o.name) WHERE { ({type: "Drug", name: "Aspirin"}, ?p, ?o) }"#,
        "is_class_of NSAID, prevents Fever, treats Headache, treats Fever",
    );
    world.check_rows(r#"FIND(?p) WHERE { (?a, ?p, {type: "User"}) }"#, "knows");
    // It joins with itself, and with nothing that is an element.
    world.check_rows(
        r#"FIND(?p, ?o.name) WHERE { (?i {name: "Ibuprofen"}, ?p, ?x) ({name: "Aspirin"}, ?p, ?o) }"#,
        "treats Headache, treats Fever",
    );
    world.check_rows(r#"FIND(?p) WHERE { (?a, ?p, ?b) ?p {type: "User"} }"#, "");
    world.check_rows(r#"FIND(?p.name) WHERE { (?a, ?p, {type: "Class"}) }"#, "null");
    // A scan that only shares the predicate.
    world.check_rows(
        r#"FIND(?p, ?x.name) WHERE { ({name: "Ada"}, ?p, {name: "Bob"}) (?x, ?p, ?y) }"#,
        "knows Ada, knows Bob",
    );
}

#[test]
fn a_variable_twice_in_one_pattern_is_the_same_element() {
    let world = medicine();
    world.check_rows(r#"FIND(?x.name) WHERE { (?x, "knows", ?x) }"#, "Bob");
    world.check_rows(r#"FIND(?x.name) WHERE { ?x {type: "User"} (?x, "knows", ?x) }"#, "Bob");
    world.check_rows(r#"FIND(?x.name) WHERE { (?x, "treats", ?x) }"#, "");
    world.check_rows(r#"FIND(?x) WHERE { ?x (?x, "knows", ?y) }"#, "");
    world.check_rows(r#"FIND(?p) WHERE { (?p, ?p, ?y) }"#, "");
}

#[test]
fn links_are_elements_that_links_can_be_about() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?who.name, ?d.name) WHERE { (?who, "stated", (?d, "treats", {name: "Headache"})) }"#,
        "Ada Aspirin, Bob Ibuprofen",
    );
    world.check_rows(
        r#"FIND(?sure.id) WHERE { ?fact ({name: "Aspirin"}, "treats", {name: "Headache"})
            ?sure ({type: "User", name: "Ada"}, "stated", ?fact) FILTER(?sure.attributes.sure == true) }"#,
        &world.id("@said"),
    );
    // Three levels, the innermost one by name of the predicate.
    world.check_rows(
        r#"FIND(?b.name, ?p, ?o.name) WHERE { (?b, "doubts", (?a, "stated", (?s, ?p, ?o))) }"#,
        "Bob treats Headache",
    );
    world.check_rows(
        r#"FIND(?f.subject, ?f.object) WHERE { (?b, "doubts", ?f (?a, "stated", ?x)) }"#,
        &format!("{} {}", world.id("Ada"), world.id("@ah")),
    );
    // From a link that is bound to its ends.
    let query = format!(r#"FIND(?s.name) WHERE {{ ?l (id: "{}") ?l (?s, "treats", ?o) }}"#, world.id("@ih"));
    world.check_rows(&query, "Ibuprofen");
    let query = format!(r#"FIND(?s.name) WHERE {{ ?l (id: "{}") ?l (?s, "knows", ?o) }}"#, world.id("@ih"));
    world.check_rows(&query, "");
    // A concept is no link.
    world.check_rows(r#"FIND(?x.name) WHERE { (?x, "knows", (?a, "treats", ?b)) }"#, "");
}

#[test]
fn ends_that_are_named_bind_too() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?d.name, ?s.name) WHERE { (?d {type: "Drug"}, "treats", ?s {type: "Symptom", name: "Fever"}) }"#,
        "Aspirin Fever",
    );
    world.check_rows(
        r#"FIND(?l.attributes.since) WHERE { (?w, "stated", ?l ({name: "Aspirin"}, "treats", ?s)) }"#,
        "1899",
    );
}

#[test]
fn an_unsatisfiable_clause_empties_its_block_connected_or_not() {
    let mut world = medicine();
    world.add("Herb Sage");
    world.delete("Sage");
    world.check_rows(r#"FIND(?s.name) WHERE { ?s {type: "Symptom"} ?h {type: "Herb"} }"#, "");
    world.check_rows(r#"FIND(?s.name) WHERE { ?s {type: "Symptom"} (?a, "doubts", {type: "Drug"}) }"#, "");
}

#[test]
fn unrelated_patterns_multiply() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?a.name, ?b.name) WHERE { ?a {type: "User"} ?b {type: "Symptom"} }"#,
        "Ada Headache, Ada Fever, Bob Headache, Bob Fever",
    );
    world.check_rows(r#"FIND(COUNT(?a)) WHERE { (?a, "treats", ?x) (?b, "knows", ?y) }"#, "6");
}

#[test]
fn each_link_is_one_row_of_the_bag() {
    let world = medicine();
    // The symptom has no name, and each of them counts.
    world.check_rows(r#"FIND(COUNT(?d)) WHERE { (?d, "treats", {type: "Symptom"}) }"#, "3");
    world.check_rows(r#"FIND(COUNT(DISTINCT ?d)) WHERE { (?d, "treats", {type: "Symptom"}) }"#, "2");
}
