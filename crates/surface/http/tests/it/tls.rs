//! HTTP over TLS.

use std::net::SocketAddr;
use std::time::Duration;

use cairn_gate::{Authentication, GateConfig};
use cairn_http::{App, Drained, HttpConfig, Listeners, serve};
use cairn_tls::testing::Authority;
use cairn_tls::{ClientStream, Connector, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::client::{get, request};
use crate::server::Server;

const LONG: Duration = Duration::from_secs(300);

struct Here {
    server: Server,
    authority: Authority,
    tls: Tls,
    folder: tempfile::TempDir,
}

impl Here {
    async fn start(handshake: Duration, http: HttpConfig) -> Here {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let authority = Authority::new();
        let files = authority.issue().write(folder.path());
        let tls = Tls::with_handshake(files, handshake).expect("good files");
        let server = Server::with(HttpConfig { tls: Some(tls.clone()), ..http }, GateConfig::default()).await;
        Here { server, authority, tls, folder }
    }

    async fn connect(&self, authority: &Authority) -> std::io::Result<ClientStream> {
        let stream = TcpStream::connect(self.server.addr).await.expect("it listens");
        Connector::new(&authority.trusted()).expect("roots and a name").connect(stream).await
    }

    /// Sends a request and reads to the end, which must be a proper one.
    async fn ask(&self, line: &str, body: &[u8]) -> Vec<u8> {
        let mut stream = self.connect(&self.authority).await.expect("they agree");
        stream.write_all(&head(line, "connection: close\r\n", body.len())).await.expect("it reads");
        stream.write_all(body).await.expect("it reads");
        stream.flush().await.expect("it reads");
        let mut answer = Vec::new();
        timeout(LONG, stream.read_to_end(&mut answer)).await.expect("it answers").expect("it is all sent");
        answer
    }
}

fn head(line: &str, extra: &str, length: usize) -> Vec<u8> {
    format!("{line} HTTP/1.1\r\nhost: localhost\r\n{extra}content-length: {length}\r\n\r\n").into_bytes()
}

/// Whether an answer has this status and ends with these bytes.
fn says(answer: &[u8], status: &str, end: &[u8]) -> bool {
    answer.starts_with(format!("HTTP/1.1 {status}").as_bytes()) && answer.ends_with(end)
}

#[tokio::test]
async fn requests_are_answered_as_ever() {
    let here = Here::start(LONG, HttpConfig::default()).await;
    assert!(says(&here.ask("GET /healthz", b"").await, "200", b"}"));
    assert!(says(&here.ask("GET /nowhere", b"").await, "404", b"}"));
    let content: Vec<u8> = (0..5 << 20).map(|n: u32| n.to_le_bytes()[n as usize % 3]).collect();
    let hash = cairn_base::ContentHash::of(&content);
    let stored = here.ask(&format!("PUT /v1/blobs/{hash}"), &content).await;
    assert!(stored.starts_with(b"HTTP/1.1 20"), "{}", String::from_utf8_lossy(&stored));
    let read = here.ask(&format!("GET /v1/blobs/{hash}"), b"").await;
    assert!(says(&read, "200", &content), "{}", String::from_utf8_lossy(&read[..read.len().min(500)]));
}

#[tokio::test]
async fn one_connection_serves_many_requests_and_outlives_its_certificate() {
    let here = Here::start(LONG, HttpConfig::default()).await;
    let mut stream = here.connect(&here.authority).await.expect("they agree");
    let other = Authority::new();
    for round in 0..3 {
        stream.write_all(&head("GET /healthz", "", 0)).await.expect("it reads");
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).await.expect("it answers");
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        // The rest of this answer; the next one begins after it.
        let mut rest = Vec::new();
        while !rest.ends_with(b"}") {
            rest.push(stream.read_u8().await.expect("it goes on"));
        }
        if round == 0 {
            here.connect(&other).await.expect_err("nobody vouches for it");
            other.issue().write(here.folder.path());
            here.tls.reload().expect("good files");
            here.connect(&other).await.expect("it is the new one");
            here.connect(&here.authority).await.expect_err("the old one is gone");
        }
    }
}

