//! Ordered indexes: asked for, made by themselves, and looked after.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Role};
use cairn_base::fs::SimulatedFs;
use cairn_base::{Clock, ErrorCode, ManualClock, Position, SeededEntropy, SpaceId, TenantId, Value};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_engine::{Act, AuditOutcome, Engine, EngineConfig, EngineError, MEMORY_SPACE, OrderedIndex};
use cairn_graph::{
    ConceptWrite, IndexField, IndexOrigin, IndexState, Map, Part, Target, TypeId, View, Wish, Writer,
    create_index, drop_index, known, limits, tables,
};
use cairn_seam::{KeyRange, Maintenance, Stage, Store, Visit};

use super::kit::{ACME, Kip, one, send, user};
use crate::support::NOW_MS;

const DOSE: &str = "attributes.dose";
const LOCAL: TenantId = TenantId::LOCAL;

fn go_on(_: Stage<'_>) -> bool {
    true
}

fn create(engine: &Engine, kind: &str, field: &str) -> Result<OrderedIndex, EngineError> {
    engine.create_ordered_index(&Principal::local_owner(), LOCAL, MEMORY_SPACE, kind, field, &mut go_on)
}

fn listed(engine: &Engine) -> Vec<(String, String, &'static str, Option<u64>, bool)> {
    let all = engine.ordered_indexes(&Principal::local_owner(), LOCAL, MEMORY_SPACE).unwrap();
    let row = |index: OrderedIndex| (index.kind, index.field, index.state, index.entries, index.is_automatic);
    all.into_iter().map(row).collect()
}

fn memory(action: Action) -> Act {
    Act::new(action, Resource::space(LOCAL, SpaceId::MEMORY))
}

/// So many concepts of a type, with a dose each.
fn fill(engine: &Engine, kind: &str, count: u64) -> TypeId {
    let owner = Principal::local_owner();
    let define = format!(r#"UPSERT {{ CONCEPT {{ {{type: "$ConceptType", name: "{kind}"}} }} }}"#);
    send(engine, &owner, LOCAL, &one(&define)).unwrap();
    let view = |snapshot: &dyn cairn_seam::Snapshot, scope: &cairn_access::Scope| {
        Ok(View::new(snapshot, *scope).type_id(kind)?.unwrap())
    };
    let kind = engine.read(&owner, memory(Action::GraphRead), Position::START, view).unwrap();
    engine
        .transact(&owner, memory(Action::GraphWrite), move |tx, scope| {
            let mut writer = Writer::new(tx, *scope, NOW_MS);
            for number in 0..count {
                let attributes: Map = [("dose".to_owned(), Value::from(number % 7))].into();
                let target = Target::Named(kind, format!("c{number}"));
                let write = ConceptWrite { target, expect_version: None, attributes, metadata: Map::new() };
                writer.upsert_concept(write)?;
            }
            Ok(writer.finish()?)
        })
        .unwrap();
    kind
}

/// How many concepts queries find in the index of doses.
fn held(engine: &Engine, kind: TypeId) -> Option<u64> {
    let body = |snapshot: &dyn cairn_seam::Snapshot, scope: &cairn_access::Scope| {
        let view = View::new(snapshot, *scope);
        let Some(index) = view.index_of(kind, Part::Attributes, &["dose"])? else { return Ok(None) };
        let mut count = 0;
        let unbounded = std::ops::Bound::Unbounded;
        view.indexed(&index, unbounded, unbounded, false, &mut |_, _| {
            count += 1;
            Visit::Continue
        })?;
        Ok(Some(count))
    };
    engine.read(&Principal::local_owner(), memory(Action::GraphRead), Position::START, body).unwrap()
}

#[test]
fn indexes_are_made_listed_and_dropped_with_lines_in_the_trail() {
    let kip = Kip::new();
    let engine = kip.engine();
    let drug = fill(engine, "Drug", 5_000);
    let mut stages = Vec::new();
    let owner = Principal::local_owner();
    let made = engine.create_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE, &mut |stage| {
        stages.push((stage.done, stage.total));
        true
    });
    let made = made.unwrap();
    assert_eq!((made.state, made.entries, made.is_automatic), ("ready", Some(5_002), false));
    assert!(stages.len() > 3 && stages.is_sorted(), "{stages:?}");
    assert!(stages.iter().all(|(done, total)| done <= total && *total == 5_002), "{stages:?}");
    assert_eq!(held(engine, drug), Some(5_002));
    kip.ok(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "c1"} }"#);
    assert_eq!(held(engine, drug), Some(5_001));
    assert_eq!(create(engine, "Drug", DOSE).unwrap().entries, Some(5_001), "it is there already");
    create(engine, "Symptom", "metadata._version").unwrap();
    assert_eq!(
        listed(engine),
        [
            ("Drug".to_owned(), DOSE.to_owned(), "ready", Some(5_001), false),
            ("Symptom".to_owned(), "metadata._version".to_owned(), "ready", Some(1), false),
        ]
    );
    engine.drop_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE).unwrap();
    assert_eq!(held(engine, drug), None);
    assert_eq!(listed(engine).len(), 1);
    let gone = engine.drop_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE).unwrap_err();
    assert_eq!(gone.code(), ErrorCode::NotFound);
    let trail = kip.world.trail(LOCAL);
    let lines = trail.iter().filter(|line| line.subject.contains(&format!("index Drug {DOSE}")));
    let lines: Vec<_> = lines.map(|line| (line.subject.split(' ').next().unwrap(), line.outcome)).collect();
    let (begun, done) = (AuditOutcome::Begun, AuditOutcome::Done);
    let failed = AuditOutcome::Failed { code: ErrorCode::NotFound };
    assert_eq!(
        lines,
        [
            ("create", begun),
            ("create", done),
            ("create", begun),
            ("create", done),
            ("drop", begun),
            ("drop", done),
            ("drop", begun),
            ("drop", failed),
        ]
    );
}

