//! What random queries found, each under the name of what went wrong.

use crate::kit::World;

/// Ends of a path are visited in no order: whatever depends on it shows after a few tries.
const TRIES: usize = 20;

fn ones() -> World {
    World::new(
        r#"
        Node hub
        Node a {"n": 1.0}
        Node b {"n": 1}
        Node c {"n": 1.0}
        Node d {"n": 1}
        hub -leads_to-> d
        hub -leads_to-> c
        hub -leads_to-> b
        hub -leads_to-> a
        "#,
    )
}

/// What is asked of the four nodes.
fn of_nodes(columns: &str) -> String {
    format!(r#"FIND({columns}) WHERE {{ ({{name: "hub"}}, "leads_to"{{1,2}}, ?x) }}"#)
}

#[test]
fn a_group_of_1_and_1_0_was_shown_as_whichever_came_first() {
    let world = ones();
    for _ in 0..TRIES {
        world.check(&of_nodes("?x.attributes.n, COUNT(?x)"), "[[1.0],[4]]");
    }
}

#[test]
fn the_least_distinct_value_was_1_or_1_0() {
    let world = ones();
    for _ in 0..TRIES {
        world.check(&of_nodes("MIN(DISTINCT ?x.attributes.n), MAX(DISTINCT ?x.attributes.n)"), "[1,1]");
    }
}

#[test]
fn a_distinct_sum_was_an_integer_or_a_float() {
    let world = ones();
    for _ in 0..TRIES {
        world.check(&of_nodes("SUM(DISTINCT ?x.attributes.n), SUM(?x.attributes.n)"), "[1.0,4.0]");
    }
}

#[test]
fn a_value_that_is_no_pattern_made_a_query_fail() {
    let world = World::new(
        r#"
        Node good {"pattern": "^g"}
        Node bad {"pattern": "("}
        "#,
    );
    let query = r#"FIND(?x.name) WHERE { ?x {type: "Node"} FILTER(REGEX("good", ?x.attributes.pattern)) }"#;
    world.check(query, r#"["good"]"#);
    let mistaken = r#"FIND(?x) WHERE { ?x {type: "Node"} FILTER(REGEX(?x.name, "(")) }"#;
    world.check_mistake(mistaken, "KIP_1001", "unclosed group");
}

#[test]
fn a_sum_beyond_all_floats_on_the_way_was_null_or_not() {
    let world = World::new(
        r#"
        Node hub
        Node a {"n": 1e308}
        Node b {"n": 1e308}
        Node c {"n": -1e308}
        hub -leads_to-> a
        hub -leads_to-> b
        hub -leads_to-> c
        "#,
    );
    for _ in 0..TRIES {
        world.check(&of_nodes("SUM(?x.attributes.n)"), "1e+308");
    }
    world.check(
        r#"FIND(AVG(?x.attributes.n)) WHERE { ?x {type: "Node"} FILTER(?x.attributes.n > 0) }"#,
        "1e+308",
    );
}
