//! What each pass saves, told by the rows that a query makes. That it changes no answer is for the random tests.

use cairn_kip::Format;
use cairn_query::{Allowance, Budget, Options, Pass, Passes, find_with};

use crate::kit::{World, parsed, rows};

/// Two hundred nodes in a ring, each with a weight; every tenth has a mark.
fn ring() -> World {
    let mut text = String::new();
    for at in 0..200 {
        text.push_str(&format!("Node n{at} {{\"weight\": {}}}\n", (at * 7) % 200));
    }
    for at in 0..200 {
        text.push_str(&format!("n{at} -next-> n{}\n", (at + 1) % 200));
        if at % 10 == 0 {
            text.push_str(&format!("Mark m{at}\nn{at} -has-> m{at}\n"));
        }
    }
    World::new(&text)
}

/// Rows that a query makes with these passes.
fn rows_made(world: &World, query: &str, passes: Passes) -> u64 {
    let tree = parsed(query).unwrap();
    let mut budget = Budget::new(&*world.clock, rows(u64::MAX));
    let options = Options { passes, page_rows: 16, ..Options::default() };
    world.view(|view| find_with(view, &tree, Format::Rows, &options, &mut budget)).unwrap();
    budget.rows()
}

/// Without the pass there are at least twice as many rows.
fn check(pass: Pass, query: &str) {
    let world = ring();
    let [with, without] =
        [Passes::ALL, Passes::ALL.without(pass)].map(|passes| rows_made(&world, query, passes));
    assert!(2 * with <= without, "{pass:?}: {with} and {without} rows\n{query}");
}

