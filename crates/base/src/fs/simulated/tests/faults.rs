//! Injected faults, and damage done on purpose.

use std::io::ErrorKind;

use super::*;

#[test]
fn an_injected_fault_fails_one_operation_and_does_nothing() {
    for (fault, kind) in [(Fault::Error, ErrorKind::Other), (Fault::Full, ErrorKind::StorageFull)] {
        let (fs, file) = disk_with(0, "a", b"abc");
        let next = fs.operations();
        for at in 0..6 {
            fs.inject(next + at, fault);
        }
        let results = [
            file.write_at(b"x", 0),
            file.set_len(0),
            fs.create(&path("b")).map(drop),
            fs.rename(&path("a"), &path("b")),
            fs.remove(&path("a")),
            fs.sync_dir(dir()),
        ];
        for result in results {
            assert_eq!(result.unwrap_err().kind(), kind);
        }
        assert_eq!(fs.operations(), next + 6);
        assert_eq!((list(&fs), bytes_of(&fs, "a")), (vec!["a".to_owned()], Some(b"abc".to_vec())));
        file.write_at(b"x", 0).unwrap();
    }
}

#[test]
fn a_torn_write_leaves_its_leading_sectors() {
    let outcomes: Vec<_> =
        (0..4).map(|sectors| [vec![2; sectors * 512], vec![1; 1536 - sectors * 512]].concat()).collect();
    check_outcomes(&outcomes, |seed| {
        let (fs, file) = disk_with(seed, "a", &[1; 1536]);
        fs.inject(fs.operations(), Fault::Torn);
        file.write_at(&[2; 1536], 0).unwrap_err();
        bytes_of(&fs, "a").unwrap()
    });
}

#[test]
fn a_torn_name_change_is_not_done() {
    for seed in SEEDS {
        let (fs, file) = disk_with(seed, "a", b"abc");
        (0..2).for_each(|at| fs.inject(fs.operations() + at, Fault::Torn));
        fs.rename(&path("a"), &path("b")).unwrap_err();
        file.set_len(0).unwrap_err();
        assert_eq!((list(&fs), bytes_of(&fs, "a")), (vec!["a".to_owned()], Some(b"abc".to_vec())));
    }
}

#[test]
fn after_a_failed_sync_a_good_one_does_not_bring_the_bytes_back() {
    for fault in [Fault::Error, Fault::Torn, Fault::Full] {
        check_outcomes(&[*b"..z", *b"x.z", *b".yz", *b"xyz"], |seed| {
            let (fs, file) = disk_with(seed, "a", b"...");
            file.write_at(b"x", 0).unwrap();
            file.write_at(b"y", 1).unwrap();
            fs.inject(fs.operations(), fault);
            file.sync_data().unwrap_err();
            file.write_at(b"z", 2).unwrap();
            file.sync_data().unwrap();
            assert_eq!(bytes_of(&fs, "a").as_deref(), Some(&b"xyz"[..]), "readable all the same");
            fs.power_cycle();
            bytes_of(&fs, "a").unwrap().try_into().unwrap()
        });
    }
}

#[test]
fn bytes_written_again_after_a_failed_sync_can_be_synced() {
    for seed in SEEDS {
        let (fs, file) = disk_with(seed, "a", b"...");
        file.write_at(b"abc", 0).unwrap();
        fs.inject(fs.operations(), Fault::Error);
        file.sync_data().unwrap_err();
        file.write_at(b"xyz", 0).unwrap();
        file.sync_data().unwrap();
        fs.power_cycle();
        assert_eq!(bytes_of(&fs, "a").as_deref(), Some(&b"xyz"[..]), "seed {seed}");
    }
}

#[test]
fn a_failed_sync_of_names_may_be_tried_again() {
    for seed in SEEDS {
        let fs = disk(seed);
        create(&fs, "a", b"");
        fs.inject(fs.operations(), Fault::Error);
        fs.sync_dir(dir()).unwrap_err();
        fs.sync_dir(dir()).unwrap();
        fs.power_cycle();
        assert_eq!(list(&fs), ["a"], "seed {seed}");
    }
}

#[test]
fn a_fault_waits_for_its_operation_over_a_power_cycle() {
    let (fs, _) = disk_with(0, "a", b"abc");
    fs.inject(fs.operations() + 1, Fault::Error);
    fs.power_cycle();
    let file = fs.open(&path("a")).unwrap();
    file.sync_data().unwrap();
    file.sync_data().unwrap_err();
    file.sync_data().unwrap();
}

#[test]
fn damage_is_durable_at_once() {
    for seed in SEEDS {
        let fs = disk(seed);
        create(&fs, "a", b"abc");
        create(&fs, "b", b"abc");
        fs.flip(path("a"), 1);
        fs.corrupt(path("b"), |bytes| bytes.truncate(1));
        fs.write_raw("/new/place/c", b"c");
        fs.write_raw(path("d"), b"d");
        assert!(fs.remove_raw(path("d")));
        assert!(!fs.remove_raw(path("d")));
        fs.power_cycle();
        assert_eq!(bytes_of(&fs, "a").as_deref(), Some(&b"acc"[..]));
        assert_eq!(bytes_of(&fs, "b").as_deref(), Some(&b"a"[..]));
        assert_eq!(fs.read_all("/new/place/c").as_deref(), Some(&b"c"[..]));
        assert!(!fs.exists(path("d")));
    }
}

#[test]
#[should_panic(expected = "no file /data/a to damage")]
fn damaging_nothing_is_a_mistake_of_the_test() {
    disk(0).flip(path("a"), 0);
}

#[test]
fn free_bytes_are_what_was_set() {
    let fs = disk(0);
    assert!(fs.free_bytes(dir()).unwrap() > 1 << 30);
    fs.set_free_bytes(5);
    assert_eq!(fs.free_bytes(dir()).unwrap(), 5);
}
