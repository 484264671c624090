//! `cairn turns export`, `import` and `prune`, with and without a server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::program::{Server, run, stderr, stdout, within};

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
        "imported 0 contexts and 1 turn; 6 things were there already\n"
    );
    let report: Value =
        serde_json::from_str(&said(dir, "two", &["import", "all.ndjson", "--json"])).expect("a report");
    assert_eq!((report["turns"].as_u64(), report["skipped"].as_u64()), (Some(0), Some(5)));
    for context in ["1", "2"] {
        // As JSON: for people it says how long ago that was.
        let of = |data| said(dir, data, &["show", context, "--json"]);
        assert_eq!(of("one"), of("two"));
    }
    let (code, error) = failed(dir, "two", &["import", "missing.ndjson"]);
    assert_eq!((code, error.contains("missing.ndjson")), (Some(1), true), "{error}");

    let dry = said(dir, "two", &["prune", "--context", "1"]);
    assert!(
        dry.starts_with(
            "would prune 1 context and 1 turn with 4 bytes of payloads; 1 context and 2 turns stay\n"
        ),
        "{dry}"
    );
    assert!(dry.ends_with("nothing was changed; --apply does it\n"), "{dry}");
    let done: Value =
        serde_json::from_str(&said(dir, "two", &["prune", "--context", "1", "--apply", "--json"]))
            .expect("a report");
    assert_eq!((done["turns"].as_u64(), done["applied"].as_bool()), (Some(1), Some(true)));
    assert_eq!(failed(dir, "two", &["show", "1"]).0, Some(1));
    assert_eq!(said(dir, "one", &["show", "2", "--json"]), said(dir, "two", &["show", "2", "--json"]));
    assert!(said(dir, "two", &["prune", "--older-than", "1d"]).starts_with("would prune 0 contexts"));
    assert!(
        said(dir, "two", &["prune", "--keep", "0", "--apply"]).starts_with("pruned 1 context and 2 turns")
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

/// How much a data directory says there is: contexts and turns.
fn there(server: &Server) -> (u64, u64) {
    let answer = server.get("/v1/metrics");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let figures: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in {answer}"));
    let count = |name: &str| figures["objects"][name].as_u64().expect("a number");
    (count("contexts_total"), count("turns_total"))
}

/// A context with so many turns, and a fork from its tenth one, imported.
fn long_history(dir: &Path, turns: u64) {
    let text = said(dir, "one", &["export", "--context", "1"]);
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().find(|line| line.contains("{\"turn\":")).expect("a turn");
    let mut out = vec![
        lines[0].to_owned(),
        r#"{"context":{"context_id":"1","base_turn_id":"0","created_at_unix_ms":1}}"#.to_owned(),
    ];
    for turn in 1..=turns {
        let parent = turn - 1;
        out.push(
            first
                .replace(r#""turn_id":"1""#, &format!(r#""turn_id":"{turn}""#))
                .replace(r#""parent_turn_id":"0""#, &format!(r#""parent_turn_id":"{parent}""#)),
        );
    }
    out.push(r#"{"context":{"context_id":"2","base_turn_id":"10","created_at_unix_ms":1}}"#.to_owned());
    out.push(format!(r#"{{"end":{{"contexts":2,"turns":{turns},"blobs":0,"bundles":0}}}}"#));
    std::fs::write(dir.join("long.ndjson"), out.join("\n") + "\n").expect("it is written");
    assert_eq!(
        said(dir, "two", &["import", "long.ndjson"]),
        format!("imported 2 contexts and {turns} turns\n")
    );
}

/// What the trail says of pruning, one outcome after the other.
fn pruned(dir: &Path) -> Vec<String> {
    let output = run(dir, &["--data-dir", "two", "--json", "audit", "-n", "1000"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let trail = stdout(&output);
    let lines = trail.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let of_prunes = lines.filter(|line| line["action"] == "turns.prune");
    of_prunes.map(|line| line["outcome"].as_str().expect("an outcome").to_owned()).collect()
}

#[test]
fn a_prune_that_was_killed_leaves_a_whole_store_and_the_next_one_does_the_rest() {
    let dir = here();
    let dir = dir.path();
    long_history(dir, 6_000);
    let server = Server::start(dir, &["--data-dir", "two"]);
    assert_eq!(there(&server), (2, 6_000));
    let body = r#"{"contexts":["1"],"apply":true}"#;
    let mut asking = TcpStream::connect(server.addr()).expect("it listens");
    let head = format!(
        "POST /v1/admin/prune HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        server.addr(),
        body.len()
    );
    asking.write_all(head.as_bytes()).expect("it reads");
    // The first line of progress comes when contexts are gone and turns are not.
    let asking = within("the first progress", move || {
        let mut reader = BufReader::new(asking);
        let mut line = String::new();
        while !line.contains("\"stage\"") {
            line.clear();
            assert!(reader.read_line(&mut line).expect("it answers") > 0, "it ended before");
        }
        reader
    });
    server.kill();
    drop(asking);
    assert_eq!(pruned(dir), ["begun"], "it died, and the trail says that somebody was at it");

    let doctor = run(dir, &["--data-dir", "two", "doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{doctor:?}");
    let server = Server::start(dir, &["--data-dir", "two"]);
    let (contexts, turns) = there(&server);
    assert_eq!(contexts, 1);
    assert!(turns > 10, "it was killed in the middle, and {turns} turns are left");
    drop(server);
    let rest = said(dir, "two", &["prune", "--context", "1", "--apply"]);
    assert!(
        rest.starts_with(&format!("pruned 0 contexts and {} turns", turns - 10))
            && rest.ends_with("; 1 context and 10 turns stay\n"),
        "{rest}"
    );
    assert_eq!(pruned(dir), ["begun", "begun", "done"]);
    assert_eq!(run(dir, &["--data-dir", "two", "doctor"]).status.code(), Some(0));
    let server = Server::start(dir, &["--data-dir", "two"]);
    assert_eq!(there(&server), (1, 10));
}
