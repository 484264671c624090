//! What each user and each tenant may do, over HTTP.

use std::num::NonZeroU64;
use std::time::Duration;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_engine::NewToken;
use cairn_gate::{Allowance, Authentication, GateConfig};
use cairn_http::HttpConfig;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::client::{Answer, exchange, request, send};
use crate::server::Server;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(300);

fn limit(max: u64) -> Option<NonZeroU64> {
    Some(NonZeroU64::new(max).expect("a limit"))
}

/// Two users of one tenant and one of another, each with a header that says so.
struct World {
    server: Server,
    ada: String,
    bob: String,
    eve: String,
}

async fn world(allowance: Allowance) -> World {
    let allowance = Allowance { tenant_factor: limit(2).expect("a factor"), ..allowance };
    let gate = GateConfig { authentication: Authentication::Required, allowance, ..GateConfig::default() };
    let server = Server::with(HttpConfig { body_bytes_max: 2000, ..HttpConfig::default() }, gate).await;
    let engine = server.gate.engine();
    let (owner, writer) = (Principal::local_owner(), Roles::NONE.with(Role::Writer).with(Role::Reader));
    let name = |name: &str| TenantName::parse(name).expect("a name");
    let tenant = |tenant: &str| engine.create_tenant(&owner, &name(tenant)).expect("it is made").id;
    let [acme, other] = [tenant("acme"), tenant("other")];
    let bearer = |tenant, user: &str| {
        let user = UserId::parse(user).expect("a name");
        engine.put_user(&owner, tenant, &user, writer).expect("it is made");
        let wanted = NewToken { user, label: "test".into(), scope: writer, expires_at_ms: None };
        let token = engine.issue_token(&owner, tenant, wanted).expect("it is issued").0;
        format!("authorization: Bearer {}\r\n", *token.reveal())
    };
    let (ada, bob, eve) = (bearer(acme, "ada"), bearer(acme, "bob"), bearer(other, "eve"));
    World { server, ada, bob, eve }
}

impl World {
    async fn write(&self, who: &str) -> Answer {
        let headers = format!("{who}content-type: application/json\r\n");
        send(self.server.addr, "POST /v1/contexts", &headers, b"{}").await
    }

    async fn read(&self, who: &str, path: &str) -> Answer {
        request(self.server.addr, &format!("GET {path}"), who).await
    }

    /// A body with its length before it.
    async fn upload(&self, who: &str, bytes: usize) -> Answer {
        send(self.server.addr, "POST /v1/blobs", who, &vec![7; bytes]).await
    }

    /// A body that says at its end where it ends.
    async fn upload_in_chunks(&self, who: &str, chunks: usize, bytes: usize) -> Answer {
        let chunk = format!("{bytes:x}\r\n{}\r\n", "7".repeat(bytes));
        let head =
            format!("host: {}\r\nconnection: close\r\n{who}transfer-encoding: chunked", self.server.addr);
        let chunks = chunk.repeat(chunks);
        exchange(self.server.addr, &format!("POST /v1/blobs HTTP/1.1\r\n{head}\r\n\r\n{chunks}0\r\n\r\n"))
            .await
    }
}

/// Which limit it was, and when to come back.
fn refused(answer: &Answer) -> (String, String, u64, String) {
    assert_eq!(answer.error(), (429, "TooManyRequests".into()));
    let details = &answer.json()["error"]["details"];
    let text = |name: &str| details[name].as_str().unwrap_or("none").to_owned();
    let retry_after = answer.header("retry-after").expect("it says when to come back").to_owned();
    assert_eq!(details["retry_after_s"].to_string(), retry_after);
    assert!(text("hint").contains("Retry-After"), "{details}");
    (text("whose"), text("limit"), details["max"].as_u64().expect("a number"), retry_after)
}

fn reached(whose: &str, limit: &str, max: u64, retry_after: &str) -> (String, String, u64, String) {
    (whose.into(), limit.into(), max, retry_after.into())
}

