//! In which order patterns are run, as EXPLAIN tells it.

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
            "elements _1 is {fever}, about 1, rows 1\n\
             links (?d is a Drug, treats, _1) into _1, about 26, rows 1\n\
             links (?u, takes, ?d) into ?d, about 26, rows 1"
        ),
    );
}

#[test]
fn without_names_the_rarest_comes_first() {
    let world = clinic();
    check(
        &world,
        r#"FIND(?d) WHERE { ?d {type: "Drug"} (?d, "treats", ?s) (?d, "causes", ?s) ?s {type: "Symptom"} }"#,
        "links (?d is a Drug, causes, ?s is a Symptom) all of them, about 1, rows 1\n\
         links (?d, treats, ?s) between ?d, ?s, about 1, rows 1",
    );
}

#[test]
fn filters_run_as_soon_as_they_can_and_blocks_stay_where_they_are() {
    let world = clinic();
    check(
        &world,
        r#"FIND(?d, ?u) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk < 2) (?d, "treats", ?s)
            NOT { (?d, "causes", ?x) } OPTIONAL { (?u, "takes", ?d) } UNION { ?d {name: "d7"} } }"#,
        &format!(
            "elements ?d is a Drug, about 50, rows 50\n\
         filter ?d, about 25, rows 2\n\
         links (?d, treats, ?s) out of ?d, about 26, rows 3\n\
         not joined on ?d, rows 1\n\
         \x20 links (?d, causes, ?x) out of ?d, about 1, rows 1\n\
         optional joined on ?d, rows 1\n\
         \x20 links (?u, takes, ?d) into ?d, about 1, rows 0\n\
         union, rows 2\n\
         \x20 elements ?d is {}, about 1, rows 1",
            world.id("d7")
        ),
    );
}

#[test]
fn without_analyze_nothing_is_run() {
    let world = clinic();
    let query = r#"FIND(?d) WHERE { (?d, "treats"{1,3}, ?s) }"#;
    let plan = explained(&world, query, false);
    assert_eq!(
        plan.get("stages").unwrap().to_json(),
        r#"[{"detail":"(?d, treats{1,3}, ?s) from everywhere","estimated_rows":53,"operator":"path"}]"#
    );
    let mut budget = Budget::new(&*world.clock, Allowance { rows: 0, ..Allowance::default() });
    let done = world.view(|view| explain(view, &parsed(query).unwrap(), false, &mut budget));
    assert!(done.is_ok());
}
