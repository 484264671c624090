//! Every operation of the store fails once: what was asked for happens as a whole or not at all, and asking again does it.

use std::sync::Arc;

use cairn_access::registry::UserId;
use cairn_access::{Principal, Role, Roles};
use cairn_base::{ManualClock, TenantId};
use cairn_engine::{ArtifactDeletion, ArtifactSelection, Engine, EngineError, SearchMode};
use cairn_seam::{
    FaultPlan, FaultyStore, KeepChanges, Maintenance, MemoryStore, SeamFault, Sha256, Store, StoreError,
};

use super::kit::{ADA_SEED, World, id, identity, open, publish, register_people, signed_body};
use super::whole::{Blobs, announced, check, dump_of_tenants};
use crate::support::NOW_MS;

const KINDS: [SeamFault; 6] = [
    SeamFault::Fail,
    SeamFault::LoseAnswer,
    SeamFault::Rerun,
    SeamFault::Tear { at: 0 },
    SeamFault::Tear { at: 1 },
    SeamFault::Tear { at: 6 },
];
/// More operations than anything here takes.
const OPERATIONS_MAX: u64 = 500;

fn ada(tenant: TenantId) -> Principal {
    Principal::new("ada", tenant, Roles::NONE.with(Role::Writer)).known_as("acme", Vec::new())
}

fn body(number: u8, content: &[u8], more: &[(&str, &str)]) -> Vec<u8> {
    signed_body(&identity(ADA_SEED), number, NOW_MS, content, more)
}

fn child_of(parent: u8) -> String {
    format!("{{\"parent_reports\":[\"{}\"]}}", id(parent))
}

type Before = Box<dyn Fn(&Engine, &Principal)>;
type Acting = Box<dyn Fn(&Engine, &Principal) -> Result<(), EngineError>>;

/// Something to do, and what was there before.
struct Case {
    name: &'static str,
    before: Before,
    act: Acting,
    /// Whether it takes several transactions in the tenant, each of which is whole.
    has_steps: bool,
}

fn publishing(name: &'static str, body: Vec<u8>) -> Case {
    Case {
        name,
        before: Box::new(|engine, ada| {
            publish(engine, ada, &self::body(1, b"the parent", &[])).unwrap();
        }),
        act: Box::new(move |engine, ada| publish(engine, ada, &body).map(drop)),
        has_steps: false,
    }
}

fn delete(engine: &Engine, ada: &Principal, number: u8) -> Result<(), EngineError> {
    let prepared = engine.delete_artifact(ada, id(number), &ArtifactDeletion::default())?;
    engine.commit(prepared).map(drop)
}

