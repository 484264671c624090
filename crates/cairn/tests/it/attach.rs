//! One owner, and everyone else through it.

use std::io::Write;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::owner::PlayedOwner;
use crate::program::{Server, cairn, output, run, stderr, stdout, within};

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// What `cairn stats --json` prints.
fn stats(dir: &Path, data: &str) -> Value {
    let ended = run(dir, &["--data-dir", data, "stats", "--json"]);
    assert_eq!((ended.status.code(), stderr(&ended).as_str()), (Some(0), ""));
    serde_json::from_str(&stdout(&ended)).expect("JSON")
}

/// The names of everything in a value.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(shape).collect()),
        Value::String(_) => Value::from("text"),
        Value::Number(_) => Value::from("number"),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

fn is_socket(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket())
}

#[test]
fn stats_are_the_same_with_and_without_an_owner() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let attached = stats(dir.path(), "data");
    let over_http = server.get("/v1/admin/stats");
    let over_http: Value =
        serde_json::from_str(over_http.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    let alone = stats(dir.path(), "data");
    // The search index is opened meanwhile, and files are verified by a server alone: how far that is differs
    // from one moment to the next.
    let settled = |stats: &Value| {
        let mut stats = stats.clone();
        stats["consumers"].take();
        stats["search"]["detail"].take();
        for changing in ["enabled", "rate_bytes", "every_seconds", "file", "current", "last"] {
            stats["scrub"][changing].take();
        }
        shape(&stats)
    };
    assert_eq!((settled(&attached), settled(&alone)), (settled(&over_http), settled(&over_http)));
    assert_eq!((&attached["node_id"], &alone["node_id"]), (&over_http["node_id"], &over_http["node_id"]));

    let table = run(dir.path(), &["--data-dir", "data", "stats"]);
    let node = alone["node_id"].as_str().expect("an id");
    assert!(
        stdout(&table).lines().any(|line| line.starts_with("node_id ") && line.ends_with(node)),
        "{table:?}"
    );
}

#[test]
fn the_socket_is_the_owners_alone_and_goes_with_it() {
    let dir = here();
    let socket = dir.path().join("data/cairn.sock");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    assert!(is_socket(&socket));
    assert_eq!(socket.metadata().expect("it is there").permissions().mode() & 0o777, 0o600);
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert!(socket.symlink_metadata().is_err());
}

#[test]
fn what_kill_9_leaves_behind_is_in_nobodys_way() {
    let dir = here();
    let socket = dir.path().join("data/cairn.sock");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let node = stats(dir.path(), "data")["node_id"].clone();
    server.kill();
    assert!(is_socket(&socket), "nobody removed it");
    assert_eq!(stats(dir.path(), "data")["node_id"], node, "a command owns the directory now");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    assert_eq!(stats(dir.path(), "data")["node_id"], node, "and now the new server does");
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert!(!is_socket(&socket));
}

