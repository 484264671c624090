//! `cairn salvage` on a directory that nothing else opens.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Server, run, stderr, stdout};

fn said(dir: &Path, arguments: &[&str]) -> String {
    let output = run(dir, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// A data directory with a context of some turns, each appended by an opening of its own.
fn with_turns(dir: &Path) {
    said(dir, &["--data-dir", "data", "init"]);
    said(
        dir,
        &["--data-dir", "data", "turns", "append", "new", "--type", "com.example.Note", "--text", "turn 1"],
    );
    for number in 2..=5 {
        let text = format!("turn {number}");
        let append =
            ["--data-dir", "data", "turns", "append", "1", "--type", "com.example.Note", "--text", &text];
        said(dir, &append);
    }
}

/// Flips a bit of the last place where some text stands in a file of the log.
fn damage(data: &Path, text: &str) {
    for entry in data.read_dir().expect("the directory") {
        let path = entry.expect("it").path();
        let bytes = fs::read(&path).unwrap_or_default();
        let is_log = path.extension().is_some_and(|end| end == "log");
        let found = bytes.windows(text.len()).position(|window| window == text.as_bytes());
        if let Some(at) = found.filter(|_| is_log) {
            let mut bytes = bytes;
            bytes[at] ^= 1;
            fs::write(&path, bytes).expect("it can be written");
            return;
        }
    }
    panic!("{text} is nowhere");
}

#[test]
fn what_is_outside_of_the_damage_is_in_the_new_directory() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    with_turns(dir);
    let data = dir.join("data");
    // A payload, and the manifest; the index is gone.
    damage(&data, "turn 3");
    fs::remove_file(data.join("index.redb")).expect("it is there");
    let mut manifest = fs::read(data.join("MANIFEST")).expect("it is there");
    manifest[40] ^= 1;
    fs::write(data.join("MANIFEST"), manifest).expect("written");
    let refused = run(dir, &["--data-dir", "data", "turns", "list"]);
    assert_eq!(refused.status.code(), Some(4), "{}", stderr(&refused));

    let report = said(dir, &["--data-dir", "data", "salvage", "--to", "new", "--json"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let lost: Vec<(&str, &str)> = report["lost"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| (item["kind"].as_str().unwrap_or(""), item["detail"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(lost, [("blob", "payload or tree of turn 3")], "{report}");
    let place = &report["lost_bytes"][0];
    assert!(place["file"].as_str().expect("a file").starts_with("segment-"), "{report}");
    let written = fs::read_to_string(dir.join("new/salvage-report.json")).expect("it is there");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), report);
    assert!(!dir.join("new.unfinished").exists());

    let shown = said(
        dir,
        &["--data-dir", "new", "turns", "append", "1", "--type", "com.example.Note", "--text", "on"],
    );
    assert_eq!(shown, "turn 6 appended to context 1 at depth 5\n");
    // A server that owns the damaged directory, or a new one that is not empty, is in the way.
    let server = Server::start(dir, &["--data-dir", "new"]);
    let busy = run(dir, &["--data-dir", "new", "salvage", "--to", "newer"]);
    assert_eq!(busy.status.code(), Some(3), "{}", stderr(&busy));
    assert!(!dir.join("newer").exists() && !dir.join("newer.unfinished").exists());
    drop(server);
    let taken = run(dir, &["--data-dir", "data", "salvage", "--to", "new"]);
    assert_eq!(taken.status.code(), Some(2), "{}", stderr(&taken));
    let inside = run(dir, &["--data-dir", "data", "salvage", "--to", "data/new"]);
    assert_eq!(inside.status.code(), Some(2), "{}", stderr(&inside));
}

#[test]
fn text_names_what_is_lost_and_where() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    with_turns(dir);
    let whole = said(dir, &["--data-dir", "data", "salvage", "--to", "copy"]);
    assert!(whole.contains("nothing is lost\n"), "{whole}");
    said(dir, &["--data-dir", "copy", "doctor"]);
    damage(&dir.join("data"), "turn 3");
    let text = said(dir, &["--data-dir", "data", "salvage", "--to", "new"]);
    assert!(text.contains("lost:\n  tenant 1: 1 blob "), "{text}");
    assert!(text.contains("damaged places:\n  segment-"), "{text}");
    assert!(text.contains("salvage-report.json"), "{text}");
    let list = said(dir, &["--data-dir", "new", "turns", "list"]);
    assert!(list.contains('5'), "{list}");
    let missing = run(dir, &["--data-dir", "nowhere", "salvage", "--to", "x"]);
    assert_eq!(missing.status.code(), Some(2), "{}", stderr(&missing));
}