#[tokio::test]
async fn the_local_socket_stays_as_it_is() {
    let here = Here::start(LONG, HttpConfig::default()).await;
    let mut local = cairn_http::Client::over(here.server.local().await, LONG).await.expect("it connects");
    assert!(!local.stats().await.expect("it answers").node_id.is_empty());
}

#[tokio::test]
async fn a_request_in_the_open_gets_an_alert_and_no_answer() {
    let here = Here::start(LONG, HttpConfig::default()).await;
    let mut stream = TcpStream::connect(here.server.addr).await.expect("it listens");
    stream.write_all(&head("GET /healthz", "", 0)).await.expect("it reads");
    let mut said = Vec::new();
    timeout(LONG, stream.read_to_end(&mut said)).await.expect("it ends").expect("it closes");
    assert_eq!(said.first(), Some(&21), "an alert, not {said:?}");
    assert!(says(&here.ask("GET /healthz", b"").await, "200", b"}"));
}

#[tokio::test]
async fn who_does_not_shake_hands_holds_nobody_up_and_counts() {
    let http = HttpConfig { connections_max: 2, ..HttpConfig::default() };
    let here = Here::start(Duration::from_secs(3600), http).await;
    let _silent = TcpStream::connect(here.server.addr).await.expect("it listens");
    let mut second = here.connect(&here.authority).await.expect("they agree");
    second.write_all(&head("GET /metrics", "", 0)).await.expect("it reads");
    let mut answer = vec![0; 4096];
    let read = second.read(&mut answer).await.expect("it answers");
    assert!(answer[..read].starts_with(b"HTTP/1.1 200"));

    let mut third = TcpStream::connect(here.server.addr).await.expect("the system accepts");
    let mut said = Vec::new();
    timeout(LONG, third.read_to_end(&mut said)).await.expect("it ends").expect("it closes");
    assert_eq!(said, b"", "nobody would understand a text");
}

#[tokio::test]
async fn who_does_not_shake_hands_is_cut() {
    let here = Here::start(Duration::from_millis(50), HttpConfig::default()).await;
    let mut silent = TcpStream::connect(here.server.addr).await.expect("it listens");
    let mut said = Vec::new();
    let ended = timeout(LONG, silent.read_to_end(&mut said)).await;
    ended.expect("the bound holds").expect("it closes");
    assert_eq!(said, b"");
}

#[tokio::test]
async fn a_server_that_stops_waits_for_no_handshake() {
    let here = Here::start(Duration::from_secs(3600), HttpConfig::default()).await;
    let _silent = TcpStream::connect(here.server.addr).await.expect("it listens");
    assert!(says(&here.ask("GET /healthz", b"").await, "200", b"}"));
    let served = timeout(LONG, here.server.stop()).await.expect("it ends");
    assert_eq!(served.expect("it ends in order"), Drained::Clean);
}

#[tokio::test]
async fn names_are_checked_unless_others_can_reach_the_server_and_say_who_they_are() {
    let (loopback, elsewhere) =
        (SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([192, 0, 2, 7], 1)));
    let (off, required) = (Authentication::Off, Authentication::Required);
    for (bound, authentication, status) in
        [(loopback, off, 421), (loopback, required, 421), (elsewhere, off, 421), (elsewhere, required, 200)]
    {
        let gate = GateConfig { authentication, ..GateConfig::default() };
        let server = Server::with(HttpConfig::default(), gate).await;
        let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = tcp.local_addr().expect("it is bound");
        // What it believes to be bound to decides; where the test listens is loopback.
        let app = App::new(server.gate.clone(), HttpConfig::default(), bound);
        tokio::spawn(serve(Listeners { tcp: Some(tcp), local: None }, app, std::future::pending()));
        let ask = "GET /healthz HTTP/1.1\r\nhost: memory.example.org\r\nconnection: close\r\n\r\n";
        assert_eq!(crate::client::exchange(addr, ask).await.status, status, "{bound} {authentication:?}");
        assert_eq!(get(addr, "/healthz").await.status, 200);
        let from_a_page = "origin: http://memory.example.org\r\n";
        assert_eq!(request(addr, "GET /healthz", from_a_page).await.status, 403);
    }
}
