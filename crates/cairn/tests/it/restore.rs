//! `cairn restore`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cairn_base::{Entropy, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, EncryptionKey, RESTORE_MARK};
use cairn_seam::{LocalStore, Maintenance, Store};
use serde_json::Value;

use crate::program::{Server, cairn, run, stderr, stdout};

fn node_of(dir: &Path, data: &str) -> Value {
    let server = Server::start(dir, &["--data-dir", data]);
    let answer = server.get("/v1/admin/stats");
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    serde_json::from_str::<Value>(body).expect("JSON")["node_id"].clone()
}

/// A folder with a data directory and a backup of it that may only be read, and the node's id.
fn backed_up() -> (tempfile::TempDir, Value) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let node = node_of(dir.path(), "data");
    let store = EmbeddedStore::open(&dir.path().join("data"), EmbeddedOptions::default()).expect("it opens");
    let backup = dir.path().join("backup");
    store
        .maintain(&Maintenance::Backup { to: backup.clone(), skip_damaged: false }, &mut |_| true)
        .expect("a backup");
    store.close().expect("it closes");
    let mode = backup.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else may read it");
    fs::set_permissions(&backup, fs::Permissions::from_mode(0o400)).expect("it is ours");
    (dir, node)
}

fn files(dir: &Path) -> Vec<(std::ffi::OsString, u64)> {
    let entries = dir.read_dir().expect("the directory").map(|entry| entry.expect("it"));
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name(), entry.metadata().expect("it").len())).collect();
    files.sort();
    files
}

