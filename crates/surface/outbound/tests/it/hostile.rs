//! Endpoints that mean harm.

use std::io::Write as _;
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use cairn_kb::SparqlError;

use crate::server::{EMPTY, Server, response};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/sparql-results+json\r\n";

fn message(server: &Server) -> String {
    server.ask().expect_err("a hostile server").to_string()
}

#[test]
fn redirects_are_not_followed() {
    let inner = Server::fixed(response("", EMPTY.as_bytes()));
    for status in [301, 302, 303, 307, 308] {
        let head =
            format!("HTTP/1.1 {status} Moved\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", inner.url());
        let found = Server::fixed(head).ask();
        let Err(SparqlError::Refused { reason }) = &found else { panic!("{found:?}") };
        assert!(reason.contains(&format!("({status}), and redirects are refused")), "{reason}");
    }
    assert_eq!(inner.connections(), 0);
}

#[test]
fn endless_bodies_are_cut() {
    for (headers, piece) in [
        ("\r\n", " ".repeat(8192)),
        ("transfer-encoding: chunked\r\n\r\n", format!("2000\r\n{}\r\n", " ".repeat(8192))),
        ("content-length: 99999999999\r\n\r\n", " ".repeat(8192)),
    ] {
        let server = Server::start(move |stream| {
            let _ = stream.write_all(format!("{HEAD}{headers}").as_bytes());
            while stream.write_all(piece.as_bytes()).is_ok() {}
        });
        let found = server.ask();
        assert!(matches!(found, Err(SparqlError::TooLarge { .. })), "{headers:?}: {found:?}");
    }
}

#[test]
fn endless_heads_and_trailers_are_cut() {
    for (start, piece) in [
        (HEAD.to_owned(), "x-a: b\r\n"),
        (format!("{HEAD}x-a: "), "bbbbbbbb"),
        ("HTTP/1.1 200 ".to_owned(), "OKOKOKOK"),
        (format!("{HEAD}transfer-encoding: chunked\r\n\r\n0\r\n"), "x-a: b\r\n"),
        (format!("{HEAD}transfer-encoding: chunked\r\n\r\n1;x="), "xxxxxxxx"),
    ] {
        let shown = start.clone();
        let server = Server::start(move |stream| {
            let _ = stream.write_all(start.as_bytes());
            while stream.write_all(piece.repeat(512).as_bytes()).is_ok() {}
        });
        let found = server.ask();
        assert!(matches!(found, Err(SparqlError::Failed { .. })), "{shown:?}: {found:?}");
    }
}

#[test]
fn a_slow_trickle_ends_at_the_deadline() {
    for (start, piece) in [
        (format!("{HEAD}x-a: "), b"b"),
        (format!("{HEAD}\r\n"), b" "),
        (format!("{HEAD}content-length: 1000000\r\n\r\n"), b" "),
    ] {
        let (alive, end) = mpsc::channel::<()>();
        let end = Mutex::new(end);
        let server = Server::start(move |stream| {
            let _ = stream.write_all(start.as_bytes());
            let end = end.lock().expect("no panic");
            // A byte now and then, so that the connection is never idle for long.
            while end.recv_timeout(Duration::from_millis(10)) == Err(mpsc::RecvTimeoutError::Timeout) {
                if stream.write_all(piece).is_err() {
                    break;
                }
            }
        });
        assert_eq!(server.ask_within(300), Err(SparqlError::TimedOut { after_ms: 300 }));
        drop(alive);
    }
}

#[test]
fn silence_ends_at_the_deadline() {
    let (alive, end) = mpsc::channel::<()>();
    let end = Mutex::new(end);
    let server = Server::start(move |_| {
        let _ = end.lock().expect("no panic").recv();
    });
    assert_eq!(server.ask_within(100), Err(SparqlError::TimedOut { after_ms: 100 }));
    drop(alive);
}

#[test]
fn endless_interim_responses_end_at_the_deadline() {
    let server =
        Server::start(
            |stream| {
                while stream.write_all(b"HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n").is_ok() {}
            },
        );
    assert_eq!(server.ask_within(300), Err(SparqlError::TimedOut { after_ms: 300 }));
}

#[test]
fn other_types_and_encodings_are_refused() {
    let body = "<html>";
    for (head, part) in [
        ("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", "content type \"text/html\""),
        ("HTTP/1.1 200 OK\r\n", "content type none"),
        ("HTTP/1.1 200 OK\r\ncontent-type: application/sparql-results+xml\r\n", "results+xml"),
        (&format!("{HEAD}content-encoding: gzip\r\n"), "encoding \"gzip\""),
        (&format!("{HEAD}content-encoding: br\r\n"), "encoding \"br\""),
        ("HTTP/1.1 400 Bad Request\r\n", "status 400"),
        ("HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n", "status 407"),
        ("HTTP/1.1 503 Unavailable\r\n", "status 503"),
        ("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n", "101"),
        ("HTTP/0.9 200 OK\r\n", "not HTTP/1.1"),
        ("SSH-2.0-OpenSSH_9.9\r\n", "not HTTP/1.1"),
        ("", "not HTTP/1.1"),
    ] {
        let server = Server::fixed(format!("{head}content-length: {}\r\n\r\n{body}", body.len()));
        let found = message(&server);
        assert!(found.contains(part), "{head:?}: {found}");
    }
}

#[test]
fn bad_answers_are_refused() {
    let rows = vec!["{}"; 1_000_000].join(",");
    let rows = format!(r#"{{"head":{{"vars":[]}},"results":{{"bindings":[{rows}]}}}}"#);
    let deep = format!(r#"{{"head":{}"#, "[".repeat(1_000_000));
    for (body, part) in [
        (&EMPTY.as_bytes()[..20], "it ends too early"),
        (b"", "it ends too early"),
        (b"{\"head\":{\"vars\":[\"\xff\"]}}", "it is not JSON"),
        (rows.as_bytes(), "more than 10000 rows"),
        (deep.as_bytes(), "another type"),
        (br#"{"head":{},"boolean":true}"#, "no `results`"),
    ] {
        let found = message(&Server::fixed(response("", body)));
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn connections_that_break_are_errors() {
    // Closed with bytes unread, which resets the connection.
    let reset = Server::raw(|_| {});
    assert!(matches!(reset.ask(), Err(SparqlError::Failed { .. })));
    for bytes in [
        format!("{HEAD}content-length: 100\r\n\r\n{EMPTY}"),
        format!("{HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{{\"hea"),
        format!("{HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n"),
        format!("{HEAD}content-length: 5\r\ncontent-length: 6\r\n\r\n{EMPTY}"),
        HEAD.to_owned(),
        String::new(),
    ] {
        let found = Server::fixed(bytes.clone()).ask();
        assert!(matches!(found, Err(SparqlError::Failed { .. })), "{bytes:?}: {found:?}");
    }
}
