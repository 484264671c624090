//! OPTIONAL, NOT and UNION: what they see, what they bind and what they do with nulls.

use crate::kit::World;
use crate::patterns::medicine;

/// p1: A1→B1, A2→B2; p2: A1→B2, A2→B2.
fn pairs() -> World {
    World::new("Node A1\nNode A2\nNode B1\nNode B2\nA1 -p1-> B1\nA2 -p1-> B2\nA1 -p2-> B2\nA2 -p2-> B2")
}

#[test]
fn optional_keeps_rows_that_find_nothing() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } }"#,
        "Aspirin Headache, Aspirin Fever, Ibuprofen Headache, Water null",
    );
    world.check_rows(
        r#"FIND(?s.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "prevents", ?s) } }"#,
        "Fever, null",
    );
    // A filter inside belongs to the match, one outside to the row.
    world.check_rows(
        r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"}
            OPTIONAL { (?d, "treats", ?s) FILTER(?s.name == "Fever") } }"#,
        "Aspirin Fever, Ibuprofen null, Water null",
    );
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } FILTER(IS_NULL(?s)) }"#,
        "Water",
    );
    // It sees what is outside, in filters too.
    world.check_rows(
        r#"FIND(?d.name, ?e.name) WHERE { ?d {type: "Drug"}
            OPTIONAL { ?e {type: "Drug"} FILTER(?e.attributes.risk > ?d.attributes.risk) } }"#,
        "Aspirin Ibuprofen, Ibuprofen null, Water null",
    );
}

#[test]
fn optional_without_a_common_variable_multiplies_or_pads() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?a.name, ?c.name) WHERE { ?a {type: "User"} OPTIONAL { ?c {type: "Class"} } }"#,
        "Ada NSAID, Bob NSAID",
    );
    world.check_rows(
        r#"FIND(?a.name, ?c.name) WHERE { ?a {type: "User"} OPTIONAL { ?c {type: "Class", name: "x"} } }"#,
        "Ada null, Bob null",
    );
}

#[test]
fn what_is_null_matches_nothing_later_on() {
    let world = medicine();
    let with = |more: &str| {
        format!(
            r#"FIND(?d.name, ?s.name) WHERE {{ ?d {{type: "Drug"}} OPTIONAL {{ (?d, "prevents", ?s) }} {more} }}"#
        )
    };
    // Mandatory patterns drop the row, whatever they look at.
    world.check_rows(&with(r#"?s {type: "Symptom"}"#), "Aspirin Fever");
    world.check_rows(&with(r#"?s {name: "Fever"}"#), "Aspirin Fever");
    world.check_rows(&with(r#"(?x, "treats", ?s)"#), "Aspirin Fever");
    world.check_rows(&with(r#"(?d, "treats", ?s)"#), "Aspirin Fever");
    world.check_rows(&with(r#"(?x, "treats"{0,1}, ?s)"#), "Aspirin Fever");
    // An OPTIONAL on it stays null, and NOT excludes nothing because of it.
    world.check_rows(
        &with(r#"OPTIONAL { ?s {type: "Symptom"} }"#),
        "Aspirin Fever, Ibuprofen null, Water null",
    );
    world.check_rows(&with(r#"NOT { (?x, "treats", ?s) }"#), "Ibuprofen null, Water null");
    world.check_rows(&with(r#"NOT { ?s {type: "Symptom"} }"#), "Ibuprofen null, Water null");
    // A filter looks at the null itself.
    world.check_rows(&with(r#"NOT { FILTER(IS_NULL(?s)) }"#), "Aspirin Fever");
}

#[test]
fn not_takes_away_exactly_the_rows_that_match() {
    let world = pairs();
    world.check_rows(r#"FIND(?a.name, ?b.name) WHERE { (?a, "p1", ?b) NOT { (?a, "p2", ?b) } }"#, "A1 B1");
    world.check_rows(
        r#"FIND(?a.name) WHERE { (?a, "p1", ?b) NOT { (?a, "p2", ?c) (?c, "p2", ?d) } }"#,
        "A1, A2",
    );
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "p1", ?b) NOT { FILTER(?b.name == "B1") } }"#, "A2");
    let world = medicine();
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { (?d, "is_class_of", {name: "NSAID"}) } }"#,
        "Ibuprofen, Water",
    );
    // The least of them: no other has less.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(IS_NOT_NULL(?d.attributes.risk))
            NOT { ?e {type: "Drug"} FILTER(?e.attributes.risk < ?d.attributes.risk) } }"#,
        "Aspirin",
    );
    // Twice not.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { ?s {type: "Symptom"} NOT { (?d, "treats", ?s) } } }"#,
        "Aspirin",
    );
}

#[test]
fn not_without_a_common_variable_is_about_everything() {
    let world = medicine();
    world.check_rows(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { ?x {type: "Class"} } }"#, "");
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { ?x {type: "Class", name: "Opioid"} } }"#,
        "Aspirin, Ibuprofen, Water",
    );
}

#[test]
fn what_a_not_binds_is_its_own() {
    let world = medicine();
    // The later ?s is another variable.
    world.check_rows(
        r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) } ?s {type: "Class"} }"#,
        "Water NSAID",
    );
    world.check_mistake(
        r#"FIND(?s) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) } }"#,
        "KIP_3001",
        "?d",
    );
}

#[test]
fn union_adds_rows_of_a_branch_that_sees_nothing_from_outside() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?d.name) WHERE { (?d, "treats", {name: "Headache"}) UNION { (?d, "treats", {name: "Fever"}) } }"#,
        "Aspirin, Ibuprofen",
    );
    // Variables that one side does not have are null, and rows are not multiplied.
    world.check_rows(
        r#"FIND(?d.name, ?c.name) WHERE { ?d {type: "Drug"} UNION { ?c {type: "Class"} } }"#,
        "Aspirin null, Ibuprofen null, Water null, null NSAID",
    );
    // What follows applies to both sides.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} UNION { ?d {type: "Symptom"} } FILTER(?d.name < "G") }"#,
        "Aspirin, Fever",
    );
    // What stands before it, to the first side only.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(?d.name < "B") UNION { ?d {type: "Symptom"} } }"#,
        "Aspirin, Headache, Fever",
    );
    // The branch lives on when the other side is empty.
    world.check_rows(
        r#"FIND(?d.name) WHERE { (?d, "doubts", {type: "Drug"}) UNION { ?d {type: "Class"} } }"#,
        "NSAID",
    );
    // Several of them, and one that begins.
    world.check_rows(
        r#"FIND(?x.name) WHERE { UNION { ?x {type: "Class"} } UNION { ?x {type: "User"} } }"#,
        "NSAID, Ada, Bob",
    );
    world.check_rows(
        r#"FIND(?a.name, ?b.name) WHERE { ?a {type: "User"} UNION { ?b {type: "Class"} } ?b {name: "NSAID"} }"#,
        "null NSAID",
    );
}

#[test]
fn rows_of_a_union_are_there_once() {
    let world = medicine();
    let branch = r#"(?d, "treats", {type: "Symptom"})"#;
    world.check_rows(&format!("FIND(COUNT(?d)) WHERE {{ {branch} }}"), "3");
    world.check_rows(&format!("FIND(COUNT(?d)) WHERE {{ {branch} UNION {{ {branch} }} }}"), "2");
}

#[test]
fn a_union_inside_is_joined_with_what_is_around_it() {
    let world = medicine();
    let either = r#"{ (?d, "is_class_of", ?x) UNION { (?d, "prevents", ?x) } }"#;
    world.check_rows(
        &format!(r#"FIND(?d.name, ?x.name) WHERE {{ ?d {{type: "Drug"}} OPTIONAL {either} }}"#),
        "Aspirin Fever, Aspirin NSAID, Ibuprofen null, Water null",
    );
    world.check_rows(
        &format!(r#"FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} NOT {either} }}"#),
        "Ibuprofen, Water",
    );
    // A branch that says nothing of the row matches every row.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) UNION { ?y {type: "Class"} } } }"#,
        "",
    );
    // One that begins its block is the block.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} NOT { UNION { (?d, "treats", ?s) } } }"#,
        "Water",
    );
    // Null agrees with nothing, not even with null.
    world.check_rows(
        r#"FIND(?d.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "prevents", ?s) }
            NOT { UNION { ?x {type: "Class"} OPTIONAL { (?x, "treats", ?s) } } } }"#,
        "Aspirin, Ibuprofen, Water",
    );
    // Filters after it see both.
    world.check_rows(
        r#"FIND(?d.name, ?x.name) WHERE { ?d {type: "Drug"} ?e {type: "Class"}
            OPTIONAL { (?d, "treats", ?x) UNION { (?d, "prevents", ?x) } FILTER(?e.name == "NSAID" && ?x.name != "Headache") } }"#,
        "Aspirin Fever, Ibuprofen null, Water null",
    );
}

