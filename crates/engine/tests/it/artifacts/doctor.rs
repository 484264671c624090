//! What the doctor finds and repairs, and that a backup carries everything.

use std::path::Path;
use std::sync::Arc;

use cairn_artifacts::tables;
use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{KeyBuf, SpaceId, TenantId};
use cairn_embedded::{RestoreHow, restore};
use cairn_engine::{ArtifactDeletion, Engine, SearchMode};
use cairn_seam::{Keyspace, Maintenance, Store, WriteTx};

use super::kit::{World, id};
use super::power;
use super::whole::{Blobs, check, dump};

/// Two parents, two children of the first and one grandchild; the second parent is deleted.
fn family() -> World {
    let world = World::without_search();
    let child_of = |parent: u8| format!("{{\"parent_reports\":[\"{}\"]}}", id(parent));
    world.put(1, &[]);
    world.put(2, &[]);
    world.put(3, &[("lineage", &child_of(1))]);
    world.put(4, &[("lineage", &child_of(1)), ("visibility", "\"public\"")]);
    world.put(5, &[("lineage", &child_of(3)), ("acl", "{\"allowed_tenants\":[\"beta\"]}")]);
    let write = world.engine.delete_artifact(&world.ada(), id(2), &ArtifactDeletion::default()).unwrap();
    world.engine.commit(write).unwrap();
    world
}

fn verify(engine: &Engine, repair: bool) -> Vec<(String, bool)> {
    let owner = cairn_access::Principal::local_owner();
    let report = engine.maintain(&owner, &Maintenance::Verify { repair }, &mut |_| true).unwrap();
    report.findings.into_iter().map(|finding| (finding.detail, finding.repaired)).collect()
}

type Damage = fn(&mut dyn WriteTx, TenantId, &[(Vec<u8>, Vec<u8>)]) -> Result<(), cairn_seam::StoreError>;

fn own(tenant: TenantId) -> KeyBuf {
    KeyBuf::new().tenant(tenant).space(SpaceId::NONE)
}

/// Damage to a keyspace, given its records, and what is said about it.
const DAMAGE: &[(&str, bool, Keyspace, Damage)] = &[
    ("entries and lineage edges are missing", false, tables::ARRIVALS, |tx, _, all| {
        tx.delete(tables::ARRIVALS, &all[0].0)
    }),
    ("entries and lineage edges are missing", false, tables::AUTHORS, |tx, _, all| {
        all.iter().try_for_each(|(key, _)| tx.delete(tables::AUTHORS, key))
    }),
    ("entries and lineage edges are missing", false, tables::CONTENTS, |tx, _, all| {
        tx.delete(tables::CONTENTS, &all[1].0)
    }),
    ("entries and lineage edges are missing", false, tables::CONTENT_BLOBS, |tx, _, all| {
        tx.delete(tables::CONTENT_BLOBS, &all[1].0)
    }),
    ("entries and lineage edges are missing", false, tables::CHILDREN, |tx, _, all| {
        tx.delete(tables::CHILDREN, &all[0].0)
    }),
    ("entries and lineage edges are missing", false, tables::CHILDREN, |tx, _, all| {
        tx.put(tables::CHILDREN, &all[0].0, &[0])
    }),
    ("of artifact-children from here on belong to no artifact", false, tables::CHILDREN, |tx, acme, _| {
        // The child is there, and says nothing of this parent.
        tx.put(tables::CHILDREN, &own(acme).fixed(id(2).as_bytes()).fixed(id(1).as_bytes()), &[1])
    }),
    ("of artifact-children from here on belong to no artifact", false, tables::CHILDREN, |tx, acme, _| {
        tx.put(tables::CHILDREN, &own(acme).fixed(id(1).as_bytes()).fixed(id(77).as_bytes()), &[1])
    }),
    ("of artifact-arrivals from here on belong to no artifact", false, tables::ARRIVALS, |tx, acme, _| {
        tx.put(tables::ARRIVALS, &own(acme).u64(5).fixed(id(1).as_bytes()), &[])
    }),
    ("of artifact-authors from here on belong to no artifact", false, tables::AUTHORS, |tx, acme, _| {
        tx.put(tables::AUTHORS, &own(acme).fixed(&[9; 16]).fixed(id(77).as_bytes()), &[])
    }),
    ("of artifact-contents from here on belong to no artifact", false, tables::CONTENTS, |tx, acme, _| {
        tx.put(tables::CONTENTS, &own(acme).fixed(&[9; 32]).fixed(id(1).as_bytes()), &[])
    }),
    ("of artifact-content-blobs from here on", false, tables::CONTENT_BLOBS, |tx, acme, _| {
        tx.put(tables::CONTENT_BLOBS, &own(acme).fixed(&[9; 32]).fixed(id(1).as_bytes()), &[])
    }),
    ("counts of citations are wrong", false, tables::CITATIONS, |tx, _, all| {
        tx.put(tables::CITATIONS, &all[0].0, &[9])
    }),
    ("counts of citations are wrong", false, tables::CITATIONS, |tx, _, all| {
        tx.put(tables::CITATIONS, &all[0].0, &[0x80])
    }),
    ("counts of citations are wrong", false, tables::CITATIONS, |tx, _, all| {
        tx.delete(tables::CITATIONS, &all[0].0)
    }),
    ("counts of citations are wrong", false, tables::CITATIONS, |tx, acme, _| {
        tx.put(tables::CITATIONS, &own(acme).fixed(id(5).as_bytes()).fixed(&[9; 16]), &[1])
    }),
    ("counts of citations are wrong", false, tables::AUDIENCES, |tx, _, all| {
        all.iter().try_for_each(|(key, _)| tx.delete(tables::AUDIENCES, key))
    }),
    ("the node does not know where it is", true, tables::HOMES, |tx, _, all| {
        tx.delete(tables::HOMES, &all[0].0)
    }),
    ("the node does not know where it is", true, tables::CONTENT_HOMES, |tx, _, all| {
        tx.delete(tables::CONTENT_HOMES, &all[0].0)
    }),
    ("the node does not know where it is", true, tables::GRANTEES, |tx, _, all| {
        all.iter().try_for_each(|(key, _)| tx.delete(tables::GRANTEES, key))
    }),
];

