//! Export and import of what is known.

use std::time::Duration;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_base::ErrorCode;
use cairn_engine::NewToken;
use cairn_gate::{Authentication, GateConfig};
use cairn_http::{Bytes, Client, ClientError, HttpConfig, limits};
use cairn_wire::bulk::KipImportReport;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::client::{get, read_to_end, request, send};
use crate::server::{LONG, Server};

async fn client(server: &Server) -> Client {
    Client::over(server.local().await, LONG).await.expect("it connects")
}

async fn export(server: &Server, query: &[(&str, &str)]) -> String {
    let mut text = Vec::new();
    let take = &mut |bytes: &[u8], most: u64| {
        assert!(most > 0);
        text.extend_from_slice(bytes);
        true
    };
    client(server).await.kip_export(query, take).await.expect("it comes");
    String::from_utf8(text).expect("it is text")
}

/// Sends a text in pieces of so many bytes.
async fn import(
    server: &Server,
    query: &[(&str, &str)],
    text: &str,
    piece: usize,
) -> Result<KipImportReport, ClientError> {
    let (pieces, coming) = mpsc::channel(1);
    let chunks: Vec<_> = text.as_bytes().chunks(piece).map(Bytes::copy_from_slice).collect();
    tokio::spawn(async move {
        for chunk in chunks {
            if pieces.send(chunk).await.is_err() {
                return;
            }
        }
    });
    client(server).await.kip_import(query, coming, &mut |_| ()).await
}

fn refused(outcome: Result<KipImportReport, ClientError>) -> (Option<ErrorCode>, String, String) {
    match outcome {
        Err(ClientError::Refused { code, message, hint }) => (code, message, hint.unwrap_or_default()),
        other => panic!("{other:?}"),
    }
}

