//! Creating, renaming and removing.

use std::io::ErrorKind;

use super::*;

#[test]
fn synced_names_survive() {
    for seed in SEEDS {
        let fs = disk(seed);
        for name in ["a", "b", "c"] {
            create(&fs, name, name.as_bytes()).sync_data().unwrap();
        }
        rename(&fs, "a", "z");
        fs.remove(&path("b")).unwrap();
        fs.sync_dir(dir()).unwrap();
        fs.power_cycle();
        assert_eq!(list(&fs), ["c", "z"], "seed {seed}");
        assert_eq!(bytes_of(&fs, "z").as_deref(), Some(&b"a"[..]), "seed {seed}");
    }
}

#[test]
fn an_unsynced_creation_is_kept_or_lost_even_when_its_bytes_were_synced() {
    check_outcomes(&[None, Some(b"abc".to_vec())], |seed| {
        let fs = disk(seed);
        create(&fs, "a", b"abc").sync_data().unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a")
    });
}

#[test]
fn an_unsynced_removal_is_kept_or_lost() {
    check_outcomes(&[None, Some(b"abc".to_vec())], |seed| {
        let (fs, _) = disk_with(seed, "a", b"abc");
        fs.remove(&path("a")).unwrap();
        assert_eq!(list(&fs), [""; 0]);
        fs.power_cycle();
        bytes_of(&fs, "a")
    });
}

#[test]
fn an_unsynced_rename_changes_both_names_or_none() {
    let before = (Some(b"new".to_vec()), Some(b"old".to_vec()));
    let after = (None, Some(b"new".to_vec()));
    check_outcomes(&[before, after], |seed| {
        let (fs, _) = disk_with(seed, "a", b"old");
        create_synced(&fs, "a.tmp", b"new");
        rename(&fs, "a.tmp", "a");
        fs.power_cycle();
        (bytes_of(&fs, "a.tmp"), bytes_of(&fs, "a"))
    });
}

#[test]
fn a_change_that_follows_a_lost_one_is_lost_too() {
    // Creation lost; creation kept, rename lost; both kept.
    check_outcomes(&["a=old", "a=old b=new", "a=new"].map(str::to_owned), |seed| {
        let (fs, _) = disk_with(seed, "a", b"old");
        create(&fs, "b", b"new").sync_data().unwrap();
        rename(&fs, "b", "a");
        fs.power_cycle();
        show(&fs)
    });
    // The second rename alone must not touch the file that still has the name in the middle.
    check_outcomes(&["a=old b=new", "a=new", "c=new"].map(str::to_owned), |seed| {
        let (fs, _) = disk_with(seed, "a", b"old");
        create_synced(&fs, "b", b"new");
        rename(&fs, "b", "a");
        rename(&fs, "a", "c");
        fs.power_cycle();
        show(&fs)
    });
}

fn show(fs: &SimulatedFs) -> String {
    let bytes = |name: &str| String::from_utf8(bytes_of(fs, name).unwrap()).unwrap();
    list(fs).iter().map(|name| format!("{name}={}", bytes(name))).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_renamed_file_may_lose_bytes_that_were_not_synced() {
    check_outcomes(&[vec![], vec![0], vec![7]], |seed| {
        let fs = disk(seed);
        create(&fs, "a.tmp", &[7]);
        rename(&fs, "a.tmp", "a");
        fs.sync_dir(dir()).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()
    });
}

#[test]
fn syncing_one_directory_leaves_others_alone() {
    let other = std::path::Path::new("/other");
    check_outcomes(&[false, true], |seed| {
        let fs = disk(seed);
        fs.create_dir(other).unwrap();
        fs.create(&other.join("b")).unwrap();
        create_synced(&fs, "a", b"");
        fs.power_cycle();
        assert!(fs.exists(path("a")));
        fs.exists(other.join("b"))
    });
}

#[test]
fn a_rename_between_directories_is_durable_once_either_is_synced() {
    let other = std::path::Path::new("/other");
    for seed in SEEDS {
        for synced in [dir(), other] {
            let fs = disk(seed);
            fs.create_dir(other).unwrap();
            create(&fs, "a", b"");
            fs.rename(&path("a"), &other.join("b")).unwrap();
            fs.sync_dir(synced).unwrap();
            fs.power_cycle();
            assert_eq!((fs.exists(path("a")), fs.exists(other.join("b"))), (false, true), "seed {seed}");
        }
    }
}

#[test]
fn a_name_taken_again_leads_to_one_of_its_files() {
    check_outcomes(&[None, Some(b"old".to_vec()), Some(b"new".to_vec())], |seed| {
        let (fs, _) = disk_with(seed, "a", b"old");
        fs.remove(&path("a")).unwrap();
        create(&fs, "a", b"new").sync_data().unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a")
    });
}

#[test]
fn names_behave_as_on_a_real_disk() {
    let (fs, file) = disk_with(0, "b", b"b");
    fs.create_dir(&path("sub/deep")).unwrap();
    create(&fs, "a", b"a");
    fs.create(&path("sub/c")).unwrap();
    assert_eq!(list(&fs), ["a", "b"]);
    assert_eq!(fs.list(&path("sub")).unwrap(), ["c"]);
    fs.remove(&path("b")).unwrap();
    assert_eq!(file.len().unwrap(), 1, "an open file outlives its name");

    let kind = |error: std::io::Error| error.kind();
    assert_eq!(fs.create(&path("a")).map_err(kind).unwrap_err(), ErrorKind::AlreadyExists);
    assert_eq!(fs.create(&path("no/a")).map_err(kind).unwrap_err(), ErrorKind::NotFound);
    assert_eq!(fs.open(&path("b")).map_err(kind).unwrap_err(), ErrorKind::NotFound);
    assert_eq!(fs.open(&path("sub")).map_err(kind).unwrap_err(), ErrorKind::IsADirectory);
    assert_eq!(fs.rename(&path("b"), &path("a")).map_err(kind), Err(ErrorKind::NotFound));
    assert_eq!(fs.rename(&path("a"), &path("sub")).map_err(kind), Err(ErrorKind::IsADirectory));
    assert_eq!(fs.remove(&path("b")).map_err(kind), Err(ErrorKind::NotFound));
    assert_eq!(fs.list(&path("no")).map_err(kind), Err(ErrorKind::NotFound));
    assert_eq!(fs.sync_dir(&path("no")).map_err(kind), Err(ErrorKind::NotFound));
    assert_eq!(fs.free_bytes(&path("no")).map_err(kind), Err(ErrorKind::NotFound));
    assert_eq!(fs.create_dir(&path("a/x")).map_err(kind), Err(ErrorKind::NotADirectory));
    rename(&fs, "a", "a");
    assert_eq!(list(&fs), ["a"]);
}

#[test]
fn a_directory_is_empty_without_files_and_folders() {
    let fs = disk(1);
    assert!(fs.is_dir_empty(dir()).unwrap());
    fs.create_dir(&path("sub")).unwrap();
    assert!(!fs.is_dir_empty(dir()).unwrap());
    assert!(fs.is_dir_empty(&path("sub")).unwrap());
    create(&fs, "sub/a", b"");
    assert!(!fs.is_dir_empty(&path("sub")).unwrap());
    assert_eq!(fs.is_dir_empty(&path("missing")).unwrap_err().kind(), ErrorKind::NotFound);
}
