//! `cairn kip import` and `export`, with and without a server.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::program::{Server, cairn, run, stderr, stdout, within};

fn kip(dir: &Path, data: &str, arguments: &[&str]) -> Output {
    run(dir, &[&["--data-dir", data, "kip"], arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, data: &str, arguments: &[&str]) -> String {
    let output = kip(dir, data, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn failed(dir: &Path, data: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = kip(dir, data, arguments);
    (output.status.code(), stderr(&output))
}

fn report(dir: &Path, data: &str, arguments: &[&str]) -> Value {
    let text = said(dir, data, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for data in ["one", "two"] {
        let made = run(dir.path(), &["--data-dir", data, "init"]);
        assert_eq!(made.status.code(), Some(0), "{made:?}");
    }
    fs::write(dir.path().join("graph.kip"), graph(500, 8)).expect("it is written");
    dir
}

/// So many things with so many times six words, each with a link from the one before it.
fn graph(count: usize, times: usize) -> String {
    let mut out = String::from(
        "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Thing\"} } CONCEPT { {type: \"$PropositionType\", name: \"leads_to\"} } }\n",
    );
    for n in 0..count {
        let words = "some words to make it longer ".repeat(times);
        out += &format!(
            "UPSERT {{ CONCEPT {{ {{type: \"Thing\", name: \"{n}\"}} SET ATTRIBUTES {{ n: {n}, description: \"{words}\" }} }} }}\n"
        );
    }
    for n in 1..count {
        out += &format!(
            "UPSERT {{ PROPOSITION {{ ({{type: \"Thing\", name: \"{}\"}}, \"leads_to\", {{type: \"Thing\", name: \"{n}\"}}) }} }}\n",
            n - 1
        );
    }
    out
}

fn things(dir: &Path, data: &str) -> u64 {
    let answer = said(dir, data, &["-c", "FIND(COUNT(?l)) WHERE { ?l (?a, \"leads_to\", ?b) }", "--json"]);
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    answer["result"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

fn story(dir: &Path) {
    let dry = said(dir, "one", &["import", "graph.kip", "--dry-run"]);
    assert!(
        dry.starts_with("would import 502 concepts (502 new, 0 changed) and 499 links (499 new, 0 changed); nothing was changed\n"),
        "{dry}"
    );
    let done = report(dir, "one", &["import", "graph.kip"]);
    assert_eq!((done["concepts_created"].as_u64(), done["links_created"].as_u64()), (Some(502), Some(499)));
    assert_eq!(things(dir, "one"), 499);
    let again = report(dir, "one", &["import", "graph.kip"]);
    assert_eq!((again["concepts_created"].as_u64(), again["unchanged"].as_u64()), (Some(0), Some(1001)));

    for name in ["out.kip", "out.ndjson"] {
        assert_eq!(said(dir, "one", &["export", name]), "");
        let text = fs::read_to_string(dir.join(name)).expect("it is there");
        assert_eq!(text.lines().count(), 1001);
        let format = name.split('.').next_back().expect("an extension");
        assert_eq!(said(dir, "one", &["export", "--format", format]), text, "standard output says the same");
        let (code, error) = failed(dir, "one", &["export", name]);
        assert_eq!((code, error.contains("is there already")), (Some(2), true), "{error}");
        let space = name.replace('.', " ");
        let done = report(dir, "two", &["import", name, "--space", &space]);
        assert_eq!(done["concepts_created"].as_u64(), Some(502));
        assert_eq!(said(dir, "two", &["export", "-", "--format", format, "--space", &space]), text);
    }

    let some = said(
        dir,
        "one",
        &["export", "--where", "?t {type: \"Thing\"} FILTER(?t.attributes.n < 2)", "--select", "?t"],
    );
    assert_eq!(some.lines().count(), 3, "{some}");
    assert_eq!(failed(dir, "one", &["export", "--where", "?t {type: \"Thing\"}"]).0, Some(2));
    let (code, error) = failed(dir, "one", &["export", "x.kip", "--where", "?t {", "--select", "?t"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("line 1") && error.contains("hint:"), "{error}");
    assert!(!dir.join("x.kip").exists(), "half an export is none");
    let (code, error) = failed(dir, "one", &["export", "--space", "nothing"]);
    assert!(code == Some(1) && error.contains("there is no space \"nothing\""), "{error}");

    fs::write(
        dir.join("wrong.kip"),
        graph(3, 8) + "\nUPSERT { CONCEPT { {type: \"Thin\", name: \"x\"} } }\n",
    )
    .expect("it is written");
    let (code, error) = failed(dir, "two", &["import", "wrong.kip"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("line 8, column 27: \"Thin\" is not a registered type"), "{error}");
    assert!(error.contains("hint: use \"Thing\"") || error.contains("register it"), "{error}");
    let (code, error) = failed(dir, "two", &["import", "missing.kip"]);
    assert_eq!((code, error.contains("missing.kip")), (Some(1), true), "{error}");
    let (code, error) = failed(dir, "two", &["import", "graph.kip", "--format", "ndjson"]);
    assert!(code == Some(1) && error.contains("line 1: it is no JSON"), "{error}");
}

#[test]
fn a_graph_moves_from_one_data_directory_to_another() {
    let dir = here();
    story(dir.path());
}

#[test]
fn the_same_through_servers() {
    let dir = here();
    let _servers = ["one", "two"].map(|data| Server::start(dir.path(), &["--data-dir", data]));
    story(dir.path());
}

#[test]
fn standard_input_is_imported_too() {
    let dir = here();
    let mut command = cairn(dir.path(), &["--data-dir", "one", "kip", "import", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(graph(50, 8).as_bytes()).expect("it reads");
    drop(stdin);
    let output = within("its end", move || child.wait_with_output().expect("it ends"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        stdout(&output).starts_with("imported 52 concepts (52 new, 0 changed) and 49 links"),
        "{output:?}"
    );
}

/// Sends the first part of a graph and waits until some of it is imported; then something is killed.
fn interrupted(dir: &Path, server: Option<Server>, signal: Option<&str>) {
    const COUNT: usize = 2_500;
    let whole = graph(COUNT, 64);
    fs::write(dir.join("long.kip"), &whole).expect("it is written");
    let mut command = cairn(dir, &["--data-dir", "one", "kip", "import", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let part = whole[..whole.len() / 2].to_owned();
    // This is far more than pipes and buffers hold, and than what may be under way at once: when it was taken,
    // some of it is on disk.
    let stdin = within("half of it", move || {
        stdin.write_all(part.as_bytes()).expect("it reads");
        stdin
    });
    match (server, signal) {
        (Some(server), _) => server.kill(),
        (None, Some(signal)) => {
            let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
            assert!(sent.expect("kill is there").success());
        }
        (None, None) => child.kill().expect("it is ours"),
    }
    let output = within("its end", move || child.wait_with_output().expect("it ends"));
    drop(stdin);
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    if output.status.code().is_some() {
        assert!(stderr(&output).contains("again to go on"), "{output:?}");
    }
    let done = report(dir, "one", &["import", "long.kip"]);
    let skipped = done["bytes_skipped"].as_u64().expect("a number");
    assert!(skipped > 0 && skipped <= whole.len() as u64 / 2, "{done}");
    assert_eq!(things(dir, "one"), COUNT as u64 - 1);
    assert_eq!(report(dir, "one", &["import", "long.kip"])["bytes_skipped"].as_u64(), Some(0), "it is done");
    assert_eq!(run(dir, &["--data-dir", "one", "doctor"]).status.code(), Some(0));
}

#[test]
fn an_import_that_was_killed_goes_on() {
    let dir = here();
    interrupted(dir.path(), None, None);
}

#[test]
fn an_import_that_was_interrupted_goes_on() {
    let dir = here();
    interrupted(dir.path(), None, Some("-INT"));
}

#[test]
fn an_import_whose_server_was_killed_goes_on() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "one"]);
    interrupted(dir.path(), Some(server), None);
}

#[test]
fn a_corrected_file_goes_on_under_its_name_or_begins_anew() {
    let dir = here();
    let dir = dir.path();
    let right = graph(1_000, 16);
    fs::write(dir.join("right.kip"), &right).expect("it is written");
    fs::write(dir.join("wrong.kip"), right + "UPSERT { CONCEPT { {type: \"Thin\", name: \"x\"} } }\n")
        .expect("it is written");
    let skipped = |arguments: &[&str]| {
        let done = report(dir, "one", &[&["import", "right.kip"], arguments].concat());
        done["bytes_skipped"].as_u64().expect("a number")
    };
    let wrong = || assert_eq!(failed(dir, "one", &["import", "wrong.kip", "--resume", "nightly"]).0, Some(1));
    wrong();
    assert_eq!(skipped(&[]), 0, "without its name it is another import");
    assert_eq!(skipped(&["--resume", "nightly", "--restart"]), 0);
    wrong();
    assert!(skipped(&["--resume", "nightly"]) > 0);
}
