//! Syncs of a branch: what is stored, in one commit, and what others see meanwhile.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cairn_access::Principal;
use cairn_base::{ManualClock, SeededEntropy};
use cairn_engine::{Engine, EngineConfig, EngineError, SearchHome, SearchMode};
use cairn_kb::sync::{SyncFile, SyncHeader, SyncInput, SyncReport, SyncedFiles};
use cairn_kb::tools::SyncState;
use cairn_seam::{MemoryStore, Store};
use serde_json::{Value, json};

use super::doctor::verify;
use super::kit::{
    Kb, claim, code, create, delete, elsewhere, ids, input, plain, query, reports, subject, target, upsert,
    writes,
};
use crate::search::until;
use crate::support::NOW_MS;

/// An engine that stages syncs with more than so many changes.
pub(super) fn with_changes_max(store: Arc<dyn Store>, clock: &ManualClock, max: usize) -> Arc<Engine> {
    let config = EngineConfig { kb_sync_changes_max: max, ..EngineConfig::default() };
    Engine::open(store, Arc::new(clock.clone()), Arc::new(SeededEntropy::new(1)), config).unwrap()
}

/// A requirement, as a document has it.
fn req(id: &str, title: &str, links: &[(&str, &str)]) -> Value {
    let one = input("req", id, json!({"title": title, "status": "open"}), links);
    json!({"line": 1, "entity": serde_json::to_value(one).unwrap()})
}

fn file(path: &str, hash: &str, entities: &[Value]) -> SyncFile {
    serde_json::from_value(json!({"path": path, "hash": hash, "entities": entities})).unwrap()
}

fn sync(engine: &Engine, branch: &str, header: Value, files: &[SyncFile]) -> Result<SyncReport, EngineError> {
    let header: SyncHeader = serde_json::from_value(header).unwrap();
    let input = SyncInput { header, files: files.to_vec() };
    engine.kb_sync(&Principal::local_owner(), &target(branch), &input, &mut |_| true)
}

fn files(engine: &Engine, branch: &str) -> SyncedFiles {
    engine.kb_files(&Principal::local_owner(), &target(branch)).unwrap()
}

fn status(engine: &Engine, branch: &str) -> cairn_kb::tools::StatusOutput {
    engine.kb_status(&Principal::local_owner(), &target(branch)).unwrap()
}

/// Every report but the parts that change with the place and time of a write.
fn seen(engine: &Engine, branch: &str) -> Vec<Value> {
    let reports = reports(engine, &target(branch)).unwrap();
    let mut seen: Vec<Value> = reports.iter().map(|report| serde_json::from_str(report).unwrap()).collect();
    seen.iter_mut().for_each(plainly);
    seen
}

fn plainly(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            ["snapshotId", "snapshot_id", "branch", "kbPath", "copiedFrom"]
                .iter()
                .for_each(|name| drop(entries.remove(*name)));
            entries.values_mut().for_each(plainly);
        }
        Value::Array(items) => items.iter_mut().for_each(plainly),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Two documents that refer to an entity of tools and to each other.
fn documents() -> Vec<SyncFile> {
    vec![
        file(
            "a.md",
            "a1",
            &[req("A", "A", &[("depends_on", "B"), ("specified_by", "SC-1")]), req("A2", "A2", &[])],
        ),
        file("b.md", "b1", &[req("B", "B", &[("depends_on", "NONE")])]),
    ]
}

/// The same documents, changed.
fn changed() -> Vec<SyncFile> {
    vec![file("a.md", "a2", &[req("A", "New", &[("depends_on", "B"), ("verified_by", "T-1")])])]
}

