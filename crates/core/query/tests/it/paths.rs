//! Paths along one predicate.

use crate::kit::World;

/// A→B→C→D, A→D, and X alone.
fn chain() -> World {
    World::new(
        "Node A\nNode B\nNode C\nNode D\nNode X\nTown T\n\
         A -links_to-> B\nB -links_to-> C\nC -links_to-> D\nA -links_to-> D",
    )
}

fn ends(world: &World, hops: &str, from: &str, expected: &str) {
    let query =
        format!(r#"FIND(?b.name) WHERE {{ ({{type: "Node", name: "{from}"}}, "links_to"{{{hops}}}, ?b) }}"#);
    world.check_rows(&query, expected);
}

#[test]
fn walks_of_a_length_within_bounds() {
    let world = chain();
    ends(&world, "1", "A", "B, D");
    ends(&world, "1,1", "A", "B, D");
    ends(&world, "2", "A", "C");
    // D can be reached in one hop, and counts for three all the same.
    ends(&world, "3,3", "A", "D");
    ends(&world, "1,3", "A", "B, C, D");
    ends(&world, "2,3", "A", "C, D");
    ends(&world, "1,", "A", "B, C, D");
    ends(&world, "2,", "B", "D");
    ends(&world, "5,10", "A", "");
    ends(&world, "1,", "D", "");
}

#[test]
fn no_hop_leads_to_itself_also_where_there_is_no_link() {
    let world = chain();
    ends(&world, "0", "A", "A");
    ends(&world, "0,1", "A", "A, B, D");
    ends(&world, "0,", "B", "B, C, D");
    ends(&world, "0,5", "X", "X");
    ends(&world, "1,5", "X", "");
    world.check_rows(r#"FIND(?a.name) WHERE { ?a {type: "Node"} (?a, "links_to"{0}, ?a) }"#, "A, B, C, D, X");
    // Both ends free, in either order of the clauses.
    for query in [
        r#"FIND(?a.name, ?b.name) WHERE { ?a {type: "Town"} (?a, "links_to"{0,2}, ?b) }"#,
        r#"FIND(?a.name, ?b.name) WHERE { (?a, "links_to"{0,2}, ?b) ?a {type: "Town"} }"#,
        r#"FIND(?a.name, ?b.name) WHERE { (?a, "links_to"{0,2}, ?b) ?b {type: "Town"} }"#,
        r#"FIND(?a.name, ?b.name) WHERE { (?a, "links_to"{0,2}, ?b) OPTIONAL { ?c {name: "-"} } ?a {type: "Town"} }"#,
    ] {
        world.check_rows(query, "T T");
    }
    // Links are elements too.
    world.check_rows(r#"FIND(COUNT(?l)) WHERE { ?l (?s, "links_to", ?o) (?l, "links_to"{0,1}, ?l) }"#, "4");
}

#[test]
fn backwards_from_the_object_and_between_two_ends() {
    let world = chain();
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to"{1,}, {name: "C"}) }"#, "A, B");
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to"{2}, {name: "D"}) }"#, "B");
    world.check_rows(
        r#"FIND(?a.name, ?b.name) WHERE { ?a {name: "A"} ?b {type: "Node"} (?a, "links_to"{2,3}, ?b) }"#,
        "A C, A D",
    );
    world.check_rows(
        r#"FIND(?a.name, ?b.name) WHERE { ?b {name: "D"} ?a {type: "Node"} (?a, "links_to"{2,3}, ?b) }"#,
        "A D, B D",
    );
}

#[test]
fn from_everywhere_to_everywhere() {
    let world = chain();
    let all = "A B, A C, A D, B C, B D, C D";
    world.check_rows(r#"FIND(?a.name, ?b.name) WHERE { (?a, "links_to"{1,}, ?b) }"#, all);
    world.check_rows(r#"FIND(?a.name, ?b.name) WHERE { (?a, "links_to"{2}, ?b) }"#, "A C, B D");
    world.check_rows(r#"FIND(?b.name) WHERE { ({type: "Node"}, "links_to"{3}, ?b) }"#, "D");
    world.check_rows(r#"FIND(?b.name) WHERE { ({type: "Town"}, "links_to"{1,}, ?b) }"#, "");
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to"{2,}, {type: "Node"}) }"#, "A, B");
}

#[test]
fn pairs_match_once_however_many_ways_there_are() {
    // A diamond with four ways from A to D.
    let world = World::new(
        "Node A\nNode B1\nNode B2\nNode C\nNode D1\nNode D2\nNode E\n\
         A -links_to-> B1\nA -links_to-> B2\nB1 -links_to-> C\nB2 -links_to-> C\n\
         C -links_to-> D1\nC -links_to-> D2\nD1 -links_to-> E\nD2 -links_to-> E",
    );
    world.check_rows(r#"FIND(COUNT(?b)) WHERE { ({name: "A"}, "links_to"{4}, ?b) }"#, "1");
    world.check_rows(r#"FIND(COUNT(?b)) WHERE { ({name: "A"}, "links_to"{1,}, ?b) }"#, "6");
}

#[test]
fn cycles_end_and_come_back_to_their_start() {
    let world = World::new("Node A\nNode B\nNode C\nA -links_to-> B\nB -links_to-> C\nC -links_to-> A");
    ends(&world, "1,", "A", "A, B, C");
    ends(&world, "3", "A", "A");
    ends(&world, "4", "A", "B");
    ends(&world, "3,4", "A", "A, B");
    ends(&world, "300", "A", "A");
    ends(&world, "301", "A", "B");
    ends(&world, "1000,", "A", "A, B, C");
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to"{3}, ?a) }"#, "A, B, C");
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to"{2}, ?a) }"#, "");
}

#[test]
fn self_links_go_round() {
    let world = World::new("Node A\nNode B\nA -links_to-> A\nA -links_to-> B");
    ends(&world, "1", "A", "A, B");
    ends(&world, "50", "A", "A, B");
    ends(&world, "65535", "A", "A, B");
    ends(&world, "1,", "B", "");
}

#[test]
fn a_variable_before_a_path_is_null() {
    let world = chain();
    world.check_rows(
        r#"FIND(?l, ?b.name) WHERE { ?l ({name: "A"}, "links_to"{1,2}, ?b) }"#,
        "null B, null C, null D",
    );
    world.check_rows(
        r#"FIND(?b.name) WHERE { ?l ({name: "A"}, "links_to"{1}, ?b) (?x, "links_to", ?l) }"#,
        "",
    );
    world.check_rows(r#"FIND(?b.name) WHERE { ?l {name: "A"} ?l ({name: "A"}, "links_to"{1}, ?b) }"#, "");
    world.check_mistake(
        r#"FIND(?x) WHERE { (?x, "links_to", (?a, "links_to"{1,2}, ?b)) }"#,
        "KIP_1001",
        "not one link",
    );
}

#[test]
fn paths_through_links_that_links_are_about() {
    let world = World::new("Node A\nNode B\n@l A -links_to-> B\nB -links_to-> @l\n@l -links_to-> A");
    world.check_rows(r#"FIND(?x.name) WHERE { ({name: "B"}, "links_to"{2}, ?x) }"#, "A");
    world.check_rows(r#"FIND(COUNT(?x)) WHERE { ({name: "B"}, "links_to"{1,}, ?x) }"#, "3");
}