#[test]
fn mistakes_are_told_and_only_writers_make_indexes() {
    let kip = Kip::new();
    let engine = kip.engine();
    for (kind, field, says) in [
        ("Drgu", DOSE, "Did you mean \"Drug\"?"),
        ("Drug", "dose", "attributes.KEY"),
        ("Drug", "attributes.a.b.c.d.e", "four keys"),
    ] {
        let error = create(engine, kind, field).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidRequest, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let owner = Principal::local_owner();
    let elsewhere =
        engine.create_ordered_index(&owner, LOCAL, "nowhere", "Drug", DOSE, &mut go_on).unwrap_err();
    assert!(elsewhere.to_string().contains("nowhere"), "{elsewhere}");
    let (reader, writer) = (user("rita", ACME, Role::Reader), user("will", ACME, Role::Writer));
    let code =
        |done: Result<OrderedIndex, EngineError>| done.map_err(|error| error.code()).map(|index| index.state);
    let of = |principal: &Principal, tenant| {
        engine.create_ordered_index(principal, tenant, MEMORY_SPACE, "Person", "attributes.x", &mut go_on)
    };
    assert_eq!(code(of(&reader, ACME)), Err(ErrorCode::Forbidden));
    assert_eq!(code(of(&writer, ACME)), Ok("ready"));
    assert_eq!(code(of(&writer, LOCAL)), Err(ErrorCode::NotFound));
    assert_eq!(engine.ordered_indexes(&reader, ACME, MEMORY_SPACE).unwrap().len(), 1);
    assert!(listed(engine).is_empty(), "tenants are apart");
    let dropped =
        engine.drop_ordered_index(&reader, ACME, MEMORY_SPACE, "Person", "attributes.x").unwrap_err();
    assert_eq!(dropped.code(), ErrorCode::Forbidden);
    engine.drop_ordered_index(&writer, ACME, MEMORY_SPACE, "Person", "attributes.x").unwrap();
}

#[test]
fn what_is_left_half_made_or_half_dropped_is_finished_later() {
    let kip = Kip::new();
    let drug = fill(kip.engine(), "Drug", 10_000);
    let owner = Principal::local_owner();
    for stop_after in 0..8 {
        let mut asked = 0;
        let stopped =
            kip.engine().create_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE, &mut |_| {
                asked += 1;
                asked <= stop_after
            });
        assert!(matches!(stopped, Err(EngineError::Store(cairn_seam::StoreError::Stopped))), "{stop_after}");
        assert_eq!(held(kip.engine(), drug), None, "{stop_after}");
        assert_eq!(listed(kip.engine())[0].2, "building");
        // A new process, which knows nothing of it.
        let engine = kip.world.reopen();
        engine.upkeep_once().unwrap();
        assert_eq!(held(&engine, drug), Some(10_002), "{stop_after}");
        // As if the process had ended after the first of the two steps.
        let body = |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
            let id = View::new(&*tx, *scope).indexes()?[0].index.id;
            Ok(cairn_graph::drop_index(tx, scope, id)?)
        };
        engine.transact(&owner, memory(Action::GraphWrite), body).unwrap();
        assert_eq!((listed(&engine)[0].2, held(&engine, drug)), ("dropping", None));
        let engine = kip.world.reopen();
        engine.upkeep_once().unwrap();
        assert!(listed(&engine).is_empty(), "{stop_after}");
    }
    // The same engine goes on too, without being asked again.
    kip.engine().upkeep_once().unwrap();
    let mut is_first = true;
    let mut once = |_: Stage<'_>| std::mem::take(&mut is_first);
    let half = kip.engine().create_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE, &mut once);
    assert!(half.is_err());
    kip.engine().upkeep_once().unwrap();
    assert_eq!(held(kip.engine(), drug), Some(10_002));
}

