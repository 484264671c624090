//! `cairn turns export`, `import` and `prune`, with and without a server.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::program::{Server, run, stderr, stdout};

fn turns(dir: &Path, data: &str, arguments: &[&str]) -> Output {
    run(dir, &[&["--data-dir", data, "turns"], arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, data: &str, arguments: &[&str]) -> String {
    let output = turns(dir, data, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn failed(dir: &Path, data: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = turns(dir, data, arguments);
    (output.status.code(), stderr(&output))
}

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for data in ["one", "two"] {
        let made = run(dir.path(), &["--data-dir", data, "init"]);
        assert_eq!(made.status.code(), Some(0), "{made:?}");
    }
    let dir_path = dir.path();
    said(dir_path, "one", &["append", "new", "--type", "t", "--text", "a"]);
    said(dir_path, "one", &["append", "1", "--type", "t", "--text", "b"]);
    said(dir_path, "one", &["fork", "1"]);
    said(dir_path, "one", &["append", "2", "--type", "t", "--text", "c"]);
    dir
}

fn story(dir: &Path) {
    said(dir, "one", &["export", "--out", "all.ndjson"]);
    let text = std::fs::read_to_string(dir.join("all.ndjson")).expect("it is there");
    assert_eq!(text, said(dir, "one", &["export"]), "standard output says the same");
    let (code, error) = failed(dir, "one", &["export", "--out", "all.ndjson"]);
    assert_eq!((code, error.contains("--after-turn")), (Some(2), true), "{error}");

    // A file that ends in the middle of a line is continued.
    let third = text.find("{\"turn\":{\"turn_id\":\"3\"").expect("a third turn");
    std::fs::write(dir.join("cut.ndjson"), &text[..third + 9]).expect("it is written");
    let (code, error) = failed(dir, "two", &["import", "cut.ndjson"]);
    assert_eq!(code, Some(1), "{error}");
    said(dir, "one", &["export", "--out", "cut.ndjson", "--after-turn", "2"]);
    assert_eq!(
        said(dir, "two", &["import", "cut.ndjson"]),
        "imported 0 contexts and 1 turns; 6 things were there already\n"
    );
    let report: Value =
        serde_json::from_str(&said(dir, "two", &["import", "all.ndjson", "--json"])).expect("a report");
    assert_eq!((report["turns"].as_u64(), report["skipped"].as_u64()), (Some(0), Some(5)));
    for context in ["1", "2"] {
        let of = |data| said(dir, data, &["show", context]);
        assert_eq!(of("one"), of("two"));
    }
    let (code, error) = failed(dir, "two", &["import", "missing.ndjson"]);
    assert_eq!((code, error.contains("missing.ndjson")), (Some(1), true), "{error}");

    let dry = said(dir, "two", &["prune", "--context", "1"]);
    assert!(dry.starts_with("would prune 1 contexts and 1 turns"), "{dry}");
    assert!(dry.ends_with("nothing was changed; --apply does it\n"), "{dry}");
    let done: Value =
        serde_json::from_str(&said(dir, "two", &["prune", "--context", "1", "--apply", "--json"]))
            .expect("a report");
    assert_eq!((done["turns"].as_u64(), done["applied"].as_bool()), (Some(1), Some(true)));
    assert_eq!(failed(dir, "two", &["show", "1"]).0, Some(1));
    assert_eq!(said(dir, "one", &["show", "2"]), said(dir, "two", &["show", "2"]));
    assert!(said(dir, "two", &["prune", "--older-than", "1d"]).starts_with("would prune 0 contexts"));
    assert!(
        said(dir, "two", &["prune", "--keep", "0", "--apply"]).starts_with("pruned 1 contexts and 2 turns")
    );
    assert_eq!(failed(dir, "two", &["prune"]).0, Some(2));
    assert_eq!(failed(dir, "two", &["prune", "--older-than", "1w"]).0, Some(2));
    assert_eq!(failed(dir, "two", &["prune", "--keep", "1", "--context", "1"]).0, Some(2));
}

#[test]
fn turns_move_from_one_data_directory_to_another() {
    let dir = here();
    story(dir.path());
}

#[test]
fn the_same_through_servers() {
    let dir = here();
    let _servers = ["one", "two"].map(|data| Server::start(dir.path(), &["--data-dir", data]));
    story(dir.path());
}
