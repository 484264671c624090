//! KIP reads the space of a branch, and does not write to it.

use serde_json::json;

use super::kit::{Kb, plain, rows, snapshot_id, target};
use crate::kip::kit::{code, send};

fn ask(kb: &Kb, text: &str) -> cairn_base::Value {
    let request = json!({"command": text, "space": "kb/ws/main"}).to_string();
    send(kb.engine(), &kb.world.owner, cairn_base::TenantId::LOCAL, &request).unwrap()
}

#[test]
fn kip_finds_requirements_without_a_test() {
    let kb = Kb::filled();
    kb.put(&plain("req", "R-3", &[("verified_by", "T-1")]));
    let found = ask(
        &kb,
        r#"FIND(?r.name) WHERE { ?r {type: "Requirement"} NOT { (?r, "verified_by", ?t) } } ORDER BY ?r.name ASC"#,
    );
    assert_eq!(found.get("result").unwrap().to_json(), r#"["R-1","R-2"]"#);
    let found = ask(&kb, r#"FIND(?s.attributes.source_file) WHERE { ?s {type: "CodeSymbol", name: "S-1"} }"#);
    assert_eq!(found.get("result").unwrap().to_json(), r#"["src/session.rs"]"#);
}

#[test]
fn kip_writes_are_refused_and_name_the_kb_command() {
    let kb = Kb::filled();
    let before = (rows(&*kb.world.store), snapshot_id(kb.engine(), &target("main")));
    for text in [
        r#"UPSERT { CONCEPT { {type: "Requirement", name: "R-1"} SET ATTRIBUTES { title: "x" } } }"#,
        r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Drug"} } }"#,
        r#"DELETE CONCEPT ?r DETACH WHERE { ?r {type: "Requirement", name: "R-1"} }"#,
        r#"DELETE ATTRIBUTES {"title"} FROM ?r WHERE { ?r {type: "Requirement"} }"#,
        r#"DELETE PROPOSITIONS ?l WHERE { ?l (?s, "implements", ?r) }"#,
    ] {
        let answer = ask(&kb, text);
        assert_ne!(code(&answer), "ok", "{text}");
        assert!(answer.to_json().contains("cairn kb"), "{}", answer.to_json());
    }
    assert!(before == (rows(&*kb.world.store), snapshot_id(kb.engine(), &target("main"))));
}

#[test]
fn upkeep_and_sleep_leave_the_space_alone() {
    let kb = Kb::filled();
    let before = rows(&*kb.world.store);
    for _ in 0..3 {
        kb.world.clock.advance(std::time::Duration::from_secs(100_000));
        kb.engine().upkeep_once().unwrap();
    }
    assert!(before == rows(&*kb.world.store));
}