#[tokio::test]
async fn a_user_is_told_when_to_come_back_and_is_let_in_then() {
    let world = world(Allowance { writes_per_minute: limit(2), ..Allowance::default() }).await;
    for _ in 0..2 {
        assert_eq!(world.write(&world.ada).await.status, 201);
    }
    assert_eq!(refused(&world.write(&world.ada).await), reached("user", "writes", 2, "30"));
    world.server.clock.advance(Duration::from_millis(28_999));
    assert_eq!(refused(&world.write(&world.ada).await).3, "2");
    world.server.clock.advance(Duration::from_millis(1_000));
    assert_eq!(refused(&world.write(&world.ada).await).3, "1");
    world.server.clock.advance(Duration::from_millis(1));
    assert_eq!(world.write(&world.ada).await.status, 201);
    assert_eq!(refused(&world.write(&world.ada).await).3, "30");
    assert_eq!(world.read(&world.ada, "/v1/contexts").await.status, 200, "reading is something else");
}

#[tokio::test]
async fn others_are_not_held_up_until_their_tenant_is_and_other_tenants_never() {
    let world = world(Allowance { writes_per_minute: limit(2), ..Allowance::default() }).await;
    for _ in 0..2 {
        assert_eq!(world.write(&world.ada).await.status, 201);
        assert_eq!(world.write(&world.bob).await.status, 201);
    }
    world.server.clock.advance(Duration::from_secs(14));
    assert_eq!(refused(&world.write(&world.ada).await), reached("user", "writes", 2, "16"));
    world.server.clock.advance(Duration::from_secs(16));
    // One has come back for each of them, and two for both.
    assert_eq!(world.write(&world.ada).await.status, 201);
    assert_eq!(world.write(&world.bob).await.status, 201);
    world.server.clock.advance(Duration::from_secs(30));
    assert_eq!(world.write(&world.ada).await.status, 201);
    for _ in 0..2 {
        assert_eq!(world.write(&world.eve).await.status, 201);
    }
    // The local owner has no limits.
    for _ in 0..10 {
        let mut local = world.server.local().await;
        let request =
            b"POST /v1/contexts HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\n\
                        content-length: 2\r\n\r\n{}";
        local.write_all(request).await.expect("it is sent");
        let mut answer = String::new();
        local.read_to_string(&mut answer).await.expect("it is answered");
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
}

#[tokio::test]
async fn the_tenants_limit_is_told_apart_from_the_users() {
    let world = world(Allowance { reads_per_minute: limit(1), ..Allowance::default() }).await;
    // A tenant of two users has as much as both; a third one's share is not there.
    let engine = world.server.gate.engine();
    let owner = Principal::local_owner();
    let acme = engine.tenants(&owner, cairn_access::registry::Page::first(10)).expect("a page").items;
    let acme = acme.iter().find(|tenant| tenant.name.as_str() == "acme").expect("it is there").id;
    let (user, scope) = (UserId::parse("joe").expect("a name"), Roles::NONE.with(Role::Reader));
    engine.put_user(&owner, acme, &user, scope).expect("it is made");
    let wanted = NewToken { user, label: "test".into(), scope, expires_at_ms: None };
    let token = engine.issue_token(&owner, acme, wanted).expect("it is issued").0;
    let joe = format!("authorization: Bearer {}\r\n", *token.reveal());
    assert_eq!(world.read(&world.ada, "/v1/contexts").await.status, 200);
    assert_eq!(world.read(&world.bob, "/v1/contexts").await.status, 200);
    assert_eq!(refused(&world.read(&joe, "/v1/contexts").await), reached("tenant", "reads", 2, "30"));
}

#[tokio::test]
async fn reads_searches_and_streams() {
    let world = world(Allowance {
        reads_per_minute: limit(2),
        searches_per_minute: limit(1),
        ..Allowance::default()
    })
    .await;
    let search = "/v1/contexts/search?q=depth%20%3E%203";
    assert_eq!(world.read(&world.ada, "/v1/contexts").await.status, 200);
    assert_eq!(world.read(&world.ada, search).await.status, 200);
    assert_eq!(refused(&world.read(&world.ada, search).await), reached("user", "searches", 1, "60"));
    let mut stream = TcpStream::connect(world.server.addr).await.expect("the server accepts");
    let events = format!("GET /v1/events HTTP/1.1\r\nhost: {}\r\n{}\r\n", world.server.addr, world.ada);
    stream.write_all(events.as_bytes()).await.expect("it is sent");
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.expect("it is answered");
    assert_eq!(&status, b"HTTP/1.1 200");
    for path in ["/v1/contexts", "/v1/events", "/v1/export"] {
        assert_eq!(refused(&world.read(&world.ada, path).await), reached("user", "reads", 2, "30"), "{path}");
    }
    let head = request(world.server.addr, "HEAD /v1/contexts", &world.ada).await;
    assert_eq!((head.status, head.header("retry-after")), (429, Some("30")));
    assert_eq!(world.read("", "/healthz").await.status, 200, "who looks after it is always answered");
}

#[tokio::test]
async fn bytes_are_counted_announced_or_not() {
    let world = world(Allowance { upload_bytes_per_minute: limit(1000), ..Allowance::default() }).await;
    assert_eq!(world.upload(&world.ada, 600).await.status, 201);
    assert_eq!(refused(&world.upload(&world.ada, 600).await), reached("user", "upload_bytes", 1000, "12"));
    assert_eq!(world.upload(&world.ada, 400).await.status, 201, "what was refused was not counted");
    assert!(world.upload_in_chunks(&world.bob, 3, 200).await.status < 300);
    let answer = world.upload_in_chunks(&world.bob, 3, 200).await;
    assert_eq!(refused(&answer).1, "upload_bytes");
    let too_long = format!("{}content-type: application/json\r\n", world.eve);
    let too_long = send(world.server.addr, "POST /v1/contexts", &too_long, &[b' '; 2001]).await;
    assert_eq!(too_long.error(), (413, "TooLarge".into()));
    assert_eq!(world.upload(&world.eve, 1000).await.status, 201, "what was not read was not counted");
}

#[tokio::test]
async fn connections_are_counted_while_they_are_open() {
    let world = world(Allowance { connections: limit(1), ..Allowance::default() }).await;
    let mut open = TcpStream::connect(world.server.addr).await.expect("the server accepts");
    let head = format!("host: {}\r\n", world.server.addr);
    let mut ask = async |who: &str| {
        let request = format!("HEAD /v1/contexts HTTP/1.1\r\n{head}{who}\r\n");
        open.write_all(request.as_bytes()).await.expect("it is sent");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(open.read_u8().await.expect("it is answered"));
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    };
    ask(&world.ada).await;
    ask(&world.ada).await;
    let second = world.read(&world.ada, "/v1/contexts").await;
    assert_eq!(refused(&second), reached("user", "connections", 1, "1"));
    assert_eq!(second.header("connection"), Some("close"));
    assert_eq!(world.read(&world.eve, "/v1/contexts").await.status, 200);
    // A connection that somebody else uses from now on is theirs.
    ask(&world.eve).await;
    assert_eq!(world.read(&world.ada, "/v1/contexts").await.status, 200);
    drop(open);
    let freed = async {
        while world.read(&world.eve, "/v1/contexts").await.status != 200 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, freed).await.expect("an end is noticed");
}

#[tokio::test]
async fn an_import_is_slowed() {
    let world = world(Allowance { upload_bytes_per_minute: limit(1000), ..Allowance::default() }).await;
    assert_eq!(world.upload(&world.ada, 1000).await.status, 201);
    let body = b"{\"no\": \"export\"}\n";
    let mut import = Box::pin(send(world.server.addr, "POST /v1/import", &world.ada, body));
    assert!(timeout(Duration::from_millis(300), &mut import).await.is_err(), "there is nothing left for it");
    world.server.clock.advance(Duration::from_secs(60));
    let answer = timeout(LONG, import).await.expect("it goes on");
    assert!(answer.body.contains("line 1: a header must come first"), "{answer:?}");
}

#[tokio::test]
async fn where_nobody_says_who_they_are_nobody_has_limits() {
    let allowance = Allowance {
        reads_per_minute: limit(1),
        connections: limit(1),
        upload_bytes_per_minute: limit(1),
        ..Allowance::default()
    };
    let server = Server::with(HttpConfig::default(), GateConfig { allowance, ..GateConfig::default() }).await;
    let _open = TcpStream::connect(server.addr).await.expect("the server accepts");
    for _ in 0..5 {
        let answer = request(server.addr, "GET /v1/contexts", "").await;
        assert_eq!((answer.status, answer.json()["count"].clone()), (200, Value::from(0)));
        assert_eq!(send(server.addr, "POST /v1/blobs", "", b"some bytes").await.status / 100, 2);
    }
}
