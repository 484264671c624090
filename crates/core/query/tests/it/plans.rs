//! How queries are answered, as EXPLAIN tells it.

use cairn_base::Value;
use cairn_query::{Allowance, Budget, explain};

use crate::kit::{World, parsed};

/// Many drugs, few symptoms, and one that is known by name.
fn clinic() -> World {
    let mut text = String::from("Symptom Headache\nSymptom Fever\nUser Ada\n");
    for at in 0..50 {
        text.push_str(&format!("Drug d{at} {{\"risk\": {at}}}\nd{at} -treats-> Headache\n"));
    }
    text.push_str("d0 -treats-> Fever\nAda -takes-> d0\nd0 -causes-> Fever\n");
    World::new(&text)
}

fn explained(world: &World, query: &str, analyze: bool) -> Value {
    let mut budget = Budget::new(&*world.clock, Allowance::default());
    world.view(|view| explain(view, &parsed(query).unwrap(), analyze, &mut budget)).unwrap()
}

fn check(world: &World, query: &str, expected: &str) {
    let plan = explained(world, query, true);
    let text = plan.get("text").unwrap().as_str().unwrap();
    let lines: Vec<&str> = expected.lines().map(str::trim_end).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), lines, "{query}\n{text}");
}

#[test]
fn what_is_named_comes_first_and_then_what_is_connected() {
    let world = clinic();
    let fever = world.id("Fever");
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} (?u, "takes", ?d) (?d, "treats", {type: "Symptom", name: "Fever"}) }"#,
        &format!(
            "answer the first 1000, rows 1, 0.000 ms\n\
             \x20 elements _1 is {fever}, about 1, rows 1, 0.000 ms\n\
             \x20 links (?d is a Drug, treats, _1) into _1 [links by object], about 26, rows 1, 0.000 ms\n\
             \x20 links (?u, takes, ?d) into ?d [links by object], about 26, rows 1, all links of it read, 0.000 ms"
        ),
    );
}

#[test]
fn without_names_the_rarest_comes_first() {
    let world = clinic();
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} (?d, "treats", ?s) (?d, "causes", ?s) ?s {type: "Symptom"} }"#,
        "answer the first 1000, reading stops when they are found, rows 1, 0.000 ms\n\
         \x20 links (?d is a Drug, causes, ?s is a Symptom) all of them [links by predicate], about 1, rows 1, 0.000 ms\n\
         \x20 links (?d, treats, ?s) between ?d, ?s [links by subject], about 1, rows 1, 0.000 ms",
    );
}

#[test]
fn filters_run_where_their_variables_are_read_and_blocks_stay_where_they_are() {
    let world = clinic();
    check(
        &world,
        r#"FIND(?d, ?u) WHERE { ?d {type: "Drug"} (?d, "treats", ?s) NOT { (?d, "causes", ?x) }
            OPTIONAL { (?u, "takes", ?d) } FILTER(?d.attributes.risk < 2) UNION { ?d {name: "d7"} } }"#,
        &format!(
            "answer the first 1000, rows 2, 0.000 ms\n\
             \x20 elements ?d is a Drug filtered by ?d.attributes.risk [concepts by type], about 25, rows 2, 0.000 ms\n\
             \x20 links (?d, treats, ?s) out of ?d [links by subject], about 26, rows 3, 0.000 ms\n\
             \x20 not joined on ?d, rows 1, 0.000 ms\n\
             \x20   links (?d, causes, ?x) out of ?d [links by subject], about 1, rows 1, all links of it read, 0.000 ms\n\
             \x20 optional joined on ?d, rows 1, 0.000 ms\n\
             \x20   links (?u, takes, ?d) into ?d [links by object], about 1, rows 0, all links of it read, 0.000 ms\n\
             \x20 union, rows 2, 0.000 ms\n\
             \x20   elements ?d is {}, about 1, rows 1, 0.000 ms",
            world.id("d7")
        ),
    );
}

#[test]
fn a_filter_behind_a_union_goes_into_both_sides() {
    let world = clinic();
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} UNION { ?d {type: "User"} } FILTER(?d.name == "d7") }"#,
        "answer the first 1000, rows 1, 0.000 ms\n\
         \x20 elements ?d is a Drug filtered by ?d.name [concepts by type], about 25, rows 1, 0.000 ms\n\
         \x20 union, rows 1, 0.000 ms\n\
         \x20   elements ?d is a User filtered by ?d.name [concepts by type], about 1, rows 0, 0.000 ms",
    );
}

#[test]
fn a_union_inside_a_block_is_asked_with_what_is_known() {
    let world = clinic();
    check(
        &world,
        r#"FIND(?u) WHERE { ?u {type: "User", name: "Ada"} (?u, "takes", ?d)
            NOT { (?d, "causes", ?x) UNION { (?d, "treats", {type: "Symptom", name: "Headache"}) } } }"#,
        &format!(
            "answer the first 1000, rows 0, 0.000 ms\n\
             \x20 elements ?u is {}, about 1, rows 1, 0.000 ms\n\
             \x20 links (?u, takes, ?d) out of ?u [links by subject], about 1, rows 1, all links of it read, 0.000 ms\n\
             \x20 not joined on ?d, rows 0, 0.000 ms\n\
             \x20   links (?d, causes, ?x) out of ?d [links by subject], about 1, rows 1, all links of it read, 0.000 ms\n\
             \x20   union joined on ?d, rows 2, 0.000 ms\n\
             \x20     elements _1 is {}, about 1, rows 1, 0.000 ms\n\
             \x20     links (?d, treats, _1) between ?d, _1 [links by subject], about 1, rows 1, 0.000 ms",
            world.id("Ada"),
            world.id("Headache"),
        ),
    );
}

