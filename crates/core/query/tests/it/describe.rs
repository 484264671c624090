//! DESCRIBE: the primer, domains and types.

use cairn_base::{Position, Value};
use cairn_graph::View;
use cairn_kip::KipCode;
use cairn_kip::tree::Command;
use cairn_query::{Allowance, Budget};
use cairn_seam::Store;

use crate::world::{World, part};

fn names(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// All pages of a list.
fn pages(world: &World, command: &str, limit: usize) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let found = world.found(&format!("{command} LIMIT {limit}{cursor}")).unwrap();
        let page = names(&found.result);
        assert!(page.len() <= limit);
        all.extend(page);
        match found.next_cursor {
            Some(next) => cursor = format!(" CURSOR {next:?}"),
            None => return all,
        }
    }
}

#[test]
fn types_are_listed_in_order_and_in_pages() {
    let world = World::new();
    for (command, some) in [
        ("DESCRIBE CONCEPT TYPES", ["$ConceptType", "Domain", "Drug", "Symptom"]),
        ("DESCRIBE PROPOSITION TYPES", ["belongs_to_domain", "involves", "stated", "treats"]),
    ] {
        let whole = world.found(command).unwrap();
        let listed = names(&whole.result);
        assert!(listed.is_sorted() && whole.next_cursor.is_none(), "{listed:?}");
        assert!(some.iter().all(|name| listed.iter().any(|listed| listed == name)), "{listed:?}");
        for limit in [1, 2, 3, listed.len(), listed.len() + 1] {
            assert_eq!(pages(&world, command, limit), listed, "{limit}");
        }
        let none = world.found(&format!("{command} LIMIT 0")).unwrap();
        assert_eq!((none.result.to_json(), none.next_cursor), ("[]".to_owned(), None));
    }
}

#[test]
fn a_cursor_belongs_to_its_list() {
    let world = World::new();
    let next = world.found("DESCRIBE CONCEPT TYPES LIMIT 1").unwrap().next_cursor.unwrap();
    world.fails(&format!("DESCRIBE PROPOSITION TYPES LIMIT 1 CURSOR {next:?}"), KipCode::InvalidSyntax);
    world.fails_at("DESCRIBE CONCEPT TYPES CURSOR \"nonsense!\"", KipCode::InvalidSyntax, "\"nonsense!\"");
    world.fails("DESCRIBE CONCEPT TYPES LIMIT 10001", KipCode::ResourceExhausted);
    world.ok("DESCRIBE CONCEPT TYPES LIMIT 10000");
}

