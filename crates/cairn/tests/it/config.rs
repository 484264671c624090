//! `cairn config`, and mistakes in the configuration.

use std::path::Path;

use serde_json::Value;

use crate::program::{cairn, run, stderr, stdout};

fn data_dir(file: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("cairn.toml"), file).expect("the file");
    dir
}

/// What it printed, without the folder of the test.
fn shown(text: &str, dir: &Path) -> String {
    let real = dir.canonicalize().expect("it is there");
    let lines = text.replace(&*real.to_string_lossy(), "[dir]").replace(&*dir.to_string_lossy(), "[dir]");
    // Columns are as wide as the folder's name.
    lines
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_value_is_shown_with_where_it_came_from() {
    let dir = data_dir("[http]\ndeadline_ms = 1000\n");
    let output = cairn(dir.path(), &["config", "--data-dir", "."]).env("CAIRN_LOG_LEVEL", "debug").output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    insta::assert_snapshot!("config", shown(&stdout(&output), dir.path()));
}

#[test]
fn programs_get_json() {
    let dir = data_dir("[http]\ndeadline_ms = 1000\nallowed_origins = [\"https://a.example\"]\n");
    let output = run(dir.path(), &["--json", "config", "--data-dir", "."]);
    let config: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(config["data_dir"]["source"], "--data-dir");
    let settings = config["settings"].as_array().expect("a list");
    let setting = |key: &str| settings.iter().find(|row| row["key"] == key).expect("it is listed");
    assert_eq!(setting("http.deadline_ms")["value"], 1000);
    assert_eq!(setting("http.allowed_origins")["value"][0], "https://a.example");
    assert_eq!(setting("http.addr")["source"], "default");
    assert_eq!(setting("http.addr")["environment"], "CAIRN_HTTP_ADDR");
}

#[test]
fn an_unknown_setting_stops_every_command_and_names_the_nearest() {
    let dir = data_dir("\n[http]\nadress = \"127.0.0.1:1\"\n");
    for command in ["config", "serve"] {
        let output = run(dir.path(), &[command, "--data-dir", "."]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        insta::allow_duplicates! {
            insta::assert_snapshot!("unknown_key", shown(&stderr(&output), dir.path()));
        }
    }
}

#[test]
fn an_unknown_variable_is_a_mistake_too() {
    let dir = data_dir("");
    let output = cairn(dir.path(), &["config", "--data-dir", "."]).env("CAIRN_HTTP_ADR", "x").output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!("unknown_variable", shown(&stderr(&output), dir.path()));
}

#[test]
fn a_file_that_is_no_toml_is_named_with_its_line() {
    let dir = data_dir("[http]\naddr = = 1\n");
    let output = run(dir.path(), &["config", "--data-dir", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cairn.toml:2: "), "{output:?}");
}
