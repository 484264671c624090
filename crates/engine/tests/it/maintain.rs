//! Maintenance: allowed, one at a time, audited when it begins and when it ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use cairn_access::Action;
use cairn_base::{ErrorCode, ManualClock, TenantId};
use cairn_engine::{AuditOutcome, CompactionPolicy, Engine, EngineError};
use cairn_seam::{
    Blob, FaultPlan, FaultyStore, KeepChanges, Maintenance, MaintenanceReport, MemoryStore, OnStage, Stage,
    Store, StoreError,
};
use cairn_turns::prune::Rule;

use crate::support::{NOW_MS, World, name, open, owner, start, stranger};

fn compact(keep_changes: KeepChanges, forget: &[&str]) -> Maintenance {
    Maintenance::Compact { keep_changes, forget: forget.iter().map(|text| (*text).to_owned()).collect() }
}

const VERIFY: Maintenance = Maintenance::Verify { repair: false };

/// What the node's trail says of maintenance.
fn told(engine: &Engine) -> Vec<(String, AuditOutcome)> {
    let lines = engine.audit_page(&owner(), TenantId::NODE, None, 100).unwrap().lines;
    let of_jobs = lines.into_iter().filter(|line| line.action == Action::Maintain);
    of_jobs.map(|line| (line.subject, line.outcome)).collect()
}

fn both(subject: &str, end: AuditOutcome) -> [(String, AuditOutcome); 2] {
    [AuditOutcome::Begun, end].map(|outcome| (subject.to_owned(), outcome))
}

/// An engine over a memory store whose maintenance is played by the test.
fn played(
    maintain: impl Fn(&Maintenance, OnStage<'_>) -> Result<MaintenanceReport, StoreError> + Send + Sync + 'static,
) -> Arc<Engine> {
    let clock = ManualClock::new(NOW_MS);
    let store = FaultyStore::new(Arc::new(MemoryStore::new(Arc::new(clock.clone()))), FaultPlan::none());
    open(Arc::new(store.maintained_by(maintain)), &clock).unwrap()
}

#[test]
fn a_job_leaves_a_line_when_it_begins_and_one_that_says_how_it_ended() {
    let world = World::new();
    let maintain = |job: &Maintenance| world.engine.maintain(&world.owner, job, &mut |_| true);
    assert!(maintain(&VERIFY).unwrap().findings.is_empty());
    maintain(&Maintenance::Verify { repair: true }).unwrap();
    let failed =
        maintain(&Maintenance::Backup { to: PathBuf::from("/somewhere"), skip_damaged: false }).unwrap_err();
    assert!(matches!(failed, EngineError::Store(StoreError::Unsupported { .. })), "{failed}");
    let report = maintain(&compact(KeepChanges::AsConfigured, &[])).unwrap();
    assert_eq!(report.figures, [("blobs_removed", 0)]);
    let code = failed.code();
    let lines = [
        both("verify", AuditOutcome::Done),
        both("verify and repair", AuditOutcome::Done),
        both("backup to /somewhere", AuditOutcome::Failed { code }),
        both("compact", AuditOutcome::Done),
    ];
    assert_eq!(told(&world.engine), lines.concat());
}

#[test]
fn the_line_is_there_before_the_work_and_also_if_that_panics() {
    let (tell, seen) = mpsc::channel();
    let tell = Mutex::new(tell);
    let engine = Arc::new(OnceLock::<Arc<Engine>>::new());
    let inside = Arc::clone(&engine);
    let made = played(move |_, _| {
        tell.lock().unwrap().send(told(inside.get().unwrap())).unwrap();
        panic!("it broke");
    });
    engine.set(Arc::clone(&made)).ok().unwrap();
    let job = || made.maintain(&owner(), &VERIFY, &mut |_| true);
    assert!(catch_unwind(AssertUnwindSafe(job)).is_err(), "whoever called hears of the panic");
    assert_eq!(seen.recv().unwrap(), [("verify".to_owned(), AuditOutcome::Begun)]);
    assert_eq!(told(&made), both("verify", AuditOutcome::Failed { code: ErrorCode::Internal }));
}

#[test]
fn whoever_may_not_is_refused_and_nothing_runs() {
    let world = World::new();
    let refused = world.engine.maintain(&stranger(), &VERIFY, &mut |_| panic!("it ran")).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Forbidden);
    assert_eq!(world.trail(TenantId(7)).last().map(|line| line.action), Some(Action::Maintain));
}

#[test]
fn a_second_job_is_told_to_wait_and_a_stopped_one_says_that_it_was() {
    let engine = played(|_, on_stage| {
        let go_on = on_stage(Stage { name: "reading", done: 1, total: 2 });
        if go_on { Ok(MaintenanceReport::default()) } else { Err(StoreError::Stopped) }
    });
    let (entered, inside) = mpsc::channel();
    let (leave, left) = mpsc::channel();
    std::thread::scope(|scope| {
        let at_work = &engine;
        let first = scope.spawn(move || {
            at_work.maintain(&owner(), &VERIFY, &mut |stage| {
                entered.send((stage.name.to_owned(), stage.done, stage.total)).unwrap();
                left.recv_timeout(Duration::from_secs(300)).unwrap_or(false)
            })
        });
        assert_eq!(inside.recv().unwrap(), ("reading".to_owned(), 1, 2));
        let second = engine.maintain(&owner(), &VERIFY, &mut |_| true).unwrap_err();
        assert!(matches!(second, EngineError::MaintenanceRunning), "{second}");
        assert_eq!(second.code(), ErrorCode::Conflict);
        leave.send(false).unwrap();
        let stopped = first.join().unwrap().unwrap_err();
        assert!(matches!(stopped, EngineError::Store(StoreError::Stopped)), "{stopped}");
    });
    let stopped = both("verify", AuditOutcome::Stopped);
    assert_eq!(told(&engine), stopped, "the second one was never begun");
    engine.maintain(&owner(), &VERIFY, &mut |_| true).unwrap();
    assert_eq!(told(&engine), [stopped, both("verify", AuditOutcome::Done)].concat());
}

