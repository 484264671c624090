//! What belongs to another tenant is answered as if it were missing: the same answer after the same work.
//!
//! Clocks would tell of work only by chance, so the work itself is compared: what is asked of the store,
//! in which order, for how many keys, and how much is found.

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_access::registry::{TeamName, TenantName, UserId};
use cairn_access::{KeyId, Principal, Role, Roles};
use cairn_base::{ContentHash, TenantId};
use cairn_engine::NewToken;
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_seam::{FaultPlan, FaultyStore, Store};

use crate::client::{Answer, get, send};
use crate::matrix::fits;
use crate::server::Server;

/// Of RFC 8032, test 1, and registered in `acme`; and test 2, which is registered nowhere.
const KEYS: (&str, &str) = (
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
);
/// A context and a turn of `acme`, and none of anybody.
const NUMBERS: (&str, &str) = ("3", "9");
const BLOBS: (&str, &str) = ("said in acme", "said nowhere");
const BUNDLES: (&str, &str) = ("bundle-acme", "bundle-none");
const TYPES: (&str, &str) = ("acme.Type", "none.Type");
const TENANTS: (&str, &str) = ("acme", "nope");
const USERS: (&str, &str) = ("anna", "nora");
const TEAMS: (&str, &str) = ("core", "none");
/// Spaces, and types of what is known.
const SPACES: (&str, &str) = ("project", "nowhere");
const CONCEPT_TYPES: (&str, &str) = ("AcmeThing", "NoneThing");
/// Workspaces of the requirements KB.
const WORKSPACES: (&str, &str) = ("shopacme", "shopnone");
/// Stands for what the token in `acme` is called.
const TOKENS: (&str, &str) = ("{token}", "0011223344556677");

/// A request by somebody of another tenant: `{name}` stands for something of `acme` or for something that is
/// nowhere, `{hash}` for its hash.
struct Row {
    request: &'static str,
    body: &'static str,
    names: (&'static str, &'static str),
    status: u16,
}

const fn row(
    status: u16,
    names: (&'static str, &'static str),
    request: &'static str,
    body: &'static str,
) -> Row {
    Row { request, body, names, status }
}

const APPEND: &str = "POST /v1/contexts/{name}/append?type_id=t&type_version=1";
const BELOW: &str = "POST /v1/contexts/1/append?type_id=t&type_version=1&parent_turn_id={name}";
const WITH_TREE: &str = "POST /v1/contexts/1/append?type_id=t&type_version=1&fs_root_hash={hash}";
const AS_TYPE: &str = "GET /v1/turns/1?type_hint_mode=explicit&as_type_version=1&as_type_id={name}";
const BUNDLE: &str = r#"{"registry_version":1,"bundle_id":"{name}","types":{},"enums":{}}"#;