#[test]
fn a_type_is_described_by_its_definition() {
    let world = World::new();
    let drug = world.ok(r#"DESCRIBE CONCEPT TYPE "Drug""#);
    let keys: Vec<_> = drug.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["attributes", "id", "name", "type"]);
    assert_eq!(part(&drug, "name"), r#""Drug""#);
    assert_eq!(part(&drug, "type"), r#""$ConceptType""#);
    assert_eq!(part(&drug, "attributes"), r#"{"description":"A remedy."}"#);
    let treats = world.ok(r#"DESCRIBE PROPOSITION TYPE "treats""#);
    assert_eq!(part(&treats, "type"), r#""$PropositionType""#);
    for (text, near) in [
        (r#"DESCRIBE CONCEPT TYPE "drug""#, "Drug"),
        (r#"DESCRIBE PROPOSITION TYPE "treats1""#, "treats"),
        // A predicate is no type of concepts.
        (r#"DESCRIBE CONCEPT TYPE "treats""#, ""),
    ] {
        let error = world.fails(text, KipCode::NotFound);
        assert!(error.advice().contains(near) && error.span.is_some(), "{error:?}");
    }
}

#[test]
fn domains_are_described_without_metadata() {
    let world = World::new();
    let domains = world.ok("DESCRIBE DOMAINS");
    let named: Vec<_> = domains.as_array().unwrap().iter().map(|domain| part(domain, "name")).collect();
    assert_eq!(named, [r#""CoreSchema""#, r#""Unsorted""#, r#""Archived""#]);
    assert!(domains.as_array().unwrap().iter().all(|domain| domain.get("metadata").is_none()));
}

#[test]
fn the_primer_says_who_one_is_and_what_is_known() {
    let world = World::new();
    world.ok(r#"UPSERT {
        CONCEPT ?m { {type: "Domain", name: "Medicine"} SET ATTRIBUTES { description: "What heals." } }
        CONCEPT { {type: "$ConceptType", name: "Herb"} SET PROPOSITIONS { ("belongs_to_domain", ?m) } }
        CONCEPT { {type: "$PropositionType", name: "soothes"} SET PROPOSITIONS { ("belongs_to_domain", ?m) } }
        CONCEPT ?i { {type: "Drug", name: "Ibuprofen"} SET PROPOSITIONS { ("belongs_to_domain", ?m)
            ("treats", {type: "Symptom", name: "Fever"}) ("treats", {type: "Symptom", name: "Headache"}) } }
        CONCEPT ?a { {type: "Drug", name: "Aspirin"} SET PROPOSITIONS { ("belongs_to_domain", ?m) ("stated", ?i) } }
        CONCEPT { {type: "Symptom", name: "Nausea"} }
        CONCEPT { {type: "Symptom", name: "Cough"} SET PROPOSITIONS { ("belongs_to_domain", ?m) } }
    }"#);
    let primer = world.ok("DESCRIBE PRIMER");
    assert_eq!(part(primer.get("identity").unwrap(), "name"), r#""$self""#);
    assert_eq!(part(&primer, "total_domains"), "4");
    let (concepts, links) = world.size();
    let sizes = primer.get("sizes").unwrap();
    assert_eq!(
        (part(sizes, "concepts"), part(sizes, "propositions")),
        (concepts.to_string(), links.to_string())
    );
    let map = primer.get("domain_map").unwrap().as_array().unwrap();
    let medicine = map.iter().find(|domain| part(domain, "name") == r#""Medicine""#).unwrap();
    assert_eq!(part(medicine, "description"), r#""What heals.""#);
    assert_eq!(part(medicine, "members"), "5");
    // Four symptoms, two drugs, no herb; three links say what drugs treat, one what one stated.
    assert_eq!(part(medicine, "key_concept_types"), r#"["Symptom","Drug","Herb"]"#);
    assert_eq!(part(medicine, "key_proposition_types"), r#"["treats","stated","soothes"]"#);
    let core = map.iter().find(|domain| part(domain, "name") == r#""CoreSchema""#).unwrap();
    assert!(part(core, "key_proposition_types").contains("belongs_to_domain"), "{}", core.to_json());
    let largest = primer.get("largest_concept_types").unwrap().as_array().unwrap();
    let counts: Vec<u64> = largest
        .iter()
        .map(|kind| kind.get("concepts").and_then(Value::as_number).and_then(|count| count.as_u64()).unwrap())
        .collect();
    assert!(counts.is_sorted_by(|left, right| left >= right) && counts.len() > 3, "{counts:?}");
}

#[test]
fn pages_of_names_end_after_some_bytes_and_go_on_behind_them() {
    let world = World::new();
    let names = |text: &str, bytes_max: Option<usize>| {
        let Command::Describe(describe) = cairn_kip::parse(text).unwrap() else { panic!("{text}") };
        let snapshot = world.store.snapshot(Position::START).unwrap();
        let view = View::new(&*snapshot, world.scope);
        let mut budget = Budget::new(&world.clock, Allowance::default());
        cairn_query::describe(&view, &describe, bytes_max, &mut budget).unwrap()
    };
    let whole = names("DESCRIBE CONCEPT TYPES", None);
    for bytes_max in [1, 10, 30, 50, 1_000] {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = names(&format!("DESCRIBE CONCEPT TYPES {cursor}"), Some(bytes_max));
            let shown = page.result.as_array().unwrap();
            assert!(
                shown.len() == 1 || page.result.to_json().len() <= bytes_max + 2,
                "{}",
                page.result.to_json()
            );
            all.extend(shown.to_vec());
            let Some(next) = page.next_cursor else { break };
            cursor = format!(r#"CURSOR "{next}""#);
        }
        assert_eq!(Value::Array(all), whole.result, "by {bytes_max} bytes");
    }
}
