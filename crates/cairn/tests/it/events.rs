//! Streams of events of a real server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::program::Server;
use crate::turns::{append, ask, connect};

struct Events(BufReader<TcpStream>);

/// Name, id and data of an event.
type Event = (String, String, Value);

impl Events {
    fn open(server: &Server, last_event_id: &str) -> Events {
        let mut stream = TcpStream::connect(server.addr()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a timeout");
        let (addr, last) = (server.addr(), last_event_id);
        let head = format!("GET /v1/events HTTP/1.1\r\nhost: {addr}\r\nlast-event-id: {last}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("it reads");
        Events(BufReader::new(stream))
    }

    fn next(&mut self) -> Event {
        let mut event = (String::new(), String::new(), Value::Null);
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("it comes in time") > 0, "the stream goes on");
            // Lines of the head and the sizes of chunks say nothing here.
            match line.trim_end().split_once(": ") {
                Some(("event", name)) => event.0 = name.to_owned(),
                Some(("id", id)) => event.1 = id.to_owned(),
                Some(("data", data)) => {
                    event.2 = serde_json::from_str(data).expect("JSON");
                    return event;
                }
                _ => {}
            }
        }
    }

    /// The next event about a turn, and its number.
    fn next_turn(&mut self) -> (String, String) {
        loop {
            let (name, id, data) = self.next();
            if name == "turn_appended" {
                return (id, data["turn_id"].as_str().expect("a number").to_owned());
            }
        }
    }
}

#[test]
fn a_client_goes_on_where_it_was_after_kill_9() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let mut events = Events::open(&server, "");
    assert_eq!(events.next().0, "connected");
    let mut stream = connect(&server);
    ask(&mut stream, 1, b"\x01\x00\x05\x00agent\x00\x00\x00\x00");
    ask(&mut stream, 2, &[0; 8]);
    let (name, _, data) = events.next();
    assert_eq!((name.as_str(), &data["client_tag"]), ("client_connected", &Value::from("agent")));
    let (name, _, data) = events.next();
    assert_eq!((name.as_str(), &data["context_id"]), ("context_created", &Value::from("1")));
    assert!(server.get("/v1/sessions").contains(r#""client_tag":"agent""#));
    for number in 0..20_u8 {
        ask(&mut stream, 5, &append(&[number]));
    }
    let seen: Vec<_> = (0..20).map(|_| events.next_turn()).collect();
    drop(stream);
    assert_eq!(events.next().0, "client_disconnected");
    server.kill();

    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let mut stream = connect(&server);
    for number in 20..25_u8 {
        ask(&mut stream, 5, &append(&[number]));
    }
    for last in [4, 19] {
        let mut events = Events::open(&server, &seen[last].0);
        let turns: Vec<String> = (last + 1..25).map(|_| events.next_turn().1).collect();
        assert_eq!(turns, (last + 2..=25).map(|turn| turn.to_string()).collect::<Vec<_>>());
    }
}

#[test]
fn open_streams_do_not_hold_up_the_end() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(dir.path(), &["--data-dir", "data"]);
    let mut events = Events::open(&server, "");
    assert_eq!(events.next().0, "connected");
    server.signal("-TERM");
    let (code, _, said) = server.wait();
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("cut connections"), "what held it up would be cut after its 30 seconds: {said}");
}