#[test]
fn files_are_remembered_with_the_branch() {
    let kb = Kb::filled();
    let engine = kb.engine();
    assert_eq!(status(engine, "main").last_sync_at, None);
    let report = sync(engine, "main", json!({}), &documents()).unwrap();
    assert_eq!((report.created, report.problem_count, report.stored, report.staged), (3, 1, true, false));
    assert!(report.problems[0].message.contains("depends_on NONE"), "{:?}", report.problems);
    let found = files(engine, "main");
    assert_eq!(found.sync_id, report.sync_id);
    let shown: Vec<_> = found
        .files
        .iter()
        .map(|file| (&*file.path, &*file.hash, file.entities.join(","), file.problems, file.resend))
        .collect();
    assert_eq!(shown, [("a.md", "a1", "A,A2".into(), false, false), ("b.md", "b1", "B".into(), true, true)]);
    let status = status(engine, "main");
    assert_eq!((status.file_owned, status.diverged, status.files_with_problems), (3, 0, 1));
    assert!(status.last_sync_at.is_some());
    // What is known without the files.
    assert_eq!((status.dirty, status.sync_state), (true, SyncState::Stale));
    assert_eq!(status.stale_reasons, ["1 document has problems"]);
    assert_eq!(status.stale_reason_count, 1);
    // Files are no entities.
    assert_eq!(status.entities, 13);
    assert_eq!(found, files(&elsewhere(kb.store()), "main"));
    create(engine, &target("copy"), Some("main")).unwrap();
    assert_eq!(files(engine, "copy").files, found.files);
    assert_eq!(seen(engine, "copy"), seen(engine, "main"));
    assert_eq!(verify(engine, false), []);
}

#[test]
fn a_sync_that_changes_nothing_writes_nothing() {
    let kb = Kb::filled();
    let first = sync(kb.engine(), "main", json!({}), &documents()).unwrap();
    let before = kb.rows();
    let again = sync(kb.engine(), "main", json!({}), &documents()).unwrap();
    assert_eq!((again.unchanged, again.updated, again.stored), (3, 0, false));
    assert_eq!((again.snapshot_id, again.sync_id), (first.snapshot_id, first.sync_id));
    assert!(before == kb.rows());
    // A preview says what would be done, and does nothing.
    let preview = sync(kb.engine(), "main", json!({"validateOnly": true}), &changed()).unwrap();
    assert_eq!((preview.updated, preview.removed, preview.stored), (1, 1, false));
    assert!(before == kb.rows());
    let real = sync(kb.engine(), "main", json!({}), &changed()).unwrap();
    assert_eq!((real.updated, real.removed, real.stored), (1, 1, true));
    // An empty tree was synced too, from then on.
    create(kb.engine(), &target("empty"), None).unwrap();
    assert!(sync(kb.engine(), "empty", json!({}), &[]).unwrap().stored);
    assert!(status(kb.engine(), "empty").last_sync_at.is_some());
    assert!(!sync(kb.engine(), "empty", json!({}), &[]).unwrap().stored);
}

#[test]
fn a_staged_sync_gives_what_one_transaction_does() {
    let (one, other) = (Kb::filled(), Kb::filled());
    let staging = with_changes_max(other.store(), &other.world.clock, 0);
    for (at, step) in [documents(), changed(), vec![]].iter().enumerate() {
        let header = if at == 2 { json!({"removed": ["a.md"]}) } else { json!({}) };
        let before = writes(&status(&staging, "main").snapshot_id);
        let expected = sync(one.engine(), "main", header.clone(), step).unwrap();
        let report = sync(&staging, "main", header, step).unwrap();
        assert!(report.staged && !expected.staged);
        assert_eq!(writes(&report.snapshot_id), before + 1);
        let plain = |report: SyncReport| SyncReport {
            staged: false,
            snapshot_id: String::new(),
            sync_id: String::new(),
            ..report
        };
        assert_eq!(plain(report), plain(expected));
        assert_eq!(seen(&staging, "main"), seen(one.engine(), "main"));
        assert_eq!(files(&staging, "main").files, files(one.engine(), "main").files);
        // Also after it is read again, and with what upkeep still has to do.
        assert_eq!(
            reports(&staging, &target("main")).unwrap(),
            reports(&elsewhere(other.store()), &target("main")).unwrap()
        );
        staging.upkeep_once().unwrap();
        assert_eq!(seen(&staging, "main"), seen(one.engine(), "main"));
        assert_eq!(verify(&staging, false), []);
        let branch = staging.kb_branches(&Principal::local_owner(), target("main").tenant, None).unwrap();
        assert_eq!(branch.branches.len(), 1);
        // Tools write to what became of it.
        let tool = format!("TOOL-{at}");
        upsert(&staging, &target("main"), &plain_req(&tool)).unwrap();
        upsert(one.engine(), &target("main"), &plain_req(&tool)).unwrap();
    }
    // Nothing is left of the spaces that were replaced.
    staging.upkeep_once().unwrap();
    assert_eq!(spaces_with_concepts(&*other.store()), 1);
}