#[test]
fn blocks_inside_blocks() {
    let world = medicine();
    world.check_rows(
        r#"FIND(?d.name, ?s.name, ?w.name) WHERE { ?d {type: "Drug"}
            OPTIONAL { ?l (?d, "treats", ?s) OPTIONAL { (?w, "stated", ?l) } } }"#,
        "Aspirin Headache Ada, Aspirin Fever null, Ibuprofen Headache Bob, Water null null",
    );
    world.check_rows(
        r#"FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"}
            OPTIONAL { ?l (?d, "treats", ?s) NOT { (?w, "stated", ?l) } } }"#,
        "Aspirin Fever, Ibuprofen null, Water null",
    );
}

#[test]
fn the_order_of_patterns_makes_no_difference() {
    let world = medicine();
    let clauses = [
        r#"?d {type: "Drug"}"#,
        r#"(?d, "treats", ?s)"#,
        r#"?s {type: "Symptom"}"#,
        r#"(?who, "stated", (?d, "treats", ?s))"#,
        r#"?who {type: "User"}"#,
    ];
    for first in 0..clauses.len() {
        let mut turned = clauses;
        turned.rotate_left(first);
        for _ in 0..2 {
            let query = format!("FIND(?who.name, ?d.name, ?s.name) WHERE {{ {} }}", turned.join(" "));
            world.check_rows(&query, "Ada Aspirin Headache, Bob Ibuprofen Headache");
            turned.reverse();
        }
    }
}

#[test]
fn a_union_in_a_branch_does_not_find_what_is_known_outside_of_the_branch() {
    let world = World::new("A a1\nA a2\nB b1\nB b2\na1 -q-> b2\nb1 -p-> b2");
    // The inner branch binds no ?k: its rows agree with none from outside.
    world.check_rows(
        r#"FIND(?k.name, ?x.name) WHERE {
          ?k {type: "A"} OPTIONAL { UNION { (?k, "p", ?x) UNION { ?x {type: "B"} } } }
        }"#,
        "a1 null, a2 null",
    );
    world.check_rows(
        r#"FIND(?k.name) WHERE { ?k {type: "A"} NOT { UNION { (?k, "p", ?x) UNION { ?x {type: "B"} } } } }"#,
        "a1, a2",
    );
}
