//! Bytes that change under the store's feet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{Entropy, SeededEntropy};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Store, StoreError};

use crate::kit::{DIR, open_simulated, small_options};
use crate::workload::Workload;

/// A store that was killed after some groups, none of which is in the index.
fn killed(seed: u64, groups: usize) -> (SimulatedFs, Workload) {
    let fs = SimulatedFs::new(seed);
    let store = Arc::new(open_simulated(&fs, seed).unwrap());
    let mut workload = Workload::new(seed);
    for _ in 0..groups {
        workload.commit_some(&store).unwrap();
    }
    drop(store);
    fs.process_kill();
    (fs, workload)
}

fn file(name: &str) -> PathBuf {
    Path::new(DIR).join(name)
}

fn segment() -> PathBuf {
    file("segment-0000000001.log")
}

/// Where each run of the first segment starts, and where the last one ends.
fn run_starts(fs: &SimulatedFs) -> Vec<usize> {
    let bytes = fs.read_all(segment()).unwrap();
    let mut starts = vec![64];
    let mut at = 64;
    while at + 24 <= bytes.len() && bytes[at + 16] != 0 {
        let len = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let is_commit = bytes[at + 16] == 3;
        at += (24 + len).next_multiple_of(8);
        if is_commit {
            starts.push(at);
        }
    }
    starts
}

fn check_opens(fs: &SimulatedFs, workload: &mut Workload, what: &str) {
    let store = open_simulated(fs, 9).unwrap_or_else(|error| panic!("{what}: {error}"));
    workload.check(&store);
}

/// Every file of a disk, to put on another one.
fn files_of(fs: &SimulatedFs) -> Vec<(PathBuf, Vec<u8>)> {
    let names = fs.list(Path::new(DIR)).unwrap();
    names.iter().map(|name| (file(name), fs.read_all(file(name)).unwrap())).collect()
}

#[test]
fn the_last_commit_cut_zeroed_or_overwritten_at_every_byte_opens() {
    let (fs, workload) = killed(1, 3);
    let files = files_of(&fs);
    let whole = fs.read_all(segment()).unwrap();
    let starts = run_starts(&fs);
    let (start, end) = (starts[starts.len() - 2], starts[starts.len() - 1]);
    for at in start..end {
        let way = ["cut", "zeroed", "garbage"][at % 3];
        let fs = SimulatedFs::new(1);
        files.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
        let mut bytes = whole.clone();
        match way {
            "cut" => bytes.truncate(at),
            "zeroed" => bytes[at..end].fill(0),
            _ => SeededEntropy::new(at as u64).fill(&mut bytes[at..end]),
        }
        fs.write_raw(segment(), &bytes);
        let mut workload = workload.copy();
        workload.forget_acknowledged(1);
        check_opens(&fs, &mut workload, &format!("{way} at {at}"));
    }
}

#[test]
fn a_torn_tail_is_set_aside_and_reported() {
    let (fs, _) = killed(1, 3);
    let starts = run_starts(&fs);
    let mut bytes = fs.read_all(segment()).unwrap();
    let end = starts[starts.len() - 1];
    bytes.truncate(end - 8);
    fs.write_raw(segment(), &bytes);
    let store = open_simulated(&fs, 9).unwrap();
    let torn = store.open_report().torn.clone().expect("it says so");
    assert!(torn.contains("segment-0000000001.log"), "{torn}");
    let start = starts[starts.len() - 2];
    let aside = fs.read_all(file(&format!("torn-0000000001-{start}.bin"))).expect("it is kept");
    // Zeroes at the end are no news.
    assert!(bytes[start..].starts_with(&aside) && aside.len() + 8 >= bytes.len() - start);
}