/// Goes on by 100 milliseconds whenever it is asked.
#[derive(Debug)]
struct Ticking(ManualClock);

impl Clock for Ticking {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    fn monotonic(&self) -> Duration {
        self.0.advance(Duration::from_millis(100));
        self.0.monotonic()
    }
}

#[test]
fn upkeep_works_on_an_index_for_a_moment_and_goes_on_with_it_the_next_time() {
    let kip = Kip::new();
    let drug = fill(kip.engine(), "Drug", 20_000);
    let owner = Principal::local_owner();
    let begun = kip
        .engine()
        .create_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE, &mut |stage| stage.done == 0);
    assert!(begun.is_err());
    let store = Arc::clone(&kip.world.store) as Arc<dyn Store>;
    let clock = Arc::new(Ticking(kip.world.clock.clone()));
    let engine =
        Engine::open(store, clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default()).unwrap();
    let steps = |is_done: &dyn Fn() -> bool| {
        let mut steps = 0;
        while !is_done() && steps < 100 {
            engine.upkeep_once().unwrap();
            steps += 1;
        }
        steps
    };
    let building = steps(&|| held(&engine, drug) == Some(20_002));
    assert!((3..100).contains(&building), "{building} steps");
    let body = |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
        let id = View::new(&*tx, *scope).indexes()?[0].index.id;
        Ok(cairn_graph::drop_index(tx, scope, id)?)
    };
    engine.transact(&owner, memory(Action::GraphWrite), body).unwrap();
    drop(engine);
    let store = Arc::clone(&kip.world.store) as Arc<dyn Store>;
    let clock = Arc::new(Ticking(kip.world.clock.clone()));
    let engine =
        Engine::open(store, clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default()).unwrap();
    for _ in 0..100 {
        engine.upkeep_once().unwrap();
    }
    assert!(listed(&engine).is_empty());
}

#[test]
fn after_a_failure_upkeep_leaves_indexes_alone_for_a_minute() {
    let kip = Kip::new();
    let engine = kip.engine();
    let drug = fill(engine, "Drug", 10);
    let owner = Principal::local_owner();
    let begun = engine.create_ordered_index(&owner, LOCAL, MEMORY_SPACE, "Drug", DOSE, &mut |_| false);
    assert!(begun.is_err());
    // The list of another space cannot be read.
    let other = || Act::new(Action::GraphWrite, Resource::space(LOCAL, SpaceId(1 << 20)));
    engine.transact(&owner, other(), |tx, scope| Ok(tx.put(tables::INDEXES, &scope.key(), b"bad")?)).unwrap();
    engine.upkeep_once().unwrap();
    engine.transact(&owner, other(), |tx, scope| Ok(tx.delete(tables::INDEXES, &scope.key())?)).unwrap();
    kip.world.clock.advance(Duration::from_secs(59));
    engine.upkeep_once().unwrap();
    assert_eq!(held(engine, drug), None, "not yet");
    kip.world.clock.advance(Duration::from_secs(1));
    engine.upkeep_once().unwrap();
    assert_eq!(held(engine, drug), Some(12));
}

