//! Who gets which answer where: every endpoint, asked by every kind of caller, as a table says that a
//! person can read (`crates/surface/access-matrix.txt`).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cairn_access::registry::{TenantName, UserId};
use cairn_access::{Principal, Role, Roles};
use cairn_artifacts::cid::Cid;
use cairn_base::ContentHash;
use cairn_engine::NewToken;
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_seam::Sha256;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::Server;

const TABLE: &str = include_str!("../../../access-matrix.txt");
const CALLERS: [&str; 8] = ["anonymous", "wrong", "reader", "writer", "admin", "other", "revoked", "owner"];

/// Of RFC 8032, test 1.
const PUBLIC_KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

/// Artifacts of the writer of `acme`.
const PUBLIC: &str = "11111111-1111-4111-8111-111111111111";
const PRIVATE: &str = "22222222-2222-4222-8222-222222222222";

/// What a row asks for, and what each caller is answered.
struct Row<'a> {
    method: &'a str,
    path: &'a str,
    body: &'a str,
    expected: Vec<&'a str>,
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.filter(|line| !line.starts_with("wire ")).map(|line| {
        let (request, answers) = line.split_once('|').expect("a row has a bar");
        let mut parts = request.trim().splitn(3, ' ');
        Row {
            method: parts.next().expect("a method"),
            path: parts.next().expect("a path"),
            body: parts.next().unwrap_or("").trim(),
            expected: answers.split_whitespace().collect(),
        }
    })
}

/// A server with one context of one turn in the tenant `acme` and one in the owner's own, and what each
/// caller shows.
struct World {
    server: Server,
    tokens: [Option<String>; 8],
    /// What a token is called.
    token_id: String,
}

impl World {
    async fn new() -> World {
        let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
        let server = Server::with(HttpConfig::default(), gate).await;
        let (engine, owner) = (server.gate.engine(), Principal::local_owner());
        let tenant = |name| engine.create_tenant(&owner, &TenantName::parse(name).expect("a name"));
        let [acme, other] = ["acme", "other"].map(|name| tenant(name).expect("it is made").id);
        let token = |tenant, name: &str, role| {
            let (user, roles) = (UserId::parse(name).expect("a name"), Roles::NONE.with(role));
            engine.put_user(&owner, tenant, &user, roles).expect("it is made");
            let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
            engine.issue_token(&owner, tenant, wanted).expect("it is made").0
        };
        let revoked = token(acme, "gone", Role::Admin);
        let token_id = revoked.id().to_string();
        engine.revoke_token(&owner, acme, revoked.id()).expect("it is there");
        let shown = |token: cairn_access::Token| Some(token.reveal().to_string());
        let tokens = [
            None,
            Some(format!("cairn_{}", "A".repeat(48))),
            shown(token(acme, "reader", Role::Reader)),
            shown(token(acme, "writer", Role::Writer)),
            shown(token(acme, "admin", Role::Admin)),
            shown(token(other, "stranger", Role::Admin)),
            shown(revoked),
            None,
        ];
        let world = World { server, tokens, token_id };
        for caller in [3, 7] {
            for (path, body) in
                [("/v1/contexts", "{}"), ("/v1/contexts/1/append?type_id=t&type_version=1", "1")]
            {
                let status = world.ask(caller, "POST", path, body).await;
                assert!(status.starts_with('2'), "{path}: {status}");
            }
        }
        for caller in [3, 7] {
            for (method, path, body) in [
                ("PUT", "/v1/kb/shop/main", ""),
                (
                    "POST",
                    "/v1/kb/shop/main/upsert",
                    r#"{"type":"req","id":"REQ-1","properties":{"title":"x","status":"open","source":"x"}}"#,
                ),
            ] {
                assert_eq!(world.ask(caller, method, path, body).await, "200", "{path}");
            }
        }
        for (id, visibility) in [(PUBLIC, "public"), (PRIVATE, "private")] {
            let body = format!(
                r#"{{"id":"{id}","title":"x","visibility":"{visibility}","content":"{visibility} content"}}"#
            );
            assert_eq!(world.ask(3, "POST", "/kcp/v1/artifacts", &body).await, "201");
        }
        world
    }

    /// The status of an answer.
    async fn ask(&self, caller: usize, method: &str, path: &str, body: &str) -> String {
        let path = &path
            .replace("{hash}", &ContentHash::of(b"1").to_string())
            .replace("{key}", PUBLIC_KEY)
            .replace("{public}", PUBLIC)
            .replace("{private}", PRIVATE)
            .replace("{sha256}", &format!("{:?}", Sha256::of(b"1")))
            .replace("{public_sha256}", &format!("{:?}", Sha256::of(b"public content")))
            .replace("{public_cid}", &Cid::Raw(Sha256::of(b"public content")).to_string())
            .replace("{token}", &self.token_id);
        let token = self.tokens[caller].as_ref();
        let bearer = token.map_or(String::new(), |token| format!("authorization: Bearer {token}\r\n"));
        let kind = if path.starts_with("/v1/import") {
            "application/x-ndjson"
        } else if path.contains("?type_id=") {
            "application/msgpack"
        } else if path == "/v1/blobs"
            || method == "PUT" && (path.starts_with("/v1/blobs") || path.starts_with("/kcp/v1/content"))
        {
            "application/octet-stream"
        } else {
            "application/json"
        };
        let kind = if body.is_empty() { String::new() } else { format!("content-type: {kind}\r\n") };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{bearer}{kind}content-length: {}\r\n\r\n{body}",
            self.server.addr,
            body.len()
        );
        if CALLERS[caller] == "owner" {
            return status(self.server.local().await, &request).await;
        }
        status(TcpStream::connect(self.server.addr).await.expect("it accepts"), &request).await
    }
}

/// The status line alone: streams have no end.
async fn status(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut head = [0; 12];
    let read = timeout(crate::server::LONG, stream.read_exact(&mut head)).await;
    read.expect("in time").expect("an answer");
    String::from_utf8_lossy(&head[9..]).into_owned()
}

#[tokio::test]
async fn every_endpoint_answers_every_caller_as_the_table_says() {
    let mut wrong = String::new();
    for row in rows() {
        let mut found = Vec::new();
        for caller in 0..CALLERS.len() {
            let world = World::new().await;
            if row.path.contains("/search") || row.path.starts_with("/kcp/") {
                world.server.search();
            }
            found.push(world.ask(caller, row.method, row.path, row.body).await);
        }
        if found != row.expected {
            let _ = writeln!(wrong, "{} {} {} | {}", row.method, row.path, row.body, found.join(" "));
        }
    }
    assert!(wrong.is_empty(), "these rows are answered otherwise:\n{wrong}");
}

/// Whether a path is one of a template of the description.
pub(crate) fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    // The path of a file has as many parts as it has.
    let open = template.last().is_some_and(|last| *last == "{path}");
    (template.len() == path.len() || open && path.len() >= template.len())
        && template.iter().zip(&path).all(|(part, given)| part.starts_with('{') || part == given)
}

#[tokio::test]
async fn the_table_has_every_endpoint() {
    let server = Server::start().await;
    let description = crate::client::get(server.addr, "/openapi.json").await.json();
    let mut described = BTreeSet::new();
    for (path, item) in description["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("operations").keys() {
            described.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    for row in rows() {
        let path = row.path.split('?').next().unwrap_or("");
        let exact = described.remove(&format!("{} {path}", row.method));
        if !exact {
            described.retain(|known| {
                let (method, template) = known.split_once(' ').expect("two words");
                method != row.method || !fits(template, path)
            });
        }
    }
    assert_eq!(described, BTreeSet::new(), "these are in no row");
}
