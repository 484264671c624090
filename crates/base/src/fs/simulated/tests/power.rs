//! Counting, power cuts, dead processes and locks.

use super::super::super::Locked;
use super::*;

fn lock(fs: &SimulatedFs, holder: &str) -> Locked {
    fs.lock(&path("LOCK"), holder).unwrap()
}

fn owner(locked: &Locked) -> Option<&str> {
    match locked {
        Locked::Acquired(_) => None,
        Locked::Held(owner) => Some(owner),
    }
}

/// One of each operation that counts, stopping at the first that fails.
fn workload(fs: &SimulatedFs) -> std::io::Result<()> {
    let file = fs.create(&path("a"))?;
    file.write_at(&[1; 2000], 0)?;
    file.set_len(3000)?;
    file.sync_data()?;
    fs.rename(&path("a"), &path("b"))?;
    fs.sync_dir(dir())?;
    fs.remove(&path("b"))
}

#[test]
fn operations_that_change_something_are_counted() {
    let fs = disk(0);
    assert_eq!(fs.operations(), 0);
    workload(&fs).unwrap();
    assert_eq!(fs.operations(), 7);
    fs.open(&path("a")).unwrap_err();
    list(&fs);
    fs.free_bytes(dir()).unwrap();
    lock(&fs, "me");
    assert_eq!(fs.operations(), 7);
    fs.remove(&path("a")).unwrap_err();
    assert_eq!(fs.operations(), 8, "an attempt counts");
}

#[test]
fn after_the_cut_everything_fails_until_the_power_is_back() {
    for cut in 0..7 {
        let (fs, other) = disk_with(0, "other", b"abc");
        let start = fs.operations();
        fs.cut_power_at(start + cut);
        let error = workload(&fs).unwrap_err();
        assert_eq!(error.to_string(), "power is off");
        assert_eq!((fs.operations(), fs.is_powered()), (start + cut + 1, false));

        let off = |result: std::io::Result<()>| assert_eq!(result.unwrap_err().to_string(), "power is off");
        off(fs.create(&path("x")).map(drop));
        off(fs.open(&path("other")).map(drop));
        off(fs.rename(&path("other"), &path("x")));
        off(fs.remove(&path("other")));
        off(fs.list(dir()).map(drop));
        off(fs.create_dir(dir()));
        off(fs.sync_dir(dir()));
        off(fs.free_bytes(dir()).map(drop));
        off(fs.lock(&path("LOCK"), "me").map(drop));
        off(other.len().map(drop));
        off(other.read_at(&mut [0], 0));
        off(other.write_at(b"x", 0));
        off(other.set_len(0));
        off(other.sync_data());
        assert_eq!(fs.operations(), start + cut + 1, "nothing counts without power");

        fs.power_cycle();
        assert_eq!(bytes_of(&fs, "other").as_deref(), Some(&b"abc"[..]));
        create(&fs, "x", b"x");
    }
}

#[test]
fn the_operation_at_the_cut_is_done_in_part() {
    // Of the two sectors any subset may be on the disk.
    check_outcomes(&[[0, 0], [0, 1], [1, 0], [1, 1]], |seed| {
        let (fs, file) = disk_with(seed, "a", &[0; 1024]);
        fs.cut_power_at(fs.operations());
        file.write_at(&[1; 1024], 0).unwrap_err();
        fs.power_cycle();
        let bytes = bytes_of(&fs, "a").unwrap();
        [0, 512].map(|at| bytes[at])
    });
    check_outcomes(&[vec!["a".to_owned()], vec!["b".to_owned()]], |seed| {
        let (fs, _) = disk_with(seed, "a", b"");
        fs.cut_power_at(fs.operations());
        fs.rename(&path("a"), &path("b")).unwrap_err();
        fs.power_cycle();
        list(&fs)
    });
}

#[test]
fn a_number_that_has_passed_cuts_the_next_operation() {
    let (fs, file) = disk_with(0, "a", b"abc");
    fs.cut_power_at(0);
    assert_eq!(file.len().unwrap(), 3);
    file.sync_data().unwrap_err();
    assert!(!fs.is_powered());
}

#[test]
fn handles_die_with_the_power_and_with_the_process() {
    let accidents: [fn(&SimulatedFs); 2] = [SimulatedFs::power_cycle, SimulatedFs::process_kill];
    for accident in accidents {
        let (fs, file) = disk_with(0, "a", b"abc");
        let count = fs.operations();
        accident(&fs);
        file.len().unwrap_err();
        file.read_at(&mut [0], 0).unwrap_err();
        file.write_at(b"x", 0).unwrap_err();
        file.set_len(0).unwrap_err();
        file.sync_data().unwrap_err();
        assert_eq!(fs.operations(), count);
        assert_eq!(fs.open(&path("a")).unwrap().len().unwrap(), 3);
    }
}

#[test]
fn a_killed_process_loses_nothing_it_wrote_but_the_power_still_may() {
    check_outcomes(&[false, true], |seed| {
        let (fs, file) = disk_with(seed, "a", b"abc");
        file.write_at(b"XYZ", 0).unwrap();
        create(&fs, "b", b"");
        fs.process_kill();
        assert_eq!(bytes_of(&fs, "a").as_deref(), Some(&b"XYZ"[..]));
        assert_eq!(list(&fs), ["a", "b"]);
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap() == b"XYZ"
    });
}

#[test]
fn a_new_handle_syncs_what_a_killed_process_wrote() {
    for seed in SEEDS {
        let (fs, file) = disk_with(seed, "a", b"abc");
        file.write_at(b"XYZ", 0).unwrap();
        fs.process_kill();
        fs.open(&path("a")).unwrap().sync_data().unwrap();
        fs.power_cycle();
        assert_eq!(bytes_of(&fs, "a").as_deref(), Some(&b"XYZ"[..]), "seed {seed}");
    }
}

#[test]
fn a_lock_is_held_until_dropped_killed_or_cut() {
    let fs = disk(0);
    let first = lock(&fs, "first");
    assert_eq!(owner(&first), None);
    assert_eq!(bytes_of(&fs, "LOCK").as_deref(), Some(&b"first"[..]));
    assert_eq!(owner(&lock(&fs.clone(), "second")), Some("first"));
    drop(first);

    let second = lock(&fs, "second");
    assert_eq!(owner(&second), None);
    fs.process_kill();
    let third = lock(&fs, "third");
    assert_eq!(owner(&third), None);
    drop(second);
    assert_eq!(owner(&lock(&fs, "fourth")), Some("third"), "a dead guard releases nothing");
    fs.power_cycle();
    assert_eq!(owner(&lock(&fs, "fourth")), None);
}

#[test]
fn the_same_seed_and_calls_come_to_the_same_end() {
    let run = |seed| {
        let fs = disk(seed);
        let files: Vec<_> = (0..8).map(|at| create(&fs, &format!("f{at}"), &[at; 3000])).collect();
        fs.sync_dir(dir()).unwrap();
        fs.inject(fs.operations(), Fault::Torn);
        files[0].write_at(&[9; 4000], 100).unwrap_err();
        fs.inject(fs.operations(), Fault::Error);
        files[1].sync_data().unwrap_err();
        rename(&fs, "f2", "g");
        fs.cut_power_at(fs.operations() + 1);
        fs.remove(&path("f3")).unwrap();
        files[4].write_at(&[9; 4000], 100).unwrap_err();
        fs.power_cycle();
        list(&fs).into_iter().map(|name| (bytes_of(&fs, &name), name)).collect::<Vec<_>>()
    };
    for seed in SEEDS {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
    assert_ne!(run(1), run(2));
}