#[test]
fn a_restored_directory_is_the_same_node() {
    let (dir, node) = backed_up();
    let made = run(dir.path(), &["--data-dir", "again", "restore", "backup"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(stdout(&made).contains("serve`"), "{made:?}");
    let again = dir.path().join("again");
    let mode = again.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else may read it");
    assert!(again.join("index.redb").is_file(), "it was opened once");
    assert_eq!(node_of(dir.path(), "again"), node);

    let made = run(dir.path(), &["--data-dir", "third", "restore", "backup", "--json"]);
    let told: Value = serde_json::from_str(&stdout(&made)).expect("JSON");
    assert!(told["data_dir"].as_str().is_some_and(|path| path.ends_with("third")), "{told}");
    let bytes = dir.path().join("backup").metadata().expect("it is there").len();
    assert_eq!(told["bytes"], bytes, "{told}");
    assert!(told["position"].as_u64() > Some(0) && told["files"].as_u64() > Some(1), "{told}");
}

#[test]
fn a_damaged_backup_is_refused_with_its_place_and_leaves_nothing() {
    let (dir, _) = backed_up();
    let mut bytes = fs::read(dir.path().join("backup")).expect("it is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let damaged = dir.path().join("damaged");
    fs::write(&damaged, &bytes).expect("it can be written");
    let refused = run(dir.path(), &["--data-dir", "again", "restore", "damaged"]);
    assert_eq!(refused.status.code(), Some(4), "{}", stderr(&refused));
    let place = format!("damaged at byte {} of damaged", bytes.len() - 32);
    assert!(stderr(&refused).contains(&place) && stderr(&refused).contains("hint: "), "{refused:?}");
    assert!(!stderr(&refused).contains("--accept-loss"), "{refused:?}");
    assert!(!dir.path().join("again").exists());

    fs::write(&damaged, &bytes[..100]).expect("it can be written");
    let refused = run(dir.path(), &["--data-dir", "again", "restore", "damaged"]);
    assert_eq!(refused.status.code(), Some(4), "{}", stderr(&refused));
    let missing = run(dir.path(), &["--data-dir", "again", "restore", "nowhere"]);
    assert_eq!(missing.status.code(), Some(1), "{}", stderr(&missing));
    assert!(stderr(&missing).contains("nowhere"), "{missing:?}");
    assert!(!dir.path().join("again").exists());
}

#[test]
fn a_directory_in_use_is_left_alone() {
    let (dir, _) = backed_up();
    let data = dir.path().join("data");
    let before = files(&data);
    let refused = run(dir.path(), &["--data-dir", "data", "restore", "backup"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("in the way") && stderr(&refused).contains("--data-dir"),
        "{refused:?}"
    );
    assert_eq!(files(&data), before);
}

/// Puts a blob of noise with a file of its own into a store; yields that file.
fn put_large(dir: &Path, bytes: usize) -> std::path::PathBuf {
    let store = EmbeddedStore::open(&dir.join("data"), EmbeddedOptions::default()).expect("it opens");
    let mut content = vec![0; bytes];
    SeededEntropy::new(1).fill(&mut content);
    let mut upload = store.upload(TenantId(1)).expect("it takes one");
    upload.write(&content).expect("there is room");
    let blob = upload.finish().expect("there is room");
    cairn_seam::write(&store, TenantId(1), move |tx| tx.put_blob(&blob)).expect("it is written");
    store.close().expect("it closes");
    let mut files = dir.join("data/blobs").read_dir().expect("the folder");
    files.next().expect("a file").expect("it").path()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).expect("it is there");
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("it can be written");
}

#[test]
fn a_backup_of_damaged_data_is_refused_with_its_place_or_partial() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let node = node_of(dir.path(), "data");
    let blob = put_large(dir.path(), 1_100_000);
    flip(&blob, 70_000);
    let name = blob.file_name().expect("a name").to_string_lossy().into_owned();
    let refused = run(dir.path(), &["--data-dir", "data", "backup", "one"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let said = stderr(&refused);
    assert!(said.contains("damaged at byte 65600 of ") && said.contains(&name), "{said}");
    assert!(said.contains("no backup was written") && said.contains("--skip-damaged"), "{said}");
    assert!(!dir.path().join("one").exists() && !dir.path().join("one.unfinished").exists());

    let partial = run(dir.path(), &["--data-dir", "data", "backup", "one", "--skip-damaged"]);
    assert_eq!(partial.status.code(), Some(4), "{partial:?}");
    let line = format!("missing: blobs/{name}, bytes 65600 to 131136, blobs: 1: the blob does not verify\n");
    assert!(stdout(&partial).starts_with(&line) && stdout(&partial).contains("wrote "), "{partial:?}");
    assert!(stderr(&partial).contains("1 place is missing") && stderr(&partial).contains("--accept-missing"));
    let told = run(dir.path(), &["--data-dir", "data", "--json", "backup", "two", "--skip-damaged"]);
    assert_eq!(told.status.code(), Some(4), "{told:?}");
    let told: Value = serde_json::from_str(&stdout(&told)).expect("JSON");
    assert_eq!(
        (&told["missing"][0]["from_byte"], &told["figures"]["blobs_missing"]),
        (&65600.into(), &1.into())
    );

    let refused = run(dir.path(), &["--data-dir", "again", "restore", "one"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let said = stderr(&refused);
    assert!(
        said.contains("one is a partial backup: 1 places") && said.contains("--accept-missing"),
        "{said}"
    );
    assert!(!dir.path().join("again").exists());
    let accepted = run(dir.path(), &["--data-dir", "again", "restore", "one", "--accept-missing"]);
    assert_eq!(accepted.status.code(), Some(0), "{accepted:?}");
    assert!(stdout(&accepted).starts_with(&line), "{accepted:?}");
    assert_eq!(node_of(dir.path(), "again"), node);
    let told = run(dir.path(), &["--data-dir", "third", "--json", "restore", "two", "--accept-missing"]);
    let told: Value = serde_json::from_str(&stdout(&told)).expect("JSON");
    assert_eq!((&told["missing"][0]["blobs"], &told["opens"]), (&1.into(), &true.into()));
}

/// Starts a restore and kills it when it has begun to write; `false` when it was too quick.
fn killed_in_the_middle(dir: &Path) -> bool {
    let mark = dir.join("again").join(RESTORE_MARK);
    let mut child = cairn(dir, &["--data-dir", "again", "restore", "backup"]).spawn().expect("it starts");
    while !mark.exists() && child.try_wait().expect("it is ours").is_none() {
        std::thread::yield_now();
    }
    // One that has ended cannot be killed any more.
    let _ = child.kill();
    child.wait().expect("it is ours");
    mark.exists()
}

#[test]
fn what_a_killed_restore_leaves_is_refused_and_cleared_by_the_next() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let node = node_of(dir.path(), "data");
    put_large(dir.path(), 48 << 20);
    let made = run(dir.path(), &["--data-dir", "data", "backup", "backup"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let was_killed = (0..20).any(|_| {
        let was_killed = killed_in_the_middle(dir.path());
        if !was_killed {
            fs::remove_dir_all(dir.path().join("again")).expect("it was restored");
        }
        was_killed
    });
    assert!(was_killed, "it is always too quick");
    for command in
        [&["serve", "--http", "127.0.0.1:0"][..], &["serve", "--accept-loss"], &["stats"], &["doctor"]]
    {
        let refused = run(dir.path(), &[&["--data-dir", "again"], command].concat());
        assert_eq!(refused.status.code(), Some(4), "{command:?}: {refused:?}");
        let said = stderr(&refused);
        assert!(said.contains("was cut short") && said.contains("hint: run `cairn restore`"), "{said}");
    }
    let made = run(dir.path(), &["--data-dir", "again", "restore", "backup"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    assert!(!dir.path().join("again").join(RESTORE_MARK).exists());
    assert_eq!(node_of(dir.path(), "again"), node);
    let doctor = run(dir.path(), &["--data-dir", "again", "doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{doctor:?}");
}

#[test]
fn a_restore_into_a_directory_whose_parent_is_not_ours_works_and_leaves_it_empty_when_refused() {
    let (dir, node) = backed_up();
    let again = dir.path().join("mount/again");
    fs::create_dir_all(&again).expect("a directory");
    let parent = dir.path().join("mount");
    fs::set_permissions(&parent, fs::Permissions::from_mode(0o500)).expect("it is ours");
    let mut bytes = fs::read(dir.path().join("backup")).expect("it is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(dir.path().join("damaged"), &bytes).expect("it can be written");
    let refused = run(dir.path(), &["--data-dir", "mount/again", "restore", "damaged"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    assert!(files(&again).is_empty());
    let made = run(dir.path(), &["--data-dir", "mount/again", "restore", "backup"]);
    fs::set_permissions(&parent, fs::Permissions::from_mode(0o700)).expect("it is ours");
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    assert_eq!(node_of(dir.path(), "mount/again"), node);
}

#[test]
fn a_sealed_backup_without_its_key_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(run(dir.path(), &["key", "generate", "key"]).status.code(), Some(0));
    let with_key = |arguments: &[&str]| {
        let mut command = cairn(dir.path(), arguments);
        command.env("CAIRN_ENCRYPTION_KEY_FILE", dir.path().join("key"));
        crate::program::output(&mut command)
    };
    let options = EmbeddedOptions {
        key: EncryptionKey::parse(&fs::read(dir.path().join("key")).expect("a key")),
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(&dir.path().join("data"), options).expect("it opens");
    store.close().expect("it closes");
    drop(store);
    let made = with_key(&["--data-dir", "data", "backup", "one"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let refused = run(dir.path(), &["--data-dir", "deep/again", "restore", "one"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!dir.path().join("deep").exists(), "not even its parent");
    let made = with_key(&["--data-dir", "deep/again", "restore", "one"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
}