#[test]
fn everything_that_follows_from_the_records_is_verified_and_repaired() {
    let whole = family();
    assert_eq!(verify(&whole.engine, false), []);
    for (at, (expected, is_nodes, keyspace, damage)) in DAMAGE.iter().enumerate() {
        let what = format!("damage {at} to {}", keyspace.name);
        let world = family();
        let before = dump(&*world.store);
        let of = before.iter().filter(|((number, _), _)| *number == keyspace.id);
        let records: Vec<_> = of.map(|((_, key), value)| (key.clone(), value.clone())).collect();
        let tenant = if *is_nodes { TenantId::NODE } else { world.acme };
        let (acme, damage) = (world.acme, *damage);
        cairn_seam::write(&*world.store, tenant, move |tx| damage(tx, acme, &records)).unwrap();
        assert!(dump(&*world.store) != before, "{what}");
        let found = verify(&world.engine, false);
        assert!(!found.is_empty(), "{what} was not found");
        assert!(found.iter().any(|(detail, _)| detail.contains(expected)), "{what}: {found:?}");
        assert!(found.iter().all(|(_, repaired)| !repaired), "{what}: {found:?}");
        let repaired = verify(&world.engine, true);
        assert!(repaired.iter().all(|(_, repaired)| *repaired), "{what}: {repaired:?}");
        assert_eq!(verify(&world.engine, false), [], "{what}");
        assert!(dump(&*world.store) == before, "{what}: it is as before");
        check(&*world.store, &world.engine, Blobs::All, &what);
    }
}

#[test]
fn damage_to_what_was_signed_is_reported_and_never_repaired() {
    let world = family();
    let records = dump(&*world.store);
    let of = |number: u8, keyspace: Keyspace| {
        let key = own(world.acme).fixed(id(number).as_bytes()).into_vec();
        (key.clone(), records.get(&(keyspace.id, key)).cloned().unwrap_or_default())
    };
    let (key, mut value) = of(3, tables::ARTIFACTS);
    let title = value.windows(6).position(|window| window == b"Report").unwrap();
    value[title] = b'r';
    cairn_seam::write(&*world.store, world.acme, move |tx| tx.put(tables::ARTIFACTS, &key, &value)).unwrap();
    let (key, _) = of(2, tables::TOMBSTONES);
    cairn_seam::write(&*world.store, world.acme, move |tx| tx.delete(tables::TOMBSTONES, &key)).unwrap();
    for repair in [false, true] {
        let found = verify(&world.engine, repair);
        let said: Vec<_> = found.iter().map(|(detail, _)| detail.split(": ").nth(1).unwrap()).collect();
        assert_eq!(said, ["its tombstone is gone", "its signature does not verify"], "{found:?}");
        assert!(found.iter().all(|(_, repaired)| !repaired));
    }
}

#[test]
fn an_erasure_that_was_interrupted_is_found_and_completed() {
    let world = family();
    let scope = super::whole::scope_of(&world.engine, world.acme);
    cairn_seam::write(&*world.store, world.acme, move |tx| {
        cairn_artifacts::erase(tx, &scope, id(3), crate::support::NOW_MS)
            .map_err(cairn_engine::EngineError::from)
    })
    .unwrap();
    let found = verify(&world.engine, true);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.ends_with("the node does not know where it is") && found[0].1, "{found:?}");
    assert_eq!(verify(&world.engine, false), []);
    check(&*world.store, &world.engine, Blobs::All, "erased");
}

#[test]
fn a_backup_carries_artifacts_with_content_and_everything_that_follows() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("backups")).unwrap();
    let (store, engine) = power::open_in(&fs, "data", 1, SearchMode::Off);
    let (acme, _) = super::kit::register_people(&engine);
    let ada = power::ada(acme);
    for number in 1..=24 {
        super::kit::publish(&engine, &ada, &power::body(number)).unwrap();
        store.upkeep().unwrap();
    }
    let prepared = engine.delete_artifact(&ada, id(2), &ArtifactDeletion::default()).unwrap();
    engine.commit(prepared).unwrap();
    let owner = cairn_access::Principal::local_owner();
    let job = Maintenance::Backup { to: "backups/one".into(), skip_damaged: false };
    assert_eq!(engine.maintain(&owner, &job, &mut |_| true).unwrap().findings, []);
    let before = dump(&*store);
    engine.close().unwrap();
    let options = power::options(&fs, 7);
    let (from, to) = (Path::new("backups/one"), Path::new("restored"));
    restore(from, to, &options, RestoreHow::default(), &mut |_| true).unwrap();
    let (store, engine) = power::open_in(&fs, "restored", 8, power::searched());
    assert!(dump(&*store) == before);
    let artifacts = check(&*store, &engine, Blobs::All, "restored");
    assert_eq!(artifacts.len(), 24);
    assert_eq!(verify(&engine, false), []);
    let live: Vec<_> = artifacts.iter().filter(|known| known.is_live()).map(|known| known.id).collect();
    assert_eq!(power::listed(&engine, &ada, Some("kingfisher")), live);
    engine.close().unwrap();
    drop(Arc::clone(&store) as Arc<dyn Store>);
}