#[test]
fn a_byte_flipped_in_an_earlier_group_is_named_and_everything_else_is_read() {
    let (fs, _) = killed(2, 4);
    let starts = run_starts(&fs);
    for at in (starts[1]..starts[2]).step_by(11) {
        let (fs, mut workload) = killed(2, 4);
        fs.flip(segment(), at as u64);
        let before = files_of(&fs);
        let store = open_simulated(&fs, 9).unwrap();
        let report = store.open_report().clone();
        let Some(why) = report.read_only else {
            // Padding is covered by no checksum and holds nothing; without a commit frame of its own a
            // run is proved by a later one.
            assert!(report.damage.iter().all(|damage| damage.offset.end - damage.offset.start <= 40));
            drop(store);
            continue;
        };
        assert!(why.contains("segment-0000000001.log"), "{why}");
        let place = &report.damage[0];
        assert_eq!(place.file, segment());
        let offset = usize::try_from(place.offset.start).unwrap();
        assert!((starts[1]..=at).contains(&offset), "flipped {at}, named {offset}");
        let refused = workload.commit_some(&Arc::new(store)).unwrap_err();
        assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused}");
        for (path, bytes) in before.iter().filter(|(path, _)| !path.to_string_lossy().contains("index")) {
            assert!(fs.read_all(path).as_ref() == Some(bytes), "{} was changed", path.display());
        }
        let options = EmbeddedOptions { accept_loss: true, ..small_options(Arc::new(fs.clone()), 9) };
        let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
        assert!(store.open_report().lost, "it says that something is gone");
        drop(store);
        fs.process_kill();
        let store = open_simulated(&fs, 9).unwrap();
        assert_eq!(store.open_report().read_only, None, "without asking again");
    }
}

#[test]
fn damage_that_the_index_covers_leaves_a_store_that_can_be_written() {
    let fs = SimulatedFs::new(3);
    let mut workload = Workload::new(3);
    let store = Arc::new(open_simulated(&fs, 3).unwrap());
    while store.stats().files.unwrap_or_default().segments < 4 {
        workload.commit_some(&store).unwrap();
        store.upkeep().unwrap();
    }
    let cells = crate::workload::try_read_cells(&store).unwrap();
    store.close().unwrap();
    drop(store);
    let second =
        fs.list(Path::new(DIR)).unwrap().into_iter().filter(|name| name.starts_with("segment-")).nth(1);
    let second = file(&second.unwrap());
    fs.flip(&second, 100);
    for _ in 0..2 {
        let store = Arc::new(open_simulated(&fs, 9).unwrap());
        let report = store.open_report();
        assert_eq!((report.read_only.as_ref(), report.lost), (None, false));
        assert_eq!(report.damage[0].file, second);
        assert_eq!(crate::workload::try_read_cells(&store).unwrap(), cells, "every key is there");
        drop(store);
        fs.process_kill();
    }
    // The image that was written then does without the damaged segment.
    assert!(fs.remove_raw(file("index.redb")));
    let store = Arc::new(open_simulated(&fs, 9).unwrap());
    assert_eq!(store.open_report().read_only, None);
    assert_eq!(crate::workload::try_read_cells(&store).unwrap(), cells);
    workload.commit_some(&store).unwrap();
}

#[test]
fn an_index_that_is_missing_or_damaged_is_rebuilt() {
    let index = file("index.redb");
    let prepare = || {
        let fs = SimulatedFs::new(4);
        let mut workload = Workload::new(4);
        let store = Arc::new(open_simulated(&fs, 4).unwrap());
        for round in 0..30 {
            workload.commit_some(&store).unwrap();
            if round == 10 {
                store.write_image().unwrap();
            }
        }
        store.close().unwrap();
        (fs, workload)
    };
    let check = |fs: &SimulatedFs, workload: &mut Workload, what: &str| {
        let store = open_simulated(fs, 9).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(store.open_report().rebuilt.is_some(), "{what}");
        workload.check(&store);
    };
    let (fs, mut workload) = prepare();
    assert!(fs.remove_raw(&index));
    check(&fs, &mut workload, "missing");
    let (fs, mut workload) = prepare();
    fs.write_raw(&index, &[]);
    check(&fs, &mut workload, "empty");
    let (fs, mut workload) = prepare();
    fs.corrupt(&index, |bytes| bytes.truncate(bytes.len() / 2));
    check(&fs, &mut workload, "cut");
    let (fs, mut workload) = prepare();
    fs.corrupt(&index, |bytes| SeededEntropy::new(1).fill(bytes));
    check(&fs, &mut workload, "garbage");
}

