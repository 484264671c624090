//! What callers show, and which code they are told when it is no good.

use cairn_access::identity::Identity;
use cairn_access::registry::{TenantName, UserId};
use cairn_access::{KeyId, Principal, Role, Roles};
use cairn_base::{Base64Url, ContentHash, ManualClock, SeededEntropy, TenantId};
use cairn_engine::{Engine, NewToken};
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{read_to_end, request};
use crate::server::Server;

const NODE: &str = "this-node";

struct World {
    server: Server,
    tenant: TenantId,
    key: Identity,
}

impl World {
    async fn new() -> World {
        let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
        let server = Server::with(HttpConfig::default(), gate).await;
        let engine = server.gate.engine();
        engine.set_audience(NODE.to_owned());
        let owner = Principal::local_owner();
        let tenant = engine.create_tenant(&owner, &TenantName::parse("acme").expect("a name"));
        let tenant = tenant.expect("it is made").id;
        engine.put_user(&owner, tenant, &ada(), roles()).expect("it is made");
        let key = Identity::random(&SeededEntropy::new(5), &ManualClock::new(0));
        engine.add_key(&owner, tenant, id(&key), &ada()).expect("it is registered");
        World { server, tenant, key }
    }

    fn engine(&self) -> &Engine {
        self.server.gate.engine()
    }

    fn now_s(&self) -> u64 {
        self.engine().clock().now_ms() / 1000
    }

