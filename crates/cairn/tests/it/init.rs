//! `cairn init`.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::program::{run, stderr, stdout};

#[test]
fn a_project_gets_a_data_directory_that_commands_find() {
    let project = tempfile::tempdir().expect("a temporary folder");
    let deep = project.path().join("src/deep");
    std::fs::create_dir_all(&deep).expect("folders");
    let made = run(project.path(), &["init"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(stdout(&made).contains("cairn serve"), "{made:?}");

    let dir = project.path().join(".cairn");
    let mode = dir.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else may read it");
    assert!(dir.join("cairn.toml").is_file());

    let found = run(&deep, &["--json", "config"]);
    let config: Value = serde_json::from_str(&stdout(&found)).expect("JSON");
    assert_eq!(config["data_dir"]["source"], "the nearest .cairn up the tree");
    let value = config["data_dir"]["value"].as_str().expect("a path");
    assert_eq!(std::fs::canonicalize(value).expect("it is there"), dir.canonicalize().expect("it is there"));
}

#[test]
fn a_second_init_is_refused_and_changes_nothing() {
    let project = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(run(project.path(), &["init"]).status.code(), Some(0));
    let file = project.path().join(".cairn/cairn.toml");
    std::fs::write(&file, "# mine\n").expect("it can be edited");
    let again = run(project.path(), &["init", "."]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("is there already"), "{again:?}");
    assert!(stderr(&again).contains("hint: "), "{again:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "# mine\n");
}

#[test]
fn a_named_directory_is_made_itself() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = run(dir.path(), &["--json", "--data-dir", "data", "init"]);
    let made: Value = serde_json::from_str(&stdout(&made)).expect("JSON");
    assert!(made["data_dir"].as_str().is_some_and(|path| path.ends_with("data")), "{made}");
    assert!(dir.path().join("data/cairn.toml").is_file());
    let both = run(dir.path(), &["--data-dir", "data2", "init", "."]);
    assert_eq!(both.status.code(), Some(2));
    let nowhere = run(dir.path(), &["init", "no/such/folder"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("is not a folder"), "{nowhere:?}");
}
