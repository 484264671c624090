//! `cairn backup` and `cairn doctor`: what is asked of an owner, and what is made of its answer.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::owner::PlayedOwner;
use crate::program::{Server, cairn, output, run, stderr, stdout, within};

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Runs a command against an owner that answers once; yields what it was sent as well.
fn asked(dir: &Path, arguments: &[&str], status: &str, body: &str) -> (Output, String) {
    let mut owner = PlayedOwner::new(dir);
    owner.listen();
    let mut command = cairn(dir, &[&["--data-dir", "data"], arguments].concat());
    let running = std::thread::spawn(move || output(&mut command));
    let request = owner.answer(status, body);
    (within("its end", move || running.join().expect("it ends")), request)
}

const WRONG: &str = r#"{"stage":"reading","done":1,"total":2}
{"report":{"figures":{"segments":3,"bytes":4096},"findings":[{"file":"index.redb","offset":4096,"detail":"a bad page","repaired":false},{"file":"side-0000000002.idx","offset":0,"detail":"missing","repaired":true}]}}
"#;

#[test]
fn a_backup_is_asked_for_with_an_absolute_path() {
    let dir = here();
    let done = "{\"report\":{\"figures\":{\"bytes\":12},\"findings\":[]}}\n";
    let (ended, request) = asked(dir.path(), &["backup", "sub/monday.cairn"], "200 OK", done);
    assert_eq!(ended.status.code(), Some(0), "{}", stderr(&ended));
    assert!(request.starts_with("POST /v1/admin/maintenance HTTP/1.1\r\n"), "{request}");
    let body: Value = serde_json::from_str(request.lines().last().expect("a body")).expect("JSON");
    // The program sees its folder without links in the path.
    let to = dir.path().canonicalize().expect("it is there").join("sub/monday.cairn");
    assert_eq!(body, json!({"job": "backup", "to": to}));
    assert_eq!(stdout(&ended), format!("wrote {}\nbytes  12\n", to.display()));
}

