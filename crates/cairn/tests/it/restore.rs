//! `cairn restore`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Maintenance, Store};
use serde_json::Value;

use crate::program::{Server, run, stderr, stdout};

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