#[test]
fn each_pass_saves_rows() {
    check(
        Pass::PushFilters,
        r#"FIND(?n) WHERE { ?n {type: "Node"} NOT { (?n, "has", ?m) } FILTER(?n.attributes.weight < 10) }"#,
    );
    check(
        Pass::UnionKeys,
        r#"FIND(?n) WHERE { ?n {name: "n5"} NOT { ?n {name: "n6"} UNION { (?n, "next", ?o) } } }"#,
    );
    check(Pass::JoinOrder, r#"FIND(?n) WHERE { (?n, "next", ?o) (?o, "next", ?p) (?p, "has", ?m) }"#);
    check(Pass::FilterScans, r#"FIND(?n) WHERE { ?n {type: "Node"} FILTER(?n.attributes.weight < 10) }"#);
    check(
        Pass::AskOnce,
        r#"FIND(COUNT(?n)) WHERE { ?n {type: "Node"} (?n, "next", ?o) NOT { ?m {type: "Mark"} } }"#,
    );
    check(
        Pass::FirstMatch,
        r#"FIND(COUNT(?n)) WHERE { ?n {type: "Node", name: "n0"} NOT { (?x, "next", ?y) } }"#,
    );
    check(Pass::StopEarly, r#"FIND(?n) WHERE { ?n {type: "Node"} (?n, "next", ?o) } LIMIT 3"#);
    check(Pass::CountFromStatistics, r#"FIND(COUNT(?n)) WHERE { ?n {type: "Node"} }"#);
}

#[test]
fn paths_that_meet_come_by_fewer_nodes() {
    // From one side 100 nodes have to be come by, from both 50 on each.
    let query = r#"FIND(?a) WHERE { ?a {name: "n0"} ?b {name: "n100"} (?a, "next"{1,}, ?b) }"#;
    let world = ring();
    let [met, walked] = [Passes::ALL, Passes::ALL.without(Pass::MeetInTheMiddle)]
        .map(|passes| rows_made(&world, query, passes));
    assert!(met < 110, "{met} rows");
    assert!(walked > 195, "{walked} rows");
}

/// Bytes that a query needs at once, with the first rows of an order kept alone and with all.
fn bytes_needed(world: &World, query: &str) -> [u64; 2] {
    let tree = parsed(query).unwrap();
    [Passes::ALL, Passes::ALL.without(Pass::TopRows)].map(|passes| {
        let options = Options { passes, page_rows: 16, ..Options::default() };
        let fits = |bytes: u64| {
            let allowance = Allowance { bytes, ..rows(u64::MAX) };
            let mut budget = Budget::new(&*world.clock, allowance);
            world.view(|view| find_with(view, &tree, Format::Rows, &options, &mut budget)).is_ok()
        };
        (1..200).map(|step| step * 32 * 1024).find(|bytes| fits(*bytes)).unwrap()
    })
}

#[test]
fn only_the_first_rows_of_an_order_are_kept() {
    let mut text = String::new();
    for at in 0..4000 {
        text.push_str(&format!("Node n{at} {{\"weight\": {}}}\n", (at * 7) % 4000));
    }
    let world = World::new(&text);
    let query = r#"FIND(?n.name) WHERE { ?n {type: "Node"} } ORDER BY ?n.attributes.weight LIMIT 3"#;
    let [top, all] = bytes_needed(&world, query);
    assert!(2 * top < all, "{top} and {all} bytes");
}

#[test]
fn only_the_first_groups_of_an_order_are_told_apart_by_what_was_read() {
    let mut text = String::from("Node n\n");
    for at in 0..4000 {
        text.push_str(&format!("Topic t{at:0100}\nn -about-> t{at:0100}\n"));
        if at < 3 {
            text.push_str(&format!("t{at:0100} -about-> t{at:0100}\n"));
        }
    }
    let world = World::new(&text);
    let query = r#"FIND(?t.name, COUNT(?n)) WHERE { (?n, "about", ?t) } ORDER BY COUNT(?n) DESC LIMIT 2"#;
    let [top, all] = bytes_needed(&world, query);
    assert!(3 * top < 2 * all, "{top} and {all} bytes");
}

#[test]
fn joins_choose_by_the_rows_that_there_are() {
    let world = ring();
    let reads = |query: &str| {
        let mut budget = Budget::new(&*world.clock, rows(u64::MAX));
        let plan = world.view(|view| cairn_query::explain(view, &parsed(query).unwrap(), true, &mut budget));
        plan.unwrap().get("text").unwrap().as_str().unwrap().contains("all links of it read")
    };
    assert!(reads(r#"FIND(COUNT(?o)) WHERE { ?n {type: "Node"} OPTIONAL { (?n, "next", ?o) } }"#));
    assert!(!reads(r#"FIND(COUNT(?o)) WHERE { ?n {name: "n1"} (?n, "next", ?o) }"#));
}

#[test]
fn an_order_that_was_given_up_holds_nothing() {
    // One in twenty fits, and all of those are at the end of the order: it is given up after a sixth.
    let mut text = String::new();
    for at in 0..3000 {
        let has = at % 20 == 0 || at > 2900;
        text.push_str(&format!("Doc d{at} {{\"text\": \"{at:04}{}\", \"has\": {has}}}\n", "x".repeat(4000)));
    }
    let world = World::new(&text);
    let query = r#"FIND(?d.name) WHERE { ?d {type: "Doc"} FILTER(?d.attributes.has == true) }
                   ORDER BY ?d.attributes.text LIMIT 100"#;
    let [before, _] = bytes_needed(&world, query);
    world.index("Doc", "text");
    let [after, _] = bytes_needed(&world, query);
    assert!(after < before + (64 << 10), "{after} bytes with an index, {before} without");
}

/// Two thousand users in no order, with an index of what is sorted by and of what is filtered by.
fn users() -> World {
    let mut text = String::new();
    for at in 0..2000 {
        let (score, seventh) = ((at * 7) % 2000, at % 7);
        text.push_str(&format!(
            "User u{at} {{\"email\": \"e{at}\", \"score\": {score}, \"seventh\": {seventh}}}\n"
        ));
    }
    let world = World::new(&text);
    ["email", "score", "seventh"].iter().for_each(|key| world.index("User", key));
    world
}

/// Rows that each page of a query makes.
fn rows_of_pages(world: &World, query: &str) -> Vec<u64> {
    let (mut made, mut cursor) = (Vec::new(), String::new());
    loop {
        let tree = parsed(&format!("{query} {cursor}")).unwrap();
        let mut budget = Budget::new(&*world.clock, rows(u64::MAX));
        let found = world.view(|view| cairn_query::find(view, &tree, Format::Rows, &mut budget)).unwrap();
        made.push(budget.rows());
        let Some(next) = found.next_cursor else { return made };
        cursor = format!(r#"CURSOR "{next}""#);
    }
}

#[test]
fn pages_in_the_order_of_an_index_begin_where_the_last_one_ended() {
    let world = users();
    for order in ["?u.attributes.score", "?u.attributes.score DESC"] {
        let query = format!(r#"FIND(?u) WHERE {{ ?u {{type: "User"}} }} ORDER BY {order} LIMIT 50"#);
        let made = rows_of_pages(&world, &query);
        assert_eq!(made.len(), 40);
        // The rows that are shown, and those that are read at once.
        assert!(made.iter().all(|rows| *rows < 300), "{made:?}");
    }
}

#[test]
fn an_index_of_a_filter_is_used_beside_one_of_the_order() {
    let world = users();
    let plan = |filter: &str| {
        let query = format!(
            r#"FIND(?u) WHERE {{ ?u {{type: "User"}} {filter} }} ORDER BY ?u.attributes.score LIMIT 20"#
        );
        let mut budget = Budget::new(&*world.clock, rows(u64::MAX));
        let plan = world.view(|view| cairn_query::explain(view, &parsed(&query).unwrap(), true, &mut budget));
        plan.unwrap().get("text").unwrap().as_str().unwrap().to_owned()
    };
    // One is found by its address.
    let one = plan(r#"FILTER(?u.attributes.email == "e7")"#);
    assert!(one.contains("[User by attributes.email]"), "{one}");
    // One in seven: in their order the first twenty are found sooner than all of them.
    let many = plan("FILTER(?u.attributes.seventh == 1)");
    assert!(many.contains("[User by attributes.score, in its order]"), "{many}");
    // In a block of its own it is used whatever the order.
    let inner = plan(r#"OPTIONAL { ?o {type: "User"} FILTER(?o.attributes.email == "e9") }"#);
    assert!(inner.contains("in its order]") && inner.contains("[User by attributes.email]"), "{inner}");
}