fn plain_req(id: &str) -> cairn_kb::tools::UpsertInput {
    plain("req", id, &[])
}

#[test]
fn a_stopped_sync_leaves_nothing() {
    for max in [usize::MAX, 0] {
        let kb = Kb::filled();
        let engine = with_changes_max(kb.store(), &kb.world.clock, max);
        let before = seen(&engine, "main");
        for stop_at in 0.. {
            let mut calls = 0;
            let input = SyncInput { header: SyncHeader::default(), files: documents() };
            let outcome = engine.kb_sync(&Principal::local_owner(), &target("main"), &input, &mut |_| {
                calls += 1;
                calls <= stop_at
            });
            if let Ok(report) = outcome {
                assert!(report.stored && stop_at >= 2, "{stop_at}");
                break;
            }
            assert_eq!(seen(&engine, "main"), before, "{stop_at}");
            assert!(stop_at < 100);
            // As after the end of the process: upkeep of another one tidies.
            let next = elsewhere(kb.store());
            next.upkeep_once().unwrap();
            assert_eq!(seen(&next, "main"), before);
            assert_eq!(verify(&next, false), []);
        }
    }
}

#[test]
fn a_sync_that_dies_leaves_nothing() {
    let kb = Kb::filled();
    let before = seen(kb.engine(), "main");
    for die_at in 1.. {
        let engine = with_changes_max(kb.store(), &kb.world.clock, 0);
        let input = SyncInput { header: SyncHeader::default(), files: documents() };
        let mut calls = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            engine.kb_sync(&Principal::local_owner(), &target("main"), &input, &mut |_| {
                calls += 1;
                assert!(calls != die_at, "the process ends here");
                true
            })
        }));
        if outcome.is_ok() {
            assert!(die_at > 5, "{die_at}");
            break;
        }
        drop(engine);
        let next = elsewhere(kb.store());
        assert_eq!(seen(&next, "main"), before, "{die_at}");
        next.upkeep_once().unwrap();
        assert_eq!(spaces_with_concepts(&*kb.store()), 1, "{die_at}: upkeep removes what was staged");
        assert_eq!(verify(&next, false), []);
    }
    assert_ne!(seen(&elsewhere(kb.store()), "main"), before);
}

/// The number of spaces that have any concept.
fn spaces_with_concepts(store: &dyn Store) -> usize {
    let rows = super::kit::rows(store).into_keys();
    let concepts = rows.filter(|(keyspace, _)| *keyspace == cairn_graph::tables::CONCEPTS.id);
    concepts.map(|(_, key)| key[..8].to_vec()).collect::<BTreeSet<_>>().len()
}