#[test]
fn a_walk_has_the_order_of_order_by() {
    let kip = Kip::new();
    let values = [
        "null",
        "true",
        "false",
        "0",
        "-0.0",
        "1",
        "1.0",
        "-7",
        "2.5",
        "1e300",
        "-1e-300",
        "9007199254740993",
        "9007199254740992",
        "18446744073709551615",
        "-9223372036854775808",
        "\"\"",
        "\"a\"",
        "\"ab\"",
        "\"\u{e9}\"",
        "\"2026-01-02T00:00:00Z\"",
        "[]",
        "[1, null]",
        "[1]",
        "[\"a\"]",
        "{}",
        "{x: 1}",
        "{x: null}",
    ];
    kip.ok(r#"UPSERT { CONCEPT { {type: "$ConceptType", name: "Thing"} } }"#);
    // Each value more than once, in no order.
    for place in 0..3 * values.len() {
        let set = values[place * 7 % values.len()];
        let set = if place % 11 == 0 { String::new() } else { format!("SET ATTRIBUTES {{ v: {set} }}") };
        kip.ok(&format!(r#"UPSERT {{ CONCEPT {{ {{type: "Thing", name: "t{place}"}} {set} }} }}"#));
    }
    create(kip.engine(), "Thing", "attributes.v").unwrap();
    for (direction, descending) in [("ASC", false), ("DESC", true)] {
        let find =
            format!(r#"FIND(?t.name) WHERE {{ ?t {{type: "Thing"}} }} ORDER BY ?t.attributes.v {direction}"#);
        let sorted: Vec<String> =
            kip.ok(&find).as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        let body = |snapshot: &dyn cairn_seam::Snapshot, scope: &cairn_access::Scope| {
            let view = View::new(snapshot, *scope);
            let kind = view.type_id("Thing")?.unwrap();
            let index = view.index_of(kind, Part::Attributes, &["v"])?.unwrap();
            let (mut walked, unbounded) = (Vec::new(), std::ops::Bound::Unbounded);
            view.indexed(&index, unbounded, unbounded, descending, &mut |id, _| {
                walked.push((id, kind));
                Visit::Continue
            })?;
            let mut names = Vec::new();
            view.concepts(&walked, &mut |_, concept| names.push(concept.unwrap().name))?;
            Ok(names)
        };
        let owner = Principal::local_owner();
        let walked = kip.engine().read(&owner, memory(Action::GraphRead), Position::START, body).unwrap();
        assert_eq!(walked, sorted, "{direction}");
    }
}

fn wish(kind: TypeId, key: &str, rows: u64) -> Wish {
    Wish { kind, part: Part::Attributes, path: vec![key.to_owned()], rows }
}

#[test]
fn what_queries_wish_for_often_is_made_within_a_budget() {
    let kip = Kip::new();
    let engine = kip.engine();
    let (large, small) = (fill(engine, "Large", 4_096), fill(engine, "Small", 4_095));
    let note = |times: usize, wish: &Wish| {
        (0..times).for_each(|_| engine.note_wishes(LOCAL, SpaceId::MEMORY, std::slice::from_ref(wish)));
        engine.upkeep_once().unwrap();
        listed(engine)
    };
    assert!(note(7, &wish(large, "dose", 4_096)).is_empty(), "not often enough");
    assert!(note(100, &wish(large, "few", 4_095)).is_empty(), "too few rows");
    assert!(note(100, &wish(small, "dose", 9_999)).is_empty(), "too few concepts");
    let made = note(1, &wish(large, "dose", 4_096));
    assert_eq!(made, [("Large".to_owned(), DOSE.to_owned(), "ready", Some(4_096), true)]);
    assert_eq!(note(100, &wish(large, "dose", 4_096)).len(), 1, "it is there");
    let trail = kip.world.trail(LOCAL);
    let line = trail.iter().find(|line| line.subject.contains(DOSE)).unwrap();
    assert_eq!((line.outcome, line.action), (AuditOutcome::Done, Action::GraphWrite));
    assert_eq!(line.subject, "create index Large attributes.dose by itself");
    for key in ["b", "c", "d", "e", "f"] {
        note(8, &wish(large, key, 5_000));
    }
    assert_eq!(listed(engine).len(), 4, "no more than that");
    // One that is asked for does not count, and makes room.
    create(engine, "Large", DOSE).unwrap();
    assert_eq!(note(8, &wish(large, "g", 5_000)).len(), 5);
    engine.set_auto_indexes(0);
    engine
        .drop_ordered_index(&Principal::local_owner(), LOCAL, MEMORY_SPACE, "Large", "attributes.g")
        .unwrap();
    assert_eq!(note(100, &wish(large, "g", 5_000)).len(), 4, "switched off");
    let deep = Wish { path: vec!["a".to_owned(); 5], ..wish(large, "a", 5_000) };
    engine.set_auto_indexes(9);
    assert_eq!(note(100, &deep).len(), 4, "there can be none of that");
    // A type that is gone, or never was.
    assert_eq!(note(100, &wish(TypeId(1 << 40), "a", 5_000)).len(), 4);
}

/// A wish that cannot be fulfilled is nobody else's matter.
#[test]
fn a_wish_that_fails_keeps_nobody_from_theirs() {
    let kip = Kip::new();
    let engine = kip.engine();
    let large = fill(engine, "Large", 4_096);
    let will = user("will", ACME, Role::Writer);
    let theirs = Act::new(Action::GraphWrite, Resource::space(ACME, SpaceId::MEMORY));
    kip.send(&will, &one(r#"UPSERT { CONCEPT { {type: "Domain", name: "New"} } }"#)).unwrap();
    engine
        .transact(&will, theirs, |tx, scope| {
            // What is counted there can no longer be read.
            let key = scope.key().u8(1).u64(known::DOMAIN.0).u64(0);
            Ok(tx.put(tables::STATISTICS, &key, &[0xff])?)
        })
        .unwrap();
    for key in ["dose", "other"] {
        let fails = wish(known::DOMAIN, key, 5_000);
        (0..8).for_each(|_| engine.note_wishes(ACME, SpaceId::MEMORY, std::slice::from_ref(&fails)));
        let wanted = wish(large, key, 5_000);
        (0..8).for_each(|_| engine.note_wishes(LOCAL, SpaceId::MEMORY, std::slice::from_ref(&wanted)));
        engine.upkeep_once().unwrap();
        let made = listed(engine).into_iter().find(|row| row.1 == format!("attributes.{key}"));
        assert_eq!(made.map(|row| row.2), Some("ready"), "{key}");
    }
}

fn on_disk(fs: &SimulatedFs, clock: &Arc<ManualClock>, key: Option<EncryptionKey>) -> Arc<Engine> {
    let options = EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: clock.clone(),
        entropy: Arc::new(SeededEntropy::new(1)),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        background: Background::Manual,
        key,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(Path::new("data"), options).unwrap();
    Engine::open(Arc::new(store), clock.clone(), Arc::new(SeededEntropy::new(1)), EngineConfig::default())
        .unwrap()
}

#[test]
fn a_sealed_store_has_no_ordered_indexes() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let engine = on_disk(&SimulatedFs::new(1), &clock, EncryptionKey::parse(&[7; 32]));
    let kind = fill(&engine, "Drug", 4_096);
    let error = create(&engine, "Drug", DOSE).unwrap_err();
    assert!(matches!(error, EngineError::IndexesSealed), "{error}");
    assert!(error.to_string().contains("sealed"), "{error}");
    (0..100).for_each(|_| engine.note_wishes(LOCAL, SpaceId::MEMORY, &[wish(kind, "dose", 5_000)]));
    engine.upkeep_once().unwrap();
    assert!(listed(&engine).is_empty());
}

#[test]
fn the_doctor_notices_an_index_that_does_not_agree_and_makes_it_anew() {
    let fs = SimulatedFs::new(1);
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let engine = on_disk(&fs, &clock, None);
    let kind = fill(&engine, "Drug", 3_000);
    create(&engine, "Drug", DOSE).unwrap();
    let owner = Principal::local_owner();
    let verify = |repair| {
        let report = engine.maintain(&owner, &Maintenance::Verify { repair }, &mut go_on).unwrap();
        report.findings.into_iter().map(|finding| (finding.detail, finding.repaired)).collect::<Vec<_>>()
    };
    assert_eq!(verify(false), []);
    engine
        .transact(&owner, memory(Action::GraphWrite), |tx, scope| {
            let two = KeyRange::prefix(&scope.key()).limit(2);
            tx.delete_range(tables::INDEX_ENTRIES, &two)?;
            // Another one too many: a concept that is not there, under null.
            Ok(tx.put(tables::INDEX_ENTRIES, &scope.key().u64(1).u8(0xff).u64(1 << 40), &[])?)
        })
        .unwrap();
    let found = "index 1 of space 1 of tenant 1 does not agree with its concepts in 3 places".to_owned();
    assert_eq!(verify(false), [(found.clone(), false)]);
    assert_eq!(verify(true), [(found, true)]);
    assert_eq!(verify(false), []);
    assert_eq!(held(&engine, kind), Some(3_000));
    assert_eq!(listed(&engine).len(), 1);
}

#[test]
fn the_doctor_makes_an_index_anew_where_there_are_as_many_as_there_may_be() {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let engine = on_disk(&SimulatedFs::new(1), &clock, None);
    let kind = fill(&engine, "Drug", 100);
    create(&engine, "Drug", DOSE).unwrap();
    for place in 1..limits::GRAPH_INDEXES_MAX {
        create(&engine, "Drug", &format!("attributes.key{place}")).unwrap();
    }
    assert!(create(&engine, "Drug", "attributes.one_more").is_err());
    let owner = Principal::local_owner();
    let damage = |id: u64| {
        let body = move |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
            Ok(tx.delete_range(tables::INDEX_ENTRIES, &KeyRange::prefix(&scope.key().u64(id)).limit(2))?)
        };
        engine.transact(&owner, memory(Action::GraphWrite), body).unwrap();
    };
    let verify = |repair| {
        let report = engine.maintain(&owner, &Maintenance::Verify { repair }, &mut go_on).unwrap();
        report.findings.into_iter().map(|finding| (finding.detail, finding.repaired)).collect::<Vec<_>>()
    };
    damage(1);
    let found = "index 1 of space 1 of tenant 1 does not agree with its concepts in 2 places".to_owned();
    assert_eq!(verify(true), [(found, true)]);
    assert_eq!(verify(false), []);
    assert_eq!((held(&engine, kind), listed(&engine).len()), (Some(100), limits::GRAPH_INDEXES_MAX));

    // So many are being dropped that there is no room: it is told, and the others are looked at.
    engine
        .transact(&owner, memory(Action::GraphWrite), move |tx, scope| {
            for _ in 0..limits::GRAPH_INDEXES_HELD_MAX - limits::GRAPH_INDEXES_MAX {
                let all = View::new(&*tx, *scope).indexes()?;
                let last = all.iter().rfind(|info| info.state == IndexState::Ready).unwrap();
                let field = IndexField { part: last.index.part, path: last.index.path.clone() };
                drop_index(tx, scope, last.index.id)?;
                create_index(tx, scope, kind, &field, IndexOrigin::Asked)?;
            }
            Ok(())
        })
        .unwrap();
    damage(2);
    damage(3);
    let told = verify(true);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|(detail, repaired)| !repaired && detail.contains("being dropped")), "{told:?}");
    engine.upkeep_once().unwrap();
    assert!(verify(true).iter().all(|(_, repaired)| *repaired));
    assert_eq!(verify(false), []);
}

/// A backup of an open store may be restored into a sealed one, with its indexes.
#[test]
fn indexes_that_came_into_a_sealed_store_are_dropped() {
    let (fs, clock) = (SimulatedFs::new(1), Arc::new(ManualClock::new(NOW_MS)));
    let open = || on_disk(&fs, &clock, EncryptionKey::parse(&[7; 32]));
    let engine = open();
    let kind = fill(&engine, "Drug", 10);
    let owner = Principal::local_owner();
    engine
        .transact(&owner, memory(Action::GraphWrite), move |tx, scope| {
            let field = IndexField::parse(DOSE)?;
            Ok(create_index(tx, scope, kind, &field, IndexOrigin::Asked)?)
        })
        .unwrap();
    assert_eq!(listed(&engine).len(), 1);
    engine.close().unwrap();
    drop(engine);
    let engine = open();
    engine.upkeep_once().unwrap();
    assert!(listed(&engine).is_empty());
}
