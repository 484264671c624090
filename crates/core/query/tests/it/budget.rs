//! Queries that would take everything there is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cairn_base::Clock;
use cairn_kip::{Format, KipCode};
use cairn_query::Allowance;

use crate::kit::{World, rows};

/// Every node to every node.
fn dense(nodes: usize) -> World {
    let mut text: String = (0..nodes).map(|at| format!("Node n{at} {{\"v\": {at}}}\n")).collect();
    for from in 0..nodes {
        for to in 0..nodes {
            text.push_str(&format!("n{from} -links_to-> n{to}\n"));
        }
    }
    World::new(&text)
}

fn code(world: &World, query: &str, clock: &dyn Clock, allowance: Allowance) -> Option<KipCode> {
    world.ask(query, Format::Columns, clock, allowance).err().map(|error| {
        assert!(!error.advice().is_empty());
        error.code
    })
}

const GREEDY: [&str; 8] = [
    // Products.
    r#"FIND(COUNT(?a)) WHERE { ?a {type: "Node"} ?b {type: "Node"} ?c {type: "Node"} }"#,
    r#"FIND(COUNT(?a)) WHERE { (?a, "links_to", ?b) (?c, "links_to", ?d) }"#,
    // Joins that multiply.
    r#"FIND(COUNT(?a)) WHERE { (?a, "links_to", ?b) (?b, "links_to", ?c) (?c, "links_to", ?d) }"#,
    // Paths, short and without end.
    r#"FIND(COUNT(?a)) WHERE { (?a, "links_to"{1,}, ?b) (?b, "links_to"{1,}, ?c) }"#,
    r#"FIND(COUNT(?b)) WHERE { ({name: "n0"}, "links_to"{60000}, ?b) (?b, "links_to"{60000}, ?c) (?c, "links_to"{2}, ?d) }"#,
    // Inside blocks.
    r#"FIND(COUNT(?a)) WHERE { ?a {type: "Node"} OPTIONAL { ?b {type: "Node"} ?c {type: "Node"} } }"#,
    r#"FIND(COUNT(?a)) WHERE { ?a {type: "Node"} NOT { (?a, "links_to", ?b) (?c, "links_to", ?d) (?e, "links_to", ?f) } }"#,
    r#"FIND(COUNT(?a)) WHERE { ?a {type: "Node"} UNION { ?a {type: "Node"} ?b {type: "Node"} ?c {type: "Node"} } }"#,
];

#[test]
fn rows_end_where_the_budget_does() {
    let world = dense(20);
    for query in GREEDY {
        assert_eq!(
            code(&world, query, &*world.clock, rows(2_000)),
            Some(KipCode::ResourceExhausted),
            "{query}"
        );
    }
    let query = r#"FIND(COUNT(?a)) WHERE { (?a, "links_to", ?b) }"#;
    assert_eq!(code(&world, query, &*world.clock, rows(2_000)), None);
}

#[test]
fn memory_ends_where_the_budget_does() {
    let world = dense(20);
    let few = Allowance { bytes: 100_000, ..rows(u64::MAX) };
    for query in GREEDY.iter().filter(|query| !query.contains("60000")) {
        assert_eq!(code(&world, query, &*world.clock, few), Some(KipCode::ResourceExhausted), "{query}");
    }
    // What is read, sorted, grouped and answered counts too.
    let mut world = World::new("");
    let long = "x".repeat(5_000);
    let text: String = (0..40).map(|at| format!("Long l{at} {{\"v\": \"{long}{at}\"}}\n")).collect();
    world.add(&text);
    for query in [
        r#"FIND(?l) WHERE { ?l {type: "Long"} }"#,
        r#"FIND(?l.name) WHERE { ?l {type: "Long"} FILTER(?l.attributes.v != "a") }"#,
        r#"FIND(?l.name) WHERE { ?l {type: "Long"} } ORDER BY ?l.attributes.v"#,
        r#"FIND(?l.attributes.v, COUNT(?l)) WHERE { ?l {type: "Long"} }"#,
        r#"FIND(COUNT(DISTINCT ?l.attributes.v)) WHERE { ?l {type: "Long"} }"#,
    ] {
        assert_eq!(code(&world, query, &*world.clock, few), Some(KipCode::ResourceExhausted), "{query}");
        let enough = Allowance { bytes: 2_000_000, ..few };
        assert_eq!(code(&world, query, &*world.clock, enough), None, "{query}");
    }
}