#[test]
fn a_store_that_writes_no_more_is_still_looked_after_and_forgets_nothing() {
    let world = World::new();
    world.engine.close().unwrap();
    world.engine.maintain(&world.owner, &VERIFY, &mut |_| true).unwrap();
    world.engine.maintain(&world.owner, &compact(KeepChanges::All, &[]), &mut |_| true).unwrap();
    let forget = compact(KeepChanges::All, &["tenant:9"]);
    let refused = world.engine.maintain(&world.owner, &forget, &mut |_| panic!("it ran")).unwrap_err();
    let EngineError::NoLine(why) = &refused else { panic!("{refused:?}") };
    assert!(matches!(**why, EngineError::Store(StoreError::Closed)), "{why}");
    assert_eq!(refused.code(), ErrorCode::Unavailable);
    assert_eq!(told(&world.engine), [], "no line could be written");
}

#[test]
fn a_store_that_is_only_busy_is_asked_again() {
    let clock = ManualClock::new(NOW_MS);
    let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let store = Arc::new(FaultyStore::new(store, FaultPlan::none()));
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
    store.take_no_writes(Some(|| StoreError::Overloaded));
    let refused = engine.maintain(&owner(), &VERIFY, &mut |_| panic!("it ran")).unwrap_err();
    assert!(matches!(refused, EngineError::NoLine(_)), "{refused}");
    assert_eq!(refused.code(), ErrorCode::Overloaded);
    store.take_no_writes(None);
    engine.maintain(&owner(), &VERIFY, &mut |_| true).unwrap();
    assert_eq!(told(&engine), both("verify", AuditOutcome::Done));
}

#[test]
fn on_a_full_disk_what_helps_is_done_and_what_destroys_is_not() {
    let clock = ManualClock::new(NOW_MS);
    let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let store = Arc::new(FaultyStore::new(store, FaultPlan::none()));
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
    let troubles: [fn() -> StoreError; 3] = [
        || StoreError::StorageFull { free_bytes: 1, reserve_bytes: 2 },
        || StoreError::Poisoned { cause: "the disk is gone".into() },
        || StoreError::OutcomeUnknown { cause: "the disk is gone".into() },
    ];
    for trouble in troubles {
        store.take_no_writes(Some(trouble));
        engine.maintain(&owner(), &VERIFY, &mut |_| true).unwrap();
        engine.maintain(&owner(), &compact(KeepChanges::All, &[]), &mut |_| true).unwrap();
        let forget = compact(KeepChanges::All, &["tenant:9"]);
        let refusals = [
            engine.maintain(&owner(), &forget, &mut |_| panic!("it ran")).unwrap_err(),
            engine
                .prune(&owner(), TenantId::LOCAL, &Rule::AllBut(0), true, &mut |_| panic!("it ran"))
                .unwrap_err(),
        ];
        for refused in refusals {
            assert!(matches!(refused, EngineError::NoLine(_)), "{refused}");
            assert_eq!(refused.code(), trouble().code());
        }
        // Only looking needs no line.
        engine.prune(&owner(), TenantId::LOCAL, &Rule::AllBut(0), false, &mut |_| true).unwrap();
    }
    store.take_no_writes(None);
    assert_eq!(told(&engine), []);
}

#[test]
fn work_that_was_done_when_the_disk_got_full_has_its_first_line() {
    let clock = ManualClock::new(NOW_MS);
    let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let full = Arc::new(FaultyStore::new(store, FaultPlan::none()));
    let store = FaultyStore::new(Arc::clone(&full) as Arc<dyn Store>, FaultPlan::none());
    let fills = Arc::clone(&full);
    let store = store.maintained_by(move |_, _| {
        fills.take_no_writes(Some(|| StoreError::StorageFull { free_bytes: 1, reserve_bytes: 2 }));
        Ok(MaintenanceReport::default())
    });
    let engine = open(Arc::new(store), &clock).unwrap();
    let backup = Maintenance::Backup { to: PathBuf::from("/somewhere"), skip_damaged: false };
    engine.maintain(&owner(), &backup, &mut |_| true).unwrap();
    full.take_no_writes(None);
    assert_eq!(told(&engine), [("backup to /somewhere".to_owned(), AuditOutcome::Begun)]);
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
    let code = ErrorCode::InvalidRequest;
    let lines = [
        both("compact and forget tenant:9", AuditOutcome::Failed { code }),
        both("compact and forget tenant:0/audit", AuditOutcome::Failed { code }),
    ];
    assert_eq!(told(&world.engine), lines.concat(), "what was not even begun has no line");
}
