//! Endpoints that behave.

use std::sync::Arc;
use std::sync::mpsc;

use cairn_kb::{SparqlEndpoint as _, SparqlError};
use cairn_outbound::{AddressFilter, SparqlClient, SparqlConfig};

use crate::server::{EMPTY, Names, Server, client, config, request, response};

#[test]
fn rows_come_back() {
    let body = r#"{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"uri","value":"http://a/"}}]}}"#;
    let server = Server::fixed(response("", body.as_bytes()));
    let answer = server.ask().expect("an answer");
    assert_eq!(answer.rows[0]["s"].value, "http://a/");
}

#[test]
fn the_request_has_a_form_and_nothing_about_the_caller() {
    let server = Server::fixed(response("set-cookie: a=b\r\n", EMPTY.as_bytes()));
    let client = client(AddressFilter::PrivateToo, &Names(Vec::new()));
    for _ in 0..2 {
        client.select(&request(&server.url(), None)).expect("an answer");
    }
    let requests = server.requests.lock().expect("no panic");
    let expected = format!(
        "POST /sparql HTTP/1.1\r\nhost: {}\r\nuser-agent: cairn/{}\r\naccept: application/sparql-results+json\r\n\
         accept-encoding: identity\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: 50\r\n\r\nquery=SELECT%20%3Fs%20%7B%20%3Fs%20%3Fp%20%3Fo%20%7D",
        server.addr,
        env!("CARGO_PKG_VERSION"),
    );
    let body = expected.split("\r\n\r\n").nth(1).expect("a body").len();
    let expected = expected.replace("content-length: 50", &format!("content-length: {body}"));
    assert_eq!(*requests, [expected.clone(), expected]);
}

#[test]
fn queries_beyond_the_limit_are_refused_at_once() {
    let (entered, wait) = (mpsc::channel(), mpsc::channel::<()>());
    let wait = std::sync::Mutex::new(wait.1);
    let bytes = response("", EMPTY.as_bytes());
    let server = Server::start(move |stream| {
        let _ = entered.0.send(());
        // Until the test lets go of its end.
        let _ = wait.lock().expect("no panic").recv();
        let _ = std::io::Write::write_all(stream, &bytes);
    });
    let config = SparqlConfig {
        outbound: config(AddressFilter::PrivateToo),
        concurrent_max: 1,
        ..SparqlConfig::default()
    };
    let client = Arc::new(SparqlClient::new(&config).expect("a client"));
    let request = request(&server.url(), Some(60_000));
    let first = {
        let (client, request) = (Arc::clone(&client), request.clone());
        std::thread::spawn(move || client.select(&request))
    };
    entered.1.recv().expect("the first is there");
    assert_eq!(client.select(&request), Err(SparqlError::Busy { max: 1 }));
    assert_eq!(server.connections(), 1);
    drop(first);
}

#[tokio::test]
async fn a_runtime_around_it_does_no_harm() {
    let server = Server::fixed(response("", EMPTY.as_bytes()));
    assert!(server.ask().is_ok());
}
