//! Searching a branch, with an index and without.

use cairn_engine::Engine;
use cairn_kb::tools::SearchOutput;
use serde_json::json;

use super::kit::{Kb, create, fill, input, target, upsert};
use crate::artifacts::kit::World as Searched;
use crate::search::until;

fn search(engine: &Engine, branch: &str, words: &str) -> SearchOutput {
    let input = serde_json::from_value(json!({"query": words})).unwrap();
    engine.kb_search(&cairn_access::Principal::local_owner(), &target(branch), &input).unwrap()
}

fn found(output: &SearchOutput) -> Vec<&str> {
    output.results.iter().map(|result| result.entity.text("id")).collect()
}

#[test]
fn without_an_index_titles_ids_and_tags_are_found_and_it_says_so() {
    let kb = Kb::filled();
    for (words, id) in [("sessions end", "R-1"), ("R-1", "R-1"), ("auth", "R-1"), ("SC-1", "SC-1")] {
        let output = search(kb.engine(), "main", words);
        assert_eq!(found(&output).first(), Some(&id), "{words}");
        assert!(output.behind);
    }
    assert!(search(kb.engine(), "main", "R-1").results[0].score > 0.9);
}

#[test]
fn with_an_index_bodies_are_found_too_also_in_a_copy() {
    let node = Searched::new();
    let engine = &node.engine;
    create(engine, &target("main"), None).unwrap();
    fill(engine, &target("main"));
    let body = "# Timeout\n\nA kingfisher signs out after half an hour.\n";
    let written = json!({"title": "Body", "status": "open", "body": body});
    upsert(engine, &target("main"), &input("req", "R-9", written, &[])).unwrap();
    until("the body is found", || found(&search(engine, "main", "kingfisher")) == ["R-9"]);
    let output = search(engine, "main", "kingfisher");
    assert!(!output.behind);
    let snippet = output.results[0].snippet.clone().unwrap_or_default();
    assert!(snippet.contains("kingfisher"), "{snippet}");
    assert!(!output.results[0].entity.0.contains_key("body"));

    create(engine, &target("copy"), Some("main")).unwrap();
    let at_once = search(engine, "copy", "R-9");
    assert_eq!(found(&at_once).first(), Some(&"R-9"), "its documents are not there yet, its entities are");
    until("the copy is found", || {
        engine.upkeep_once().unwrap();
        let output = search(engine, "copy", "kingfisher");
        !output.behind && found(&output) == ["R-9"]
    });
    super::kit::delete(engine, &target("copy"), &["R-9"]).unwrap();
    assert!(found(&search(engine, "copy", "kingfisher")).is_empty());
    assert_eq!(found(&search(engine, "main", "kingfisher")), ["R-9"]);
}
