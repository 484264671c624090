//! Spaces: made by the first write, and apart from each other.

use cairn_access::Role;

use super::kit::{ACME, DRUGS, Kip, code, user};

fn in_space(space: &str, text: &str, more: &str) -> String {
    let text = cairn_base::Value::String(text.to_owned()).to_json();
    format!(r#"{{"command":{text},"space":{space:?}{more}}}"#)
}

#[test]
fn a_space_is_made_by_the_first_write_into_it() {
    let kip = Kip::new();
    let hint = |answer: &cairn_base::Value| {
        answer.get("error").unwrap().get("hint").unwrap().as_str().unwrap().to_owned()
    };
    let missing = kip.ask(&in_space("notes", "DESCRIBE PRIMER", ""));
    assert_eq!(code(&missing), "KIP_3002");
    assert!(hint(&missing).contains("memory"), "{missing:?}");
    // Neither of these makes it.
    let delete = r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} }"#;
    assert_eq!(code(&kip.ask(&in_space("notes", delete, ""))), "KIP_3002");
    let failing = r#"UPSERT { CONCEPT { {type: "Nothing", name: "X"} } }"#;
    assert_eq!(code(&kip.ask(&in_space("notes", failing, ""))), "KIP_2001");
    assert_eq!(code(&kip.ask(&in_space("notes", DRUGS, r#","dry_run":true"#))), "ok");
    assert_eq!(code(&kip.ask(&in_space("notes", "DESCRIBE PRIMER", ""))), "KIP_3002");
    // This does, with an identity of its own, and nothing of the other space.
    let note = r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Note"} } CONCEPT { {type: "Note", name: "N"} } }"#;
    assert_eq!(code(&kip.ask(&in_space("notes", note, ""))), "ok");
    assert_eq!(code(&kip.ask(&in_space("notes", "DESCRIBE PRIMER", ""))), "ok");
    assert_eq!(code(&kip.ask(&in_space("notes", r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#, ""))), "KIP_2001");
    assert_eq!(kip.code(r#"FIND(?n) WHERE { ?n {type: "Note"} }"#), "KIP_2001");
    let other = kip.ask(&in_space("other", "DESCRIBE PRIMER", ""));
    assert!(hint(&other).contains("memory, notes"), "{other:?}");
    assert_eq!(code(&kip.ask(&in_space("memory", r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#, ""))), "ok");
}

#[test]
fn spaces_of_other_tenants_are_not_there() {
    let kip = Kip::new();
    assert_eq!(code(&kip.ask(&in_space("secret-plans", DRUGS, ""))), "ok");
    let stranger = user("eve", ACME, Role::Writer);
    let read = |space: &str, text: &str| kip.send(&stranger, &in_space(space, text, "")).unwrap();
    let answer = read("secret-plans", "DESCRIBE PRIMER");
    assert_eq!(code(&answer), "KIP_3002");
    assert!(!answer.to_json().contains("memory, secret-plans"), "{answer:?}");
    // A space of the same name is another one, and so is each memory.
    let note = r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Note"} } }"#;
    assert_eq!(code(&read("secret-plans", note)), "ok");
    assert_eq!(code(&read("secret-plans", r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#)), "KIP_2001");
    assert_eq!(code(&read("memory", r#"FIND(?d) WHERE { ?d {type: "Drug"} }"#)), "KIP_2001");
    assert_eq!(kip.code(r#"FIND(?n) WHERE { ?n {type: "Note"} }"#), "KIP_2001");
}

#[test]
fn a_name_that_is_none_makes_no_space() {
    let kip = Kip::new();
    for space in ["", "x".repeat(400).as_str()] {
        let answer = kip.ask(&in_space(space, DRUGS, ""));
        assert_ne!(code(&answer), "ok", "{space:?}");
    }
}