    fn jwt(&self, jti: &str) -> String {
        self.signed(r#""alg":"EdDSA""#, NODE, self.now_s() + 60, jti)
    }

    fn signed(&self, alg: &str, audience: &str, expires_at_s: u64, jti: &str) -> String {
        let header = format!(r#"{{{alg},"kid":"{}"}}"#, self.key.public_key());
        let claims = format!(r#"{{"aud":"{audience}","exp":{expires_at_s},"jti":"{jti}"}}"#);
        let signed = format!("{}.{}", Base64Url(header.as_bytes()), Base64Url(claims.as_bytes()));
        let signature = self.key.sign_bytes(signed.as_bytes());
        format!("{signed}.{}", Base64Url(signature.as_bytes()))
    }

    /// What somebody who shows this is answered, on a connection of its own.
    async fn shown(&self, credential: &str) -> (u16, String) {
        let header = format!("authorization: Bearer {credential}\r\n");
        let answer = request(self.server.addr, "GET /v1/contexts", &header).await;
        assert_eq!(answer.header("www-authenticate").is_some(), answer.status == 401, "{answer:?}");
        if answer.status == 200 { (200, String::new()) } else { answer.error() }
    }
}

fn ada() -> UserId {
    UserId::parse("ada").expect("a name")
}

fn roles() -> Roles {
    Roles::NONE.with(Role::Reader)
}

fn id(key: &Identity) -> KeyId {
    KeyId(*key.public_key().as_bytes())
}

fn refused(code: &str) -> (u16, String) {
    (401, code.to_owned())
}

#[tokio::test]
async fn two_authorization_headers_are_refused_whatever_they_say() {
    let world = World::new().await;
    let wanted = NewToken { user: ada(), label: String::new(), scope: roles(), expires_at_ms: None };
    let issued = world.engine().issue_token(&Principal::local_owner(), world.tenant, wanted);
    let good = issued.expect("it is made").0.reveal().to_string();
    let header = |credential: &str| format!("authorization: Bearer {credential}\r\n");
    assert_eq!(request(world.server.addr, "GET /v1/contexts", &header(&good)).await.status, 200);
    for (first, second) in [(&*good, &*good), (&*good, "cairn_x"), ("cairn_x", &*good), (&*good, "")] {
        let both = header(first) + &header(second);
        let refused = request(world.server.addr, "GET /v1/contexts", &both).await;
        assert_eq!(refused.error(), (401, "TokenMalformed".to_owned()), "{second}");
        let message = refused.json()["error"]["message"].as_str().map(str::to_owned).unwrap_or_default();
        assert!(message.contains("duplicate header `authorization`"), "{message}");
        assert!(!message.contains(&good), "{message}");
    }
    let both = header(&good) + &header(&good);
    let made = crate::client::send(world.server.addr, "POST /v1/contexts", &both, b"{}").await;
    assert_eq!(made.error().0, 401);

    // Also where nobody has to say who they are, and for whatever else comes once.
    let open = Server::start().await;
    let none = "authorization: Bearer a\r\n";
    let twice = request(open.addr, "GET /v1/contexts", &format!("{none}{none}")).await;
    assert_eq!(twice.error(), (401, "TokenMalformed".to_owned()));
    let json = "content-type: application/json\r\n";
    for repeated in ["if-match: 0\r\n", "idempotency-key: a\r\n", json] {
        let headers = if repeated == json { json.repeat(2) } else { format!("{json}{}", repeated.repeat(2)) };
        let refused = crate::client::send(open.addr, "POST /v1/contexts", &headers, b"{}").await;
        assert_eq!(refused.error(), (422, "InvalidRequest".to_owned()), "{repeated}");
    }
    assert_eq!(request(open.addr, "GET /v1/contexts", "").await.json()["count"], 0, "nothing was made");
}

#[tokio::test]
async fn every_credential_that_is_no_good_has_a_code_that_says_why() {
    let world = World::new().await;
    let now = world.now_s();
    let eddsa = r#""alg":"EdDSA""#;
    assert_eq!(world.shown(&world.jwt("good")).await.0, 200);
    for (credential, code) in [
        (world.signed(eddsa, NODE, now, "a"), "TokenExpired"),
        (world.signed(eddsa, "another-node", now + 60, "b"), "TokenAudience"),
        (world.signed(r#""alg":"none""#, NODE, now + 60, "c"), "TokenAlgorithm"),
        (world.signed(r#""alg":"HS256""#, NODE, now + 60, "d"), "TokenAlgorithm"),
        (world.signed(eddsa, NODE, now + 3600, "e"), "TokenTooLong"),
        (world.jwt("good"), "TokenReplayed"),
        (format!("{}A", &world.jwt("f")[..world.jwt("f").len() - 2]), "TokenMalformed"),
        (world.jwt("g").replacen("ey", "eY", 1), "TokenMalformed"),
        (format!("cairn_{}", "A".repeat(48)), "TokenUnknown"),
        ("password".to_owned(), "TokenMalformed"),
    ] {
        assert_eq!(world.shown(&credential).await, refused(code), "{credential}");
    }
    let other = World { key: Identity::random(&SeededEntropy::new(9), &ManualClock::new(0)), ..world };
    assert_eq!(other.shown(&other.jwt("h")).await, refused("KeyUnknown"));
    assert_eq!(request(other.server.addr, "GET /v1/contexts", "").await.error(), refused("Unauthenticated"));
    let basic = request(other.server.addr, "GET /v1/contexts", "authorization: Basic YTpi\r\n").await;
    assert_eq!(basic.error(), refused("TokenMalformed"));
}

#[tokio::test]
async fn what_was_revoked_is_refused_from_then_on_also_on_open_connections() {
    let world = World::new().await;
    let owner = Principal::local_owner();
    let wanted = NewToken { user: ada(), label: String::new(), scope: roles(), expires_at_ms: None };
    let (token, _) = world.engine().issue_token(&owner, world.tenant, wanted).expect("it is made");
    let (by_token, by_key) = (token.reveal().to_string(), world.jwt("stays"));
    let mut open = Vec::new();
    for credential in [&by_token, &by_key] {
        let mut stream = TcpStream::connect(world.server.addr).await.expect("it accepts");
        ask(&world, &mut stream, credential, "keep-alive").await;
        assert_eq!(answered(&mut stream).await, "HTTP/1.1 200 OK", "{credential}");
        open.push((stream, credential));
    }
    world.engine().revoke_token(&owner, world.tenant, token.id()).expect("it is there");
    world.engine().revoke_key(&owner, world.tenant, id(&world.key)).expect("it is there");
    for ((mut stream, credential), code) in open.into_iter().zip(["TokenRevoked", "KeyRevoked"]) {
        ask(&world, &mut stream, credential, "close").await;
        assert_eq!(read_to_end(&mut stream).await.error(), refused(code));
    }
    assert_eq!(world.shown(&by_token).await, refused("TokenRevoked"));
    assert_eq!(world.shown(&world.jwt("new")).await, refused("KeyRevoked"), "a key that was rotated");
}

async fn ask(world: &World, stream: &mut TcpStream, credential: &str, then: &str) {
    let request = format!(
        "GET /v1/contexts HTTP/1.1\r\nhost: {}\r\nconnection: {then}\r\nauthorization: Bearer {credential}\r\n\r\n",
        world.server.addr
    );
    stream.write_all(request.as_bytes()).await.expect("it reads");
}

/// The status line of an answer whose body has a length, all of which is read.
async fn answered(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a head"));
    }
    let head = String::from_utf8(head).expect("a head is text");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    let mut body = vec![0; length.parse().expect("a number")];
    stream.read_exact(&mut body).await.expect("a body");
    head.lines().next().unwrap_or("").to_owned()
}

#[tokio::test]
async fn a_stream_of_events_ends_when_its_listener_is_shut_out() {
    let world = World::new().await;
    let owner = Principal::local_owner();
    let mut stream = TcpStream::connect(world.server.addr).await.expect("it accepts");
    let request = format!(
        "GET /v1/events HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {}\r\n\r\n",
        world.server.addr,
        world.jwt("listens")
    );
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200");
    world.engine().change_user(&owner, world.tenant, &ada(), true).expect("it is there");
    // Something happens in the tenant that it must not hear of.
    let writer = Principal::new("bob", world.tenant, Roles::NONE.with(Role::Writer));
    let act = cairn_engine::Act::new(
        cairn_access::Action::TurnsWrite,
        cairn_access::Resource::tenant(world.tenant),
    );
    let made =
        world.engine().transact(&writer, act, |tx, scope| Ok(cairn_turns::create(tx, scope, None, 1)?));
    made.expect("it is made");
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(crate::server::LONG, stream.read_to_end(&mut rest)).await;
    ended.expect("it ends").expect("in order");
    let text = String::from_utf8_lossy(&rest);
    assert!(!text.contains("context_created"), "{text}");
}

#[tokio::test]
async fn exports_and_downloads_under_way_end_when_their_caller_is_shut_out() {
    let world = World::new().await;
    let owner = Principal::local_owner();
    engine_fills(&world);
    let blob = format!("/v1/blobs/{}", ContentHash::of(&vec![0; BLOB_BYTES]));
    for (path, whole) in
        [("/v1/export".to_owned(), (BLOB_BYTES + (TURNS - 1) * TURN_BYTES) / 3 * 4), (blob, BLOB_BYTES)]
    {
        let mut stream = TcpStream::connect(world.server.addr).await.expect("it accepts");
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {}\r\n\r\n",
            world.server.addr,
            world.jwt(&path)
        );
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 200", "{path}");
        // Nothing more is read, so the answer waits in the middle.
        world.engine().change_user(&owner, world.tenant, &ada(), true).expect("it is there");
        let mut rest = Vec::new();
        // Cut or ended: it is not whole in any case.
        let _ = stream.read_to_end(&mut rest).await;
        assert!(rest.len() < whole * 3 / 4, "{path}: {} bytes", rest.len());
        world.engine().change_user(&owner, world.tenant, &ada(), false).expect("it is there");
    }
}

/// So many concepts of 100 kB each, which is more than sockets and pages hold.
const CONCEPTS: usize = 400;

async fn begun(world: &World, head: &str, jti: &str) -> TcpStream {
    let mut stream = TcpStream::connect(world.server.addr).await.expect("it accepts");
    let request = format!(
        "{head}host: {}\r\nconnection: close\r\nauthorization: Bearer {}\r\n\r\n",
        world.server.addr,
        world.jwt(jti)
    );
    stream.write_all(request.as_bytes()).await.expect("it reads");
    stream
}

#[tokio::test]
async fn exports_of_what_is_known_hold_their_places_and_end_when_their_caller_is_shut_out() {
    let world = World::new().await;
    let writer = Principal::new("bob", world.tenant, Roles::NONE.with(Role::Writer));
    let words = "x".repeat(100_000);
    let line = |n: usize| {
        format!(r#"{{"concept":{{"type":"Domain","name":"{n}","attributes":{{"description":"{words}"}}}}}}"#)
            + "\n"
    };
    let lines: String = (0..CONCEPTS).map(line).collect();
    let imported = world.engine().kip_import(
        &writer,
        world.tenant,
        &mut lines.as_bytes(),
        &cairn_engine::KipImportOptions::default(),
        &mut |_| true,
    );
    imported.expect("it is taken");
    let mut streams = Vec::new();
    for number in 0..cairn_http::limits::BULK_STREAMS_MAX {
        let mut stream = begun(&world, "GET /v1/kip/export HTTP/1.1\r\n", &format!("export {number}")).await;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 200");
        streams.push(stream);
    }
    // Both wait in the middle, because nothing more is read of them.
    let mut third = begun(&world, "GET /v1/kip/export HTTP/1.1\r\n", "one too many").await;
    assert_eq!(read_to_end(&mut third).await.error(), (503, "Overloaded".to_owned()));
    world.engine().change_user(&Principal::local_owner(), world.tenant, &ada(), true).expect("it is there");
    for mut stream in streams {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert!(rest.len() < lines.len() * 3 / 4, "{} bytes of {}", rest.len(), lines.len());
        assert!(!rest.ends_with(b"\r\n0\r\n\r\n"), "it is not said to be whole");
    }
}

#[tokio::test]
async fn an_import_under_way_ends_when_its_caller_is_shut_out() {
    let world = World::new().await;
    let owner = Principal::local_owner();
    let writes = Roles::NONE.with(Role::Writer);
    world.engine().put_user(&owner, world.tenant, &ada(), writes).expect("it is there");
    let line = |n: usize| format!("{{\"concept\":{{\"type\":\"Domain\",\"name\":\"{n}\"}}}}\n");
    let lines: String = (0..40_000).map(line).collect();
    let head = format!("POST /v1/kip/import HTTP/1.1\r\ncontent-length: {}\r\n", lines.len());
    let mut stream = begun(&world, &head, "import").await;
    let (before, behind) = lines.split_at(lines.len() / 2);
    stream.write_all(before.as_bytes()).await.expect("it reads");
    let reader = Principal::new("bob", world.tenant, roles());
    let exported = || {
        let options = cairn_engine::KipExportOptions {
            space: None,
            form: cairn_engine::KipForm::Lines,
            selection: None,
        };
        let mut out = Vec::new();
        let count = world.engine().kip_export(&reader, world.tenant, &options, &mut out, &mut |_| true);
        count.expect("it is read")
    };
    let some = async {
        while exported() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::server::LONG, some).await.expect("some of it is there");
    world.engine().change_user(&owner, world.tenant, &ada(), true).expect("it is there");
    // It may be closed before all of this is taken.
    let _ = stream.write_all(behind.as_bytes()).await;
    let answer = read_to_end(&mut stream).await;
    assert!(!answer.body.contains("concepts_created"), "{answer:?}");
    assert!(exported() < 40_000 * 3 / 4, "{}", exported());
}

/// More than sockets hold, by far. An answer of several pieces has one under way and one that waits.
const BLOB_BYTES: usize = 40 << 20;
const TURN_BYTES: usize = 8 << 20;
const TURNS: usize = 8;

/// A context with turns whose payloads are large, the first of them by far.
fn engine_fills(world: &World) {
    let writer = Principal::new("bob", world.tenant, Roles::NONE.with(Role::Writer));
    let act = || {
        let resource = cairn_access::Resource::tenant(world.tenant);
        cairn_engine::Act::new(cairn_access::Action::TurnsWrite, resource)
    };
    let made =
        world.engine().transact(&writer, act(), |tx, scope| Ok(cairn_turns::create(tx, scope, None, 1)?));
    let context = made.expect("it is made").value.id;
    for number in 0..TURNS {
        let bytes =
            vec![u8::try_from(number).expect("a few"); if number == 0 { BLOB_BYTES } else { TURN_BYTES }];
        let payload_bytes = u32::try_from(bytes.len()).expect("it fits");
        let payload = world.engine().blob(&writer, world.tenant, bytes).expect("it is kept");
        let append = cairn_turns::Append {
            context,
            parent: None,
            expected_head: None,
            declared: cairn_turns::DeclaredType { id: "t".into(), version: 1 },
            encoding: 1,
            compression: 0,
            payload_bytes,
            payload,
            tree: None,
            key: None,
            remember_ms: 0,
            now_ms: 1,
            strict: false,
        };
        let appended = world
            .engine()
            .transact(&writer, act(), move |tx, scope| Ok(cairn_turns::append(tx, scope, &append)?));
        appended.expect("it is appended");
    }
}
