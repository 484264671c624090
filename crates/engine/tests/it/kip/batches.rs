//! Batches, parameters and shapes of answers.

use cairn_base::ErrorCode;

use super::kit::{Kip, code, codes, several};

#[test]
fn the_first_use_finds_an_identity() {
    let kip = Kip { world: crate::support::World::new() };
    let primer = kip.ok("DESCRIBE PRIMER");
    assert_eq!(primer.get("identity").unwrap().get("name").unwrap().as_str(), Some("$self"));
    let position = kip.engine().position();
    kip.ok("DESCRIBE DOMAINS");
    assert_eq!(kip.engine().position(), position, "it is made once");
    let reopened = kip.world.reopen();
    super::kit::send(
        &reopened,
        &kip.world.owner,
        kip.world.owner.tenant(),
        r#"{"command":"DESCRIBE PRIMER"}"#,
    )
    .unwrap();
    assert_eq!(reopened.position(), position);
}

#[test]
fn mistakes_are_answered_in_their_place_and_a_failed_change_ends_the_batch() {
    let kip = Kip::new();
    let answer = kip.ask(&several(
        &[
            "FIND ?x WHERE {{{",
            r#"UPSERT { CONCEPT { {type: "Drug", name: "First"} } "#,
            r#"UPSERT { CONCEPT { {type: "Drug", name: "Second"} } }"#,
            r#"FIND(?x) WHERE { ?x {type: "Nothing"} }"#,
            r#"DESCRIBE CONCEPT TYPE "Nothing""#,
            r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#,
            r#"UPSERT { CONCEPT { {type: "Nothing", name: "X"} } }"#,
            r#"UPSERT { CONCEPT { {type: "Drug", name: "Third"} } }"#,
        ],
        "",
    ));
    assert_eq!(
        codes(&answer),
        ["KIP_1001", "KIP_1001", "ok", "KIP_2001", "KIP_3002", "ok", "KIP_2001"],
        "{}",
        answer.to_json()
    );
    // What came before stays, what would have come after is not done.
    assert_eq!(
        kip.ok(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} }"#).to_json(),
        r#"["Aspirin","Ibuprofen","Second"]"#
    );
    let failed = kip.ask(&several(
        &[r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Domain"} }"#, "DESCRIBE DOMAINS"],
        "",
    ));
    assert_eq!(codes(&failed), ["KIP_3004"]);
}

#[test]
fn a_read_only_batch_refuses_changes_in_their_place() {
    let kip = Kip::new();
    let position = kip.engine().position();
    let answer = kip.ask(&several(
        &[
            r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} } }"#,
            r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} }"#,
            r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#,
        ],
        r#","readonly":true"#,
    ));
    assert_eq!(codes(&answer), ["KIP_1001", "KIP_1001", "ok"]);
    assert_eq!(kip.engine().position(), position);
}