fn graph(count: usize) -> String {
    let mut out = String::from(
        "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Thing\"} } CONCEPT { {type: \"$PropositionType\", name: \"leads_to\"} } }\n",
    );
    for n in 0..count {
        let words = "漢字 and words ".repeat(10);
        out += &format!(
            "UPSERT {{ CONCEPT {{ {{type: \"Thing\", name: \"{n}\"}} SET ATTRIBUTES {{ text: \"{words}\" }} }} }}\n"
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

#[tokio::test(flavor = "multi_thread")]
async fn what_is_exported_here_is_imported_there_however_it_comes() {
    let here = Server::start().await;
    let text = graph(1_500);
    for (piece, new) in [(100_003, true), (1 << 20, false)] {
        let report = import(&here, &[], &text, piece).await.expect("it is taken");
        let counts = (report.concepts_created, report.links_created, report.unchanged);
        assert_eq!(counts, if new { (1_502, 1_499, 0) } else { (0, 0, 3_001) });
    }
    let commands = export(&here, &[("format", "kip")]).await;
    let lines = export(&here, &[("format", "ndjson")]).await;
    assert_eq!((commands.lines().count(), lines.lines().count()), (3_001, 3_001));
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let there = Server::start().await;
    for (space, text) in [("by commands & more", &commands), ("by lines", &lines)] {
        import(&there, &[("space", space)], text, 65_537).await.expect("it is taken");
        assert_eq!(export(&there, &[("space", space), ("format", "ndjson")]).await, lines);
    }
    let dry = import(&there, &[("dry_run", "true"), ("space", "new")], &commands, 1 << 20).await;
    let dry = dry.expect("it is tried");
    assert!(dry.dry_run && dry.concepts_created == 1_502, "{dry:?}");
    let missing = get(there.addr, "/v1/kip/export?space=new").await;
    assert_eq!(missing.status, 422);
    let some = export(
        &here,
        &[("where", "?l ({type: \"Thing\", name: \"7\"}, \"leads_to\", ?b)"), ("select", "?l")],
    );
    assert_eq!(some.await.lines().count(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_with_its_line_and_what_to_do() {
    let server = Server::start().await;
    let wrong = graph(3) + "\nUPSERT { CONCEPT { {type: \"Thin\", name: \"x\"} } }\n";
    let (code, message, hint) = refused(import(&server, &[], &wrong, 1 << 20).await);
    assert_eq!(code, Some(ErrorCode::InvalidRequest));
    assert!(message.starts_with("line 8, column 27: "), "{message}");
    assert!(hint.contains("Thing") || hint.contains("register"), "{hint}");
    let answer =
        send(server.addr, "POST /v1/kip/import", "content-type: text/plain\r\n", b"{\"x\":1}\n").await;
    assert_eq!(answer.status, 422);
    let body: Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(body["error"]["details"]["line"], 1);
    assert_eq!(body["error"]["details"]["kip_code"], "KIP_1001");
    for query in ["format=xml", "dry_run=yes", "restart=1", "resume="] {
        let answer = send(server.addr, &format!("POST /v1/kip/import?{query}"), "", b"").await;
        assert_eq!(answer.status, 422, "{query}");
    }
    for query in ["format=xml", "where=x", "select=x", "where=%3Fx&select=%3Fx", "where=%7D&select=x"] {
        assert_eq!(get(server.addr, &format!("/v1/kip/export?{query}")).await.status, 422, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_in_the_middle_of_an_export_is_said_at_its_end() {
    let server = Server::start().await;
    import(&server, &[], &graph(3_000), 1 << 20).await.expect("it is taken");
    let deep = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    let deep =
        format!("{{\"concept\":{{\"type\":\"Thing\",\"name\":\"deep\",\"attributes\":{{\"ä\":{deep}}}}}}}\n");
    import(&server, &[], &deep, 1 << 20).await.expect("it is taken");
    let mut taken = 0;
    let take = &mut |bytes: &[u8], _: u64| {
        taken += bytes.len();
        true
    };
    let refused = client(&server).await.kip_export(&[], take).await;
    match refused {
        Err(ClientError::Refused { code: Some(ErrorCode::InvalidRequest), message, hint }) => {
            assert!(message.contains("`ä` is nested"), "{message}");
            assert_eq!(hint.as_deref(), Some("export as lines of JSON instead"));
        }
        other => panic!("{other:?}"),
    }
    assert!(taken > 0);
    // Who does not look at trailers sees that it was cut, also those who take them in general.
    for extra in ["", "te: trailers\r\n"] {
        let answer = request(server.addr, "GET /v1/kip/export", extra).await;
        assert_eq!(answer.status, 200);
        assert!(!answer.body.ends_with("\r\n0\r\n\r\n"), "{extra}");
    }
    let whole = request(server.addr, "GET /v1/kip/export?format=ndjson", "te: trailers\r\n").await;
    assert!(whole.body.ends_with("\r\n0\r\n\r\n"), "without trailers");
    let extra = "te: trailers\r\ncairn-end: trailers\r\n";
    let whole = request(server.addr, "GET /v1/kip/export?format=ndjson", extra).await;
    assert!(whole.body.ends_with("\r\n0\r\ncairn-end: whole\r\n\r\n"), "with trailers");
}

#[tokio::test]
async fn what_a_small_export_cannot_say_is_an_error_from_the_beginning() {
    let server = Server::start().await;
    let deep = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    let deep = format!(
        "{{\"concept\":{{\"type\":\"Person\",\"name\":\"deep\",\"attributes\":{{\"v\":{deep}}}}}}}\n"
    );
    import(&server, &[], &deep, 1 << 20).await.expect("it is taken");
    assert_eq!(get(server.addr, "/v1/kip/export").await.status, 422);
}

#[tokio::test]
async fn parameters_that_are_not_known_are_refused() {
    let server = Server::start().await;
    for (line, name, hint) in [
        ("POST /v1/kip/import?dry-run=true", "dry-run", "did you mean dry_run?"),
        ("GET /v1/kip/export?spce=x", "spce", "did you mean space?"),
        ("POST /v1/import?id=x", "id", "known are import_id"),
        ("GET /v1/export?after=1", "after", "did you mean after_turn?"),
    ] {
        let answer = send(server.addr, line, "", graph(1).as_bytes()).await;
        assert_eq!(answer.error(), (422, "InvalidRequest".to_owned()), "{line}");
        let error = &answer.json()["error"];
        assert_eq!((&error["details"]["parameter"], &error["details"]["hint"]), (&name.into(), &hint.into()));
    }
    assert_eq!(export(&server, &[]).await, "", "nothing was imported");
}

/// The head of an import whose body has so many bytes.
fn head(server: &Server, bytes: usize) -> String {
    let addr = server.addr;
    format!(
        "POST /v1/kip/import HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\ncontent-type: text/plain\r\n\
         content-length: {bytes}\r\n\r\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_was_cut_goes_on() {
    let server = Server::start().await;
    let text = graph(5_000);
    let mut stream = TcpStream::connect(server.addr).await.expect("it accepts");
    stream.write_all(head(&server, text.len()).as_bytes()).await.expect("it reads");
    stream.write_all(&text.as_bytes()[..text.len() / 2]).await.expect("it reads");
    let begun = async { while export(&server, &[]).await.is_empty() {} };
    timeout(LONG, begun).await.expect("some of it is there");
    // Whoever sends goes away in the middle.
    drop(stream);
    let report = timeout(LONG, async {
        loop {
            match import(&server, &[], &text, 1 << 20).await {
                Ok(done) => return done,
                // The other one is still at it.
                Err(ClientError::Refused {
                    code: Some(ErrorCode::Conflict | ErrorCode::Overloaded), ..
                }) => tokio::task::yield_now().await,
                other => panic!("{other:?}"),
            }
        }
    });
    let report = report.await.expect("it is taken");
    assert!(report.bytes_skipped > 0 && report.bytes_skipped < text.len() as u64, "{report:?}");
    assert_eq!(export(&server, &[]).await.lines().count(), 10_001);
}

#[tokio::test]
async fn there_are_only_a_few_at_once_and_a_client_that_stops_is_given_up() {
    let config = HttpConfig { patience: Duration::from_secs(2), ..HttpConfig::default() };
    let server = Server::with(config, GateConfig::default()).await;
    let mut streams = Vec::new();
    for _ in 0..limits::BULK_STREAMS_MAX {
        let mut stream = TcpStream::connect(server.addr).await.expect("it accepts");
        stream.write_all((head(&server, 99) + "U").as_bytes()).await.expect("it reads");
        streams.push(stream);
    }
    // As soon as both have their places, there is none for a third.
    let mut third = get(server.addr, "/v1/kip/export").await;
    for _ in 0..500 {
        if third.status != 200 {
            break;
        }
        third = get(server.addr, "/v1/kip/export").await;
    }
    assert_eq!(third.error(), (503, "Overloaded".to_owned()));
    // Both say nothing more, and their places come back.
    for mut stream in streams {
        let answer = read_to_end(&mut stream).await;
        assert!(answer.body.contains("DeadlineExceeded"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_body_that_trickles_does_not_hold_its_place() {
    let config = HttpConfig { patience: Duration::from_secs(1), ..HttpConfig::default() };
    let server = Server::with(config, GateConfig::default()).await;
    for path in ["/v1/kip/import", "/v1/import"] {
        let mut stream = TcpStream::connect(server.addr).await.expect("it accepts");
        let head = head(&server, 99_999).replace("/v1/kip/import", path);
        stream.write_all(head.as_bytes()).await.expect("it reads");
        let (mut hears, mut says) = stream.split();
        let trickle = async {
            while says.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let mut answer = Vec::new();
        let given_up = async {
            while !answer.windows(16).any(|some| some == b"DeadlineExceeded") {
                assert_ne!(hears.read_buf(&mut answer).await.expect("it answers"), 0);
            }
        };
        tokio::select! {
            () = trickle => panic!("it hung up and said nothing"),
            heard = timeout(LONG, given_up) => heard.expect("it is given up"),
        }
        assert!(String::from_utf8_lossy(&answer).contains("too slowly"), "{path}");
    }
}

#[tokio::test]
async fn who_was_shut_out_is_stopped_while_the_body_still_comes() {
    let config = HttpConfig { patience: Duration::from_secs(1), ..HttpConfig::default() };
    let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
    let server = Server::with(config, gate).await;
    let (engine, owner) = (server.gate.engine(), Principal::local_owner());
    let tenant = engine.create_tenant(&owner, &TenantName::parse("acme").expect("a name")).expect("made").id;
    let ada = UserId::parse("ada").expect("a name");
    let roles = Roles::NONE.with(Role::Writer);
    engine.put_user(&owner, tenant, &ada, roles).expect("made");
    let wanted = NewToken { user: ada, label: String::new(), scope: roles, expires_at_ms: None };
    let (token, _) = engine.issue_token(&owner, tenant, wanted).expect("made");
    let mut stream = TcpStream::connect(server.addr).await.expect("it accepts");
    let secret = token.reveal().to_string();
    let head = head(&server, 9_999_999);
    let head = head.replace("\r\n\r\n", &format!("\r\nauthorization: Bearer {}\r\n\r\n", secret));
    stream.write_all(head.as_bytes()).await.expect("it reads");
    let (mut hears, mut says) = stream.split();
    // Far less than a piece, and fast enough.
    let trickle = async {
        while says.write_all(&[b' '; 1_000]).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let mut answer = Vec::new();
    let stopped = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        engine.revoke_token(&owner, tenant, token.id()).expect("it is there");
        while !answer.windows(12).any(|some| some == b"TokenRevoked") {
            let heard = hears.read_buf(&mut answer).await.expect("it answers");
            assert_ne!(heard, 0, "{}", String::from_utf8_lossy(&answer));
        }
    };
    tokio::select! {
        () = trickle => panic!("it hung up and said nothing"),
        heard = timeout(LONG, stopped) => heard.expect("it is stopped"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrected_body_goes_on_under_its_name_or_begins_anew() {
    let server = Server::start().await;
    let text = graph(3_000);
    let wrong = text.clone() + "UPSERT { CONCEPT { {type: \"Thin\", name: \"x\"} } }\n";
    let skipped = async |query: &[(&str, &str)]| {
        import(&server, query, &text, 1 << 20).await.expect("it is taken").bytes_skipped
    };
    refused(import(&server, &[("resume", "nightly")], &wrong, 1 << 20).await);
    assert_eq!(skipped(&[]).await, 0, "without its name it is another import");
    assert_eq!(skipped(&[("resume", "weekly")]).await, 0);
    assert_eq!(skipped(&[("resume", "nightly"), ("restart", "true")]).await, 0);
    refused(import(&server, &[("resume", "nightly")], &wrong, 1 << 20).await);
    assert!(skipped(&[("resume", "nightly"), ("restart", "false")]).await > 0);
}

#[tokio::test]
async fn what_no_command_can_say_is_told_before_anything_is_sent() {
    let server = Server::start().await;
    let deep = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    let line =
        format!("{{\"concept\":{{\"type\":\"Domain\",\"name\":\"d\",\"attributes\":{{\"v\":{deep}}}}}}}\n");
    import(&server, &[], &line, 1 << 20).await.expect("it is taken");
    let answer = get(server.addr, "/v1/kip/export").await;
    assert_eq!(answer.error(), (422, "InvalidRequest".to_owned()));
    assert!(answer.body.contains("export as lines of JSON instead"), "{answer:?}");
    assert!(export(&server, &[("format", "ndjson")]).await.contains(&deep));
}