const ENTITY: &str =
    r#"{"type":"req","id":"REQ-1","properties":{"title":"secret","status":"open","source":"x"}}"#;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row(404, NUMBERS, "GET /v1/contexts/{name}", ""),
    row(404, NUMBERS, "GET /v1/contexts/{name}/turns?view=raw", ""),
    row(404, NUMBERS, "GET /v1/contexts/{name}/turns?view=raw&before_turn_id=1", ""),
    row(404, NUMBERS, "POST /v1/contexts/{name}/turns?type_id=t&type_version=1", "1"),
    row(404, NUMBERS, APPEND, "1"),
    row(404, NUMBERS, "GET /v1/contexts/{name}/provenance", ""),
    row(404, NUMBERS, "GET /v1/contexts/{name}/tree", ""),
    row(404, NUMBERS, "GET /v1/contexts/{name}/events", ""),
    row(200, NUMBERS, "GET /v1/contexts/1/tree?before={name}", ""),
    row(200, NUMBERS, "GET /v1/contexts?parent={name}", ""),
    row(200, NUMBERS, "GET /v1/contexts?root={name}", ""),
    row(404, NUMBERS, "GET /v1/export?contexts={name}", ""),
    row(200, NUMBERS, "POST /v1/admin/prune", r#"{"contexts":["{name}"]}"#),
    row(200, NUMBERS, "POST /v1/admin/prune", r#"{"contexts":["{name}"],"apply":true}"#),

    row(404, NUMBERS, "POST /v1/contexts", r#"{"base_turn_id":"{name}"}"#),
    row(404, NUMBERS, "POST /v1/contexts/create", r#"{"base_turn_id":"{name}"}"#),
    row(404, NUMBERS, "POST /v1/contexts/fork", r#"{"base_turn_id":"{name}"}"#),
    row(404, NUMBERS, "GET /v1/contexts/1/turns?view=raw&before_turn_id={name}", ""),
    row(404, NUMBERS, BELOW, "1"),
    row(404, NUMBERS, "GET /v1/turns/{name}?view=raw", ""),
    row(404, NUMBERS, "GET /v1/turns/{name}/fs", ""),
    row(404, NUMBERS, "GET /v1/turns/{name}/fs/f", ""),

    row(404, BLOBS, "GET /v1/blobs/{hash}", ""),
    row(404, BLOBS, "HEAD /v1/blobs/{hash}", ""),
    row(201, BLOBS, "PUT /v1/blobs/{hash}", "{name}"),
    row(201, BLOBS, "POST /v1/blobs", "{name}"),
    row(404, BLOBS, WITH_TREE, "1"),

    row(404, BUNDLES, "GET /v1/registry/bundles/{name}", ""),
    row(201, BUNDLES, "PUT /v1/registry/bundles/{name}", BUNDLE),
    row(404, TYPES, "GET /v1/registry/types/{name}/versions/1", ""),
    row(409, TYPES, AS_TYPE, ""),

    row(200, SPACES, "POST /v1/kip", r#"{"command":"DESCRIBE DOMAINS","space":"{name}"}"#),
    row(200, SPACES, "POST /kip", r#"{"method":"execute_kip_readonly","params":{"command":"DESCRIBE DOMAINS","space":"{name}"}}"#),
    row(200, SPACES, "POST /v1/kip", r#"{"command":"UPSERT { CONCEPT { {type: \"Person\", name: \"p\"} } }","space":"{name}"}"#),
    row(200, CONCEPT_TYPES, "POST /v1/kip", r#"{"command":"FIND(?x) WHERE { ?x {type: \"{name}\"} }"}"#),
    row(200, CONCEPT_TYPES, "POST /v1/kip", r#"{"command":"FIND(?x) WHERE { ?x {type: \"$ConceptType\", name: \"{name}\"} }"}"#),
    row(200, CONCEPT_TYPES, "POST /v1/kip", r#"{"command":"UPSERT { CONCEPT { {type: \"{name}\", name: \"x\"} } }"}"#),

    row(200, SPACES, "POST /v1/tools/execute_kip", r#"{"command":"DESCRIBE DOMAINS","space":"{name}"}"#),
    row(200, CONCEPT_TYPES, "POST /v1/tools/execute_kip_readonly", r#"{"command":"FIND(?x) WHERE { ?x {type: \"{name}\"} }"}"#),

    row(200, WORKSPACES, "GET /v1/kb/{name}", ""),
    row(404, WORKSPACES, "GET /v1/kb/{name}/diff?from=main&to=main", ""),
    row(404, WORKSPACES, "GET /v1/kb/{name}/main", ""),
    row(200, WORKSPACES, "PUT /v1/kb/{name}/main", ""),
    row(200, WORKSPACES, "PUT /v1/kb/{name}/copy?from=main", ""),
    row(200, WORKSPACES, "DELETE /v1/kb/{name}/main", ""),
    row(404, WORKSPACES, "GET /v1/kb/{name}/main/entities/REQ-1", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/query", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/search", r#"{"query":"secret"}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/status", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/find_gaps", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/coverage", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/matrix", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/impact", r#"{"ids":["REQ-1"]}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/suspect", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/accept", r#"{"all":true}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/graph", r#"{"seedIds":["REQ-1"]}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/check", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/model_requirement", r#"{"text":"secret"}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/suggest_predicates", r#"{"text":"secret"}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/semantic_advisor", r#"{"text":"secret"}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/upsert", ENTITY),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/validate_upsert", ENTITY),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/delete", r#"{"ids":["REQ-1"]}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/results", r#"{"cases":[]}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/symbol_links", r#"{"files":["src/a.rs"]}"#),
    row(404, WORKSPACES, "GET /v1/kb/{name}/main/files", ""),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/export", r#"{"all":true}"#),
    row(404, WORKSPACES, "POST /v1/kb/{name}/main/sync", "{}\n"),

    row(404, TENANTS, "GET /v1/audit?tenant={name}", ""),
    row(403, TENANTS, "GET /v1/access/tenants/{name}", ""),
    row(403, TENANTS, "PATCH /v1/access/tenants/{name}", r#"{"disabled":true}"#),
    row(404, TENANTS, "GET /v1/access/tenants/{name}/users", ""),
    row(404, TENANTS, "GET /v1/access/tenants/{name}/users/anna", ""),
    row(404, TENANTS, "PUT /v1/access/tenants/{name}/users/anna", r#"{"roles":["reader"]}"#),
    row(404, TENANTS, "PATCH /v1/access/tenants/{name}/users/anna", r#"{"disabled":false}"#),
    row(404, TENANTS, "DELETE /v1/access/tenants/{name}/users/anna", ""),
    row(404, TENANTS, "GET /v1/access/tenants/{name}/teams", ""),
    row(404, TENANTS, "PUT /v1/access/tenants/{name}/teams/core", ""),
    row(404, TENANTS, "DELETE /v1/access/tenants/{name}/teams/core", ""),
    row(404, TENANTS, "GET /v1/access/tenants/{name}/teams/core/members", ""),
    row(404, TENANTS, "PUT /v1/access/tenants/{name}/teams/core/members/anna", ""),
    row(404, TENANTS, "DELETE /v1/access/tenants/{name}/teams/core/members/anna", ""),
    row(404, TENANTS, "GET /v1/access/tenants/{name}/tokens", ""),
    row(404, TENANTS, "POST /v1/access/tenants/{name}/tokens", r#"{"user":"anna"}"#),
    row(404, TENANTS, "DELETE /v1/access/tenants/{name}/tokens/0011223344556677", ""),
    row(404, TENANTS, "GET /v1/access/tenants/{name}/keys", ""),
    row(404, TENANTS, "PUT /v1/access/tenants/{name}/keys/d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", r#"{"user":"anna"}"#),
    row(404, TENANTS, "DELETE /v1/access/tenants/{name}/keys/d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", ""),

    // Inside of one's own tenant, by the names of others.
    row(404, USERS, "GET /v1/access/tenants/other/users/{name}", ""),
    row(200, USERS, "PUT /v1/access/tenants/other/users/{name}", r#"{"roles":["reader"]}"#),
    row(404, USERS, "PATCH /v1/access/tenants/other/users/{name}", r#"{"disabled":false}"#),
    row(404, USERS, "DELETE /v1/access/tenants/other/users/{name}", ""),
    row(200, TEAMS, "PUT /v1/access/tenants/other/teams/{name}", ""),
    row(404, TEAMS, "DELETE /v1/access/tenants/other/teams/{name}", ""),
    row(404, TEAMS, "GET /v1/access/tenants/other/teams/{name}/members", ""),
    row(404, TEAMS, "PUT /v1/access/tenants/other/teams/{name}/members/eve", ""),
    row(404, USERS, "PUT /v1/access/tenants/other/teams/ours/members/{name}", ""),
    row(404, TEAMS, "DELETE /v1/access/tenants/other/teams/{name}/members/eve", ""),
    row(404, USERS, "POST /v1/access/tenants/other/tokens", r#"{"user":"{name}"}"#),
    row(404, TOKENS, "DELETE /v1/access/tenants/other/tokens/{name}", ""),
    row(404, USERS, "PUT /v1/access/tenants/other/keys/d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", r#"{"user":"{name}"}"#),
    row(404, KEYS, "DELETE /v1/access/tenants/other/keys/{name}", ""),
];

/// A server with much in the tenant `acme` and little in the tenant `other`.
struct World {
    server: Server,
    store: Arc<FaultyStore>,
    /// What the tenant `acme` is stored under.
    acme: TenantId,
    /// Of an administrator of `other`.
    stranger: String,
    /// What the token in `acme` is called.
    token_id: String,
}

impl World {
    async fn new() -> World {
        let gate = GateConfig { authentication: Authentication::Required, ..GateConfig::default() };
        let mut kept = None;
        let wrap = |store| -> Arc<dyn Store> {
            let store = Arc::new(FaultyStore::new(Arc::new(store), FaultPlan::none()));
            kept = Some(Arc::clone(&store));
            store
        };
        let server = Server::over(wrap, HttpConfig::default(), gate).await;
        let (engine, owner) = (server.gate.engine(), Principal::local_owner());
        let tenant = |name| engine.create_tenant(&owner, &TenantName::parse(name).expect("a name"));
        let [acme, other] = ["acme", "other"].map(|name| tenant(name).expect("it is made").id);
        let token = |tenant, name: &str| {
            let (user, scope) = (UserId::parse(name).expect("a name"), Roles::NONE.with(Role::Admin));
            engine.put_user(&owner, tenant, &user, scope).expect("it is made");
            let wanted = NewToken { user, label: String::new(), scope, expires_at_ms: None };
            engine.issue_token(&owner, tenant, wanted).expect("it is made").0
        };
        let (anna, eve) = (token(acme, USERS.0), token(other, "eve"));
        for (tenant, team) in [(acme, TEAMS.0), (other, "ours")] {
            engine.create_team(&owner, tenant, &TeamName::parse(team).expect("a name")).expect("it is made");
        }
        let (key, user) = (KEYS.0.parse::<KeyId>().expect("a key"), UserId::parse(USERS.0).expect("a name"));
        engine.add_key(&owner, acme, key, &user).expect("it is registered");
        let (token_id, anna) = (anna.id().to_string(), anna.reveal().to_string());
        let store = kept.expect("it was wrapped");
        let world = World { server, store, acme, stranger: eve.reveal().to_string(), token_id };
        world.fill(&anna).await;
        world
    }

    async fn fill(&self, anna: &str) {
        let mut tree = vec![0x91, 0x83, 1, 0xa1, b'f', 2, 0, 5, 0xc4, 32];
        tree.extend(ContentHash::of(BLOBS.0.as_bytes()).as_bytes());
        let with_tree = WITH_TREE.replace("{hash}", &ContentHash::of(&tree).to_string());
        let types = r#"{"acme.Type":{"versions":{"1":{"fields":{"1":{"name":"text","type":"string"}}}}}}"#;
        let bundle = |id: &str, types: &str| BUNDLE.replace("{name}", id).replace(r#""types":{}"#, types);
        let known = |space: &str| {
            let upsert = r#"UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"AcmeThing\"} } }"#;
            format!(r#"{{"command":"{upsert}"{space}}}"#)
        };
        let (first, second) = (APPEND.replace("{name}", "1"), APPEND.replace("{name}", "2"));
        for (token, request, body) in [
            (anna, "POST /v1/blobs", BLOBS.0.as_bytes()),
            (anna, "POST /v1/blobs", &tree),
            (anna, "POST /v1/contexts", b"{}"),
            (anna, "POST /v1/contexts", b"{}"),
            (anna, "POST /v1/contexts", b"{}"),
            (anna, &first, b"1"),
            (anna, &second, b"1"),
            (anna, &with_tree, b"1"),
            (anna, "POST /v1/contexts/3/append?type_id=t&type_version=1", b"1"),
            (
                anna,
                "PUT /v1/registry/bundles/bundle-acme",
                bundle(BUNDLES.0, &format!(r#""types":{types}"#)).as_bytes(),
            ),
            (anna, "POST /v1/kip", known("").as_bytes()),
            (anna, "POST /v1/kip", known(r#","space":"project""#).as_bytes()),
            (anna, "PUT /v1/kb/shopacme/main", b""),
            (anna, "POST /v1/kb/shopacme/main/upsert", ENTITY.as_bytes()),
            (&self.stranger, "POST /v1/contexts", b"{}"),
            (&self.stranger, &first, b"1"),
            (
                &self.stranger,
                "PUT /v1/registry/bundles/bundle-ours",
                bundle("bundle-ours", r#""types":{}"#).as_bytes(),
            ),
        ] {
            let answer = self.ask(token, request, body).await;
            assert!((200..300).contains(&answer.status), "{request}: {answer:?}");
        }
    }

    async fn ask(&self, token: &str, request: &str, body: &[u8]) -> Answer {
        let kind = match request {
            _ if request.contains("?type_id=") => "application/msgpack",
            _ if request.contains("/v1/blobs") => "application/octet-stream",
            _ => "application/json",
        };
        let kind = if body.is_empty() { String::new() } else { format!("content-type: {kind}\r\n") };
        let headers = format!("authorization: Bearer {token}\r\n{kind}");
        send(self.server.addr, request, &headers, body).await
    }
}

/// How a request about something is answered, and the work that this takes.
async fn asked(row: &Row, name: &str) -> (Answer, Vec<String>) {
    // A world of its own, so that nobody has asked before.
    let world = World::new().await;
    let name = name.replace("{token}", &world.token_id);
    let hash = ContentHash::of(name.as_bytes()).to_string();
    let fill = |text: &str| text.replace("{hash}", &hash).replace("{name}", &name);
    let (request, body) = (fill(row.request), fill(row.body));
    world.store.listen();
    let mut answer = world.ask(&world.stranger, &request, body.as_bytes()).await;
    let work = world.store.listen();
    let of_acme = [format!("tenant {}", world.acme), format!(" {}+", world.acme)];
    assert!(!work.iter().any(|line| of_acme.iter().any(|of| line.contains(of))), "{request}: {work:#?}");

    // What was named stands in the answer, and each answer has an id of its own.
    let id = answer.header("x-request-id").expect("an id").to_owned();
    let of_body = ContentHash::of(body.as_bytes()).to_string();
    let plain = |text: &str| text.replace(&id, "[id]").replace(&hash, "[hash]").replace(&of_body, "[hash]");
    answer.body = plain(&answer.body);
    answer.headers.retain(|(known, _)| known != "date");
    answer.headers.iter_mut().for_each(|(_, value)| *value = plain(value));
    if name.len() > 1 {
        answer.body = answer.body.replace(&name, "[name]");
    } else {
        // A single digit is also part of other numbers.
        for (before, after) in [(" ", "\""), ("`", "`"), ("\"", "\"")] {
            let named = |name: &str| format!("{before}{name}{after}");
            answer.body = answer.body.replace(&named(&name), &named("[name]"));
        }
    }
    (answer, work)
}

#[tokio::test]
async fn what_others_have_is_answered_like_what_nobody_has_after_the_same_work() {
    for row in ROWS {
        let (hidden, work) = asked(row, row.names.0).await;
        let (missing, same_work) = asked(row, row.names.1).await;
        let request = row.request;
        assert_eq!((hidden.status, &hidden.body), (missing.status, &missing.body), "{request}");
        assert_eq!(hidden.headers, missing.headers, "{request}");
        assert_eq!(hidden.status, row.status, "{request}: {}", hidden.body);
        assert_eq!(work, same_work, "{request}");
        assert!(!work.is_empty(), "{request}: the store was asked for nothing");
    }
}

#[tokio::test]
async fn everything_that_has_a_name_is_asked_for() {
    let server = Server::start().await;
    let description = get(server.addr, "/openapi.json").await.json();
    let mut forgotten = BTreeSet::new();
    for (path, item) in description["paths"].as_object().expect("paths") {
        // Artifacts are found across tenants: `artifacts/access.rs` compares answers, and the tests of the engine work.
        if path.starts_with("/kcp/") || path.starts_with("/ipfs/") {
            continue;
        }
        // Skills are part of the program.
        if path.starts_with("/v1/kb-skills/") {
            continue;
        }
        let methods = item.as_object().expect("operations").keys().filter(|_| path.contains('{'));
        for method in methods.map(|method| method.to_uppercase()) {
            let asks = |row: &Row| {
                let (asked, rest) = row.request.split_once(' ').expect("two words");
                asked == method && fits(path, rest.split('?').next().unwrap_or(""))
            };
            if !ROWS.iter().any(asks) {
                forgotten.insert(format!("{method} {path}"));
            }
        }
    }
    assert_eq!(forgotten, BTreeSet::new(), "these are in no row");
}