#[test]
fn what_is_wrong_and_stays_wrong_ends_with_4() {
    let dir = here();
    let (ended, request) = asked(dir.path(), &["doctor"], "200 OK", WRONG);
    assert!(request.ends_with(r#"{"job":"verify","repair":false}"#), "{request}");
    assert_eq!(ended.status.code(), Some(4), "{ended:?}");
    insta::assert_snapshot!("doctor", format!("{}\n{}", stdout(&ended), stderr(&ended)));
}

#[test]
fn what_was_repaired_is_no_failure() {
    let dir = here();
    let repaired = WRONG.replace("false", "true");
    let (ended, request) = asked(dir.path(), &["--json", "doctor", "--repair"], "200 OK", &repaired);
    assert!(request.ends_with(r#"{"job":"verify","repair":true}"#), "{request}");
    assert_eq!((ended.status.code(), stderr(&ended).as_str()), (Some(0), ""));
    let report: Value = serde_json::from_str(&stdout(&ended)).expect("JSON");
    assert_eq!((&report["figures"]["segments"], &report["findings"][0]["offset"]), (&json!(3), &json!(4096)));
}

#[test]
fn an_error_of_the_owner_is_told_with_its_hint() {
    let refusal = |code: &str| {
        format!(
            "{{\"error\":{{\"code\":\"{code}\",\"message\":\"it went wrong\",\"details\":{{\"hint\":\"do better\"}}}}}}\n"
        )
    };
    for (status, code, exit) in [
        ("409 Conflict", "Conflict", 1),
        ("200 OK", "StorageFull", 1),
        ("200 OK", "NewerFormat", 4),
        ("418 Teapot", "a_code_of_tomorrow", 1),
    ] {
        let dir = here();
        let (ended, _) = asked(dir.path(), &["doctor"], status, &refusal(code));
        assert_eq!(ended.status.code(), Some(exit), "{code}: {ended:?}");
        assert_eq!(stderr(&ended), "error: it went wrong\nhint: do better\n", "{code}");
    }
}

#[test]
fn an_owner_that_goes_away_in_the_middle_is_a_failure_and_not_tried_again() {
    let dir = here();
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut command = cairn(dir.path(), &["--data-dir", "data", "backup", "file"]);
    let running = std::thread::spawn(move || output(&mut command));
    let (mut stream, _) = owner.accept();
    let begun = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n27\r\n{\"stage\":\"copying\",\"done\":1,\"total\":2}\n\r\n";
    stream.write_all(begun.as_bytes()).expect("it reads");
    drop(stream);
    owner.leave();
    let ended = within("its end", move || running.join().expect("it ends"));
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(stderr(&ended).contains("went away before it was done"), "{ended:?}");
}

#[test]
fn a_signal_stops_a_command_and_what_it_asked_for() {
    let dir = here();
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut command = cairn(dir.path(), &["--data-dir", "data", "backup", "file"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("the program starts");
    let (mut stream, _) = owner.accept();
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    let code = within("its end", move || child.wait().expect("it ends").code());
    assert_eq!(code, Some(143));
    let rest = within("the end of the connection", move || stream.read(&mut [0]).expect("it is closed"));
    assert_eq!(rest, 0);
}

#[test]
fn with_and_without_an_owner_the_outcome_is_the_same() {
    let dir = here();
    let outcomes = |round: &str| {
        let file = format!("{round}.cairn");
        let backup = run(dir.path(), &["--data-dir", "data", "--json", "backup", &file]);
        let doctor = run(dir.path(), &["--data-dir", "data", "--json", "doctor"]);
        assert_eq!(dir.path().join(&file).exists(), backup.status.success(), "{backup:?}");
        [backup, doctor].map(|ended| {
            let names = serde_json::from_str::<Value>(&stdout(&ended)).ok().map(|report| {
                let figures = report["figures"].as_object().expect("figures").clone();
                (figures.keys().cloned().collect::<Vec<_>>(), report["findings"].clone())
            });
            (ended.status.code(), names, stderr(&ended))
        })
    };
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let attached = outcomes("attached");
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert_eq!(outcomes("alone"), attached);
}

#[test]
fn compaction_is_asked_for_with_what_to_keep_and_to_forget() {
    let done = "{\"report\":{\"figures\":{\"changes_dropped\":12},\"findings\":[]}}\n";
    for (arguments, body) in [
        (&["compact"][..], json!({"job": "compact"})),
        (&["compact", "--keep-changes", "all"], json!({"job": "compact", "keep_changes": "all"})),
        (
            &["compact", "--keep-changes", "30d", "--forget", "tenant:7", "--forget", "tenant:8/audit"],
            json!({"job": "compact", "keep_changes": 2_592_000, "forget": ["tenant:7", "tenant:8/audit"]}),
        ),
    ] {
        let dir = here();
        let (ended, request) = asked(dir.path(), arguments, "200 OK", done);
        assert_eq!((ended.status.code(), stdout(&ended).as_str()), (Some(0), "changes_dropped  12\n"));
        let sent: Value = serde_json::from_str(request.lines().last().expect("a body")).expect("JSON");
        assert_eq!(sent, body);
    }
    let dir = here();
    let wrong = run(dir.path(), &["compact", "--keep-changes", "30"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("a time with a unit such as 30d"), "{wrong:?}");
}

/// The figures of a compaction.
fn compacted(dir: &Path, arguments: &[&str]) -> Value {
    let ended = run(dir, &[&["--data-dir", "data", "--json", "compact"], arguments].concat());
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    serde_json::from_str::<Value>(&stdout(&ended)).expect("JSON")["figures"].clone()
}

#[test]
fn history_is_thinned_out_with_and_without_an_owner() {
    let dir = here();
    let is_well = || {
        let doctor = run(dir.path(), &["--data-dir", "data", "doctor"]);
        assert_eq!(doctor.status.code(), Some(0), "{doctor:?}");
    };
    Server::start(dir.path(), &["--data-dir", "data"]).kill();
    // What made the node is in a segment of its own now, and all changes are kept.
    assert_eq!(compacted(dir.path(), &[])["changes_dropped"], 0);
    assert_eq!(compacted(dir.path(), &["--keep-changes", "36500d"])["changes_dropped"], 0);
    assert!(compacted(dir.path(), &["--keep-changes", "0s"])["changes_dropped"].as_u64() > Some(0));
    is_well();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let figures = compacted(dir.path(), &["--forget", "tenant:0/audit"]);
    assert_eq!(
        (&figures["images_written"], &figures["index_renewed_at_next_opening"]),
        (&json!(1), &json!(1))
    );
    let unknown = run(dir.path(), &["--data-dir", "data", "compact", "--forget", "tenant:0/audti"]);
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
    assert!(stderr(&unknown).contains("did you mean audit?"), "{unknown:?}");
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert!(!dir.path().join("data/index.redb").exists(), "it goes with what was in it");
    is_well();
    let trail = stdout(&run(dir.path(), &["--data-dir", "data", "audit", "--node"]));
    for outcome in ["begun  ", "done   "] {
        let line =
            format!("{outcome}  local-owner  node.maintain on node  compact and forget tenant:0/audit\n");
        assert!(trail.contains(&line), "that it was forgotten is not: {trail}");
    }
    assert_eq!(compacted(dir.path(), &["--forget", "tenant:0"])["index_renewed_at_next_opening"], 1);
    is_well();
    // The setting does what the flag does.
    std::fs::write(dir.path().join("data/cairn.toml"), "compact.keep_changes = \"0s\"\n").expect("a file");
    assert!(compacted(dir.path(), &[])["changes_dropped"].as_u64() > Some(0));
    assert_eq!(compacted(dir.path(), &["--keep-changes", "all"])["changes_dropped"], 0);
}
