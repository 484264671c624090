//! Writing: one transaction each, and dry runs.

use std::ops::Bound;

use cairn_base::Position;
use cairn_engine::tables;
use cairn_seam::{KeyRange, Store, Visit};

use super::kit::{Kip, code};

#[test]
fn a_statement_that_fails_at_its_end_leaves_nothing() {
    let kip = Kip::new();
    let position = kip.engine().position();
    let answer = kip.command(
        r#"UPSERT { CONCEPT ?x { {type: "Drug", name: "X"} SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Fever"}) } } }
           UPSERT { CONCEPT { {type: "Drug", name: "Y"} } PROPOSITION { ({type: "Drug", name: "Y"}, "nothing", {type: "Drug", name: "Y"}) } }"#,
    );
    assert_eq!(code(&answer), "KIP_2001");
    let message = answer.get("error").unwrap().get("message").unwrap().as_str().unwrap();
    assert!(message.contains("line 2"), "{message}");
    assert_eq!(kip.engine().position(), position);
    assert_eq!(kip.ok(r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#).to_json(), "2");
}

#[test]
fn a_dry_run_says_what_would_be_and_does_nothing() {
    let kip = Kip::new();
    let position = kip.engine().position();
    let dry = |text: &str| {
        let text = cairn_base::Value::String(text.to_owned()).to_json();
        kip.ask(&format!(r#"{{"command":{text},"dry_run":true}}"#))
    };
    let upsert =
        dry(r#"UPSERT { CONCEPT ?x { {type: "Drug", name: "X"} SET PROPOSITIONS { ("treats", ?x) } }
            CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 9 } } }"#);
    let result = upsert.get("result").unwrap();
    for (key, expected) in [
        ("blocks", "1"),
        ("upsert_concept_nodes", "[]"),
        ("upsert_proposition_links", "[]"),
        ("created", r#"{"concepts":1,"propositions":1}"#),
        ("updated", r#"{"concepts":1,"propositions":0}"#),
    ] {
        assert_eq!(result.get(key).unwrap().to_json(), expected, "{key}");
    }
    let delete = dry(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} }"#);
    assert_eq!(delete.to_json(), r#"{"result":{"deleted_concepts":2,"deleted_propositions":1}}"#);
    assert_eq!(code(&dry(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Domain"} }"#)), "KIP_3004");
    assert_eq!(code(&dry(r#"UPSERT { CONCEPT { {type: "Nothing", name: "X"} } }"#)), "KIP_2001");
    assert_eq!(dry(r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#).to_json(), r#"{"result":2}"#);
    assert_eq!(kip.engine().position(), position);
}

/// Blobs that records refer to.
fn referred(kip: &Kip) -> usize {
    let snapshot = kip.world.store.snapshot(Position::START).unwrap();
    let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
    let mut count = 0;
    for table in tables::referring() {
        let visit = &mut |_: usize, _: &[u8], value: &[u8]| {
            (table.references)(value, &mut |_| count += 1).unwrap();
            Visit::Continue
        };
        snapshot.multi_scan(table.keyspace, &everything, visit).unwrap();
    }
    count
}

#[test]
fn long_elements_keep_their_blobs() {
    let kip = Kip::new();
    let text = "long ".repeat(20_000);
    let upsert = format!(
        r#"UPSERT {{ CONCEPT ?l {{ {{type: "Drug", name: "Long"}} SET ATTRIBUTES {{ text: {text:?} }} }}
            PROPOSITION {{ (?l, "treats", {{type: "Symptom", name: "Fever"}}) SET ATTRIBUTES {{ text: "{text}!" }} }} }}"#
    );
    assert_eq!(referred(&kip), 0);
    kip.ok(&upsert);
    let found = kip.ok(r#"FIND(?d.attributes.text) WHERE { ?d {type: "Drug", name: "Long"} }"#);
    assert_eq!(found.as_array().unwrap()[0].as_str(), Some(&*text));
    assert_eq!(referred(&kip), 2);
    kip.ok(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Long"} }"#);
    assert_eq!(referred(&kip), 0);
}