#[test]
fn what_is_made_of_the_rows_is_told_too() {
    let world = clinic();
    let how = |query: &str| {
        let plan = explained(&world, query, false);
        plan.get("answer").and_then(|answer| answer.get("detail")).unwrap().as_str().unwrap().to_owned()
    };
    for (query, expected) in [
        (r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#, "counted by the graph itself, no row is read"),
        (r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} FILTER(?d.name != "d1") }"#, "all rows together"),
        (r#"FIND(?s, COUNT(?d)) WHERE { (?d, "treats", ?s) } LIMIT 5"#, "groups, the first 5"),
        (r#"FIND(?d) WHERE { ?d {type: "Drug"} } LIMIT 5"#, "the first 5, reading stops when they are found"),
        (r#"FIND(?s) WHERE { (?d, "treats", ?s) } LIMIT 5"#, "the first 5"),
        (
            r#"FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name LIMIT 5"#,
            "the first 5 in order, no others are kept",
        ),
    ] {
        assert_eq!(how(query), expected, "{query}");
    }
}

#[test]
fn indexes_are_used_for_few_values_and_for_the_order() {
    let world = clinic();
    world.index("Drug", "risk");
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk >= 3 && 5 > ?d.attributes.risk) }"#,
        "answer the first 1000, rows 2, 0.000 ms\n\
         \x20 elements ?d is a Drug filtered by ?d.attributes.risk [Drug by attributes.risk], about 25, rows 2, 0.000 ms",
    );
    // For many, all are read.
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk >= 3) }"#,
        "answer the first 1000, reading stops when they are found, rows 47, 0.000 ms\n\
         \x20 elements ?d is a Drug filtered by ?d.attributes.risk [concepts by type], about 25, rows 47, 0.000 ms",
    );
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.risk DESC LIMIT 2"#,
        "answer the first 2, reading stops when they are found, rows 2, 0.000 ms\n\
         \x20 elements ?d is a Drug [Drug by attributes.risk, in its order], about 50, rows 50, 0.000 ms",
    );
}

#[test]
fn an_order_that_was_given_up_is_told() {
    let text: String = (0..200).map(|at| format!("Drug d{at} {{\"risk\": {at}}}\n")).collect();
    let world = World::new(&text);
    world.index("Drug", "risk");
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?d.name == "d0") } ORDER BY ?d.attributes.risk DESC LIMIT 2"#,
        "answer the first 2 in order, no others are kept, rows 1, 0.000 ms\n\
         \x20 elements ?d is a Drug filtered by ?d.name [Drug by attributes.risk, in its order, which was given up for a scan], about 100, rows 1, 0.000 ms",
    );
}

#[test]
fn paths_between_known_ends_are_walked_from_both() {
    let world = clinic();
    let (d0, fever) = (world.id("d0"), world.id("Fever"));
    let plan = explained(
        &world,
        r#"FIND(?a) WHERE { ?a {name: "d0"} ?b {name: "Fever"} (?a, "treats"{1,3}, ?b) }"#,
        true,
    );
    assert_eq!(
        plan.to_json(),
        format!(
            r#"{{"answer":{{"detail":"the first 1000","rows":1,"time_ms":0.0}},"stages":[{{"detail":"?a is {d0}","estimated_rows":1,"operator":"elements","rows":1,"runs":1,"time_ms":0.0}},{{"detail":"?b is {fever}","estimated_rows":1,"operator":"elements","rows":1,"runs":1,"time_ms":0.0}},{{"detail":"(?a, treats{{1,3}}, ?b) from both ends","estimated_rows":1,"index":"links by subject and by object","operator":"path","rows":1,"runs":1,"time_ms":0.0}}],"text":"answer the first 1000, rows 1, 0.000 ms\n  elements ?a is {d0}, about 1, rows 1, 0.000 ms\n  elements ?b is {fever}, about 1, rows 1, 0.000 ms\n  path (?a, treats{{1,3}}, ?b) from both ends [links by subject and by object], about 1, rows 1, 0.000 ms\n"}}"#
        )
    );
}

#[test]
fn without_analyze_nothing_is_run() {
    let world = clinic();
    let query = r#"FIND(?d) WHERE { (?d, "treats"{1,3}, ?s) }"#;
    let plan = explained(&world, query, false);
    assert_eq!(
        plan.get("stages").unwrap().to_json(),
        r#"[{"detail":"(?d, treats{1,3}, ?s) from everywhere","estimated_rows":53,"index":"links by predicate","operator":"path"}]"#
    );
    let mut budget = Budget::new(&*world.clock, Allowance { rows: 0, ..Allowance::default() });
    let done = world.view(|view| explain(view, &parsed(query).unwrap(), false, &mut budget));
    assert!(done.is_ok());
}
