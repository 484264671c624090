//! Who is known, who may do what, and who did.

use std::net::SocketAddr;
use std::time::Duration;

use cairn_gate::{Authentication, GateConfig};
use cairn_http::{Client, HttpConfig, ListPart, NewToken};
use serde_json::{Value, json};

use crate::client::{Answer, request, send};
use crate::server::Server;

const LONG: Duration = Duration::from_secs(300);
const NOW_MS: u64 = 1_700_000_000_000;
/// The public key of RFC 8032, test 1.
const KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

/// The same, test 2.
const OTHER_KEY: &str = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";

/// A server that asks everybody who they are, with users of two tenants.
struct World {
    server: Server,
    owner: Client,
    admin: String,
    reader: String,
    /// An administrator of another tenant.
    other: String,
    operator: String,
}

impl World {
    async fn new() -> World {
        let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
        let server = Server::with(HttpConfig::default(), gate).await;
        let mut owner = Client::over(server.local().await, LONG).await.expect("it connects");
        for tenant in ["acme", "other"] {
            owner.create_tenant(tenant).await.expect("it is made");
        }
        let mut tokens = Vec::new();
        for (tenant, user, role) in [
            ("acme", "root", "admin"),
            ("acme", "ada@example.org/1", "reader"),
            ("other", "eve", "admin"),
            ("local", "otto", "operator"),
        ] {
            owner.put_user(tenant, user, &[role.to_owned()]).await.expect("it is made");
            let token = NewToken { user: user.into(), label: "t".into(), roles: vec![], expires_in: None };
            let issued = owner.issue_token(tenant, &token).await.expect("it is made");
            tokens.push(issued.token.0.to_string());
        }
        let [admin, reader, other, operator] = tokens.try_into().expect("four");
        World { server, owner, admin, reader, other, operator }
    }

    async fn call(&self, token: &str, line: &str, body: &str) -> Answer {
        call(self.server.addr, token, line, body).await
    }

    /// Status and code of a request without a body.
    async fn code(&self, token: &str, line: &str) -> (u16, String) {
        self.call(token, line, "").await.error()
    }

    /// What a request answers that has to succeed.
    async fn json(&self, token: &str, line: &str, body: &str) -> Value {
        let answer = self.call(token, line, body).await;
        assert!((200..300).contains(&answer.status), "{line}: {answer:?}");
        answer.json()
    }
}

async fn call(addr: SocketAddr, token: &str, line: &str, body: &str) -> Answer {
    let bearer = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    if body.is_empty() {
        return request(addr, line, &bearer).await;
    }
    send(addr, line, &format!("{bearer}content-type: application/json\r\n"), body.as_bytes()).await
}

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

const USERS: &str = "/v1/access/tenants/acme/users";
const TEAMS: &str = "/v1/access/tenants/acme/teams";
const TOKENS: &str = "/v1/access/tenants/acme/tokens";
const KEYS: &str = "/v1/access/tenants/acme/keys";

#[tokio::test]
async fn everybody_is_told_who_they_are() {
    let mut world = World::new().await;
    let me = world.owner.whoami().await.expect("it answers");
    let roles = json!(["reader", "writer", "admin", "operator"]);
    let owner = json!({"user_id": "local-owner", "tenant": "local", "teams": [], "roles": roles, "is_local_owner": true});
    assert_eq!(json!(me), owner);
    world.owner.create_team("acme", "core").await.expect("it is made");
    world.owner.set_member("acme", "core", "ada@example.org/1", true).await.expect("it is there");
    assert_eq!(
        world.json(&world.reader, "GET /v1/access/whoami", "").await,
        json!({"user_id": "ada@example.org/1", "tenant": "acme", "teams": ["core"], "roles": ["reader"], "is_local_owner": false})
    );
    assert_eq!(world.code("", "GET /v1/access/whoami").await, refused(401, "Unauthenticated"));
    assert_eq!(world.code("cairn_x", "GET /v1/access/whoami").await, refused(401, "TokenMalformed"));
}

