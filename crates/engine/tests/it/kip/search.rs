//! SEARCH: what was written is found, also after the index was made anew.

use std::sync::Arc;

use cairn_base::{TenantId, Value};
use cairn_engine::SearchHome;
use tempfile::TempDir;

use super::kit::{Kip, code, one, send};
use crate::search::{until, word};

struct Searched {
    kip: Kip,
    folder: TempDir,
}

impl Searched {
    fn new() -> Self {
        let searched = Searched { kip: Kip::new(), folder: tempfile::tempdir().unwrap() };
        searched.start();
        searched.kip.ok(
            r#"UPSERT {
                CONCEPT { {type: "Drug", name: "Acetylsalicylic acid"} SET ATTRIBUTES {
                    aliases: ["ASA", "Bayer's remedy"], description: "Thins the blood.", notes: {origin: ["willow bark"]}, risk: 4 } }
                CONCEPT { {type: "Symptom", name: "Willow allergy"} }
                PROPOSITION { ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Fever"})
                    SET ATTRIBUTES { evidence: "a randomised trial in Leipzig" } }
            } WITH METADATA { source: "zanzibar" }"#,
        );
        searched
    }

    fn start(&self) {
        let folder = Some(self.folder.path().to_owned());
        let home = SearchHome { folder, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        self.kip.engine().start_search(home).unwrap();
        until("the index is ready", || {
            let status = self.kip.engine().search_status();
            status.state == "ready" && status.detail.is_none()
        });
    }

    /// Another engine over the same store, with the same index.
    fn restart(&mut self) {
        self.kip.engine().close().unwrap();
        self.kip.world.engine = self.kip.world.reopen();
        self.start();
    }

    fn names(&self, text: &str) -> Vec<String> {
        texts(&self.kip.ok(text), "name")
    }
}

fn texts(found: &Value, key: &str) -> Vec<String> {
    let of = |hit: &Value| hit.get(key).unwrap().as_str().unwrap().to_owned();
    found.as_array().unwrap().iter().map(of).collect()
}

