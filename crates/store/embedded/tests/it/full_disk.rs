//! A disk without a byte free: opening and reading work, and so does what may use the reserve.

use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{Fault, FileSystem, SimulatedFs};
use cairn_base::{Position, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{
    Health, KeyRange, Keyspace, LocalStore, Maintenance, Store, StoreError, Visit, WriteClass, WriteTx,
    write_as,
};

use crate::kit::{DIR, key, small_options};
use crate::workload::Workload;

const NOTES: Keyspace = Keyspace::new(11, "notes");
const TENANT: TenantId = TenantId(1);
const RESERVE: u64 = 512 << 10;

fn options(fs: &SimulatedFs, is_sealed: bool) -> EmbeddedOptions {
    EmbeddedOptions {
        reserve_bytes: 64 << 10,
        reserve_file_bytes: RESERVE,
        key: is_sealed.then(|| key(1)),
        ..small_options(Arc::new(fs.clone()), 1)
    }
}

fn open(fs: &SimulatedFs, is_sealed: bool) -> Result<Arc<EmbeddedStore>, StoreError> {
    EmbeddedStore::open(DIR.as_ref(), options(fs, is_sealed)).map(Arc::new)
}

fn note(store: &EmbeddedStore, class: WriteClass, number: u32) -> Result<(), StoreError> {
    let body = move |tx: &mut dyn WriteTx| {
        let key = [TENANT.0.to_be_bytes(), number.to_be_bytes()].concat();
        tx.put(NOTES, &key, &[7; 300])
    };
    write_as(store, TENANT, class, body).map(drop)
}

fn notes(store: &EmbeddedStore) -> Vec<u32> {
    let mut found = Vec::new();
    let range = KeyRange::prefix(&TENANT.0.to_be_bytes());
    let snapshot = store.snapshot(Position::START).unwrap();
    let mut visit = |_: usize, key: &[u8], _: &[u8]| {
        found.push(u32::from_be_bytes(key[4..].try_into().unwrap()));
        Visit::Continue
    };
    snapshot.multi_scan(NOTES, &[range], &mut visit).unwrap();
    found
}

fn free(fs: &SimulatedFs) -> u64 {
    fs.free_bytes(DIR.as_ref()).unwrap()
}

/// A store that has lived a little, and how it ended: closed, killed, or without power.
fn lived(seed: u64, is_sealed: bool) -> (SimulatedFs, Workload) {
    let fs = SimulatedFs::new(seed);
    let mut workload = Workload::new(seed);
    let store = open(&fs, is_sealed).unwrap();
    for round in 0..12 {
        workload.commit_some(&store).unwrap();
        if round % 4 == seed % 4 {
            store.upkeep().unwrap();
        }
    }
    match seed % 3 {
        0 => store.close().unwrap(),
        1 => fs.process_kill(),
        _ => {
            // In the middle of a commit, so that there is a torn tail now and then.
            fs.cut_power_at(fs.operations() + seed % 2);
            let _ = workload.commit_some(&store);
            fs.power_cycle();
        }
    }
    (fs, workload)
}

#[test]
fn opening_and_reading_need_no_room_however_the_store_ended() {
    for (seed, is_sealed) in (0..60).flat_map(|seed| [(seed, false), (seed, true)]) {
        let (fs, mut workload) = lived(seed, is_sealed);
        fs.leave_free(0);
        let store = open(&fs, is_sealed).unwrap_or_else(|error| panic!("seed {seed} {is_sealed}: {error}"));
        workload.check(&store);
        let rebuilt = store.open_report().rebuilt.as_deref();
        assert_eq!(rebuilt, None, "seed {seed} {is_sealed}: the index was given up");
        // Opening may have cut off what was prepared or torn; somebody else takes that room.
        fs.leave_free(0);
        assert!(matches!(store.health(), Health::Full { .. }));
        let error = workload.commit_some(&store).unwrap_err();
        assert!(matches!(error, StoreError::StorageFull { free_bytes: 0, .. }), "{error}");
        store.upkeep().unwrap();
        workload.check(&store);
        store.close().unwrap();
        drop(store);
        fs.set_capacity(None);
        let store = open(&fs, is_sealed).unwrap();
        workload.check(&store);
        workload.commit_some(&store).unwrap();
        store.upkeep().unwrap();
        let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap();
        assert_eq!(report.findings, [], "seed {seed} {is_sealed}");
        store.close().unwrap();
        drop(store);
        workload.check(&open(&fs, is_sealed).unwrap());
    }
}

#[test]
fn opening_on_a_full_disk_writes_nothing_that_a_power_cut_could_harm() {
    for seed in 0..30 {
        let (fs, mut workload) = lived(seed, false);
        fs.leave_free(0);
        for cut in 0..40 {
            fs.cut_power_at(fs.operations() + cut);
            let opened = open(&fs, false);
            let is_cut = !fs.is_powered();
            drop(opened);
            fs.power_cycle();
            if !is_cut {
                break;
            }
        }
        workload.check(&open(&fs, false).unwrap());
    }
}

#[test]
fn opening_makes_no_segment_before_the_first_write() {
    let fs = SimulatedFs::new(1);
    drop(open(&fs, false).unwrap());
    let segments = |fs: &SimulatedFs| {
        let names = fs.list(Path::new(DIR)).unwrap();
        names.iter().filter(|name| name.starts_with("segment-")).count()
    };
    assert_eq!(segments(&fs), 0);
    let store = open(&fs, false).unwrap();
    note(&store, WriteClass::Ordinary, 1).unwrap();
    assert_eq!(segments(&fs), 1);
    store.close().unwrap();
    drop(store);
    let before = fs.operations();
    for _ in 0..3 {
        let store = open(&fs, false).unwrap();
        assert_eq!(notes(&store), [1]);
    }
    assert_eq!(segments(&fs), 1, "an opening that nothing follows leaves nothing");
    assert!(fs.operations() > before, "redb notes that somebody has its file open");
}

#[test]
fn an_index_that_must_be_rebuilt_says_how_much_to_free_and_leaves_the_disk_as_it_was() {
    let (fs, mut workload) = lived(0, false);
    fs.remove_raw(Path::new(DIR).join("index.redb"));
    fs.leave_free(8 << 10);
    let error = open(&fs, false).unwrap_err();
    let StoreError::StorageFull { free_bytes, reserve_bytes } = error else { panic!("{error}") };
    assert!(reserve_bytes > free_bytes);
    assert!(free(&fs) >= 8 << 10, "what a half-made index took is free again");
    fs.set_capacity(None);
    let store = open(&fs, false).unwrap();
    workload.check(&store);
}

#[test]
fn revocations_use_the_reserve_to_its_end_and_deletions_half_of_it() {
    for is_sealed in [false, true] {
        let fs = SimulatedFs::new(1);
        let store = open(&fs, is_sealed).unwrap();
        note(&store, WriteClass::Ordinary, 0).unwrap();
        store.upkeep().unwrap();
        store.close().unwrap();
        drop(store);
        // Without segments that were prepared: everything has to be paid for.
        let store = open(&fs, is_sealed).unwrap();
        while note(&store, WriteClass::Ordinary, 0).is_ok() && fs.operations() < 400 {}
        fs.leave_free(0);
        let reserve = || fs.read_all(Path::new(DIR).join("RESERVE")).unwrap().len() as u64;
        assert_eq!(reserve(), RESERVE);
        let mut taken = 1;
        while note(&store, WriteClass::Reserve, taken).is_ok() {
            taken += 1;
            fs.leave_free(0);
        }
        assert!(taken > 20, "{taken}");
        assert!((RESERVE / 2..RESERVE / 2 + (64 << 10)).contains(&reserve()), "{}", reserve());
        let deletions = taken;
        while note(&store, WriteClass::Vital, taken).is_ok() {
            taken += 1;
            fs.leave_free(0);
            let refused = note(&store, WriteClass::Reserve, taken).unwrap_err();
            assert!(matches!(refused, StoreError::StorageFull { .. }), "{refused}");
        }
        assert!(taken > deletions + 20, "{taken}");
        assert!(reserve() < 64 << 10, "{}", reserve());
        let all: Vec<u32> = (0..taken).collect();
        assert_eq!(notes(&store), all);
        assert!(
            matches!(store.health(), Health::Full { .. }),
            "nothing failed for good: {:?}",
            store.health()
        );
        fs.process_kill();
        drop(store);
        let store = open(&fs, is_sealed).unwrap();
        assert_eq!(notes(&store), all, "everything is there after a kill");
        // Room for less than the reserve and what must stay free: nothing ordinary is taken before.
        fs.leave_free((64 << 10) + RESERVE / 2);
        assert!(note(&store, WriteClass::Ordinary, 9999).unwrap_err().is_full());
        store.upkeep().unwrap();
        fs.leave_free(4 << 20);
        store.upkeep().unwrap();
        assert_eq!(reserve(), RESERVE, "it is filled up first");
        note(&store, WriteClass::Ordinary, 9999).unwrap();
    }
}

#[test]
fn power_cuts_while_the_reserve_is_used_lose_nothing_that_was_acknowledged() {
    for is_sealed in [false, true] {
        let mut cut = 0;
        loop {
            let fs = SimulatedFs::new(cut);
            let store = open(&fs, is_sealed).unwrap();
            note(&store, WriteClass::Ordinary, 0).unwrap();
            store.upkeep().unwrap();
            fs.leave_free(0);
            fs.cut_power_at(fs.operations() + cut);
            let mut acknowledged = 0;
            while acknowledged < 60 && note(&store, WriteClass::Vital, acknowledged + 1).is_ok() {
                acknowledged += 1;
            }
            let is_cut = !fs.is_powered();
            drop(store);
            fs.power_cycle();
            let store = open(&fs, is_sealed).unwrap();
            let found = notes(&store).len() as u32;
            assert!((acknowledged + 1..=acknowledged + 2).contains(&found), "cut {cut}: {found}");
            note(&store, WriteClass::Vital, 1000).unwrap_or_else(|error| panic!("cut {cut}: {error}"));
            fs.set_capacity(None);
            store.upkeep().unwrap();
            let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap();
            assert_eq!(report.findings, [], "cut {cut}");
            if !is_cut {
                assert_eq!(acknowledged, 60);
                break;
            }
            cut += 1;
        }
        assert!(cut > 100, "{cut}");
    }
}

#[test]
fn a_disk_that_is_full_in_truth_refuses_a_piece_without_harm() {
    // Somebody else takes what the reserve gives back: each attempt fails at another operation.
    for at in 0..30 {
        let fs = SimulatedFs::new(at);
        let store = open(&fs, false).unwrap();
        note(&store, WriteClass::Ordinary, 0).unwrap();
        store.upkeep().unwrap();
        while note(&store, WriteClass::Ordinary, 0).is_ok() && fs.operations() < 300 {}
        fs.set_free_bytes(0);
        fs.inject(fs.operations() + at, Fault::Full);
        let mut acknowledged = Vec::new();
        for number in 1..40 {
            match note(&store, WriteClass::Vital, number) {
                Ok(()) => acknowledged.push(number),
                Err(StoreError::OutcomeUnknown { .. } | StoreError::Poisoned { .. }) => break,
                Err(error) => assert!(error.is_full(), "at {at}: {error}"),
            }
        }
        fs.process_kill();
        drop(store);
        let found = notes(&open(&fs, false).unwrap());
        assert!(acknowledged.iter().all(|number| found.contains(number)), "at {at}");
    }
}
