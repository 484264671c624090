//! Order, LIMIT and CURSOR.

use cairn_base::Value;
use cairn_kip::tree::{Command, Find};
use cairn_query::{Allowance, Budget, Format, Found, QueryError, Shape};
use proptest::prelude::*;

use crate::kit::World;

fn mixed() -> World {
    World::new(
        r#"
        Thing a {"v": "b", "w": 1}
        Thing b {"v": 10, "w": 1}
        Thing c {"w": 2}
        Thing d {"v": true, "w": 2}
        Thing e {"v": [1], "w": 3}
        Thing f {"v": {"x": 1}, "w": 3}
        Thing g {"v": 2.5, "w": 3}
        Thing h {"v": "a", "w": 3}
        Thing i {"v": null, "w": 3}
        Thing j {"v": false, "w": 3}
        "#,
    )
}

#[test]
fn values_of_all_types_have_one_order_and_nulls_come_last() {
    let world = mixed();
    let with = |order: &str| format!(r#"FIND(?x.name) WHERE {{ ?x {{type: "Thing"}} }} ORDER BY {order}"#);
    world.check_rows(&with("?x.attributes.v"), "j, d, g, b, h, a, e, f, c, i");
    world.check_rows(&with("?x.attributes.v ASC"), "j, d, g, b, h, a, e, f, c, i");
    world.check_rows(&with("?x.attributes.v DESC"), "f, e, a, h, b, g, d, j, c, i");
    world.check_rows(&with("?x.attributes.w DESC, ?x.attributes.v"), "j, g, h, e, f, i, d, c, b, a");
    world.check_rows(&with("?x.attributes.w, ?x.name DESC"), "b, a, d, c, j, i, h, g, f, e");
    // Of equals, by id; whole elements by id too.
    world.check_rows(&with("?x.type DESC"), "a, b, c, d, e, f, g, h, i, j");
    world.check_rows(&with("?x DESC"), "j, i, h, g, f, e, d, c, b, a");
}

#[test]
fn without_an_order_rows_come_by_the_ids_of_what_is_projected() {
    let world = World::new("Node c\nNode a\nNode b\nb -links_to-> c\na -links_to-> b\nb -links_to-> a");
    world.check_rows(r#"FIND(?x.name) WHERE { ?x {type: "Node"} }"#, "c, a, b");
    world.check_rows(r#"FIND(?y.name, ?x.name) WHERE { (?x, "links_to", ?y) }"#, "c b, a b, b a");
    world.check_rows(r#"FIND(?x.name, ?y.name) WHERE { (?x, "links_to", ?y) }"#, "a b, b c, b a");
}

#[test]
fn rows_can_be_ordered_by_what_is_not_projected() {
    let world = World::new("Node c\nNode a\nNode b\nb -links_to-> c\na -links_to-> b\nb -links_to-> a");
    // b has two, and stands where the first of them does.
    world.check_rows(r#"FIND(?x.name) WHERE { (?x, "links_to", ?y) } ORDER BY ?y.name"#, "b, a");
    world.check_rows(r#"FIND(?x.name) WHERE { (?x, "links_to", ?y) } ORDER BY ?y.name DESC"#, "b, a");
}

#[test]
fn limits() {
    let world = mixed();
    let with = |limit: &str| format!(r#"FIND(?x.name) WHERE {{ ?x {{type: "Thing"}} }} LIMIT {limit}"#);
    let found = world.find(&with("0"));
    assert_eq!((found.result.to_json().as_str(), found.next_cursor), ("[]", None));
    // A cursor says that more follows, so there is none after the last row.
    assert_eq!(world.find(&with("10")).next_cursor, None);
    assert!(world.find(&with("9")).next_cursor.is_some());
    assert_eq!(world.find(&with("10000")).next_cursor, None);
    world.check_mistake(&with("10001"), "KIP_4002", "CURSOR");
}

#[test]
fn a_thousand_rows_are_shown_unless_somebody_says_how_many() {
    let text: String = (0..1001).map(|at| format!("Thing t{at}\n")).collect();
    let world = World::new(&text);
    let found = world.find(r#"FIND(?x.name) WHERE { ?x {type: "Thing"} }"#);
    assert_eq!(found.result.as_array().unwrap().len(), 1000);
    let next = found.next_cursor.unwrap();
    let query = format!(r#"FIND(?x.name) WHERE {{ ?x {{type: "Thing"}} }} CURSOR "{next}""#);
    world.check(&query, r#"["t1000"]"#);
}

/// All pages of a query, and what happens between them.
fn pages(
    world: &mut World,
    query: &str,
    limit: usize,
    mut between: impl FnMut(&mut World, usize),
) -> Vec<String> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    for page in 0..100 {
        let found = world.find(&format!("{query} LIMIT {limit} {cursor}"));
        let Value::Array(rows) = &found.result else { panic!("no column") };
        assert!(rows.len() <= limit);
        all.extend(rows.iter().map(|row| row.as_str().map_or_else(|| row.to_json(), str::to_owned)));
        let Some(next) = found.next_cursor else { return all };
        assert_eq!(rows.len(), limit);
        cursor = format!(r#"CURSOR "{next}""#);
        between(world, page);
    }
    panic!("no end")
}

#[test]
fn pages_of_every_size_are_the_whole() {
    let mut world = mixed();
    for order in
        ["", "ORDER BY ?x.attributes.v", "ORDER BY ?x.attributes.v DESC", "ORDER BY ?x.attributes.w DESC"]
    {
        let query = format!(r#"FIND(?x.name) WHERE {{ ?x {{type: "Thing"}} }} {order}"#);
        let whole = pages(&mut world, &query, 10, |_, _| {});
        assert_eq!(whole.len(), 10);
        for limit in 1..10 {
            assert_eq!(pages(&mut world, &query, limit, |_, _| {}), whole, "{query} by {limit}");
        }
    }
    let query = r#"FIND(?x.attributes.w, COUNT(?x)) WHERE { ?x {type: "Thing"} } ORDER BY COUNT(?x) DESC"#;
    world.check_rows(query, "3 6, 1 2, 2 2");
    let first = world.find(&format!("{query} LIMIT 2")).next_cursor.unwrap();
    world.check_rows(&format!(r#"{query} LIMIT 2 CURSOR "{first}""#), "2 2");
}

#[test]
fn pages_hold_while_others_write() {
    let mut world = mixed();
    let query = r#"FIND(?x.name) WHERE { ?x {type: "Thing"} } ORDER BY ?x.name"#;
    let found = pages(&mut world, query, 2, |world, page| match page {
        // Before the place where we are, behind it, and the very row that we are at.
        0 => world.add("Thing aa\nThing bb"),
        1 => world.delete("bb"),
        2 => {
            world.delete("e");
            world.add("Thing ee");
        }
        _ => {}
    });
    assert_eq!(found.join(" "), "a b bb c d e ee f g h i j");
    // Something that is passed already does not move anybody.
    let mut world = mixed();
    let found = pages(&mut world, query, 3, |world, page| {
        if page == 0 {
            world.delete("a");
            world.delete("b");
        }
    });
    assert_eq!(found.join(" "), "a b c d e f g h i j");
}

#[test]
fn long_texts_are_ordered_exactly_and_cursors_stay_short() {
    let long = "x".repeat(5_000);
    let text: String =
        [5, 3, 1, 4, 2].iter().map(|at| format!("Thing t{at} {{\"v\": \"{long}{at}\"}}\n")).collect();
    let mut world = World::new(&text);
    let query = r#"FIND(?x.name) WHERE { ?x {type: "Thing"} } ORDER BY ?x.attributes.v"#;
    assert_eq!(pages(&mut world, query, 2, |_, _| {}).join(" "), "t1 t2 t3 t4 t5");
    assert!(world.find(&format!("{query} LIMIT 2")).next_cursor.unwrap().len() < 1_500);
    // If the last row is gone, what begins alike is shown again rather than left out.
    let found = pages(&mut world, query, 2, |world, page| {
        if page == 0 {
            world.delete("t2");
        }
    });
    assert_eq!(found.join(" "), "t1 t2 t1 t3 t4 t5");
}

#[test]
fn cursors_of_other_queries_and_none_at_all_are_refused() {
    let world = mixed();
    let with = |order: &str, cursor: &str| {
        format!(r#"FIND(?x.name) WHERE {{ ?x {{type: "Thing"}} }} {order} LIMIT 2 {cursor}"#)
    };
    let cursor = world.find(&with("", "")).next_cursor.unwrap();
    let given = format!(r#"CURSOR "{cursor}""#);
    world.check_rows(&with("", &given), "c, d");
    // How it is laid out, and how many rows are shown, does not matter.
    let query = format!("FIND( ?x.name )\nWHERE {{ ?x {{ type : \"Thing\" }} }} LIMIT 3 {given}");
    world.check_rows(&query, "c, d, e");
    world.check_mistake(&with("ORDER BY ?x.name", &given), "KIP_1001", "another query");
    for bad in ["", "x", "AAAA", "%%%%", &cursor[..cursor.len() - 12], &format!("{cursor}AAAA")[..40]] {
        world.check_mistake(&with("", &format!(r#"CURSOR "{bad}""#)), "KIP_1001", "next_cursor");
    }
}

#[test]
fn pages_in_the_order_of_an_index_go_on_behind_long_texts() {
    // Their places are longer than what a cursor holds of them, and there are more than are looked up at first.
    let text: String =
        (0..200).map(|at| format!("Doc d{at:03} {{\"text\": \"{at:03}{}\"}}\n", "x".repeat(2000))).collect();
    let mut world = World::new(&text);
    let query = r#"FIND(?d.name) WHERE { ?d {type: "Doc"} } ORDER BY ?d.attributes.text"#;
    let whole: Vec<String> = (0..200).map(|at| format!("d{at:03}")).collect();
    assert_eq!(pages(&mut world, query, 10, |_, _| {}), whole);
    world.index("Doc", "text");
    assert_eq!(pages(&mut world, query, 10, |_, _| {}), whole);
}

#[test]
fn pages_in_the_order_of_an_index_have_every_tie_once() {
    let mut text = String::new();
    for at in 0..300 {
        let tie = if at % 5 == 4 { "null".to_owned() } else { (at % 5).to_string() };
        text.push_str(&format!("Doc d{at:03} {{\"tie\": {tie}}}\n"));
    }
    let mut world = World::new(&text);
    for order in ["ASC", "DESC"] {
        let query =
            format!(r#"FIND(?d.name) WHERE {{ ?d {{type: "Doc"}} }} ORDER BY ?d.attributes.tie {order}"#);
        let whole = pages(&mut world, &query, 300, |_, _| {});
        world.index("Doc", "tie");
        assert_eq!(whole.len(), 300);
        for limit in [7, 60, 61] {
            assert_eq!(pages(&mut world, &query, limit, |_, _| {}), whole, "{order} by {limit}");
        }
    }
}

#[test]
fn what_was_shown_on_a_page_does_not_come_again_further_on_in_the_order_of_an_index() {
    let mut text = String::from("Team a\nTeam b\nTeam c\n");
    for at in 0..100 {
        let team = ["a", "b", "c"][at % 3];
        text.push_str(&format!("User u{at} {{\"score\": {at}}}\nu{at} -in-> {team}\n"));
    }
    let mut world = World::new(&text);
    world.index("User", "score");
    let query = r#"FIND(?t.name) WHERE { ?u {type: "User"} OPTIONAL { (?u, "in", ?t) } }
                   ORDER BY ?u.attributes.score"#;
    assert_eq!(pages(&mut world, query, 1, |_, _| {}), ["a", "b", "c"]);
}

/// A page that ends after so many bytes.
fn page_of(world: &World, find: &str, format: Format, bytes_max: usize) -> Found {
    let Command::Find(find) = cairn_kip::parse(find).unwrap() else { panic!("no FIND") };
    let find: Find = find;
    let mut budget = Budget::new(&*world.clock, Allowance::default());
    let shape = Shape { format, bytes_max: Some(bytes_max) };
    world
        .view(|view| cairn_query::find(view, &find, shape, &mut budget).map_err(QueryError::into_kip))
        .unwrap_or_else(|error| panic!("{error:?}"))
}

/// The rows of a page, whatever its shape.
fn rows_of(page: Value, format: Format, columns: usize) -> Vec<Vec<Value>> {
    let Value::Array(items) = page else { panic!("no rows") };
    let lists = |items: Vec<Value>| -> Vec<Vec<Value>> {
        items
            .into_iter()
            .map(|item| if let Value::Array(list) = item { list } else { panic!("no list") })
            .collect()
    };
    match (format, columns) {
        (Format::Rows, _) => lists(items),
        (Format::Columns, 1) => items.into_iter().map(|item| vec![item]).collect(),
        (Format::Columns, _) => {
            let columns = lists(items);
            (0..columns[0].len())
                .map(|at| columns.iter().map(|column| column[at].clone()).collect())
                .collect()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Texts of all lengths, pages of all sizes: every row once, in order, and no page longer than it may be.
    #[test]
    fn pages_that_end_after_some_bytes_are_the_whole(
        texts in prop::collection::vec((0_usize..400, 0_u8..4), 1..40),
        bytes_max in 1_usize..1_500,
        limit in prop_oneof![Just(1_000_usize), 1_usize..30],
        query in 0_usize..4,
    ) {
        let things = texts.iter().enumerate().map(|(at, (length, kind))| {
            // Places of more than 1,024 bytes are cut in cursors.
            let length = if *kind == 0 { length + 1_200 } else { *length };
            format!("Thing t{at} {{\"v\": \"{}\", \"w\": {kind}}}\n", "ä\\\"".repeat(length / 4))
        });
        let world = World::new(&things.collect::<String>());
        let (columns, rest) = [
            ("?x.name", ""),
            ("?x.name, ?x.attributes.v", "ORDER BY ?x.attributes.v DESC"),
            ("?x", "ORDER BY ?x.attributes.w"),
            ("?x.attributes.v, COUNT(?x)", "ORDER BY COUNT(?x) DESC"),
        ][query];
        let find = format!(r#"FIND({columns}) WHERE {{ ?x {{type: "Thing"}} }} {rest} LIMIT {limit}"#);
        let width = columns.split(',').count();
        for format in [Format::Columns, Format::Rows] {
            let whole = rows_of(page_of(&world, &find.replace(&format!("LIMIT {limit}"), ""), format, usize::MAX).result, format, width);
            let mut all: Vec<Vec<Value>> = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = page_of(&world, &format!("{find} {cursor}"), format, bytes_max);
                let json = page.result.to_json();
                let rows = rows_of(page.result, format, width);
                prop_assert!(!rows.is_empty() && rows.len() <= limit);
                // Brackets of columns are not of the rows.
                let around = 2 + 2 * width;
                prop_assert!(rows.len() == 1 || json.len() <= bytes_max + around, "{} of {bytes_max}", json.len());
                all.extend(rows);
                let Some(next) = page.next_cursor else { break };
                cursor = format!(r#"CURSOR "{next}""#);
                prop_assert!(all.len() <= whole.len());
            }
            prop_assert_eq!(&all, &whole);
        }
    }
}
