//! Every operation of the store fails once: a write is there as a whole or not at all, and memory agrees with the store.

use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::ManualClock;
use cairn_engine::{Engine, EngineError};
use cairn_kb::sync::{SyncFile, SyncHeader, SyncInput};
use cairn_seam::{FaultPlan, FaultyStore, MemoryStore, SeamFault, Store};
use serde_json::{Value, json};

use super::kit::{Rows, create, delete, elsewhere, fill, plain, query, reports, rows, target, upsert};
use super::sync::with_changes_max;
use crate::support::{NOW_MS, open};

const KINDS: [SeamFault; 5] = [
    SeamFault::Fail,
    SeamFault::LoseAnswer,
    SeamFault::Rerun,
    SeamFault::Tear { at: 0 },
    SeamFault::Tear { at: 3 },
];
const OPERATIONS_MAX: u64 = 300;

type Acting = fn(&Engine) -> Result<(), EngineError>;

/// Something to do, and how many changes of a sync are one transaction.
type Case = (&'static str, usize, Acting);

const SYNCS: [Case; 2] = [("sync", usize::MAX, again), ("staged sync", 0, again)];

const CASES: [Case; 6] = [
    ("upsert", usize::MAX, |engine| {
        upsert(
            engine,
            &target("main"),
            &plain("req", "R-9", &[("depends_on", "R-1"), ("verified_by", "T-1")]),
        )
        .map(drop)
    }),
    ("results", usize::MAX, |engine| {
        let cases = json!([{"name": "T-1", "status": "failing"}]);
        super::results::import(engine, "2023-11-01T10:00:00Z", cases).map(drop)
    }),
    ("delete", usize::MAX, |engine| delete(engine, &target("main"), &["FL-1", "S-1"]).map(drop)),
    ("create", usize::MAX, |engine| create(engine, &target("other"), None).map(drop)),
    ("copy", usize::MAX, |engine| create(engine, &target("other"), Some("main")).map(drop)),
    ("delete branch", usize::MAX, |engine| {
        engine.kb_delete_branch(&Principal::local_owner(), &target("main")).map(drop)
    }),
];

/// A file that `prepared` syncs; `again` has other entities in it.
fn file(hash: &str, entities: &[Value]) -> SyncFile {
    let entities: Vec<Value> = entities.iter().map(|entity| json!({"entity": entity})).collect();
    serde_json::from_value(json!({"path": "doc.md", "hash": hash, "entities": entities})).unwrap()
}

fn again(engine: &Engine) -> Result<(), EngineError> {
    let test = json!({"type": "test", "id": "DOC-T", "properties": {"title": "Test", "status": "passing"}});
    let links = json!([{"type": "verified_by", "from": "DOC-1", "to": "DOC-T"}, {"type": "depends_on", "from": "DOC-1", "to": "R-1"}]);
    let req = json!({"type": "req", "id": "DOC-1", "properties": {"title": "New", "status": "open"}, "relationships": links});
    let input = SyncInput { header: SyncHeader::default(), files: vec![file("2", &[req, test])] };
    engine.kb_sync(&Principal::local_owner(), &target("main"), &input, &mut |_| true).map(drop)
}

/// What clients see: the entities, relationships and files of each branch.
fn seen(engine: &Engine) -> Vec<Result<(u64, u64, Vec<String>), &'static str>> {
    let of = |branch| {
        let status = engine.kb_status(&Principal::local_owner(), &target(branch));
        let status = status.map_err(|error| error.code().name())?;
        let found =
            query(engine, &target(branch), json!({"limit": 1000})).map_err(|error| error.code().name())?;
        assert_eq!(found.count, status.entities);
        let files = engine.kb_files(&Principal::local_owner(), &target(branch));
        let files = files.map_err(|error| error.code().name())?.files;
        Ok((status.entities, status.relationships, files.into_iter().map(|file| file.hash).collect()))
    };
    vec![of("main"), of("other")]
}

fn node(plan: FaultPlan) -> (Arc<dyn Store>, Arc<FaultyStore>, ManualClock) {
    let clock = ManualClock::new(NOW_MS);
    let inner: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let faulty = Arc::new(FaultyStore::new(Arc::clone(&inner), plan));
    (inner, faulty, clock)
}

fn prepared(faulty: &Arc<FaultyStore>, clock: &ManualClock, kb_sync_changes_max: usize) -> Arc<Engine> {
    let engine = open(Arc::clone(faulty) as Arc<dyn Store>, clock).unwrap();
    create(&engine, &target("main"), None).unwrap();
    fill(&engine, &target("main"));
    let old = ["DOC-1", "DOC-2"]
        .map(|id| json!({"type": "req", "id": id, "properties": {"title": "Old", "status": "open"}}));
    let input = SyncInput { header: SyncHeader::default(), files: vec![file("1", &old)] };
    engine.kb_sync(&Principal::local_owner(), &target("main"), &input, &mut |_| true).unwrap();
    drop(engine);
    with_changes_max(Arc::clone(faulty) as Arc<dyn Store>, clock, kb_sync_changes_max)
}

#[test]
fn whatever_fails_a_write_is_whole_or_absent_and_memory_agrees() {
    check(&CASES);
}

#[test]
fn whatever_fails_a_sync_is_whole_or_absent_and_memory_agrees() {
    check(&SYNCS);
}

fn check(cases: &[Case]) {
    for (name, changes_max, act) in cases.iter().copied() {
        let (_, faulty, clock) = node(FaultPlan::none());
        let engine = prepared(&faulty, &clock, changes_max);
        let (first, before) = (faulty.operations(), seen(&engine));
        let first = first.min(faulty.operations());
        act(&engine).unwrap();
        let after = seen(&engine);
        for fault in KINDS {
            for n in first..first + OPERATIONS_MAX {
                let what = format!("{name}: {fault:?} at operation {}", n - first);
                let (inner, faulty, clock) = node(FaultPlan::at(n, fault));
                let engine = prepared(&faulty, &clock, changes_max);
                let outcome = act(&engine);
                let is_over = faulty.operations() <= n;
                // The fault may still come.
                let mut here = seen(&engine);
                if here.iter().any(|seen| seen.as_ref().is_err_and(|code| *code != "KbNoBranch")) {
                    here = seen(&engine);
                }
                let there = elsewhere(Arc::clone(&inner));
                assert_eq!(here, seen(&there), "{what}");
                assert!(here == before || here == after, "{what}: {here:?}");
                if outcome.is_ok() {
                    assert_eq!(here, after, "{what}");
                }
                if here[0].is_ok() {
                    let main = target("main");
                    assert_eq!(reports(&engine, &main).unwrap(), reports(&there, &main).unwrap(), "{what}");
                }
                // Asking again does it.
                act(&engine).ok();
                act(&engine).unwrap_or_else(|error| panic!("{what}: {error}"));
                if is_over {
                    break;
                }
            }
        }
    }
}

#[test]
fn nothing_of_a_failed_write_is_stored() {
    let (_, faulty, clock) = node(FaultPlan::none());
    let engine = prepared(&faulty, &clock, usize::MAX);
    let rows_of = |store: &Arc<FaultyStore>| -> Rows { rows(&**store) };
    let before = rows_of(&faulty);
    faulty.take_no_writes(Some(|| cairn_seam::StoreError::Conflict));
    let refused = upsert(&engine, &target("main"), &plain("req", "R-9", &[]));
    assert!(refused.is_err());
    faulty.take_no_writes(None);
    assert!(before == rows_of(&faulty));
    upsert(&engine, &target("main"), &plain("req", "R-9", &[])).unwrap();
}
