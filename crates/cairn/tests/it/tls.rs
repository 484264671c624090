//! `cairn serve` with a certificate.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cairn_binary::client::{Client, ClientConfig, ClientError};
use cairn_tls::testing::Authority;
use cairn_tls::{ClientTls, Connector};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

use crate::program::{Server, cairn, run, stderr, stdout};

const WITH_TLS: [&str; 4] = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
const LONG: Duration = Duration::from_secs(300);

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The answer to a GET over TLS, or why there is none.
fn get(server: &Server, path: &str, trusted: &ClientTls) -> std::io::Result<String> {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(server.addr()).await?;
        let mut stream = Connector::new(trusted).expect("roots and a name").connect(stream).await?;
        let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.addr());
        stream.write_all(head.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    })
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn everything_but_the_socket_is_encrypted() {
    let dir = here();
    let authority = Authority::new();
    authority.issue().write(dir.path());
    let server =
        Server::start(dir.path(), &[&["--data-dir", "data", "--auth", "off"], &WITH_TLS[..]].concat());
    assert_eq!(server.endpoints["tls"], true);
    let written = std::fs::read(dir.path().join("data/endpoints.json")).expect("it is written");
    assert_eq!(serde_json::from_slice::<Value>(&written).expect("JSON")["tls"], true);

    let trusted = authority.trusted();
    assert!(get(&server, "/readyz", &trusted).expect("it is trusted").starts_with("HTTP/1.1 200"));
    get(&server, "/readyz", &Authority::new().trusted()).expect_err("nobody vouches for it");

    let binary = server.endpoints["binary"].as_str().expect("an address").to_owned();
    Runtime::new().expect("a runtime").block_on(async {
        let config = |tls| ClientConfig { tls: Some(tls), retries: 0, ..ClientConfig::default() };
        let client = Client::connect(&binary, config(trusted.clone())).await.expect("it is trusted");
        client.create_context().await.expect("it answers");
        let other = Client::connect(&binary, config(Authority::new().trusted())).await;
        assert!(matches!(other, Err(ClientError::Untrusted { .. })), "{other:?}");
    });

    // In the open: an alert over TCP, and every answer over the socket.
    let mut stream = TcpStream::connect(server.addr()).expect("it listens");
    stream.set_read_timeout(Some(LONG)).expect("a timeout");
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("it reads");
    let mut said = Vec::new();
    stream.read_to_end(&mut said).expect("it closes");
    assert_eq!(said.first(), Some(&21), "{said:?}");
    let stats = run(dir.path(), &["--data-dir", "data", "stats", "--json"]);
    assert!(stdout(&stats).contains("node_id"), "{stats:?}");

    server.signal("-TERM");
    let (code, _, err) = server.wait();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("serving with the certificate") && err.contains("valid_until"), "{err}");
}

#[test]
fn new_files_are_served_without_a_restart_and_bad_ones_never() {
    let dir = here();
    let first = Authority::new();
    let files = first.issue().write(dir.path());
    // With what it logs in a file that can be read meanwhile.
    let log = dir.path().join("log");
    let program = cairn(dir.path(), &[]);
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec \"$0\" \"$@\" 2> log"])
        .arg(program.get_program())
        .current_dir(dir.path())
        .env_clear()
        .env("HOME", dir.path());
    command.args(["serve", "--json", "--in-memory", "--http", "127.0.0.1:0", "--binary", "127.0.0.1:0"]);
    command.args(WITH_TLS);
    let server = Server::spawn(command);
    let is_served = |authority: &Authority| get(&server, "/readyz", &authority.trusted()).is_ok();
    let is_logged = |text: &str| std::fs::read_to_string(&log).expect("it is there").contains(text);
    assert!(is_served(&first));

    // By itself.
    let second = Authority::new();
    second.issue().write(dir.path());
    wait_until("the new one is served", || is_served(&second));
    assert!(!is_served(&first) && is_logged("serving with a new certificate"));

    // When it is told to.
    std::fs::write(&files.certificate, "garbage").expect("it is ours");
    server.signal("-HUP");
    wait_until("it complains", || is_logged("holds no certificates in PEM"));
    assert!(is_logged("serving with the certificate from before") && is_served(&second));
    let third = Authority::new();
    third.issue().write(dir.path());
    server.signal("-HUP");
    wait_until("the third is served", || is_served(&third));
    server.signal("-TERM");
    assert_eq!(server.wait().0, Some(0));
}

/// Refused before anything is touched: what is said.
fn refused(dir: &Path, arguments: &[&str]) -> String {
    let output = run(dir, &[&["serve", "--data-dir", "data", "--http", "127.0.0.1:0"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!dir.join("data").exists());
    let said = stderr(&output);
    assert!(said.starts_with("error: ") && said.contains("hint: "), "{said}");
    said
}

#[test]
fn files_that_cannot_be_served_are_refused_before_anything_is_touched() {
    let dir = here();
    let authority = Authority::new();
    let issued = authority.issue();
    let files = issued.write(dir.path());
    let check = |arguments: &[&str], expected: [&str; 2]| {
        let said = refused(dir.path(), arguments);
        assert!(expected.iter().all(|text| said.contains(text)), "{said}");
    };
    check(&["--tls-cert", "cert.pem"], ["tls.cert_file is set, and tls.key_file is not", "--tls-key"]);
    check(&["--tls-key", "key.pem"], ["tls.key_file is set, and tls.cert_file is not", "--tls-cert"]);
    check(&["--tls-cert", "no.pem", "--tls-key", "key.pem"], ["could not read the certificate", "no.pem"]);
    check(&["--tls-cert", "cert.pem", "--tls-key", "no.pem"], ["could not read the key file", "no.pem"]);
    check(&["--tls-cert", "cert.pem", "--tls-key", "."], ["error: ", "."]);

    std::fs::set_permissions(&files.key, Permissions::from_mode(0o644)).expect("it is ours");
    check(&WITH_TLS, ["others may read the key file key.pem (its mode is 644)", "chmod 600 key.pem"]);
    std::fs::set_permissions(&files.key, Permissions::from_mode(0o600)).expect("it is ours");

    std::fs::write(&files.key, authority.issue().key).expect("it is ours");
    check(&WITH_TLS, ["the key in key.pem does not belong to the certificate in cert.pem", "the key that"]);
    std::fs::write(&files.key, "garbage").expect("it is ours");
    check(&WITH_TLS, ["key.pem holds no private key", "PRIVATE KEY"]);
    std::fs::write(&files.certificate, "garbage").expect("it is ours");
    check(&WITH_TLS, ["cert.pem holds no certificates", "BEGIN CERTIFICATE"]);
}

#[test]
fn the_files_can_be_settings() {
    let dir = here();
    let authority = Authority::new();
    authority.issue().write(dir.path());
    let mut command = cairn(dir.path(), &["serve", "--json", "--in-memory", "--http", "127.0.0.1:0"]);
    command.env("CAIRN_TLS_CERT_FILE", "cert.pem").env("CAIRN_TLS_KEY_FILE", "key.pem");
    command.env("CAIRN_AUTH_REQUIRED", "off");
    let server = Server::spawn(command);
    assert_eq!(server.endpoints["tls"], true);
    assert!(
        get(&server, "/readyz", &authority.trusted()).expect("it is trusted").starts_with("HTTP/1.1 200")
    );
}
