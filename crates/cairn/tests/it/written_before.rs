//! A data directory and a backup that were written before the engine had a list of memories: both open, with
//! everything that is in them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::program::{run, stdout};

const FIND: &str = r#"FIND(?d.name, ?d.attributes, ?d.metadata.source) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.dose >= 100) }"#;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/written-before-memories").join(name)
}

fn done(dir: &Path, arguments: &[&str]) -> String {
    let ran = run(dir, &[&["--data-dir", "data"], arguments].concat());
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {ran:?}");
    stdout(&ran)
}

fn check(dir: &Path) {
    let texts =
        ["Ada prefers tea. The release goes out on Friday.", "Friday is a holiday: deploy on Monday."];
    let shown = done(dir, &["turns", "show", "1"]);
    assert!(texts.iter().all(|text| shown.contains(text)), "{shown}");
    let fork = done(dir, &["turns", "show", "2"]);
    assert!(fork.contains(texts[0]) && fork.contains("On the fork: deploy on Tuesday."), "{fork}");
    let found = done(dir, &["kip", "-c", FIND, "--json"]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let drug = json!({"dose": 100, "weight": 0.30000000000000004});
    assert_eq!(found["result"], json!([["Aspirin"], [drug], ["cairn://turn/1"]]));
    assert!(done(dir, &["kip", "index", "list"]).contains("attributes.dose  ready"));
    assert!(done(dir, &["access", "user", "list"]).contains("ada          writer"));
    assert!(done(dir, &["audit", "--json"]).contains("create index Drug attributes.dose"));
    assert!(done(dir, &["search", "deploying"]).contains("2 hits"));
    assert!(done(dir, &["doctor"]).contains("all is well"));
    // It is written to as if nothing had happened.
    done(dir, &["turns", "append", "1", "--type", "com.example.Note", "--text", "Monday it is."]);
    done(
        dir,
        &[
            "kip",
            "-c",
            r#"UPSERT { CONCEPT { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES { dose: 400 } } }"#,
        ],
    );
    assert!(done(dir, &["search", "monday"]).contains("2 hits"));
    assert!(done(dir, &["kip", "-c", FIND]).contains("Ibuprofen"));
    assert!(done(dir, &["doctor"]).contains("all is well"));
}

#[test]
fn a_data_directory_opens() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let data = dir.path().join("data");
    fs::create_dir(&data).expect("a folder");
    for entry in fixture("data").read_dir().expect("the fixture") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), data.join(entry.file_name())).expect("a copy");
    }
    check(dir.path());
}

#[test]
fn a_backup_is_restored() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    done(dir.path(), &["restore", fixture("backup.cairn").to_str().expect("a path")]);
    check(dir.path());
}