#[tokio::test]
async fn without_authentication_everyone_is_the_local_owner() {
    let server = Server::start().await;
    let me = call(server.addr, "", "GET /v1/access/whoami", "").await.json();
    assert_eq!(me["is_local_owner"], true);
    let made = call(server.addr, "", "POST /v1/access/tenants", r#"{"tenant":"acme"}"#).await;
    assert_eq!(
        (made.status, made.json()),
        (
            201,
            json!({"tenant": "acme", "id": 2, "created_at_ms": NOW_MS, "disabled": false, "disabled_at_ms": null})
        )
    );
    let again = call(server.addr, "", "POST /v1/access/tenants", r#"{"tenant":"acme"}"#).await;
    assert_eq!(again.error(), refused(409, "Conflict"));
    let one = call(server.addr, "", "GET /v1/access/tenants/acme", "").await.json();
    assert_eq!(one, made.json());
    assert_eq!(
        call(server.addr, "", "GET /v1/access/tenants/nowhere", "").await.error(),
        refused(404, "NotFound")
    );
}

#[tokio::test]
async fn tenants_are_for_operators_and_a_disabled_one_is_shut_out() {
    let world = World::new().await;
    let list = world.json(&world.operator, "GET /v1/access/tenants?limit=2", "").await;
    let names = |list: &Value| -> Vec<String> {
        let tenants = list["tenants"].as_array().expect("a list").iter();
        tenants.map(|tenant| tenant["tenant"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!((names(&list), &list["next"]), (vec!["local".into(), "acme".into()], &json!("acme")));
    let rest = world.json(&world.operator, "GET /v1/access/tenants?limit=2&after=acme", "").await;
    assert_eq!((names(&rest), &rest["next"]), (vec!["other".into()], &Value::Null));
    assert_eq!(
        world.code(&world.operator, "GET /v1/access/tenants?after=x").await,
        refused(422, "InvalidRequest")
    );

    for token in [&world.admin, &world.reader, &world.other] {
        for (line, body) in [
            ("GET /v1/access/tenants", ""),
            ("POST /v1/access/tenants", r#"{"tenant":"mine"}"#),
            ("GET /v1/access/tenants/acme", ""),
            ("GET /v1/access/tenants/nowhere", ""),
            ("PATCH /v1/access/tenants/acme", r#"{"disabled":true}"#),
            ("PATCH /v1/access/tenants/nowhere", r#"{"disabled":true}"#),
        ] {
            assert_eq!(world.call(token, line, body).await.error(), refused(403, "Forbidden"), "{line}");
        }
    }

    let shut = world.json(&world.operator, "PATCH /v1/access/tenants/acme", r#"{"disabled":true}"#).await;
    assert_eq!((&shut["disabled"], &shut["disabled_at_ms"]), (&json!(true), &json!(NOW_MS)));
    assert_eq!(world.code(&world.admin, "GET /v1/access/whoami").await, refused(401, "PrincipalDisabled"));
    world.json(&world.operator, "PATCH /v1/access/tenants/acme", r#"{"disabled":false}"#).await;
    world.json(&world.admin, "GET /v1/access/whoami", "").await;
}

#[tokio::test]
async fn administrators_look_after_users_and_teams() {
    let world = World::new().await;
    let admin = &world.admin;
    let bob = format!("{USERS}/did%3Aweb%3Abob%2Fx");
    let made = world.json(admin, &format!("PUT {bob}"), r#"{"roles":["writer","reader"]}"#).await;
    let expected = json!({"user": "did:web:bob/x", "roles": ["reader", "writer"], "created_at_ms": NOW_MS,
        "disabled": false, "disabled_at_ms": null});
    assert_eq!(made, expected);
    let listed = world.json(admin, &format!("GET {USERS}?limit=1&after=ada%40example.org%2F1"), "").await;
    assert_eq!((&listed["users"][0], &listed["next"]), (&expected, &json!("did:web:bob/x")));

    let team = world.json(admin, &format!("PUT {TEAMS}/core"), "").await;
    assert_eq!(team, json!({"team": "core", "created_at_ms": NOW_MS}));
    let member = format!("{TEAMS}/core/members/did%3Aweb%3Abob%2Fx");
    assert_eq!(world.call(admin, &format!("PUT {member}"), "").await.status, 204);
    let members = world.json(admin, &format!("GET {TEAMS}/core/members"), "").await;
    assert_eq!(members, json!({"members": ["did:web:bob/x"], "next": null}));
    assert_eq!(world.json(admin, &format!("GET {bob}"), "").await["teams"], json!(["core"]));
    assert_eq!(world.call(admin, &format!("DELETE {member}"), "").await.status, 204);
    assert_eq!(world.json(admin, &format!("GET {bob}"), "").await["teams"], json!([]));
    assert_eq!(world.json(admin, &format!("GET {TEAMS}"), "").await["teams"][0], team);
    assert_eq!(world.call(admin, &format!("DELETE {TEAMS}/core"), "").await.status, 204);
    assert_eq!(world.code(admin, &format!("DELETE {TEAMS}/core")).await, refused(404, "NotFound"));
    assert_eq!(world.code(admin, &format!("GET {TEAMS}/core/members")).await, refused(404, "NotFound"));

    let shut = world.json(admin, &format!("DELETE {bob}"), "").await;
    assert_eq!((&shut["disabled"], &shut["disabled_at_ms"]), (&json!(true), &json!(NOW_MS)));
    let changed = world.json(admin, &format!("PUT {bob}"), r#"{"roles":[]}"#).await;
    assert_eq!(
        (&changed["disabled"], &changed["roles"]),
        (&json!(true), &json!([])),
        "other roles are no pardon"
    );
    let back = world.json(admin, &format!("PATCH {bob}"), r#"{"disabled":false}"#).await;
    assert_eq!((&back["disabled"], &back["roles"]), (&json!(false), &json!([])));
    assert_eq!(world.code(admin, &format!("DELETE {USERS}/nobody")).await, refused(404, "NotFound"));
}

#[tokio::test]
async fn a_token_is_shown_once_and_holds_until_it_is_revoked() {
    let world = World::new().await;
    let admin = &world.admin;
    let wanted = r#"{"user":"ada@example.org/1","label":"laptop","expires_in":"30d"}"#;
    let answer = world.call(admin, &format!("POST {TOKENS}"), wanted).await;
    assert_eq!((answer.status, answer.header("cache-control")), (201, Some("no-store")), "{answer:?}");
    let issued = answer.json();
    let token = issued["token"].as_str().expect("a token").to_owned();
    let id = issued["id"].as_str().expect("an id").to_owned();
    let days = |days: u64| NOW_MS + days * 86_400_000;
    let about = json!({"id": id, "user": "ada@example.org/1", "label": "laptop", "roles": ["reader"],
        "created_at_ms": NOW_MS, "expires_at_ms": days(30), "revoked_at_ms": null, "state": "active"});
    let mut rest = issued.clone();
    rest.as_object_mut().expect("an object").remove("token");
    assert_eq!(rest, about);
    assert_eq!(world.json(&token, "GET /v1/access/whoami", "").await["user_id"], "ada@example.org/1");

    let listed = world.call(admin, &format!("GET {TOKENS}?user=ada%40example.org%2F1"), "").await;
    let listed_tokens = listed.json()["tokens"].as_array().expect("a list").clone();
    assert_eq!(listed_tokens.len(), 2);
    assert!(listed_tokens.contains(&about));
    let all = world.call(admin, &format!("GET {TOKENS}?limit=2"), "").await.json();
    let next = all["next"].as_str().expect("there are three").to_owned();
    let rest = world.json(admin, &format!("GET {TOKENS}?limit=2&after={next}"), "").await;
    assert_eq!((rest["tokens"].as_array().map(Vec::len), &rest["next"]), (Some(1), &Value::Null));

    let revoked = world.call(admin, &format!("DELETE {TOKENS}/{id}"), "").await;
    assert_eq!(
        (&revoked.json()["state"], &revoked.json()["revoked_at_ms"]),
        (&json!("revoked"), &json!(NOW_MS))
    );
    assert_eq!(world.code(&token, "GET /v1/access/whoami").await, refused(401, "TokenRevoked"));
    let trail = world.call(admin, "GET /v1/audit", "").await;
    for answer in [&listed, &revoked, &trail] {
        // What follows mark, tenant and id.
        assert!(!answer.body.contains(&token[22..]), "the secret is in {answer:?}");
    }

    for (expiry, expected) in [
        ("", json!(days(90))),
        (r#","expires_in":"never""#, Value::Null),
        (r#","expires_at_ms":1700000000001"#, json!(NOW_MS + 1)),
    ] {
        let body = format!(r#"{{"user":"root","roles":["reader"]{expiry}}}"#);
        let issued = world.json(admin, &format!("POST {TOKENS}"), &body).await;
        assert_eq!((&issued["expires_at_ms"], &issued["roles"]), (&expected, &json!(["reader"])), "{expiry}");
        let token = issued["token"].as_str().expect("a token");
        assert_eq!(
            world.code(token, &format!("GET {USERS}")).await,
            refused(403, "Forbidden"),
            "it only reads"
        );
    }
}

#[tokio::test]
async fn keys_are_registered_for_one_user_and_never_come_back() {
    let world = World::new().await;
    let admin = &world.admin;
    let key = json!({"public_key": KEY, "user": "root", "created_at_ms": NOW_MS, "revoked": false, "revoked_at_ms": null});
    let put = format!("PUT {KEYS}/{KEY}");
    assert_eq!(world.json(admin, &put, r#"{"user":"root"}"#).await, key);
    assert_eq!(world.json(admin, &put, r#"{"user":"root"}"#).await, key, "the same again changes nothing");
    let taken = world.call(admin, &put, r#"{"user":"ada@example.org/1"}"#).await;
    assert_eq!(
        (taken.error(), &taken.json()["error"]["details"]["field"]),
        (refused(409, "Conflict"), &json!("public_key"))
    );
    assert_eq!(world.json(admin, &format!("GET {KEYS}"), "").await, json!({"keys": [key], "next": null}));
    assert_eq!(world.json(admin, &format!("GET {KEYS}?user=nobody"), "").await["keys"], json!([]));
    let revoked = world.json(admin, &format!("DELETE {KEYS}/{KEY}"), "").await;
    assert_eq!((&revoked["revoked"], &revoked["revoked_at_ms"]), (&json!(true), &json!(NOW_MS)));
    assert_eq!(world.json(admin, &format!("GET {KEYS}?user=root"), "").await["keys"], json!([revoked]));
    assert_eq!(world.call(admin, &put, r#"{"user":"root"}"#).await.error(), refused(409, "Conflict"));
    assert_eq!(world.code(admin, &format!("DELETE {KEYS}/{OTHER_KEY}")).await, refused(404, "NotFound"));
}

#[tokio::test]
async fn others_are_refused_and_another_tenant_is_like_a_missing_one() {
    let world = World::new().await;
    let token = r#"{"user":"root"}"#;
    let key = format!("keys/{KEY}");
    for (method, path, body) in [
        ("GET", "users", ""),
        ("GET", "users/root", ""),
        ("PUT", "users/root", r#"{"roles":["admin"]}"#),
        ("DELETE", "users/root", ""),
        ("GET", "teams", ""),
        ("PUT", "teams/core", ""),
        ("DELETE", "teams/core", ""),
        ("GET", "teams/core/members", ""),
        ("PUT", "teams/core/members/root", ""),
        ("DELETE", "teams/core/members/root", ""),
        ("GET", "tokens", ""),
        ("POST", "tokens", token),
        ("DELETE", "tokens/0011223344556677", ""),
        ("GET", "keys", ""),
        ("PUT", &key, token),
        ("DELETE", &key, ""),
    ] {
        let line = |tenant: &str| format!("{method} /v1/access/tenants/{tenant}/{path}");
        let asked = async |token: &str, tenant: &str| world.call(token, &line(tenant), body).await;
        assert_eq!(asked(&world.reader, "acme").await.error(), refused(403, "Forbidden"), "{method} {path}");
        assert_eq!(asked("", "acme").await.error(), refused(401, "Unauthenticated"), "{method} {path}");
        let (hidden, missing) = (asked(&world.other, "acme").await, asked(&world.other, "nope").await);
        assert_eq!(hidden.error(), refused(404, "NotFound"), "{method} {path}");
        assert_eq!(hidden.body.replace("acme", "nope"), missing.body, "{method} {path}");
        // An operator knows tenants, and nothing inside of others.
        assert_eq!(asked(&world.operator, "acme").await.error(), refused(404, "NotFound"), "{method} {path}");
    }
    let audit = async |token: &str, query: &str| world.code(token, &format!("GET /v1/audit{query}")).await;
    assert_eq!(audit(&world.reader, "").await, refused(403, "Forbidden"));
    assert_eq!(audit(&world.other, "?tenant=acme").await, refused(404, "NotFound"));
    assert_eq!(audit(&world.other, "?tenant=nope").await, refused(404, "NotFound"));
    assert_eq!(audit(&world.admin, "?node=true").await, refused(403, "Forbidden"));
    assert_eq!(audit("", "").await, refused(401, "Unauthenticated"));
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let world = World::new().await;
    let (long, longer) = ("x".repeat(257), "x".repeat(129));
    let label = format!(r#"{{"user":"root","label":"{longer}"}}"#);
    for (line, body, field) in [
        (format!("PUT {USERS}/{long}"), r#"{"roles":[]}"#, "user"),
        (format!("PUT {USERS}/%20x"), r#"{"roles":[]}"#, "user"),
        (format!("PUT {USERS}/x"), r#"{"roles":["king"]}"#, "roles"),
        (format!("PUT {TEAMS}/a%3Ab"), "", "team"),
        (format!("PUT {TEAMS}/{longer}"), "", "team"),
        (format!("POST {TOKENS}"), r#"{"user":""}"#, "user"),
        (format!("POST {TOKENS}"), &label, "label"),
        (format!("POST {TOKENS}"), r#"{"user":"root","roles":[]}"#, "roles"),
        (format!("POST {TOKENS}"), r#"{"user":"ada@example.org/1","roles":["admin"]}"#, "roles"),
        (format!("POST {TOKENS}"), r#"{"user":"root","expires_in":"soon"}"#, "expires_in"),
        (format!("POST {TOKENS}"), r#"{"user":"root","expires_at_ms":7}"#, "expires_at_ms"),
        (format!("DELETE {TOKENS}/xyz"), "", "id"),
        (format!("PUT {KEYS}/abc"), r#"{"user":"root"}"#, "public_key"),
        (format!("GET {TOKENS}?after=x"), "", "after"),
    ] {
        let answer = world.call(&world.admin, &line, body).await;
        assert_eq!(answer.error(), refused(422, "InvalidRequest"), "{line} {body}");
        assert_eq!(answer.json()["error"]["details"]["field"], field, "{line} {body}");
    }
    // Whoever is no operator makes none, wherever; and whoever may makes them in the local tenant only.
    let operator = r#"{"roles":["operator"]}"#;
    let refusal = world.call(&world.admin, &format!("PUT {USERS}/x"), operator).await;
    assert_eq!(refusal.error(), refused(403, "Forbidden"));
    let mut owner = Client::over(world.server.local().await, LONG).await.expect("it connects");
    assert!(owner.put_user("acme", "x", &["operator".to_owned()]).await.is_err());
    for (line, parameter) in [
        (format!("GET {USERS}?limit=0"), "limit"),
        (format!("GET {USERS}?limit=1001"), "limit"),
        (format!("GET {USERS}?after={long}"), "after"),
        ("GET /v1/audit?after=x".to_owned(), "after"),
        ("GET /v1/audit?since=soon".to_owned(), "since"),
        ("GET /v1/audit?since=0&after=1.0".to_owned(), "since"),
        ("GET /v1/audit?newest=maybe".to_owned(), "newest"),
        ("GET /v1/audit?tenant=acme&node=true".to_owned(), "node"),
    ] {
        let answer = world.call(&world.admin, &line, "").await;
        assert_eq!(answer.error(), refused(422, "InvalidRequest"), "{line}");
        assert_eq!(answer.json()["error"]["details"]["parameter"], parameter, "{line}");
    }
    for (line, body, status) in [
        (format!("PUT {USERS}/x"), r#"{"roles":[],"admin":true}"#, 422),
        (format!("PUT {USERS}/x"), "{", 400),
        ("POST /v1/access/tenants".to_owned(), r#"{"tenant":"a b"}"#, 422),
    ] {
        let owner = if line.starts_with("POST") { &world.operator } else { &world.admin };
        assert_eq!(world.call(owner, &line, body).await.status, status, "{line} {body}");
    }
    let (line, bearer) = (format!("PUT {USERS}/x"), format!("authorization: Bearer {}\r\n", world.admin));
    let plain = send(world.server.addr, &line, &bearer, b"{}").await;
    assert_eq!(plain.error(), refused(415, "UnsupportedMediaType"));
    let mut owner = Client::over(world.server.local().await, LONG).await.expect("it connects");
    let refusal = owner.disable_user("local", "local-owner").await.expect_err("it stays");
    assert!(refusal.to_string().contains("local owner cannot be disabled"), "{refusal}");
    assert!(owner.users("nope", &ListPart::default()).await.is_err());
}

#[tokio::test]
async fn the_trail_is_read_in_order_followed_and_told_by_tenant() {
    let world = World::new().await;
    let admin = &world.admin;
    assert_eq!(world.code(&world.reader, &format!("GET {USERS}")).await.0, 403);
    let trail = world.json(admin, "GET /v1/audit?newest=true&limit=2", "").await;
    insta::assert_snapshot!("trail", format!("{trail:#}"));
    let last = trail["last"].as_str().expect("a cursor").to_owned();
    let after = |cursor: &str| format!("GET /v1/audit?after={cursor}");
    let nothing = world.json(admin, &after(&last), "").await;
    assert_eq!(nothing, json!({"lines": [], "next": null, "last": last}));
    world.json(admin, &format!("PUT {TEAMS}/core"), "").await;
    let come = world.json(admin, &after(&last), "").await;
    assert_eq!(
        (come["lines"][0]["subject"].as_str(), come["lines"].as_array().map(Vec::len)),
        (Some("team core"), Some(1))
    );

    // Page by page it is the same as at once.
    let all = world.json(admin, "GET /v1/audit?limit=1000", "").await;
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let line = if cursor.is_empty() {
            "GET /v1/audit?limit=2".to_owned()
        } else {
            format!("{}&limit=2", after(&cursor))
        };
        let page = world.json(admin, &line, "").await;
        paged.extend(page["lines"].as_array().expect("a list").clone());
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(json!(paged), all["lines"]);
    assert_eq!(world.json(admin, "GET /v1/audit?tenant=acme&limit=1000", "").await, all);
    assert_eq!(world.json(admin, &format!("GET /v1/audit?since={NOW_MS}"), "").await["lines"], all["lines"]);
    assert_eq!(
        world.json(admin, &format!("GET /v1/audit?since={}", NOW_MS + 1), "").await["lines"],
        json!([])
    );

    // What was done to tenants, and who did not say who they are, is the node's.
    assert_eq!(world.code("", "GET /v1/audit").await.0, 401);
    let node = world.json(&world.operator, "GET /v1/audit?node=true", "").await;
    let lines = node["lines"].as_array().expect("a list");
    assert!(
        lines.iter().any(|line| line["subject"] == "tenant acme" && line["tenant"].is_null()),
        "{node:#}"
    );
    let refused = lines.last().expect("a line");
    assert_eq!((&refused["actor"], &refused["action"]), (&json!("anonymous"), &json!("access.authenticate")));
}
