//! `cairn turns`, with and without a server.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::owner::PlayedOwner;
use crate::program::{Server, cairn, output, run, stderr, stdout, within};

fn here() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = run(dir.path(), &["--data-dir", "data", "init"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    dir
}

fn turns(dir: &Path, arguments: &[&str]) -> Output {
    run(dir, &[&["--data-dir", "data", "turns"], arguments].concat())
}

/// What a command prints that has to succeed.
fn said(dir: &Path, arguments: &[&str]) -> String {
    let output = turns(dir, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let text = said(dir, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// What was printed, without how long ago things happened: that changes while a test looks.
fn without_ages(printed: &str) -> String {
    let ageless = |line: &str| match line.split_once("Z, ") {
        Some((before, after)) => {
            format!("{before}Z  {}", after.split_once("  ").map_or("", |(_age, rest)| rest))
        }
        None => line.to_owned(),
    };
    printed.lines().map(ageless).collect::<Vec<_>>().join("\n")
}

/// Exit code and error of a command that has to fail.
fn failed(dir: &Path, arguments: &[&str]) -> (i32, String) {
    let output = turns(dir, arguments);
    assert_eq!(stdout(&output), "", "{arguments:?}");
    (output.status.code().expect("it ends by itself"), stderr(&output))
}

/// Everything that can be asked, over whatever there is.
fn story(dir: &Path) {
    assert!(said(dir, &["list"]).starts_with("no contexts"));
    let first = said(dir, &["append", "new", "--type", "com.example.Note", "--text", "hello"]);
    assert_eq!(first, "turn 1 appended to context 1 at depth 0\n");
    let payload = r#"{"1":"user","2":{"b":[1.5,null]}}"#;
    let second =
        json(dir, &["append", "1", "--type", "m@3", "--json-payload", payload, "--expect-head", "1"]);
    assert_eq!((second["turn_id"].as_str(), second["depth"].as_u64()), (Some("2"), Some(1)));

    let shown = said(dir, &["show", "1"]);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines.len(), 4, "{shown}");
    assert!(lines[0].starts_with("turn 1  depth 0  com.example.Note@1  20"), "{shown}");
    assert_eq!(lines[1], "    {1: \"hello\"}");
    assert!(lines[2].starts_with("turn 2  depth 1  m@3  20"), "{shown}");
    assert_eq!(lines[3], "    {1: \"user\", 2: {\"b\": [1.5, null]}}");
    assert!(!shown.contains('\u{1b}'), "no colours where nobody looks");
    assert!(said(dir, &["show", "1", "--last", "1"]).starts_with("turn 2 "));
    assert!(said(dir, &["show", "1", "--before", "2"]).starts_with("turn 1 "));
    assert!(said(dir, &["show", "--turn", "2"]).starts_with("turn 2 "));
    assert_eq!(json(dir, &["show", "--turn", "1"])["bytes_b64"], "gQGlaGVsbG8=");
    let page = json(dir, &["show", "1", "--last", "1"]);
    assert_eq!((&page["meta"]["head_turn_id"], &page["next_before_turn_id"]), (&"2".into(), &"2".into()));
    assert_eq!(turns(dir, &["show", "1", "--before", "2", "--raw"]).stdout, b"\x81\x01\xa5hello");

    assert_eq!(said(dir, &["fork", "1"]), "context 2 goes on from turn 1\n");
    assert_eq!(json(dir, &["fork", "2"])["base_turn_id"], "2");
    let list = said(dir, &["list", "--limit", "2"]);
    assert!(list.lines().nth(1).is_some_and(|row| row.starts_with("3        2      2     20")), "{list}");
    assert!(list.ends_with("older ones: cairn turns list --before 2\n"), "{list}");
    assert_eq!(json(dir, &["list", "--before", "2"])["count"], 1);
    let (tail, show) = (said(dir, &["tail", "1", "-n", "1"]), said(dir, &["show", "1", "--last", "1"]));
    assert_eq!(without_ages(&tail), without_ages(&show));
    let lines = said(dir, &["tail", "1", "--json"]);
    let ids: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["turn_id"].clone())
        .collect();
    assert_eq!(ids, ["1", "2"]);
    assert_eq!(said(dir, &["tail", "1", "-n", "0"]), "");
}

#[test]
fn commands_do_the_same_without_a_server() {
    let dir = here();
    story(dir.path());
}

#[test]
fn commands_do_the_same_with_a_server() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    story(dir.path());
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn what_goes_wrong_says_why_and_what_to_do() {
    let dir = here();
    let dir = dir.path();
    let note = ["--type", "t", "--text", "x"];
    let append = |target, more: &[&str]| failed(dir, &[&["append", target][..], &note, more].concat());
    for (arguments, code, message, hint) in [
        (&["show", "9"][..], 1, "there is no context 9", "check the name or id"),
        (&["show", "--turn", "9"], 1, "there is no turn 9", "check the name or id"),
        (&["tail", "9"], 1, "there is no context 9", "check the name or id"),
        (&["fork", "9"], 1, "there is no turn 9", "check the name or id"),
        (&["fork", "0"], 2, "there is no turn 0 to fork from", "append new"),
        (&["list", "--limit", "1001"], 1, "limit is 1001", "correct the request"),
        (&["append", "1", "--type", "t", "--json-payload", "{"], 2, "--json-payload is no JSON", ""),
        (&["append", "1", "--type", "t", "--file", "missing"], 1, "could not read missing", "name a file"),
    ] {
        let (exit, said) = failed(dir, arguments);
        assert_eq!(exit, code, "{arguments:?}: {said}");
        assert!(said.contains(message) && said.contains(hint), "{arguments:?}: {said}");
    }
    assert_eq!(append("9", &[]).0, 1);
    let (exit, message) = append("new", &["--expect-head", "7"]);
    assert_eq!(exit, 1);
    assert!(message.contains("is turn 0, not 7") && message.contains("context 1 was made"), "{message}");
    for usage in [
        &["show"][..],
        &["show", "x"],
        &["show", "1", "--turn", "2"],
        &["show", "1", "--last", "0"],
        &["append", "1", "--type", "t"],
        &["append", "1", "--text", "x"],
        &["append", "1", "--type", "t@x", "--text", "x"],
        &["append", "1", "--type", "t", "--text", "x", "--json-payload", "1"],
        &["append", "1", "--type", "t", "--text", "x", "--key", "two words"],
        &["append", "old", "--type", "t", "--text", "x"],
    ] {
        assert_eq!(failed(dir, usage).0, 2, "{usage:?}");
    }
    assert_eq!(json(dir, &["show", "1"])["turns"], Value::Array(Vec::new()), "nothing was stored");
}

#[test]
fn an_append_with_a_key_is_safe_to_repeat() {
    let dir = here();
    let dir = dir.path();
    said(dir, &["append", "new", "--type", "t", "--text", "x"]);
    let again = ["append", "1", "--type", "t", "--text", "y", "--key", "k"];
    assert_eq!(said(dir, &again), "turn 2 appended to context 1 at depth 1\n");
    assert_eq!(said(dir, &again), "turn 2 was appended to context 1 before, with the same key\n");
    let (exit, message) = failed(dir, &["append", "1", "--type", "t", "--text", "z", "--key", "k"]);
    assert!(exit == 1 && message.contains("new key"), "{message}");
    said(dir, &["append", "1", "--type", "t", "--text", "y", "--parent", "1"]);
    assert_eq!(json(dir, &["show", "1"])["turns"][1]["turn_id"], "3");
}

#[test]
fn payloads_come_from_files_and_pipes_and_do_no_harm() {
    let dir = here();
    let dir = dir.path();
    std::fs::write(dir.join("turn.msgpack"), b"\x81\x01\xa5\x1b[2J!").expect("a file");
    said(dir, &["append", "new", "--type", "t", "--file", "turn.msgpack"]);
    let mut piped = cairn(dir, &["--data-dir", "data", "turns", "append", "1", "--type", "t", "--file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    piped.stdin.take().expect("a pipe").write_all(&[0xc1, 0xff]).expect("it reads");
    let piped = within("its end", move || piped.wait_with_output().expect("it ends"));
    assert_eq!(stdout(&piped), "turn 2 appended to context 1 at depth 1\n");
    let shown = said(dir, &["show", "1"]);
    assert!(shown.contains("{1: \"\\u{1b}[2J!\"}") && shown.contains("no msgpack: h'c1ff'"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(turns(dir, &["show", "1", "--raw"]).stdout, b"\x81\x01\xa5\x1b[2J!\xc1\xff");
}

/// A command that goes on, ended with the test.
struct Following(Child);

impl Following {
    fn start(dir: &Path, arguments: &[&str]) -> Following {
        let mut command = cairn(dir, &[&["--data-dir", "data", "turns"], arguments].concat());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Following(command.spawn().expect("it starts"))
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // Only what a failing test left behind; both fail when it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn following_shows_what_comes_also_after_a_restart() {
    let dir = here();
    let path = dir.path();
    let server = Server::start(path, &["--data-dir", "data"]);
    said(path, &["append", "new", "--type", "t", "--text", "one"]);
    said(path, &["append", "1", "--type", "t", "--text", "two"]);
    let mut following = Following::start(path, &["tail", "1", "-f", "-n", "1", "--json"]);
    let lines = BufReader::new(following.0.stdout.take().expect("a pipe")).lines();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let next = || {
        let line = told.recv_timeout(Duration::from_secs(300)).expect("a line");
        serde_json::from_str::<Value>(&line).expect("JSON")["turn_id"].clone()
    };
    assert_eq!(next(), "2");
    said(path, &["append", "1", "--type", "t", "--text", "three"]);
    said(path, &["append", "1", "--type", "t", "--text", "four"]);
    assert_eq!((next(), next()), ("3".into(), "4".into()));
    server.kill();
    let _server = Server::start(path, &["--data-dir", "data"]);
    said(path, &["append", "1", "--type", "t", "--text", "five"]);
    assert_eq!(next(), "5");

    let id = following.0.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("kill is there").success());
    let ended = within("its end", move || following.0.wait().expect("it ends"));
    assert_eq!(ended.code(), Some(0), "being interrupted is how it ends");
}

#[test]
fn following_waits_for_a_server_that_is_stopped() {
    let dir = here();
    let path = dir.path();
    let server = Server::start(path, &["--data-dir", "data"]);
    said(path, &["append", "new", "--type", "t", "--text", "one"]);
    let mut following = Following::start(path, &["tail", "1", "-f", "--json"]);
    let (out, err) = (following.0.stdout.take(), following.0.stderr.take());
    let mut lines = BufReader::new(out.expect("a pipe")).lines();
    let mut warnings = BufReader::new(err.expect("a pipe")).lines();
    let (first, mut lines) = within("the first turn", move || (lines.next(), lines));
    assert!(first.expect("a line").expect("text").contains("\"turn_id\":\"1\""));
    server.signal("-STOP");
    let warning = within("a warning", move || warnings.next()).expect("a line").expect("text");
    assert!(warning.contains("does not respond; waiting until it does"), "{warning}");
    server.signal("-CONT");
    said(path, &["append", "1", "--type", "t", "--text", "two"]);
    let second = within("the second turn", move || lines.next());
    assert!(second.expect("a line").expect("text").contains("\"turn_id\":\"2\""));
}

#[test]
fn an_append_that_was_not_answered_is_asked_for_again_under_the_same_key() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    // A payload that is text as well: a number.
    std::fs::write(dir.path().join("payload"), b"x").expect("a file");
    let arguments = ["--data-dir", "data", "turns", "append", "7", "--type", "a b@2", "--file", "payload"];
    let mut command = cairn(dir.path(), &arguments);
    let running = std::thread::spawn(move || output(&mut command));
    let (gone, first) = owner.accept();
    drop(gone);
    let appended = r#"{"context_id":"7","turn_id":"9","parent_turn_id":"8","depth":3,"content_hash_b3":"","created_at_unix_ms":0,"is_repeated":false}"#;
    let again = owner.answer("201 Created", appended);
    let ended = within("its end", move || running.join().expect("it ends"));
    assert_eq!(stdout(&ended), "turn 9 appended to context 7 at depth 3\n", "{ended:?}");
    assert!(
        first.starts_with("POST /v1/contexts/7/turns?type_id=a%20b&type_version=2 HTTP/1.1\r\n"),
        "{first}"
    );
    let key = |request: &str| {
        let line = request.lines().find(|line| line.starts_with("idempotency-key: cairn-"));
        line.unwrap_or_else(|| panic!("no key in {request}")).to_owned()
    };
    assert_eq!(key(&first), key(&again));
}

#[test]
fn more_turns_than_one_answer_holds_are_read_in_several() {
    let dir = here();
    let dir = dir.path();
    for number in 0..4_u8 {
        std::fs::write(dir.join("payload"), vec![number; 7 << 20]).expect("a file");
        let target = if number == 0 { "new" } else { "1" };
        said(dir, &["append", target, "--type", "t", "--file", "payload"]);
    }
    let raw = turns(dir, &["show", "1", "--last", "3", "--raw"]).stdout;
    let expected: Vec<u8> = (1..4_u8).flat_map(|number| vec![number; 7 << 20]).collect();
    assert!(raw == expected, "{} bytes", raw.len());
    assert_eq!(said(dir, &["tail", "1", "-n", "9"]).matches("\nturn ").count(), 3, "and one at the start");
}
