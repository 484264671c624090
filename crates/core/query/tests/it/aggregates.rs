//! Aggregates and groups.

use crate::kit::World;

fn shop() -> World {
    World::new(
        r#"
        Item a {"class": "x", "price": 1, "weight": 0.5, "label": "b"}
        Item b {"class": "x", "price": 3, "weight": 2, "label": "a"}
        Item c {"class": "y", "price": 3, "label": 7}
        Item d {"class": 1, "price": "free"}
        Item e {"class": 1.0, "price": 18446744073709551615}
        Item f {"price": 5}
        Buyer p
        Buyer q
        Buyer r
        p -buys-> a
        p -buys-> b
        p -buys-> c
        q -buys-> a
        "#,
    )
}

#[test]
fn what_each_function_computes() {
    let world = shop();
    let check = |expression: &str, filter: &str, expected: &str| {
        world.check(
            &format!(r#"FIND({expression}) WHERE {{ ?i {{type: "Item"}} FILTER({filter}) }}"#),
            expected,
        );
    };
    let small = r#"IN(?i.name, ["a", "b", "c"])"#;
    for (expression, filter, expected) in [
        ("COUNT(?i)", "true == true", "6"),
        ("COUNT(?i.attributes.class)", "true == true", "5"),
        ("COUNT(DISTINCT ?i.attributes.class)", "true == true", "3"),
        ("COUNT(DISTINCT ?i.attributes.price)", small, "2"),
        ("SUM(?i.attributes.price)", small, "7"),
        ("SUM(DISTINCT ?i.attributes.price)", small, "4"),
        ("SUM(?i.attributes.weight)", small, "2.5"),
        ("AVG(?i.attributes.price)", small, "2.3333333333333335"),
        ("AVG(DISTINCT ?i.attributes.price)", small, "2.0"),
        ("MIN(?i.attributes.price)", small, "1"),
        ("MAX(?i.attributes.price)", small, "3"),
        ("MIN(?i.attributes.label)", small, "7"),
        ("MAX(?i.attributes.label)", small, r#""b""#),
        ("MAX(?i.name)", small, r#""c""#),
        // Beyond all integers it is a float.
        ("SUM(?i.attributes.price)", "true == true", "1.8446744073709552e+19"),
        ("MAX(?i.attributes.price)", "true == true", r#""free""#),
        // What is no number is skipped, and of nothing there is no mean and no extreme.
        ("SUM(?i.attributes.class)", small, "0"),
        ("AVG(?i.attributes.class)", small, "null"),
        ("MIN(?i.attributes.none)", small, "null"),
        ("COUNT(?i.attributes.none)", small, "0"),
        ("SUM(?i)", small, "0"),
        ("MAX(?i)", small, "null"),
        ("SUM(?i.attributes.price)", "1 == 2", "0"),
        ("AVG(?i.attributes.price)", "1 == 2", "null"),
        ("COUNT(?i)", "1 == 2", "0"),
    ] {
        check(expression, filter, expected);
    }
}

#[test]
fn count_counts_rows_and_distinct_counts_values() {
    let world = shop();
    world.check(r#"FIND(COUNT(?b), COUNT(DISTINCT ?b)) WHERE { (?b, "buys", ?i) }"#, "[4,2]");
    world.check(r#"FIND(COUNT(?p), COUNT(DISTINCT ?p)) WHERE { (?b {type: "Buyer"}, ?p, ?i) }"#, "[4,1]");
    world.check(r#"FIND(MIN(?p)) WHERE { (?b {type: "Buyer"}, ?p, ?i) }"#, r#""buys""#);
    // A row whose variable is null does not count.
    world.check(
        r#"FIND(COUNT(?b), COUNT(?i)) WHERE { ?b {type: "Buyer"} OPTIONAL { (?b, "buys", ?i) } }"#,
        "[5,4]",
    );
}

#[test]
fn groups_are_made_by_value() {
    let world = shop();
    world.check_rows(
        r#"FIND(?i.attributes.class, COUNT(?i)) WHERE { ?i {type: "Item"} }"#,
        "1 2, x 2, y 1, null 1",
    );
    world.check_rows(
        r#"FIND(?b.name, COUNT(?i), SUM(?i.attributes.price)) WHERE { (?b, "buys", ?i) }"#,
        "p 3 7, q 1 1",
    );
    // By whole elements: by what they are.
    world.check_rows(
        r#"FIND(?b.name, COUNT(?i)) WHERE { ?b {type: "Buyer"} OPTIONAL { (?b, "buys", ?i) } }"#,
        "p 3, q 1, r 0",
    );
    // By two expressions, with the aggregate between them.
    world.check_rows(
        r#"FIND(?b.name, COUNT(?i), ?i.attributes.class) WHERE { (?b, "buys", ?i) }"#,
        "p 2 x, p 1 y, q 1 x",
    );
    // Filters shrink groups, and empty ones are gone.
    world.check_rows(
        r#"FIND(?b.name, COUNT(?i)) WHERE { (?b, "buys", ?i) FILTER(?i.attributes.price > 1) }"#,
        "p 2",
    );
}

#[test]
fn concepts_with_one_name_are_one_group_by_name_and_two_by_themselves() {
    let mut world = shop();
    world.add("Place p\nTown x\np -near-> x");
    world.check_rows(r#"FIND(?n.name, COUNT(?n)) WHERE { ?n {name: "p"} }"#, "p 2");
    world.check(
        r#"FIND(?n, COUNT(?n)) WHERE { ?n {name: "p"} UNION { ?n {type: "Town"} } FILTER(?n.type == "Town") }"#,
        &world
            .json(r#"FIND(?n, COUNT(?n)) WHERE { ?n {type: "Town"} }"#),
    );
    world.check_rows(r#"FIND(?n.type, ?n.name, COUNT(?n)) WHERE { ?n {name: "p"} }"#, "Buyer p 1, Place p 1");
}

#[test]
fn groups_are_ordered_by_what_they_have() {
    let world = shop();
    let with = |order: &str| {
        format!(r#"FIND(?i.attributes.class, COUNT(?i)) WHERE {{ ?i {{type: "Item"}} }} ORDER BY {order}"#)
    };
    world.check_rows(&with("COUNT(?i) DESC, ?i.attributes.class DESC"), "x 2, 1 2, y 1, null 1");
    world.check_rows(&with("COUNT(?i)"), "y 1, null 1, 1 2, x 2");
    world.check_rows(&with("?i.attributes.class DESC"), "y 1, x 2, 1 2, null 1");
    world.check_rows(r#"FIND(?b, COUNT(?i)) WHERE { (?b, "buys", ?i) } ORDER BY ?b.name DESC LIMIT 0"#, "");
    world.check_rows(
        r#"FIND(?b.name, MAX(?i.attributes.price)) WHERE { (?b, "buys", ?i) } ORDER BY MAX(?i.attributes.price)"#,
        "q 1, p 3",
    );
    world.check_mistake(&with("SUM(?i.attributes.price)"), "KIP_1001", "add it to FIND");
    world.check_mistake(&with("?i.name"), "KIP_1001", "add this one to FIND");
    world.check_mistake(
        r#"FIND(?i) WHERE { ?i {type: "Item"} } ORDER BY COUNT(?i)"#,
        "KIP_1001",
        "add it to FIND",
    );
}

/// Sixty topics of one type, whose names go the other way than their numbers, with 1, 2 or 3 links to each.
fn topics() -> World {
    let mut text = String::from("Node n0\nNode n1\nNode n2\n");
    for at in 0..60 {
        text.push_str(&format!("Topic t{:02}\n", 59 - at));
        for from in 0..=at % 3 {
            text.push_str(&format!("n{from} -about-> t{:02}\n", 59 - at));
        }
    }
    World::new(&text)
}

#[test]
fn groups_that_count_the_same_come_by_their_names_on_every_page() {
    let world = topics();
    let query = r#"FIND(?t.name, COUNT(?n)) WHERE { (?n, "about", ?t) } ORDER BY COUNT(?n) DESC"#;
    let counted = |at: usize| (59 - at) % 3 + 1;
    let mut expected: Vec<(usize, usize)> = (0..60).map(|at| (counted(at), at)).collect();
    expected.sort_by_key(|(count, at)| (std::cmp::Reverse(*count), *at));
    for limit in [1, 7, 20, 59, 60, 100] {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = world.find(&format!("{query} LIMIT {limit} {cursor}"));
            found.push(page.result.to_json());
            let Some(next) = page.next_cursor else { break };
            cursor = format!(r#"CURSOR "{next}""#);
        }
        let columns = |rows: &[(usize, usize)]| {
            let names: Vec<String> = rows.iter().map(|(_, at)| format!(r#""t{at:02}""#)).collect();
            let counts: Vec<String> = rows.iter().map(|(count, _)| count.to_string()).collect();
            format!("[[{}],[{}]]", names.join(","), counts.join(","))
        };
        assert_eq!(found, expected.chunks(limit).map(columns).collect::<Vec<_>>(), "by {limit}");
    }
}

#[test]
fn a_second_type_with_the_same_names_joins_the_groups_of_the_first() {
    // Names tell concepts of one type apart, until links and concepts of another type come by.
    let mut world = World::new(
        r#"
        Topic a
        Topic b
        Node n
        Node m
        n -about-> a
        m -about-> b
        "#,
    );
    let query = r#"FIND(?t.name, COUNT(?n)) WHERE { (?n, "about", ?t) } ORDER BY COUNT(?n) DESC LIMIT 1"#;
    world.check_rows(query, "a 1");
    world.add("Other b\nn -about-> b");
    world.check_rows(query, "b 2");
}

#[test]
fn values_that_take_much_room_are_all_counted() {
    // More than is kept of records at once, and a group whose name is asked for after they were read.
    let mut text = String::from("Shelf s\n");
    for at in 0..1100 {
        text.push_str(&format!("Book b{at} {{\"text\": \"{}\"}}\ns -has-> b{at}\n", "x".repeat(40 << 10)));
    }
    let world = World::new(&text);
    world.check_rows(
        r#"FIND(?s.name, COUNT(?b.attributes.text)) WHERE { ?s {type: "Shelf"} (?s, "has", ?b) }"#,
        "s 1100",
    );
}
