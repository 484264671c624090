//! Maintenance: allowed, one at a time, audited when done.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use cairn_access::{Action, Principal};
use cairn_base::{ErrorCode, ManualClock, TenantId};
use cairn_engine::{CompactionPolicy, EngineError};
use cairn_seam::{
    Blob, FaultPlan, FaultyStore, KeepChanges, Maintenance, MaintenanceReport, MemoryStore, Stage, Store,
    StoreError,
};

use crate::support::{NOW_MS, World, name, open, start, stranger};

fn compact(keep_changes: KeepChanges, forget: &[&str]) -> Maintenance {
    Maintenance::Compact { keep_changes, forget: forget.iter().map(|text| (*text).to_owned()).collect() }
}

const VERIFY: Maintenance = Maintenance::Verify { repair: false };

#[test]
fn a_job_that_was_done_leaves_a_line() {
    let world = World::new();
    let report = world.engine.maintain(&world.owner, &VERIFY, &mut |_| true).unwrap();
    assert!(report.findings.is_empty());
    world.engine.maintain(&world.owner, &Maintenance::Verify { repair: true }, &mut |_| true).unwrap();
    let backup = Maintenance::Backup { to: PathBuf::from("/somewhere") };
    let failed = world.engine.maintain(&world.owner, &backup, &mut |_| true).unwrap_err();
    assert!(matches!(failed, EngineError::Store(StoreError::Unsupported { .. })), "{failed}");
    let report =
        world.engine.maintain(&world.owner, &compact(KeepChanges::AsConfigured, &[]), &mut |_| true).unwrap();
    assert_eq!(report.figures, [("blobs_removed", 0)]);
    let trail = world.trail(TenantId::NODE);
    let lines: Vec<_> = trail[1..].iter().map(|line| (line.action, line.subject.as_str())).collect();
    assert_eq!(
        lines,
        [
            (Action::Maintain, "verify"),
            (Action::Maintain, "verify and repair"),
            (Action::Maintain, "compact")
        ]
    );
}

#[test]
fn whoever_may_not_is_refused_and_nothing_runs() {
    let world = World::new();
    let refused = world.engine.maintain(&stranger(), &VERIFY, &mut |_| panic!("it ran")).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Forbidden);
    assert_eq!(world.trail(TenantId(7)).last().map(|line| line.action), Some(Action::Maintain));
}

#[test]
fn a_second_job_is_told_to_wait_and_a_stopped_one_leaves_no_line() {
    let clock = ManualClock::new(NOW_MS);
    let store = FaultyStore::new(Arc::new(MemoryStore::new(Arc::new(clock.clone()))), FaultPlan::none());
    let store = store.maintained_by(|_, on_stage| {
        let go_on = on_stage(Stage { name: "reading", done: 1, total: 2 });
        if go_on { Ok(MaintenanceReport::default()) } else { Err(StoreError::Stopped) }
    });
    let engine = open(Arc::new(store), &clock).unwrap();
    let owner = Principal::local_owner();
    let (entered, inside) = mpsc::channel();
    let (leave, left) = mpsc::channel();
    std::thread::scope(|scope| {
        let at_work = &engine;
        let first = scope.spawn(move || {
            at_work.maintain(&Principal::local_owner(), &VERIFY, &mut |stage| {
                entered.send((stage.name.to_owned(), stage.done, stage.total)).unwrap();
                left.recv_timeout(Duration::from_secs(10)).unwrap_or(false)
            })
        });
        assert_eq!(inside.recv().unwrap(), ("reading".to_owned(), 1, 2));
        let second = engine.maintain(&owner, &VERIFY, &mut |_| true).unwrap_err();
        assert!(matches!(second, EngineError::MaintenanceRunning), "{second}");
        assert_eq!(second.code(), ErrorCode::Conflict);
        leave.send(false).unwrap();
        let stopped = first.join().unwrap().unwrap_err();
        assert!(matches!(stopped, EngineError::Store(StoreError::Stopped)), "{stopped}");
    });
    let lines = engine.audit_page(&owner, TenantId::NODE, None, 100).unwrap().lines;
    assert_eq!(lines.len(), 1, "the node was made, and nothing else was done");
    engine.maintain(&owner, &VERIFY, &mut |_| true).unwrap();
    assert_eq!(engine.audit_page(&owner, TenantId::NODE, None, 100).unwrap().lines.len(), 2);
}