/// A clock that goes on by a millisecond whenever somebody looks at it.
#[derive(Debug, Default)]
struct Restless(AtomicU64);

impl Clock for Restless {
    fn now_ms(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn time_ends_where_the_budget_does() {
    let world = dense(20);
    let short = Allowance { time: Duration::from_millis(3), ..rows(u64::MAX) };
    for query in GREEDY {
        let clock = Restless::default();
        assert_eq!(code(&world, query, &clock, short), Some(KipCode::ExecutionTimeout), "{query}");
        // It was noticed at once: nobody looked at the clock much longer.
        assert!(clock.0.load(Ordering::Relaxed) < 10);
    }
    let query = r#"FIND(COUNT(?a)) WHERE { (?a, "links_to", ?b) }"#;
    let long = Allowance { time: Duration::from_secs(10), ..short };
    assert_eq!(code(&world, query, &Restless::default(), long), None);
}

#[test]
fn patterns_have_a_bound() {
    let world = dense(2);
    let patterns = |count: usize| {
        let all: String = (1..count).map(|at| format!(r#"(?n{}, "links_to", ?n{at}) "#, at - 1)).collect();
        format!(r#"FIND(COUNT(?n0)) WHERE {{ ?n0 {{type: "Node", name: "n0"}} {all} FILTER(1 == 2) }}"#)
    };
    assert_eq!(code(&world, &patterns(256), &*world.clock, Allowance::default()), None);
    let code = code(&world, &patterns(257), &*world.clock, Allowance::default());
    assert_eq!(code, Some(KipCode::ResourceExhausted));
}

#[test]
fn filters_take_time_too() {
    let world = dense(20);
    let many = (0..2_000).map(|at| at.to_string()).collect::<Vec<_>>().join(", ");
    let query =
        format!(r#"FIND(COUNT(?a)) WHERE {{ ?a {{type: "Node"}} FILTER(IN(?a.attributes.v, [{many}])) }}"#);
    let short = Allowance { time: Duration::from_millis(3), ..rows(u64::MAX) };
    assert_eq!(code(&world, &query, &Restless::default(), short), Some(KipCode::ExecutionTimeout));
}

#[test]
fn memory_is_given_back_on_the_way() {
    let world = dense(20);
    // Each of these has 8,000 rows of more than 150 bytes for a moment, and one after its filter.
    let product = |names: [&str; 3]| {
        let nodes = names.map(|name| format!(r#"?{name} {{type: "Node"}}"#)).join(" ");
        let filters = names.map(|name| format!(r#"?{name}.name == "n1""#)).join(" && ");
        format!("{nodes} FILTER({filters})")
    };
    let [first, second] = [product(["a", "b", "c"]), product(["d", "e", "f"])];
    let query = format!("FIND(COUNT(?a)) WHERE {{ {first} {second} }}");
    let enough = |bytes| Allowance { bytes, ..rows(u64::MAX) };
    assert_eq!(code(&world, &query, &*world.clock, enough(1_800_000)), None);
    assert_eq!(code(&world, &query, &*world.clock, enough(1_000_000)), Some(KipCode::ResourceExhausted));
}

#[test]
fn a_dense_graph_is_walked_once_and_not_once_for_each_way() {
    let world = dense(30);
    let query = r#"FIND(COUNT(?b)) WHERE { ({name: "n0"}, "links_to"{1,}, ?b) }"#;
    world.check(query, "30");
    assert_eq!(code(&world, query, &*world.clock, rows(200)), None);
}

/// Hubs that all lead to one short text, and then to one that is long and comes before it.
fn hubs() -> World {
    let long = "a".repeat(5_000);
    let mut text = format!("Text short {{\"v\": \"b\"}}\nText long {{\"v\": \"{long}\"}}\n");
    for at in 0..40 {
        text.push_str(&format!("Hub h{at}\nh{at} -says-> short\nh{at} -says-> long\n"));
    }
    World::new(&text)
}

#[test]
fn a_row_that_takes_the_place_of_another_counts_with_its_bytes() {
    let world = hubs();
    let query = r#"FIND(?h.name) WHERE { (?h, "says", ?t) } ORDER BY ?t.attributes.v"#;
    let few = Allowance { bytes: 100_000, ..rows(u64::MAX) };
    assert_eq!(code(&world, query, &*world.clock, few), Some(KipCode::ResourceExhausted));
    let enough = Allowance { bytes: 1_000_000, ..few };
    assert_eq!(code(&world, query, &*world.clock, enough), None);
}

#[test]
fn a_distinct_value_counts_once_however_often_it_comes() {
    let world = hubs();
    let query = r#"FIND(COUNT(DISTINCT ?t.attributes.v)) WHERE { (?h, "says", ?t) }"#;
    let few = Allowance { bytes: 100_000, ..rows(u64::MAX) };
    assert_eq!(code(&world, query, &*world.clock, few), None);
}

#[test]
fn what_paths_may_start_from_takes_memory() {
    let mut text = "Other o\n".to_owned();
    text.extend((0..3_000).map(|at| format!("Node n{at}\n")));
    text.push_str("n0 -links_to-> n1\n");
    let world = World::new(&text);
    let query = r#"FIND(COUNT(?b)) WHERE { ({type: "Other"}, "links_to"{0,1}, ?b) }"#;
    let few = Allowance { bytes: 20_000, ..rows(u64::MAX) };
    assert_eq!(code(&world, query, &*world.clock, few), Some(KipCode::ResourceExhausted));
    let enough = Allowance { bytes: 500_000, ..few };
    assert_eq!(code(&world, query, &*world.clock, enough), None);
}

#[test]
fn patterns_are_counted_before_they_are_looked_up() {
    let world = dense(2);
    let known: String = (0..256).map(|at| format!(r#"?n{at} {{type: "Node"}} "#)).collect();
    let query = format!(r#"FIND(COUNT(?n0)) WHERE {{ {known} ?x {{type: "Unknown"}} }}"#);
    let found = code(&world, &query, &*world.clock, Allowance::default());
    assert_eq!(found, Some(KipCode::ResourceExhausted));
}

#[test]
fn alternatives_have_a_bound() {
    let world = dense(2);
    let query = |count: usize| {
        let names = vec![r#""links_to""#; count].join(" | ");
        format!(r#"FIND(COUNT(?a)) WHERE {{ (?a, {names}, ?b) }}"#)
    };
    world.check(&query(64), "4");
    let found = code(&world, &query(65), &*world.clock, Allowance::default());
    assert_eq!(found, Some(KipCode::ResourceExhausted));
}

#[test]
fn regular_expressions_have_a_bound() {
    let world = dense(2);
    let query = |count: usize| {
        let all: Vec<String> = (0..count).map(|at| format!(r#"REGEX(?a.name, "^n{at}$")"#)).collect();
        // One that is there already is not another.
        let all = format!(r#"{} || REGEX(?a.name, "^n0$")"#, all.join(" || "));
        format!(r#"FIND(COUNT(?a)) WHERE {{ ?a {{type: "Node"}} FILTER({all}) }}"#)
    };
    world.check(&query(64), "2");
    let found = code(&world, &query(65), &*world.clock, Allowance::default());
    assert_eq!(found, Some(KipCode::ResourceExhausted));
    world.check_mistake(
        r#"FIND(?a) WHERE { ?a {type: "Node"} FILTER(REGEX(?a.name, "[01]*1[01]{10000}")) }"#,
        "KIP_1001",
        "too large",
    );
}

#[test]
fn what_stages_remember_of_rows_takes_memory() {
    // 3,600 rows that go through a stage at once.
    let mut world = dense(60);
    world.add("Other o\no -none-> o");
    let least = |stage: &str| {
        let query = format!(r#"FIND(COUNT(?a)) WHERE {{ (?a, "links_to", ?b) {stage} }}"#);
        let fits = |bytes: &u64| {
            let allowance = Allowance { bytes: *bytes, ..Allowance::default() };
            code(&world, &query, &*world.clock, allowance).is_none()
        };
        (1..200).map(|step| step * 16 * 1024).find(fits).unwrap()
    };
    let plain = least("");
    // As many rows once more, which have 52 bytes each, and a table with all of them beside.
    for stage in [r#"NOT { (?a, "none", ?x) }"#, r#"OPTIONAL { (?a, "none", ?x) }"#] {
        let with = least(stage);
        assert!(with > plain + 3600 * (52 + 80), "{with} and {plain} bytes with {stage}");
    }
}
