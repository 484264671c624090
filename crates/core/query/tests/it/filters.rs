//! FILTER: every operator over every type.

use crate::kit::World;

fn things() -> World {
    World::new(
        r#"
        Thing absent
        Thing array {"v": [1, "a"]}
        Thing false {"v": false}
        Thing float {"v": 2.0}
        Thing int {"v": 2}
        Thing large {"v": 10}
        Thing null {"v": null}
        Thing object {"v": {"a": 1}}
        Thing text {"v": "2"}
        Thing time {"v": "2025-01-01T00:00:00Z"}
        Thing true {"v": true}
        Thing word {"v": "Übung macht Meister"}
        "#,
    )
}

fn check(world: &World, condition: &str, expected: &str) {
    let query =
        format!(r#"FIND(?x.name) WHERE {{ ?x {{type: "Thing"}} FILTER({condition}) }} ORDER BY ?x.name"#);
    world.check_rows(&query, expected);
}

const ALL: &str = "absent, array, false, float, int, large, null, object, text, time, true, word";

#[test]
fn comparisons() {
    let world = things();
    for (condition, expected) in [
        ("?x.attributes.v == 2", "float, int"),
        ("?x.attributes.v == 2.0", "float, int"),
        ("?x.attributes.v != 2", "absent, false, large, null, text, time, true, word"),
        ("?x.attributes.v < 10", "float, int"),
        ("?x.attributes.v <= 10", "float, int, large"),
        ("?x.attributes.v > 2", "large"),
        ("?x.attributes.v >= 2", "float, int, large"),
        ("5 > ?x.attributes.v", "float, int"),
        (r#"?x.attributes.v == "2""#, "text"),
        (r#"?x.attributes.v != "2""#, "absent, false, float, int, large, null, time, true, word"),
        (r#"?x.attributes.v >= "2""#, "text, time, word"),
        (r#"?x.attributes.v < "3""#, "text, time"),
        (r#"?x.attributes.v == "2025-01-01T01:00:00+01:00""#, "time"),
        (r#"?x.attributes.v < "2025-01-01T02:00:00+01:00""#, "text, time"),
        (r#"?x.attributes.v > "2024-12-31T23:59:59Z""#, "time, word"),
        ("?x.attributes.v == true", "true"),
        ("?x.attributes.v != true", "absent, false, float, int, large, null, text, time, word"),
        ("?x.attributes.v < true", "false"),
        ("?x.attributes.v >= false", "false, true"),
        ("?x.attributes.v == null", "absent, null"),
        ("?x.attributes.v != null", "false, float, int, large, text, time, true, word"),
        ("?x.attributes.v <= null", ""),
        ("?x.attributes.v > null", ""),
        (
            "?x.attributes.v == ?x.attributes.v",
            "absent, false, float, int, large, null, text, time, true, word",
        ),
        ("?x.attributes.v < ?x.attributes.v", ""),
        ("?x.attributes.nowhere.deep == null", ALL),
        ("?x.attributes.v.a == 1", "object"),
        ("1 == 1", ALL),
        ("1 == 2", ""),
    ] {
        check(&world, condition, expected);
    }
}

#[test]
fn logic_has_two_values() {
    let world = things();
    for (condition, expected) in [
        ("!(?x.attributes.v < 5)", "absent, array, false, large, null, object, text, time, true, word"),
        ("?x.attributes.v == 2 || ?x.attributes.v == 10", "float, int, large"),
        ("?x.attributes.v >= 2 && !(?x.attributes.v == 2)", "large"),
        (r#"?x.name == "int" || ?x.name == "text" && ?x.attributes.v == 2"#, "int"),
        (r#"(?x.name == "int" || ?x.name == "text") && ?x.attributes.v == 2"#, "int"),
        ("!!(?x.attributes.v == 2)", "float, int"),
    ] {
        check(&world, condition, expected);
    }
}

#[test]
fn membership_is_equality_with_one_of_them() {
    let world = things();
    for (condition, expected) in [
        ("IN(?x.attributes.v, [2, true])", "float, int, true"),
        (r#"IN(?x.attributes.v, ["2", 10])"#, "large, text"),
        ("IN(?x.attributes.v, [null])", "absent, null"),
        (r#"IN(?x.attributes.v, ["2025-01-01T01:00:00+01:00"])"#, "time"),
        ("!IN(?x.attributes.v, [2, 10])", "absent, array, false, null, object, text, time, true, word"),
        ("IN(2, [1, 2])", ALL),
        ("IN(?x, [1])", ""),
    ] {
        check(&world, condition, expected);
    }
}

#[test]
fn nulls_are_what_is_missing() {
    let world = things();
    check(&world, "IS_NULL(?x.attributes.v)", "absent, null");
    check(
        &world,
        "IS_NOT_NULL(?x.attributes.v)",
        "array, false, float, int, large, object, text, time, true, word",
    );
    check(&world, "IS_NULL(?x)", "");
    check(&world, "IS_NULL(?x.subject)", ALL);
    check(&world, "IS_NULL(null)", ALL);
}

#[test]
fn tests_of_texts_are_false_for_everything_else() {
    let world = things();
    for (condition, expected) in [
        (r#"CONTAINS(?x.attributes.v, "macht")"#, "word"),
        (r#"CONTAINS(?x.attributes.v, "")"#, "text, time, word"),
        (r#"CONTAINS(?x.attributes.v, "MACHT")"#, ""),
        (r#"STARTS_WITH(?x.attributes.v, "2")"#, "text, time"),
        (r#"ENDS_WITH(?x.attributes.v, "Z")"#, "time"),
        (r#"REGEX(?x.attributes.v, "^\\w+ macht")"#, "word"),
        (r#"REGEX(?x.attributes.v, "(?i)MEISTER$")"#, "word"),
        (r#"REGEX(?x.attributes.v, "^2")"#, "text, time"),
        ("CONTAINS(?x.attributes.v, 2)", ""),
        (r#"REGEX(?x, ".")"#, ""),
        (
            r#"!CONTAINS(?x.attributes.v, "a")"#,
            "absent, array, false, float, int, large, null, object, text, time, true",
        ),
        // Patterns out of attributes.
        (r#"CONTAINS("2 and 3", ?x.attributes.v)"#, "text"),
        (r#"REGEX("2025", ?x.attributes.v)"#, "text"),
    ] {
        check(&world, condition, expected);
    }
    world.check_mistake(
        r#"FIND(?x) WHERE { ?x {type: "Thing"} FILTER(REGEX(?x.name, "(")) }"#,
        "KIP_1001",
        "unclosed group",
    );
}

#[test]
fn bad_patterns_are_refused_also_where_no_row_gets() {
    let world = things();
    world.check_mistake(
        r#"FIND(?x) WHERE { ?x {name: "nobody"} FILTER(REGEX(?x.name, "a{1000}{1000}{1000}")) }"#,
        "KIP_1001",
        "too large",
    );
}

#[test]
fn whole_elements_are_the_same_or_not() {
    let world = World::new("Node A\nNode B\n@l A -links_to-> B\nB -links_to-> B");
    world.check_rows(
        r#"FIND(?a.name, ?b.name) WHERE { ?a {type: "Node"} ?b {type: "Node"} FILTER(?a != ?b) }"#,
        "A B, B A",
    );
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to", ?b) FILTER(?a == ?b) }"#, "B");
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to", ?b) FILTER(?a < ?b) }"#, "");
    world.check_rows(r#"FIND(?a.name) WHERE { (?a, "links_to", ?b) FILTER(?a == "A") }"#, "");
    world.check_rows(
        r#"FIND(?b.name) WHERE { (?a, ?p, ?b) FILTER(?p == "links_to" && ?a.name == "A") }"#,
        "B",
    );
}

#[test]
fn comparisons_across_variables_and_links() {
    let world = World::new(
        r#"
        Node A {"v": 1}
        Node B {"v": 2}
        Node C {"v": 3}
        A -links_to-> C {"w": 4}
        B -links_to-> C {"w": 5}
        "#,
    );
    world.check_rows(
        r#"FIND(?a.name, ?c.name) WHERE { ?l (?a, "links_to", ?c)
            FILTER(?l.attributes.w > 4 && ?a.attributes.v < ?c.attributes.v) }"#,
        "B C",
    );
    world.check_rows(
        r#"FIND(?a.name, ?b.name, ?c.name) WHERE { ?a {type: "Node"} ?b {type: "Node"} ?c {type: "Node"}
            FILTER(?a.attributes.v < ?b.attributes.v && ?b.attributes.v < ?c.attributes.v) }"#,
        "A B C",
    );
}