#[test]
fn a_store_that_writes_no_more_is_still_looked_after() {
    let world = World::new();
    world.engine.close().unwrap();
    world.engine.maintain(&world.owner, &VERIFY, &mut |_| true).unwrap();
    assert_eq!(world.trail(TenantId::NODE).len(), 1, "the line could not be written");
}

#[test]
fn blobs_that_nothing_refers_to_go_by_themselves_after_a_day() {
    let clock = ManualClock::new(NOW_MS);
    let store: Arc<MemoryStore> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
    let blob = Blob::new(b"nobody's".to_vec()).unwrap();
    let hash = blob.hash();
    let tenant = TenantId(9);
    cairn_seam::write(&*store, tenant, move |tx| tx.put_blob(&blob)).unwrap();
    let is_gone = || matches!(store.open_blob(tenant, &hash), Err(StoreError::BlobGone { .. }));
    for (hours, gone) in [(0, false), (23, false), (2, true)] {
        clock.advance(Duration::from_secs(hours * 60 * 60));
        engine.upkeep_once().unwrap();
        assert_eq!(is_gone(), gone, "after {hours} more hours");
    }
}

#[test]
fn how_often_that_happens_is_a_setting_and_it_may_be_never() {
    let clock = ManualClock::new(NOW_MS);
    let store: Arc<MemoryStore> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
    let blob = Blob::new(b"nobody's".to_vec()).unwrap();
    let hash = blob.hash();
    cairn_seam::write(&*store, TenantId(9), move |tx| tx.put_blob(&blob)).unwrap();
    let is_gone = || matches!(store.open_blob(TenantId(9), &hash), Err(StoreError::BlobGone { .. }));
    engine.set_compaction(CompactionPolicy { every: None, keep_changes: None });
    clock.advance(Duration::from_secs(100 * 60 * 60));
    engine.upkeep_once().unwrap();
    assert!(!is_gone());
    engine.set_compaction(CompactionPolicy { every: Some(Duration::from_secs(99)), keep_changes: None });
    engine.upkeep_once().unwrap();
    assert!(is_gone());
}

#[test]
fn nothing_is_forgotten_that_a_consumer_has_not_read() {
    let world = World::new();
    let search = name("search");
    world.engine.consumer_register(&world.owner, &search, start()).unwrap();
    world.emit(&[7]);
    let forget = |selector: &str| {
        let job = compact(KeepChanges::All, &[selector]);
        world.engine.maintain(&world.owner, &job, &mut |_| panic!("it ran")).unwrap_err()
    };
    let behind = forget("tenant:0/audit");
    assert!(matches!(&behind, EngineError::ConsumerBehind { name, .. } if name == "search"), "{behind}");
    assert_eq!(behind.code(), ErrorCode::PreconditionFailed);
    // Those of others do not matter; that memory has nothing to forget is said by the store.
    let is_asked = |error: EngineError| matches!(error, EngineError::Store(StoreError::Unsupported { .. }));
    assert!(is_asked(forget("tenant:9")));
    world.engine.feed_advance(&world.owner, &search, world.engine.position()).unwrap();
    assert!(is_asked(forget("tenant:0/audit")));
    let unknown = forget("tenant:0/audti");
    assert_eq!(unknown.code(), ErrorCode::InvalidRequest);
    assert!(unknown.to_string().contains("did you mean audit?"), "{unknown}");
}
