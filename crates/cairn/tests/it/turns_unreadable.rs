//! `cairn turns` on a data directory in which the payload of a turn is damaged.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::program::{Server, run, stderr, stdout};

const DAMAGED: &str = "the payload that will be damaged";

fn turns(dir: &Path, data: &str, arguments: &[&str]) -> Output {
    run(dir, &[&["--data-dir", data, "turns"], arguments].concat())
}

fn said(dir: &Path, data: &str, arguments: &[&str]) -> String {
    let output = turns(dir, data, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Three turns in `one`, the second of which is damaged, and an empty `two`.
fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for data in ["one", "two"] {
        let made = run(dir.path(), &["--data-dir", data, "init"]);
        assert_eq!(made.status.code(), Some(0), "{made:?}");
    }
    said(dir.path(), "one", &["append", "new", "--type", "t", "--text", "before it"]);
    said(dir.path(), "one", &["append", "1", "--type", "t", "--text", DAMAGED]);
    said(dir.path(), "one", &["append", "1", "--type", "t", "--text", "behind it"]);
    let mut hits = 0;
    for entry in dir.path().join("one").read_dir().expect("a folder") {
        let path = entry.expect("a file").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("segment-")) {
            let mut bytes = fs::read(&path).expect("it is there");
            let at = bytes.windows(DAMAGED.len()).position(|window| window == DAMAGED.as_bytes());
            if let Some(at) = at {
                bytes[at + 3] ^= 1;
                fs::write(&path, bytes).expect("it can be written");
                hits += 1;
            }
        }
    }
    assert_eq!(hits, 1, "the payload is in the log");
    dir
}

fn story(dir: &Path) {
    for command in ["show", "tail"] {
        let shown = said(dir, "one", &[command, "1"]);
        assert!(shown.contains("before it") && shown.contains("behind it"), "{shown}");
        assert!(shown.contains("turn 2") && shown.contains("\n    unreadable: "), "{shown}");
    }
    assert!(said(dir, "one", &["show", "--turn", "2"]).contains("unreadable: "));
    let page: Value = serde_json::from_str(&said(dir, "one", &["show", "1", "--json"])).expect("a page");
    assert!(page["turns"][1]["unreadable"].is_string(), "{page}");
    assert!(said(dir, "one", &["list"]).contains('3'));
    let raw = turns(dir, "one", &["show", "1", "--raw"]);
    assert_eq!(raw.status.code(), Some(4), "{}", stderr(&raw));
    assert!(stderr(&raw).contains("of turns 2"), "{}", stderr(&raw));
    assert_eq!(raw.stdout, b"\x81\x01\xa9before it\x81\x01\xa9behind it");

    let export = turns(dir, "one", &["export", "--out", "all.ndjson", "--json"]);
    assert_eq!(export.status.code(), Some(4), "{}", stderr(&export));
    assert!(stderr(&export).contains("1 payload of turns") && stderr(&export).contains("\nturns: 2\n"));
    let end: Value = serde_json::from_str(&stdout(&export)).expect("the end");
    assert_eq!((&end["turns"], &end["unreadable"]["turn_ids"]), (&2.into(), &serde_json::json!(["2"])));
    let piped = turns(dir, "one", &["export"]);
    assert_eq!(piped.status.code(), Some(4));
    assert_eq!(stdout(&piped), fs::read_to_string(dir.join("all.ndjson")).expect("it is there"));

    let imported = said(dir, "two", &["import", "all.ndjson"]);
    assert_eq!(
        imported,
        "imported 1 context and 3 turns (1 of them without their payloads, which were unreadable)\n"
    );
    let shown = said(dir, "two", &["show", "1"]);
    assert!(shown.contains("turn 3  depth 2") && shown.contains("cairn.unreadable@1"), "{shown}");
}

#[test]
fn a_damaged_payload_costs_only_its_turn() {
    let dir = here();
    story(dir.path());
}

#[test]
fn the_same_through_servers() {
    let dir = here();
    let _servers = ["one", "two"].map(|data| Server::start(dir.path(), &["--data-dir", data]));
    story(dir.path());
}