#[test]
fn concepts_are_found_by_names_aliases_and_what_is_known_of_them() {
    let searched = Searched::new();
    for (words, expected) in [
        ("aspirin", &["Aspirin"][..]),
        ("asa", &["Acetylsalicylic acid"]),
        ("bayer's remedy", &["Acetylsalicylic acid"]),
        ("blood", &["Acetylsalicylic acid"]),
        ("willow", &["Willow allergy", "Acetylsalicylic acid"]),
        // Where something comes from says nothing about what it is.
        ("zanzibar", &[]),
    ] {
        assert_eq!(searched.names(&format!("SEARCH CONCEPT {words:?}")), expected, "{words}");
    }
    let found = searched.kip.ok(r#"SEARCH CONCEPT "willow" WITH TYPE "Drug""#);
    assert_eq!(texts(&found, "name"), ["Acetylsalicylic acid"]);
    let hit = &found.as_array().unwrap()[0];
    assert_eq!(hit.get("type").unwrap().as_str(), Some("Drug"));
    assert_eq!(hit.get("attributes").unwrap().get("risk").unwrap().to_json(), "4");
    let metadata = hit.get("metadata").unwrap();
    let score = metadata.get("_score").unwrap().as_number().unwrap().to_f64();
    assert!(score > 0.0 && score <= 1.0, "{score}");
    let reason = &metadata.get("_reasons").unwrap().as_array().unwrap()[0];
    assert_eq!(reason.to_json(), r#"{"field":"text","rule":"word","term":"willow"}"#);
}

#[test]
fn links_are_found_by_what_is_written_on_them_and_by_their_predicates() {
    let searched = Searched::new();
    let found = searched.kip.ok(r#"SEARCH PROPOSITION "trial leipzig""#);
    assert_eq!(texts(&found, "predicate"), ["treats"]);
    let hit = &found.as_array().unwrap()[0];
    assert!(hit.get("id").unwrap().as_str().unwrap().ends_with(":treats"));
    assert!(hit.get("subject").unwrap().as_str().unwrap().starts_with("C:"));
    assert!(hit.get("object").unwrap().as_str().unwrap().starts_with("C:"));
    // Links with nothing on them are found by their predicate, its name or its description.
    searched.kip.ok(
        r#"UPSERT { PROPOSITION { ({type: "Drug", name: "Ibuprofen"}, "treats", {type: "Symptom", name: "Fever"}) } }"#,
    );
    for words in ["treats", "better"] {
        let found = searched.kip.ok(&format!("SEARCH PROPOSITION {words:?}"));
        assert_eq!(texts(&found, "predicate"), ["treats", "treats"], "{words}");
        for hit in found.as_array().unwrap() {
            let score = hit.get("metadata").unwrap().get("_score").unwrap().as_number().unwrap().to_f64();
            assert!(score > 0.0 && score <= 1.0, "{score}");
        }
    }
    let one = searched.kip.ok(r#"SEARCH PROPOSITION "treats" LIMIT 1"#);
    assert_eq!(one.as_array().unwrap().len(), 1);
    let none = searched.kip.ok(r#"SEARCH PROPOSITION "treats" WITH TYPE "belongs_to_domain""#);
    assert_eq!(none.to_json(), "[]");
    let typed = searched.kip.ok(r#"SEARCH PROPOSITION "leipzig" WITH TYPE "treats""#);
    assert_eq!(typed.as_array().unwrap().len(), 1);
}

#[test]
fn links_are_found_by_the_names_of_their_ends() {
    let searched = Searched::new();
    searched.kip.ok(
        r#"UPSERT { PROPOSITION { ({type: "Drug", name: "Ibuprofen"}, "treats", {type: "Symptom", name: "Fever"}) }
            CONCEPT { {type: "$PropositionType", name: "causes"} }
            PROPOSITION { ({type: "Drug", name: "Acetylsalicylic acid"}, "causes", {type: "Symptom", name: "Willow allergy"}) } }"#,
    );
    let ends = |text: &str| -> Vec<String> {
        let hits = searched.kip.ok(text);
        let end = |hit: &Value, key: &str| {
            let id = hit.get(key).unwrap().as_str().unwrap().to_owned();
            let found = searched.kip.ok(&format!(r#"FIND(?x.name) WHERE {{ ?x {{id: "{id}"}} }}"#));
            found.as_array().unwrap()[0].as_str().unwrap().to_owned()
        };
        hits.as_array()
            .unwrap()
            .iter()
            .map(|hit| format!("{} {}", end(hit, "subject"), end(hit, "object")))
            .collect()
    };
    // Nothing is written on it. What names both ends comes first.
    assert_eq!(ends(r#"SEARCH PROPOSITION "ibuprofen fever""#), ["Ibuprofen Fever", "Aspirin Fever"]);
    assert_eq!(ends(r#"SEARCH PROPOSITION "ibuprofen""#), ["Ibuprofen Fever"]);
    assert_eq!(ends(r#"SEARCH PROPOSITION "asa""#), ["Acetylsalicylic acid Willow allergy"], "by an alias");
    assert_eq!(ends(r#"SEARCH PROPOSITION "fever" LIMIT 1"#).len(), 1);
    assert_eq!(
        ends(r#"SEARCH PROPOSITION "willow" WITH TYPE "causes""#),
        ["Acetylsalicylic acid Willow allergy"]
    );
    assert!(ends(r#"SEARCH PROPOSITION "willow" WITH TYPE "treats""#).is_empty());
    // What else is said about an end says nothing about its links.
    assert!(ends(r#"SEARCH PROPOSITION "blood""#).is_empty());
    let hit = searched.kip.ok(r#"SEARCH PROPOSITION "ibuprofen""#).as_array().unwrap()[0].clone();
    let reasons = hit.get("metadata").unwrap().get("_reasons").unwrap().to_json();
    assert!(reasons.contains(r#""field":"subject""#), "{reasons}");
}

#[test]
fn hits_say_what_they_are_and_what_is_known_of_their_worth() {
    let searched = Searched::new();
    searched.kip.ok(
        r#"UPSERT { CONCEPT ?m { {type: "Drug", name: "Mercury"} } WITH METADATA { status: "retracted", superseded: true }
            PROPOSITION { (?m, "treats", {type: "Symptom", name: "Fever"}) SET ATTRIBUTES { note: "quicksilver" } }
                WITH METADATA { expires_at: "2020-01-01T00:00:00Z", confidence: 0.1 } }"#,
    );
    for (search, find, kind) in [
        (
            r#"SEARCH CONCEPT "mercury""#,
            r#"FIND(?x) WHERE { ?x {type: "Drug", name: "Mercury"} }"#,
            "ConceptNode",
        ),
        (
            r#"SEARCH PROPOSITION "quicksilver""#,
            r#"FIND(?x) WHERE { ?x ({type: "Drug", name: "Mercury"}, "treats", ?s) }"#,
            "PropositionLink",
        ),
    ] {
        let hits = searched.kip.ok(search);
        let Some([Value::Object(hit)]) = hits.as_array() else { panic!("{}", hits.to_json()) };
        let Value::Object(mut metadata) = hit["metadata"].clone() else { panic!("{}", hits.to_json()) };
        assert!(metadata.remove("_score").is_some() && metadata.remove("_reasons").is_some());
        assert_eq!(hit["_type"].as_str(), Some(kind));
        // But for its score, a hit is what FIND shows of the same element, empty attributes apart.
        let found = searched.kip.ok(find);
        let Some([Value::Object(found)]) = found.as_array() else { panic!("{}", found.to_json()) };
        assert_eq!(Value::Object(metadata), found["metadata"], "{search}");
        for (key, value) in found.iter().filter(|(key, _)| *key != "metadata") {
            assert_eq!(hit.get(key), Some(value), "{search}: {key}");
        }
    }
}

#[test]
fn what_was_just_written_is_found_and_what_was_deleted_is_not() {
    let searched = Searched::new();
    for number in 0..20 {
        let name = word(number);
        searched.kip.ok(&format!(r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "{name}"}} }} }}"#));
        assert_eq!(searched.names(&format!("SEARCH CONCEPT {name:?}")), [name]);
    }
    searched.kip.ok(
        r#"UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { description: "Tastes of quinces." } } }"#,
    );
    assert_eq!(searched.names(r#"SEARCH CONCEPT "quinces""#), ["Aspirin"]);
    searched
        .kip
        .ok(r#"DELETE ATTRIBUTES {"description"} FROM ?d WHERE { ?d {type: "Drug", name: "Aspirin"} }"#);
    assert!(searched.names(r#"SEARCH CONCEPT "quinces""#).is_empty());
    searched.kip.ok(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Aspirin"} }"#);
    assert!(searched.names(r#"SEARCH CONCEPT "aspirin""#).is_empty());
    assert_eq!(searched.kip.ok(r#"SEARCH PROPOSITION "leipzig""#).to_json(), "[]");
}

#[test]
fn everything_is_found_after_a_restart_and_in_a_new_index() {
    let mut searched = Searched::new();
    let request = r#"{"command":"UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Note\"} } CONCEPT { {type: \"Note\", name: \"Quince\"} } }","space":"notes"}"#;
    searched.kip.ask(request);
    // More than fits into one page.
    let many: String =
        (0..600).map(|n| format!(r#"CONCEPT {{ {{type: "Drug", name: "Serial {n}"}} }}"#)).collect();
    searched.kip.ok(&format!("UPSERT {{ {many} }}"));
    let check = |searched: &Searched| {
        assert_eq!(searched.names(r#"SEARCH CONCEPT "asa""#), ["Acetylsalicylic acid"]);
        assert_eq!(searched.names(r#"SEARCH CONCEPT "serial" LIMIT 500"#).len(), 100);
        assert_eq!(searched.names(r#"SEARCH CONCEPT "\"serial 599\"""#), ["Serial 599"]);
        assert_eq!(searched.kip.ok(r#"SEARCH PROPOSITION "leipzig""#).as_array().unwrap().len(), 1);
        // Spaces do not find each other's concepts.
        assert!(searched.names(r#"SEARCH CONCEPT "quince""#).is_empty());
        let notes = searched.kip.ask(r#"{"command":"SEARCH CONCEPT \"quince\"","space":"notes"}"#);
        assert_eq!(texts(notes.get("result").unwrap(), "name"), ["Quince"]);
    };
    check(&searched);
    searched.restart();
    check(&searched);
    let documents = searched.kip.engine().search_status().documents;
    searched.kip.engine().search_rebuild(&searched.kip.world.owner, &mut |_| true).unwrap();
    check(&searched);
    assert_eq!(searched.kip.engine().search_status().documents, documents);
}

#[test]
fn mistakes_of_a_search_are_named() {
    let searched = Searched::new();
    for (text, expected) in [
        (r#"SEARCH CONCEPT "x" WITH TYPE "drug""#, "KIP_2001"),
        (r#"SEARCH PROPOSITION "x" WITH TYPE "treets""#, "KIP_2001"),
        (r#"SEARCH CONCEPT """#, "KIP_1001"),
        (r#"SEARCH CONCEPT "x" LIMIT 0"#, "ok"),
    ] {
        assert_eq!(searched.kip.code(text), expected, "{text}");
    }
    assert_eq!(searched.names(r#"SEARCH CONCEPT "aspirin" LIMIT 0"#).len(), 0);
}

#[test]
fn without_an_index_searching_is_the_nodes_fault() {
    let kip = Kip::new();
    let error = kip.send(&kip.world.owner, &one(r#"SEARCH CONCEPT "aspirin""#)).unwrap_err();
    assert_eq!(error.code(), cairn_engine::EngineError::SearchOff.code());
    // Everything else goes on.
    let engine = Arc::clone(kip.engine());
    let answer = send(&engine, &kip.world.owner, TenantId::LOCAL, &one("DESCRIBE DOMAINS")).unwrap();
    assert_eq!(code(&answer), "ok");
}