/// Erases an artifact. A store in memory has no history that could be rewritten behind that.
fn erase(engine: &Engine, number: u8) -> Result<(), EngineError> {
    let forget = vec![format!("artifact:{}", id(number))];
    let job = Maintenance::Compact { keep_changes: KeepChanges::All, forget };
    match engine.maintain(&Principal::local_owner(), &job, &mut |_| true) {
        Ok(_) | Err(EngineError::Store(StoreError::Unsupported { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A bundle with an artifact of an author whose key is registered nowhere else.
fn bundle_of_a_stranger() -> Vec<u8> {
    let world = World::without_search();
    let (key, bob) = (identity(12), UserId::parse("bob").unwrap());
    world.engine.put_user(&world.owner, world.acme, &bob, Roles::NONE.with(Role::Writer)).unwrap();
    world.register(world.acme, "bob", &key);
    for number in 5..=6 {
        let body = world.signed_by(&key, number, &[("user_id", "\"bob\"")]);
        world.publish(&world.ada(), &body).unwrap();
    }
    let mut bytes = Vec::new();
    let everything = ArtifactSelection::default();
    world.engine.export_artifacts(&world.ada(), &everything, &mut bytes, &mut |_| true).unwrap();
    bytes
}

/// Three artifacts with content, and the tombstone of a fourth.
fn bundle() -> Vec<u8> {
    let world = World::without_search();
    for number in 1..=4 {
        let lineage = child_of(1);
        let more: &[_] = if number == 1 { &[] } else { &[("lineage", lineage.as_str())] };
        world.put(number, more);
    }
    let write = world.engine.delete_artifact(&world.ada(), id(4), &ArtifactDeletion::default()).unwrap();
    world.engine.commit(write).unwrap();
    let mut bytes = Vec::new();
    world
        .engine
        .export_artifacts(&world.ada(), &ArtifactSelection::default(), &mut bytes, &mut |_| true)
        .unwrap();
    bytes
}

fn cases() -> Vec<Case> {
    let lineage = child_of(1);
    let child = [("lineage", lineage.as_str())];
    let long = format!("\"{}\"", "x".repeat(40 << 10));
    let (bundle, strange) = (bundle(), bundle_of_a_stranger());
    vec![
        publishing("publish", body(2, b"short content", &child)),
        publishing("publish with more than 1 MiB of content", body(2, &vec![7; (1 << 20) + 9], &child)),
        publishing("publish with a long payload", body(2, b"", &[child[0], ("unknown", &long)])),
        Case {
            name: "delete",
            before: Box::new(move |engine, ada| {
                publish(engine, ada, &body(2, b"content", &[("lineage", &child_of(1))])).unwrap();
            }),
            act: Box::new(|engine, ada| delete(engine, ada, 2)),
            has_steps: false,
        },
        Case {
            name: "import",
            before: Box::new(|engine, ada| {
                let fourth = body(4, b"content number 4 about kingfishers", &[("lineage", &child_of(1))]);
                publish(engine, ada, &fourth).unwrap();
            }),
            act: Box::new(move |engine, ada| {
                let report = engine.import_artifacts(ada, &bundle[..], &mut |_| true)?;
                assert_eq!((report.imported + report.known, report.refused), (3, 0), "{report:?}");
                Ok(())
            }),
            has_steps: true,
        },
        Case {
            name: "quarantine",
            before: Box::new(|_, _| ()),
            act: Box::new(move |engine, ada| {
                let report = engine.import_artifacts(ada, &strange[..], &mut |_| true)?;
                assert_eq!((report.imported, report.refused), (0, 0), "{report:?}");
                Ok(())
            }),
            has_steps: true,
        },
        Case {
            name: "erase",
            before: Box::new(|engine, ada| {
                publish(engine, ada, &body(2, b"content", &[("lineage", &child_of(1))])).unwrap();
            }),
            act: Box::new(|engine, _| erase(engine, 2)),
            has_steps: false,
        },
    ]
}

/// A store with what was there before.
fn prepared(case: &Case) -> (Arc<dyn Store>, ManualClock, Principal) {
    let clock = ManualClock::new(NOW_MS);
    let inner: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let engine = open(Arc::clone(&inner), &clock, SearchMode::Off).unwrap();
    let (acme, _) = register_people(&engine);
    (case.before)(&engine, &ada(acme));
    (inner, clock, ada(acme))
}

#[test]
fn whatever_fails_an_artifact_is_whole_or_not_there_and_asking_again_does_it() {
    for case in cases() {
        let (inner, clock, ada) = prepared(&case);
        let before = dump_of_tenants(&*inner);
        let counted = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::none()));
        let engine = open(Arc::clone(&counted) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
        let first = counted.operations();
        (case.act)(&engine, &ada).unwrap();
        let last = counted.operations();
        let after = dump_of_tenants(&*inner);
        assert_ne!(before, after, "{}", case.name);
        assert!(last - first > 3 && last < OPERATIONS_MAX, "{}: {first} to {last}", case.name);
        for fault in KINDS {
            for n in first..last {
                let what = format!("{}: {fault:?} at operation {} of {}", case.name, n - first, last - first);
                let (inner, clock, ada) = prepared(&case);
                let faulty = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::at(n, fault)));
                let engine = open(Arc::clone(&faulty) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
                let witness = open(Arc::clone(&inner), &clock, SearchMode::Off).unwrap();
                let outcome = (case.act)(&engine, &ada);
                assert!(faulty.operations() > n, "{what}: it was not reached");
                let then = dump_of_tenants(&*inner);
                check(&*inner, &witness, Blobs::All, &what);
                match &outcome {
                    Ok(()) => assert!(then == after, "{what}: it was acknowledged"),
                    Err(_) => assert!(case.has_steps || then == before || then == after, "{what}"),
                }
                let again = (case.act)(&engine, &ada).map_err(|error| error.code().name());
                let is_gone = case.name == "delete" && then == after;
                assert_eq!(again, if is_gone { Err("NOT_FOUND") } else { Ok(()) }, "{what}: {outcome:?}");
                assert!(dump_of_tenants(&*inner) == after, "{what}: asked again");
                let artifacts = check(&*inner, &witness, Blobs::All, &what);
                for known in artifacts {
                    let told = announced(&*inner)[&known.id];
                    let is_erased = known.payload == cairn_artifacts::PayloadAt::Erased;
                    let expected = (1, u64::from(!known.is_live() && !is_erased));
                    assert_eq!(told, expected, "{what}: {}", known.id);
                }
            }
        }
    }
}

#[test]
fn an_import_stores_nothing_of_an_artifact_whose_citations_cannot_be_counted() {
    let bundle = bundle();
    let world = World::without_search();
    let fourth = body(4, b"content number 4 about kingfishers", &[("lineage", &child_of(1))]);
    world.publish(&world.ada(), &fourth).unwrap();
    // A count that is no number.
    let before = super::whole::dump(&*world.store);
    let (tenant, citations) = (world.acme, cairn_artifacts::tables::CITATIONS);
    let (_, key) = before.keys().find(|(id, _)| *id == citations.id).unwrap().clone();
    cairn_seam::write(&*world.store, tenant, move |tx| tx.put(citations, &key, &[0x80])).unwrap();
    let before = dump_of_tenants(&*world.store);
    let outcome = world.engine.import_artifacts(&world.ada(), &bundle[..], &mut |_| true);
    assert!(outcome.is_err(), "{outcome:?}");
    assert!(dump_of_tenants(&*world.store) == before);
}

#[test]
fn on_a_full_disk_nothing_is_published_and_artifacts_are_still_deleted_and_erased() {
    let clock = ManualClock::new(NOW_MS);
    let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
    let (acme, _) = register_people(&engine);
    let ada = ada(acme);
    for number in 1..=3 {
        publish(&engine, &ada, &body(number, b"content", &[])).unwrap();
    }
    let before = dump_of_tenants(&*store);
    store.set_full(true);
    let refused = publish(&engine, &ada, &body(4, b"content", &[])).unwrap_err();
    assert_eq!(refused.code().name(), "StorageFull");
    let refused = engine.import_artifacts(&ada, &bundle()[..], &mut |_| true).unwrap_err();
    assert_eq!(refused.code().name(), "StorageFull");
    assert!(dump_of_tenants(&*store) == before);
    delete(&engine, &ada, 2).unwrap();
    erase(&engine, 3).unwrap();
    let artifacts = check(&*store, &engine, Blobs::All, "a full disk");
    let live: Vec<_> = artifacts.iter().filter(|known| known.is_live()).map(|known| known.id).collect();
    assert_eq!(live, [id(1)]);
}

fn upload(engine: &Engine, ada: &Principal, content: &[u8]) -> Result<(), EngineError> {
    let mut upload = engine.begin_content(ada, Sha256::of(content))?;
    content.chunks(60 << 10).try_for_each(|piece| upload.write(piece))?;
    let blob = upload.finish()?;
    engine.commit(engine.keep_content(ada, blob)).map(drop)
}

/// Publishes an artifact whose content was uploaded before, and returns the content as it is read then.
fn published_by_name(engine: &Engine, ada: &Principal, content: &[u8]) -> Result<Vec<u8>, EngineError> {
    let body = format!("{{\"title\":\"Large\",\"content_hash\":\"{:?}\"}}", Sha256::of(content));
    let id = publish(engine, ada, body.as_bytes())?.artifact.id;
    let opened = engine.artifact_content(ada, id)?;
    let mut bytes = vec![0; usize::try_from(opened.reader.len()).unwrap()];
    opened.reader.read_at(0, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn whatever_fails_an_upload_is_whole_or_not_there_and_asking_again_does_it() {
    let content: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
    let nothing = || Case {
        name: "upload",
        before: Box::new(|_, _| ()),
        act: Box::new(|_, _| Ok(())),
        has_steps: false,
    };
    let (inner, clock, ada) = prepared(&nothing());
    let counted = Arc::new(FaultyStore::new(inner, FaultPlan::none()));
    let engine = open(Arc::clone(&counted) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
    let first = counted.operations();
    upload(&engine, &ada, &content).unwrap();
    let last = counted.operations();
    assert!(last - first >= 3 && last < OPERATIONS_MAX, "{first} to {last}");
    for fault in KINDS {
        for n in first..last {
            let what = format!("{fault:?} at operation {} of {}", n - first, last - first);
            let (inner, clock, ada) = prepared(&nothing());
            let faulty = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::at(n, fault)));
            let engine = open(Arc::clone(&faulty) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
            let witness = open(Arc::clone(&inner), &clock, SearchMode::Off).unwrap();
            let outcome = upload(&engine, &ada, &content);
            assert!(faulty.operations() > n, "{what}: it was not reached");
            match (outcome, published_by_name(&witness, &ada, &content)) {
                (_, Ok(read)) => assert!(read == content, "{what}: {} bytes", read.len()),
                (Ok(()), Err(error)) => panic!("{what}: it was acknowledged, and {error}"),
                (Err(_), Err(error)) => assert_eq!(error.code().name(), "INVALID_PAYLOAD", "{what}: {error}"),
            }
            upload(&engine, &ada, &content).unwrap();
            let read = published_by_name(&witness, &ada, &content).unwrap();
            assert!(read == content, "{what}: uploaded again, {} bytes", read.len());
            check(&*inner, &witness, Blobs::All, &what);
        }
    }
}

#[test]
fn whatever_fails_a_purge_removes_content_as_a_whole_or_not_at_all_and_is_repeated() {
    let case = || Case {
        name: "purge",
        before: Box::new(|engine, ada| {
            for number in 1..=3 {
                publish(engine, ada, &body(number, b"content", &[])).unwrap();
            }
            (1..=2).for_each(|number| delete(engine, ada, number).unwrap());
        }),
        act: Box::new(|_, _| Ok(())),
        has_steps: false,
    };
    let much_later = std::time::Duration::from_secs(31 * 24 * 60 * 60);
    let (inner, clock, _) = prepared(&case());
    let before = dump_of_tenants(&*inner);
    let counted = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::none()));
    let engine = open(Arc::clone(&counted) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
    clock.advance(much_later);
    let first = counted.operations();
    engine.upkeep_once().unwrap();
    let last = counted.operations();
    let after = dump_of_tenants(&*inner);
    assert!(before != after && last - first > 3 && last < OPERATIONS_MAX, "{first} to {last}");
    for fault in KINDS {
        for n in first..last {
            let what = format!("{fault:?} at operation {} of {}", n - first, last - first);
            let (inner, clock, _) = prepared(&case());
            let faulty = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::at(n, fault)));
            let engine = open(Arc::clone(&faulty) as Arc<dyn Store>, &clock, SearchMode::Off).unwrap();
            clock.advance(much_later);
            // Upkeep goes on with everything else, and says so in the log.
            let _ = engine.upkeep_once();
            assert!(faulty.operations() > n, "{what}: it was not reached");
            let then = dump_of_tenants(&*inner);
            assert!(then == before || then == after, "{what}");
            let again = open(Arc::clone(&inner), &clock, SearchMode::Off).unwrap();
            again.upkeep_once().unwrap();
            assert!(dump_of_tenants(&*inner) == after, "{what}: done again");
            check(&*inner, &again, Blobs::All, &what);
        }
    }
}