#[test]
fn readers_and_tools_meet_no_half_of_a_sync() {
    const ROUNDS: usize = 12;
    for max in [usize::MAX, 0] {
        let kb = Kb::filled();
        let engine = with_changes_max(kb.store(), &kb.world.clock, max);
        let done = AtomicBool::new(false);
        let written = thread::scope(|scope| {
            let (engine, done) = (&engine, &done);
            let reader = scope.spawn(move || {
                while !done.load(Ordering::Acquire) {
                    let found =
                        query(engine, &target("main"), json!({"type": "req", "limit": 1000})).unwrap();
                    let of_documents: Vec<_> =
                        found.entities.iter().filter(|entity| !entity.text("file").is_empty()).collect();
                    let titles: BTreeSet<_> =
                        of_documents.iter().map(|entity| entity.text("title")).collect();
                    assert!(titles.len() <= 1, "of one sync: {titles:?}");
                    assert!([0, 20].contains(&of_documents.len()), "{}", of_documents.len());
                }
            });
            let tools = scope.spawn(move || {
                let mut count = 0;
                while !done.load(Ordering::Acquire) {
                    upsert(engine, &target("main"), &plain_req(&format!("TOOL-{count:04}"))).unwrap();
                    count += 1;
                }
                count
            });
            for round in 0..ROUNDS {
                let title = format!("round {round}");
                let of = |path: &str| {
                    let entities: Vec<_> = (0..10)
                        .map(|at| req(&format!("{path}-{at}"), &title, &[("depends_on", "R-1")]))
                        .collect();
                    file(path, &title, &entities)
                };
                sync(engine, "main", json!({}), &[of("a.md"), of("b.md")]).unwrap();
            }
            done.store(true, Ordering::Release);
            reader.join().unwrap();
            tools.join().unwrap()
        });
        let found = query(&engine, &target("main"), json!({"type": "req", "limit": 1000})).unwrap();
        let tools = ids(&found).into_iter().filter(|id| id.starts_with("TOOL")).count();
        assert_eq!(tools, written, "no upsert is lost");
        assert_eq!(files(&engine, "main").files.len(), 2);
        let here = reports(&engine, &target("main")).unwrap();
        assert_eq!(here, reports(&elsewhere(kb.store()), &target("main")).unwrap());
    }
}

#[test]
fn two_syncs_at_once_follow_each_other() {
    for max in [usize::MAX, 0] {
        let kb = Kb::filled();
        let engine = with_changes_max(kb.store(), &kb.world.clock, max);
        thread::scope(|scope| {
            for name in ["a", "b", "c"] {
                let engine = &engine;
                scope.spawn(move || {
                    let path = format!("{name}.md");
                    sync(
                        engine,
                        "main",
                        json!({}),
                        &[file(&path, "1", &[req(name, name, &[("depends_on", "R-1")])])],
                    )
                    .unwrap();
                });
            }
        });
        let found = files(&engine, "main");
        let paths: Vec<_> = found.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a.md", "b.md", "c.md"]);
        // One that was prepared for an earlier state is refused.
        let stale = json!({"expectSync": "0.0"});
        assert_eq!(code(sync(&engine, "main", stale, &documents())), "KbSyncMoved");
        let current = json!({"expectSync": found.sync_id});
        assert!(sync(&engine, "main", current.clone(), &documents()).unwrap().stored);
        assert_eq!(code(sync(&engine, "main", current, &changed())), "KbSyncMoved");
    }
}

#[test]
fn a_branch_that_is_deleted_meanwhile_takes_the_sync_along() {
    for max in [usize::MAX, 0] {
        let kb = Kb::filled();
        let engine = with_changes_max(kb.store(), &kb.world.clock, max);
        let mut is_deleted = false;
        let input = SyncInput { header: SyncHeader::default(), files: documents() };
        let owner = Principal::local_owner();
        let outcome = engine.kb_sync(&owner, &target("main"), &input, &mut |stage| {
            if stage.name == "writing" && !is_deleted {
                is_deleted = engine.kb_delete_branch(&owner, &target("main")).unwrap();
            }
            true
        });
        assert_eq!(code(outcome), "KbNoBranch");
        engine.upkeep_once().unwrap();
        create(&engine, &target("main"), None).unwrap();
        assert_eq!(status(&engine, "main").entities, 0);
        assert_eq!(verify(&engine, false), []);
    }
}

#[test]
fn a_copy_during_a_staged_sync_is_the_branch_before_or_after() {
    let kb = Kb::filled();
    let engine = with_changes_max(kb.store(), &kb.world.clock, 0);
    let before = seen(&engine, "main");
    thread::scope(|scope| {
        let copying = scope.spawn(|| create(&engine, &target("copy"), Some("main")).unwrap());
        sync(&engine, "main", json!({}), &documents()).unwrap();
        copying.join().unwrap();
    });
    let copy = seen(&engine, "copy");
    assert!(copy == before || copy == seen(&engine, "main"));
}