#[test]
fn another_file_of_that_name_is_not_removed() {
    let dir = here();
    assert_eq!(run(dir.path(), &["--data-dir", "data", "init"]).status.code(), Some(0));
    let path = dir.path().join("data/cairn.sock");
    std::fs::write(&path, "a letter").expect("a file");
    let refused = run(dir.path(), &["serve", "--data-dir", "data", "--http", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(stderr(&refused).contains("cairn.sock is in the way"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).expect("it stays"), "a letter");
}

#[test]
fn a_path_too_long_for_a_socket_works_as_well() {
    let dir = here();
    let data = format!("{}/{}", "long".repeat(40), "longer".repeat(30));
    let temporary = here();
    let mut command = cairn(dir.path(), &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", &data]);
    command.env("TMPDIR", temporary.path());
    let server = Server::spawn(command);
    assert!(is_socket(&dir.path().join(&data).join("cairn.sock")));
    stats(dir.path(), &data);
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert!(!is_socket(&dir.path().join(&data).join("cairn.sock")));
    assert_eq!(temporary.path().read_dir().expect("the folder").count(), 0, "nothing stays behind");
}

#[test]
fn a_command_waits_for_an_owner_that_is_starting() {
    let dir = here();
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut command = cairn(dir.path(), &["--data-dir", "data", "access", "whoami", "--json"]);
    let running = std::thread::spawn(move || output(&mut command));
    // It is there and looks for the owner, which has the lock and, as at every start, no socket yet.
    drop(owner.accept());
    owner.stop_listening();
    owner.listen();
    let me = r#"{"user_id":"played","tenant":"local","teams":[],"roles":[],"is_local_owner":true,"later":1}"#;
    owner.answer("200 OK", me);
    let ended = within("its end", move || running.join().expect("it ends"));
    assert!(
        stdout(&ended).ends_with("  \"tenant\": \"local\",\n  \"user_id\": \"played\"\n}\n"),
        "{ended:?}"
    );
}

#[test]
fn an_owner_that_goes_away_unanswered_is_succeeded() {
    let dir = here();
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut command = cairn(dir.path(), &["--data-dir", "data", "stats", "--json"]);
    let running = std::thread::spawn(move || output(&mut command));
    let stopping = r#"{"error":{"code":"Unavailable","message":"the node is shutting down","details":{}}}"#;
    owner.answer("503 Service Unavailable", stopping);
    drop(owner.accept());
    owner.leave();
    let ended = within("its end", move || running.join().expect("it ends"));
    assert_eq!((ended.status.code(), stderr(&ended).as_str()), (Some(0), ""));
    let stats: Value = serde_json::from_str(&stdout(&ended)).expect("JSON");
    assert_eq!(stats["store"]["kind"], "embedded");
}

#[test]
fn an_owner_that_never_answers_is_given_up_with_advice() {
    let dir = here();
    let owner = PlayedOwner::new(dir.path());
    let since = Instant::now();
    let (serve, command) = std::thread::scope(|scope| {
        let serve =
            scope.spawn(|| run(dir.path(), &["serve", "--data-dir", "data", "--http", "127.0.0.1:0"]));
        let command = scope.spawn(|| run(dir.path(), &["--data-dir", "data", "doctor"]));
        (serve.join().expect("it ends"), command.join().expect("it ends"))
    });
    for ended in [&serve, &command] {
        assert_eq!(ended.status.code(), Some(3), "{ended:?}");
        assert!(stderr(ended).contains("is in use by process "), "{ended:?}");
        assert!(stderr(ended).contains("\nhint: "), "{ended:?}");
    }
    assert!(stderr(&command).contains("try again"), "{command:?}");
    assert!(since.elapsed() > Duration::from_secs(2), "an owner gets time to start: {:?}", since.elapsed());
    owner.leave();
    stats(dir.path(), "data");
}

#[test]
fn a_stopped_owner_is_reported_and_goes_on_unharmed() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    server.signal("-STOP");
    let commands = [
        &["stats"][..],
        &["doctor"],
        &["backup", "file"],
        &["kip", "-c", "DESCRIBE PRIMER"],
        &["turns", "list"],
    ];
    let here = dir.path();
    let ended = std::thread::scope(|scope| {
        let running = commands
            .map(|command| scope.spawn(move || run(here, &[&["--data-dir", "data"], command].concat())));
        running.map(|running| running.join().expect("it ends"))
    });
    for ended in ended {
        assert_eq!(ended.status.code(), Some(3), "{ended:?}");
        let said = stderr(&ended);
        assert!(said.contains(&format!("is in use by process {}", server.endpoints["pid"])), "{said}");
        assert!(said.contains("it does not respond: it is stopped (resume it with `kill -CONT`"), "{said}");
    }
    server.signal("-CONT");
    stats(dir.path(), "data");
}

#[test]
fn an_owner_that_falls_silent_in_the_middle_of_an_answer_is_reported() {
    let dir = here();
    let mut owner = PlayedOwner::new(dir.path());
    owner.listen();
    let mut command = cairn(dir.path(), &["--data-dir", "data", "backup", "file"]);
    let running = std::thread::spawn(move || output(&mut command));
    let (mut stream, _) = owner.accept();
    let begun = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n27\r\n{\"stage\":\"copying\",\"done\":1,\"total\":2}\n\r\n";
    stream.write_all(begun.as_bytes()).expect("it reads");
    // Nobody accepts whoever asks whether it is alive.
    let ended = within("its end", move || running.join().expect("it ends"));
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    assert!(stderr(&ended).contains("it does not respond: it is stopped"), "{ended:?}");
    drop(stream);
}

#[test]
fn a_command_makes_no_data_directory() {
    let dir = here();
    std::fs::create_dir(dir.path().join("empty")).expect("a folder");
    for data in ["missing", "empty"] {
        for command in [&["stats"][..], &["doctor"], &["backup", "file"]] {
            let refused = run(dir.path(), &[&["--data-dir", data], command].concat());
            assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            assert!(stderr(&refused).contains("there is no data directory at "), "{refused:?}");
        }
    }
    assert!(!dir.path().join("missing").exists());
    assert_eq!(dir.path().join("empty").read_dir().expect("the folder").count(), 0);
}

/// Two servers and a command at once, again and again; the servers end by kill -9, so that every round
/// begins with what the one before left behind.
#[test]
fn a_hundred_races_have_one_owner_each() {
    let dir = here();
    let serve = || {
        let mut command =
            cairn(dir.path(), &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "data"]);
        command.env("CAIRN_STORE_SEGMENT_BYTES", "1 MiB");
        Server::try_spawn(command)
    };
    drop(serve().unwrap_or_else(|(code, said)| panic!("{code:?}: {said}")));
    let mut nodes = std::collections::BTreeSet::new();
    for round in 0..100 {
        let (first, second, node) = std::thread::scope(|scope| {
            let first = scope.spawn(serve);
            let second = scope.spawn(serve);
            let node = stats(dir.path(), "data")["node_id"].to_string();
            (first.join().expect("it ends"), second.join().expect("it ends"), node)
        });
        nodes.insert(node);
        let (owner, (code, said)) = match (first, second) {
            (Ok(owner), Err(other)) | (Err(other), Ok(owner)) => (owner, other),
            (Ok(_), Ok(_)) => panic!("two owners in round {round}"),
            (Err(first), Err(second)) => panic!("no owner in round {round}: {first:?} {second:?}"),
        };
        assert_eq!(code, Some(3), "{said}");
        let held_by = std::fs::read_to_string(dir.path().join("data/LOCK")).expect("it is there");
        assert_eq!(held_by, format!("process {}", owner.endpoints["pid"]), "round {round}");
        owner.kill();
    }
    assert_eq!(nodes.len(), 1, "every round saw the same node");
}
