//! `cairn key`, and data directories that are sealed.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::program::{Server, cairn, output, run, stderr, stdout};

const VARIABLE: &str = "CAIRN_ENCRYPTION_KEY_FILE";

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn with_key(dir: &Path, key: &str, arguments: &[&str]) -> Output {
    output(cairn(dir, arguments).env(VARIABLE, key))
}

/// Every file of a folder and its bytes.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
}

#[test]
fn a_key_is_made_for_its_owner_alone_and_never_overwritten() {
    let dir = here();
    let made = run(dir.path(), &["--json", "key", "generate", "a.key"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let made: Value = serde_json::from_str(&stdout(&made)).expect("JSON");
    assert!(made["key_file"].as_str().is_some_and(|path| path.ends_with("a.key")), "{made}");
    let file = dir.path().join("a.key");
    let mode = file.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = std::fs::read_to_string(&file).expect("text");
    assert!(key.len() == 65 && key.trim_end().chars().all(|digit| digit.is_ascii_hexdigit()));
    let again = run(dir.path(), &["key", "generate", "a.key"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("is there already"), "{again:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("text"), key);
    assert_eq!(run(dir.path(), &["key", "generate", "b.key"]).status.code(), Some(0));
    assert_ne!(std::fs::read_to_string(dir.path().join("b.key")).expect("text"), key);
}

#[test]
fn a_sealed_directory_opens_with_its_key_alone_and_refusals_change_nothing() {
    let dir = here();
    for key in ["a.key", "b.key"] {
        assert_eq!(run(dir.path(), &["key", "generate", key]).status.code(), Some(0));
    }
    let made = with_key(dir.path(), "a.key", &["--data-dir", "sealed", "init"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert_eq!(run(dir.path(), &["--data-dir", "open", "init"]).status.code(), Some(0));
    let serve = ["serve", "--http", "127.0.0.1:0", "--data-dir"];
    for (key, data, words) in [
        (None, "sealed", "is sealed"),
        (Some("b.key"), "sealed", "the key does not fit"),
        (Some("a.key"), "open", "encryption is chosen when a store is made"),
        (Some("no.key"), "sealed", "could not read the key file"),
        (Some("sealed/cairn.toml"), "sealed", "holds no key"),
    ] {
        let before = files(&dir.path().join(data));
        let mut command = cairn(dir.path(), &serve);
        command.arg(data);
        key.map(|key| command.env(VARIABLE, key));
        let refused = output(&mut command);
        assert_eq!(refused.status.code(), Some(2), "{words}: {refused:?}");
        assert!(stderr(&refused).contains(words), "{refused:?}");
        assert!(stderr(&refused).contains("hint: "), "{refused:?}");
        assert!(files(&dir.path().join(data)) == before, "{words}: something changed");
    }
    let mut command =
        cairn(dir.path(), &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "sealed"]);
    command.env(VARIABLE, "a.key");
    let server = Server::spawn(command);
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    // The server goes on, and only the new key opens the directory after it.
    let rotated =
        with_key(dir.path(), "a.key", &["--data-dir", "sealed", "key", "rotate", "--new-key-file", "b.key"]);
    assert_eq!(rotated.status.code(), Some(0), "{}", stderr(&rotated));
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    // Whoever goes through the server needs no key, and the old one does no harm.
    for stats in [
        run(dir.path(), &["--data-dir", "sealed", "stats"]),
        with_key(dir.path(), "a.key", &["--data-dir", "sealed", "stats"]),
    ] {
        assert_eq!(stats.status.code(), Some(0), "{}", stderr(&stats));
    }
    server.kill();
    let refused = run(dir.path(), &["--data-dir", "sealed", "stats"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let refused = with_key(dir.path(), "a.key", &["--data-dir", "sealed", "doctor"]);
    assert!(stderr(&refused).contains("the key does not fit"), "{refused:?}");
    let checked = with_key(dir.path(), "b.key", &["--data-dir", "sealed", "doctor"]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
}

#[test]
fn after_a_rotation_the_new_key_is_the_one() {
    let dir = here();
    for key in ["a.key", "b.key"] {
        assert_eq!(run(dir.path(), &["key", "generate", key]).status.code(), Some(0));
    }
    assert_eq!(with_key(dir.path(), "a.key", &["--data-dir", "data", "init"]).status.code(), Some(0));
    let rotate = ["--data-dir", "data", "key", "rotate", "--new-key-file", "b.key"];
    let rotated = with_key(dir.path(), "a.key", &rotate);
    assert_eq!(rotated.status.code(), Some(0), "{}", stderr(&rotated));
    assert!(stdout(&rotated).contains("change store.encryption_key_file"), "{rotated:?}");
    assert!(stdout(&rotated).contains(VARIABLE), "{rotated:?}");
    let again = with_key(dir.path(), "a.key", &rotate);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("the key does not fit"), "{again:?}");
    let mut command = cairn(dir.path(), &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "data"]);
    command.env(VARIABLE, "b.key");
    let server = Server::spawn(command);
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    let nowhere =
        with_key(dir.path(), "a.key", &["--data-dir", "no", "key", "rotate", "--new-key-file", "b.key"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("holds no store"), "{nowhere:?}");
    assert!(!dir.path().join("no").exists());
}