#[test]
fn contradictions_are_stored_and_reported() {
    let kb = Kb::new();
    for one in [subject(), claim("F-30", "lte", 30), claim("F-60", "gte", 60)] {
        kb.put(&one);
    }
    let of = |id: &str, fact: &str| req(id, id, &[("constrains", "F-S"), ("requires_property", fact)]);
    let one = file("a.md", "1", &[of("A", "F-30"), of("B", "F-60")]);
    for (header, is_stored) in [(json!({"validateOnly": true}), false), (json!({}), true)] {
        let report = sync(kb.engine(), "main", header, std::slice::from_ref(&one)).unwrap();
        assert_eq!((report.problem_count, report.contradiction_count, report.stored), (0, 1, is_stored));
        assert_eq!(report.contradictions[0].requirements, ["A", "B"]);
    }
    let report = sync(kb.engine(), "main", json!({}), &[file("a.md", "2", &[of("A", "F-30")])]).unwrap();
    assert_eq!(report.contradiction_count, 0);
}

#[test]
fn what_tools_do_to_entities_of_documents_shows() {
    let kb = Kb::filled();
    let engine = kb.engine();
    sync(engine, "main", json!({}), &documents()).unwrap();
    let put = kb.put(&input("req", "A2", json!({"title": "Mine"}), &[]));
    assert!(put.warnings.iter().any(|warning| warning.contains("a.md")), "{:?}", put.warnings);
    let found = query(engine, &target("main"), json!({"id": "A2"})).unwrap();
    assert_eq!((found.entities[0].text("file"), &found.entities[0].0["diverged"]), ("a.md", &true.into()));
    assert_eq!((status(engine, "main").diverged, files(engine, "main").files[0].resend), (1, true));
    assert_eq!(sync(engine, "main", json!({}), &documents()).unwrap().diverged[0].id, "A2");
    assert_eq!(code(kb.try_put(&input("req", "A2", json!({"file": "other.md"}), &[]))), "KbInvalidEntity");
    let gone = delete(engine, &target("main"), &["A2"]).unwrap();
    assert!(gone.warnings[0].contains("A2 (a.md)"), "{:?}", gone.warnings);
    assert_eq!(sync(engine, "main", json!({}), &documents()).unwrap().created, 1);
    let forced = kb.put(&input("req", "A2", json!({"title": "Mine"}), &[]));
    assert!(!forced.warnings.is_empty());
    sync(engine, "main", json!({"force": true}), &documents()).unwrap();
    assert_eq!(status(engine, "main").diverged, 0);
}

#[test]
fn bodies_of_a_staged_sync_are_found_and_those_it_replaced_are_not() {
    let clock = ManualClock::new(NOW_MS);
    let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
    let search = SearchMode::Kept(home);
    let config = EngineConfig { kb_sync_changes_max: 0, search, ..EngineConfig::default() };
    let engine = Engine::open(store, Arc::new(clock), Arc::new(SeededEntropy::new(1)), config).unwrap();
    create(&engine, &target("main"), None).unwrap();
    let of = |hash: &str, word: &str| {
        let properties = json!({"title": "One", "status": "open", "body": format!("A {word} sings.")});
        let one = input("req", "A", properties, &[]);
        file("a.md", hash, &[json!({"line": 1, "entity": serde_json::to_value(one).unwrap()})])
    };
    let found = |words: &str| {
        let input = serde_json::from_value(json!({"query": words})).unwrap();
        let output = engine.kb_search(&Principal::local_owner(), &target("main"), &input).unwrap();
        (output.behind, output.results.len())
    };
    for (hash, word, other) in [("1", "kingfisher", "nightingale"), ("2", "nightingale", "kingfisher")] {
        assert!(sync(&engine, "main", json!({}), &[of(hash, word)]).unwrap().staged);
        until("the body is found", || {
            engine.upkeep_once().unwrap();
            found(word) == (false, 1) && found(other) == (false, 0)
        });
    }
}
