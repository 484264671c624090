//! `cairn serve`.

use std::io::Write;
use std::net::{TcpListener, TcpStream};

use serde_json::Value;

use crate::program::{Server, cairn, output, run, stderr};

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_server_says_where_it_is_answers_and_stops_when_told() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let file = dir.path().join("data/endpoints.json");
    let written: Value = serde_json::from_slice(&std::fs::read(&file).expect("it is written")).expect("JSON");
    assert_eq!(written["http"], server.endpoints["http"]);
    assert_eq!(written["pid"], server.endpoints["pid"]);
    assert!(server.endpoints["data_dir"].as_str().is_some_and(|path| path.ends_with("data")));

    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    assert!(server.get("/v1/admin/stats").contains("\"node_id\""));

    server.signal("-TERM");
    let (code, out, err) = server.wait();
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.contains("stopped"), "{err}");
    assert!(!file.exists(), "the list of endpoints is gone");
}

#[test]
fn the_node_is_the_same_after_a_restart() {
    let dir = here();
    let node = || {
        let server = Server::start(dir.path(), &["--data-dir", "data"]);
        let answer = server.get("/v1/admin/stats");
        server.signal("-INT");
        assert_eq!(server.wait().0, Some(0));
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        serde_json::from_str::<Value>(body).expect("JSON")["node_id"].clone()
    };
    assert_eq!(node(), node());
}

#[test]
fn in_memory_nothing_is_written() {
    let dir = here();
    let server = Server::start(dir.path(), &["--in-memory"]);
    assert_eq!(server.endpoints["data_dir"], Value::Null);
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
    assert_eq!(dir.path().read_dir().expect("the folder").count(), 0);
}

#[test]
fn an_address_for_other_machines_is_refused_before_anything_is_touched() {
    let dir = here();
    for addr in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9010"] {
        for flag in ["--http", "--binary"] {
            let refused = |more: &[&str], why: &str| {
                let arguments = [&["serve", "--data-dir", "data", flag, addr], more].concat();
                let output = run(dir.path(), &arguments);
                assert_eq!(output.status.code(), Some(2), "{arguments:?}");
                let text = stderr(&output);
                assert!(
                    text.starts_with("error: ") && text.contains("can be reached from other machines"),
                    "{text}"
                );
                assert!(text.contains(why) && text.contains("hint: "), "{text}");
            };
            refused(&[], "say who they are");
            refused(&["--insecure-behind-proxy"], "say who they are");
            refused(&["--auth", "off"], "say who they are");
            refused(&["--auth"], "in the open");
            refused(&["--auth", "on"], "in the open");
        }
    }
    assert!(!dir.path().join("data").exists());
}

#[test]
fn a_second_server_on_the_same_directory_is_told_who_has_it() {
    let dir = here();
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let second = run(dir.path(), &["serve", "--data-dir", "data", "--http", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(3), "{}", stderr(&second));
    let pid = server.endpoints["pid"].to_string();
    assert!(stderr(&second).contains("in use by") && stderr(&second).contains(&pid), "{}", stderr(&second));
    assert!(dir.path().join("data/endpoints.json").is_file(), "the first one's list stays");
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
}

#[test]
fn an_address_that_is_taken_is_named() {
    let dir = here();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = taken.local_addr().expect("bound").to_string();
    let output = run(dir.path(), &["serve", "--in-memory", "--http", &addr]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&format!("error: could not listen on {addr}")), "{output:?}");
}

#[test]
fn a_request_under_way_is_answered_before_the_end_and_a_second_signal_does_not_wait() {
    let dir = here();
    let server = Server::start(dir.path(), &["--in-memory"]);
    // Half a request keeps the server waiting for the rest.
    let mut slow = TcpStream::connect(server.addr()).expect("it listens");
    let head =
        format!("GET /v1/admin/stats HTTP/1.1\r\nhost: {}\r\ncontent-length: 5\r\n\r\n12", server.addr());
    slow.write_all(head.as_bytes()).expect("it reads");
    while !server.get("/metrics").contains("cairn_http_in_flight 2") {
        std::thread::yield_now();
    }
    server.signal("-TERM");
    while TcpStream::connect(server.addr()).is_ok() {
        std::thread::yield_now();
    }
    server.signal("-INT");
    assert_eq!(server.wait().0, Some(130));
}

#[test]
fn log_lines_are_json_when_asked_for() {
    let dir = here();
    let server = Server::start(dir.path(), &["--in-memory", "--log-format", "json"]);
    server.get("/v1/admin/stats");
    server.signal("-TERM");
    let (_, _, err) = server.wait();
    let lines: Vec<Value> = err.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let request = lines.iter().find(|line| line["message"] == "request").expect("it is logged");
    assert_eq!(
        (&request["method"], &request["route"]),
        (&Value::from("GET"), &Value::from("/v1/admin/stats"))
    );
    assert_eq!(request["status"], 200);
    assert!(request["id"].is_string() && request["ms"].is_number(), "{request}");
}

#[test]
fn flags_and_variables_are_checked_like_the_file() {
    let dir = here();
    let flag = run(dir.path(), &["serve", "--in-memory", "--log-format", "xml"]);
    assert_eq!(flag.status.code(), Some(2));
    assert!(stderr(&flag).contains("error: --log-format: `log.format` must be"), "{flag:?}");
    let variable = output(cairn(dir.path(), &["serve", "--in-memory"]).env("CAIRN_HTTP_ADDR", "nowhere"));
    assert_eq!(variable.status.code(), Some(2));
    assert!(stderr(&variable).contains("error: CAIRN_HTTP_ADDR: `http.addr` must be"), "{variable:?}");
}