#[test]
fn a_damaged_page_of_the_index_is_never_served() {
    let index = file("index.redb");
    let fs = SimulatedFs::new(5);
    let mut workload = Workload::new(5);
    let store = Arc::new(open_simulated(&fs, 5).unwrap());
    for _ in 0..40 {
        workload.commit_some(&store).unwrap();
    }
    store.close().unwrap();
    drop(store);
    let whole = fs.read_all(&index).unwrap();
    let used: Vec<usize> = (2..whole.len() / 4096)
        .filter(|page| whole[page * 4096..(page + 1) * 4096].iter().any(|byte| *byte != 0))
        .collect();
    let mut noticed = 0;
    for page in used {
        fs.write_raw(&index, &whole);
        fs.corrupt(&index, |bytes| bytes[page * 4096 + 100..page * 4096 + 300].fill(0xaa));
        // Either the opening notices and rebuilds, or a read refuses, or nobody needs the page.
        let store = open_simulated(&fs, 9).unwrap();
        let refused = crate::workload::try_read_cells(&store).is_err();
        if refused || store.open_report().rebuilt.is_some() {
            noticed += 1;
        }
        if refused {
            store.upkeep().unwrap();
            workload.check(&store);
        }
        drop(store);
        fs.process_kill();
        if refused {
            let store = open_simulated(&fs, 9).unwrap();
            assert_eq!(store.open_report().rebuilt, None, "it was rebuilt while in use");
            workload.check(&store);
        } else {
            check_opens(&fs, &mut workload, "undamaged for readers");
        }
    }
    assert!(noticed > 0, "some page in use was damaged");
}

#[test]
fn a_side_file_that_is_missing_or_damaged_is_made_again() {
    for way in ["missing", "cut", "flipped"] {
        let fs = SimulatedFs::new(6);
        let mut workload = Workload::new(6);
        let store = Arc::new(open_simulated(&fs, 6).unwrap());
        while store.stats().files.unwrap_or_default().side_files < 3 {
            workload.commit_some(&store).unwrap();
            store.upkeep().unwrap();
        }
        store.close().unwrap();
        drop(store);
        let sides = fs.list(Path::new(DIR)).unwrap().into_iter().filter(|name| name.starts_with("side-"));
        for side in sides.map(|name| file(&name)) {
            match way {
                "missing" => assert!(fs.remove_raw(&side)),
                "cut" => fs.corrupt(&side, |bytes| bytes.truncate(bytes.len() - 1)),
                _ => fs.corrupt(&side, |bytes| {
                    let last = bytes.len() - 100;
                    bytes[last] ^= 1;
                }),
            }
        }
        check_opens(&fs, &mut workload, way);
    }
}

#[test]
fn a_newer_or_unreadable_directory_is_refused_in_words() {
    let (fs, _) = killed(7, 2);
    let manifest = file("MANIFEST");
    let text = fs.read_all(&manifest).unwrap();
    fs.corrupt(&manifest, |bytes| bytes[15] = b'9');
    let error = open_simulated(&fs, 9).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::NewerFormat { found: 9, .. }), "{error}");
    fs.write_raw(&manifest, b"not a manifest");
    let error = open_simulated(&fs, 9).map(drop).unwrap_err();
    assert!(error.to_string().contains("MANIFEST"), "{error}");
    assert!(fs.remove_raw(&manifest));
    let error = open_simulated(&fs, 9).map(drop).unwrap_err();
    assert!(error.to_string().contains("missing although"), "{error}");
    fs.write_raw(&manifest, &text);
    open_simulated(&fs, 9).unwrap();
}