#[test]
fn parameters_are_shared_and_own_ones_win() {
    let kip = Kip::new();
    let answer = kip.ask(
        r#"{"commands": [
            "FIND(?d.attributes.risk) WHERE { ?d {type: \"Drug\", name: :name} }",
            {"command": "FIND(?d.attributes.risk) WHERE { ?d {type: :type, name: :name} }", "parameters": {"name": "Ibuprofen"}},
            {"command": "UPSERT { CONCEPT { {type: :type, name: :new} SET ATTRIBUTES :missing } }"},
            {"command": "UPSERT { CONCEPT { {type: :type, name: :new} SET ATTRIBUTES { risk: :missing } } }"},
            {"command": "UPSERT { CONCEPT { {type: :type, name: :new} SET ATTRIBUTES { risk: :risk } } }",
             "parameters": {"new": "\"} WITH METADATA {", "risk": [1, {"a": null}]}}
        ], "parameters": {"type": "Drug", "name": "Aspirin"}}"#,
    );
    // What a parameter lacks is found before anything is done: it does not end the batch.
    assert_eq!(codes(&answer), ["ok", "ok", "KIP_1001", "KIP_1001", "ok"], "{}", answer.to_json());
    let results = answer.get("result").unwrap().as_array().unwrap();
    assert_eq!(results[0].to_json(), r#"{"result":[2]}"#);
    assert_eq!(results[1].to_json(), r#"{"result":[3]}"#);
    let found = kip.ok(r#"FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: "Drug"} FILTER(IS_NULL(?d.metadata.x)) } ORDER BY ?d.name LIMIT 1"#);
    assert_eq!(found.to_json(), r#"[["\"} WITH METADATA {"],[[1,{"a":null}]]]"#);
}

#[test]
fn rows_are_had_by_asking() {
    let kip = Kip::new();
    let command = r#"FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: \"Drug\"} }"#;
    let ask = |more: &str| kip.ask(&format!(r#"{{"command":"{command}"{more}}}"#)).to_json();
    assert_eq!(ask(""), r#"{"result":[["Aspirin","Ibuprofen"],[2,3]]}"#);
    assert_eq!(ask(r#","format":"rows""#), r#"{"result":[["Aspirin",2],["Ibuprofen",3]]}"#);
}

#[test]
fn pages_go_on_with_their_cursor() {
    let kip = Kip::new();
    let first = kip.command(r#"FIND(?d.name) WHERE { ?d {type: "Drug"} } LIMIT 1"#);
    assert_eq!(first.get("result").unwrap().to_json(), r#"["Aspirin"]"#);
    let cursor = first.get("next_cursor").unwrap().to_json();
    let second =
        kip.command(&format!(r#"FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} }} LIMIT 1 CURSOR {cursor}"#));
    assert_eq!(second.to_json(), r#"{"result":["Ibuprofen"]}"#);
    let types = kip.command("DESCRIBE CONCEPT TYPES LIMIT 2");
    assert!(types.get("next_cursor").is_some(), "{}", types.to_json());
}

#[test]
fn a_store_that_is_closed_is_no_mistake_of_the_command() {
    let kip = Kip::new();
    kip.engine().close().unwrap();
    for request in [
        super::kit::one(r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} } }"#),
        several(&[r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} } }"#], ""),
    ] {
        let error = kip.send(&kip.world.owner, &request).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Unavailable, "{request}: {error}");
    }
    // What was answered before is answered for all that, and nothing more is tried.
    let mixed = kip.send(
        &kip.world.owner,
        &several(
            &["NONSENSE", r#"UPSERT { CONCEPT { {type: "Drug", name: "X"} } }"#, "DESCRIBE DOMAINS"],
            "",
        ),
    );
    let mixed = mixed.unwrap();
    assert_eq!(codes(&mixed).len(), 2, "{}", mixed.to_json());
    assert_eq!(codes(&mixed)[0], "KIP_1001");
    assert_ne!(code(&mixed.get("result").unwrap().as_array().unwrap()[1]), "ok");
}

#[test]
fn explaining_changes_nothing_and_answers_a_plan() {
    let kip = Kip::new();
    let plan = kip.ok(r#"EXPLAIN FIND(?d) WHERE { ?d {type: "Drug"} }"#);
    assert_ne!(plan.to_json(), "null");
    let counted = kip.ok(r#"EXPLAIN ANALYZE FIND(?d) WHERE { ?d {type: "Drug"} }"#);
    assert_ne!(counted.to_json(), plan.to_json());
}

#[test]
fn commands_are_counted() {
    let kip = Kip::new();
    kip.command("NONSENSE");
    let text = kip.engine().render_prometheus();
    for line in [
        r#"cairn_kip_commands_total{command="UPSERT",outcome="ok"} 1"#,
        r#"cairn_kip_commands_total{command="SYNTAX",outcome="error"} 1"#,
        r#"cairn_kip_seconds_count{command="UPSERT"} 1"#,
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
