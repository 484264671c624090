//! Concepts that every space must have, in stores of versions that let them be deleted.

use std::sync::Arc;

use cairn_access::{Action, Resource};
use cairn_base::{SpaceId, TenantId, Value};
use cairn_engine::{Act, Engine, SearchHome};
use cairn_graph::{View, Writer};

use super::kit::{Kip, code, one, send, several};
use crate::search::until;
use crate::support::NOW_MS;

/// Deletes the types of events and of tasks as versions did that did not protect them.
fn lose(kip: &Kip) {
    let act = Act::new(Action::GraphWrite, Resource::space(TenantId::LOCAL, SpaceId::MEMORY));
    let lost = kip.engine().transact(&kip.world.owner, act, |tx, scope| {
        let lost = ["Event", "SleepTask"].map(|name| View::new(&*tx, *scope).type_id(name));
        let mut ids = Vec::new();
        for id in lost {
            ids.extend(id?.map(|id| id.concept()));
        }
        let mut writer = Writer::unprotected(tx, *scope, NOW_MS);
        let deleted = writer.delete_concepts(&ids)?;
        writer.finish()?;
        Ok(deleted.concepts)
    });
    assert_eq!(lost.unwrap().value, 2);
}

const NAMES: &str = r#"FIND(?t.name) WHERE { ?t {type: "$ConceptType"} FILTER(IN(?t.name, ["Event", "SleepTask"])) } ORDER BY ?t.name"#;

fn ask(engine: &Arc<Engine>, kip: &Kip, request: &str) -> Value {
    send(engine, &kip.world.owner, TenantId::LOCAL, request).unwrap()
}

#[test]
fn the_first_request_after_a_start_restores_whatever_it_is() {
    let write = r#"UPSERT { CONCEPT { {type: "Event", name: "now"} SET ATTRIBUTES { event_class: "x" } } }"#;
    let delete = r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Aspirin"} }"#;
    for first in [
        one(NAMES),
        one("DESCRIBE PRIMER"),
        one(write),
        one(delete),
        several(&["NONSENSE", write], ""),
        several(&[write, write], r#","dry_run":true"#),
        one(r#"UPSERT { CONCEPT { {type: "Nothing", name: "X"} } }"#),
    ] {
        let kip = Kip::new();
        lose(&kip);
        let engine = kip.world.reopen();
        ask(&engine, &kip, &first);
        let position = engine.position();
        assert_eq!(
            ask(&engine, &kip, &one(NAMES)).to_json(),
            r#"{"result":["Event","SleepTask"]}"#,
            "{first}"
        );
        assert_eq!(engine.position(), position, "restored once: {first}");
        // It is stored, and nothing more is written when the node starts again.
        let again = kip.world.reopen();
        assert_eq!(ask(&again, &kip, &one(NAMES)).to_json(), r#"{"result":["Event","SleepTask"]}"#);
        assert_eq!(again.position(), position);
        let deleted = r#"DELETE CONCEPT ?t DETACH WHERE { ?t {type: "$ConceptType", name: "Event"} }"#;
        assert_eq!(code(&ask(&again, &kip, &one(deleted))), "KIP_3004");
    }
}

#[test]
fn an_import_restores_before_its_first_line() {
    let kip = Kip::new();
    lose(&kip);
    let engine = kip.world.reopen();
    engine
        .kip_import_begin(&kip.world.owner, TenantId::LOCAL, &cairn_engine::KipImportOptions::default())
        .unwrap();
    assert_eq!(ask(&engine, &kip, &one(NAMES)).to_json(), r#"{"result":["Event","SleepTask"]}"#);
}

#[test]
fn what_is_restored_can_be_searched() {
    let kip = Kip::new();
    lose(&kip);
    let engine = kip.world.reopen();
    engine.start_search(SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 }).unwrap();
    until("the index is ready", || engine.search_status().state == "ready");
    let found = ask(&engine, &kip, &one(r#"SEARCH CONCEPT "SleepTask" WITH TYPE "$ConceptType" LIMIT 1"#));
    let first = found.get("result").and_then(Value::as_array).and_then(|hits| hits.first()).cloned();
    let name = first.as_ref().and_then(|hit| hit.get("name")).and_then(Value::as_str);
    assert_eq!(name, Some("SleepTask"), "{}", found.to_json());
    engine.close().unwrap();
}

#[test]
fn a_store_that_takes_no_writes_is_still_read() {
    let kip = Kip::new();
    lose(&kip);
    let engine = kip.world.reopen();
    engine.close().unwrap();
    let drugs = r#"FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }"#;
    assert_eq!(ask(&engine, &kip, &one(drugs)).to_json(), r#"{"result":2}"#);
}
