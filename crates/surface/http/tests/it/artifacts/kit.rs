//! A server with two tenants, and callers of both.

use std::time::Duration;

use cairn_access::identity::{Identity, sign};
use cairn_access::registry::{TenantName, UserId};
use cairn_access::{KeyId, Principal, Role, Roles};
use cairn_base::{Base64, CanonicalObject, ManualClock, SeededEntropy, Value, to_iso_utc};
use cairn_engine::NewToken;
use cairn_gate::{Allowance, Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_seam::Sha256;

use crate::client::{Answer, request, send};
use crate::server::Server;

pub(super) const ANONYMOUS: &str = "";
const JSON: &str = "content-type: application/json\r\n";

/// ada, bob and an administrator of acme, and eve of beta, each as a header; ada has a key.
pub(super) struct World {
    pub(super) server: Server,
    pub(super) ada: String,
    pub(super) bob: String,
    pub(super) admin: String,
    pub(super) eve: String,
    pub(super) key: Identity,
}

impl World {
    pub(super) async fn new() -> World {
        World::with(Allowance::default(), GateConfig::default().deadline).await
    }

    pub(super) async fn with(allowance: Allowance, deadline: Duration) -> World {
        World::of(HttpConfig::default(), allowance, deadline).await
    }

    pub(super) async fn of(config: HttpConfig, allowance: Allowance, deadline: Duration) -> World {
        let authentication = Authentication::Required;
        let gate = GateConfig { authentication, allowance, deadline, ..GateConfig::default() };
        let server = Server::with(config, gate).await;
        server.search();
        let (engine, owner) = (server.gate.engine(), Principal::local_owner());
        let tenant = |name| engine.create_tenant(&owner, &TenantName::parse(name).expect("a name"));
        let [acme, beta] = ["acme", "beta"].map(|name| tenant(name).expect("it is made").id);
        let bearer = |tenant, user: &str, role| {
            let (user, roles) = (UserId::parse(user).expect("a name"), Roles::NONE.with(role));
            engine.put_user(&owner, tenant, &user, roles).expect("it is made");
            let wanted = NewToken { user, label: String::new(), scope: roles, expires_at_ms: None };
            let token = engine.issue_token(&owner, tenant, wanted).expect("it is issued").0;
            format!("authorization: Bearer {}\r\n", *token.reveal())
        };
        let (ada, bob) = (bearer(acme, "ada", Role::Writer), bearer(acme, "bob", Role::Reader));
        let (admin, eve) = (bearer(acme, "admin", Role::Admin), bearer(beta, "eve", Role::Writer));
        let key = identity(7);
        let user = UserId::parse("ada").expect("a name");
        engine.add_key(&owner, acme, KeyId(*key.public_key().as_bytes()), &user).expect("it is registered");
        World { server, ada, bob, admin, eve, key }
    }

    pub(super) async fn get(&self, who: &str, path: &str) -> Answer {
        request(self.server.addr, &format!("GET {path}"), who).await
    }

    pub(super) async fn json(&self, who: &str, path: &str) -> serde_json::Value {
        let answer = self.get(who, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    pub(super) async fn post(&self, who: &str, path: &str, body: &[u8]) -> Answer {
        send(self.server.addr, &format!("POST {path}"), &format!("{who}{JSON}"), body).await
    }

    pub(super) async fn delete(&self, who: &str, path: &str, body: &[u8]) -> Answer {
        let kind = if body.is_empty() { "" } else { JSON };
        send(self.server.addr, &format!("DELETE {path}"), &format!("{who}{kind}"), body).await
    }

    pub(super) async fn put(&self, who: &str, path: &str, body: &[u8]) -> Answer {
        send(self.server.addr, &format!("PUT {path}"), who, body).await
    }

    /// Publishes something of ada, signed by her; returns its id.
    pub(super) async fn published(&self, number: u8, more: &[(&str, &str)]) -> String {
        let answer = self.post(&self.ada, "/kcp/v1/artifacts", &self.signed(number, more)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        id(number)
    }

    /// A payload of ada, signed by her key, with content.
    pub(super) fn signed(&self, number: u8, more: &[(&str, &str)]) -> Vec<u8> {
        self.signed_by(&self.key, number, more)
    }

    pub(super) fn signed_by(&self, key: &Identity, number: u8, more: &[(&str, &str)]) -> Vec<u8> {
        let content = content(number);
        let mut object = CanonicalObject::parse(b"{}").expect("JSON");
        let texts = [
            ("id", id(number)),
            ("version", "1".into()),
            ("user_id", "ada".into()),
            ("tenant_id", "acme".into()),
            ("timestamp", to_iso_utc(self.server.gate.engine().clock().now_ms())),
            ("format", "markdown".into()),
            ("visibility", "org".into()),
            ("title", format!("Report {number}")),
            ("content_hash", sha256(content.as_bytes())),
        ];
        for (field, text) in texts {
            object.set(field, &Value::String(text)).expect("short");
        }
        for (field, json) in more {
            object.set(field, &Value::parse_json(json.as_bytes()).expect("JSON")).expect("short");
        }
        let signature = sign(&object, key).signature;
        object.set("signature", &Value::String(signature.to_string())).expect("short");
        let base64 = Base64(content.as_bytes()).to_string();
        object.set("_content_b64", &Value::String(base64)).expect("short");
        object.to_json(|_| true).into_bytes()
    }
}

pub(super) fn identity(seed: u64) -> Identity {
    Identity::random(&SeededEntropy::new(seed), &ManualClock::new(0))
}

pub(super) fn content(number: u8) -> String {
    format!("content number {number} about kingfishers")
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    format!("{:?}", Sha256::of(bytes))
}

/// An id that is the same in every run.
pub(super) fn id(number: u8) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

/// The details of a refusal.
pub(super) fn details(answer: &Answer) -> serde_json::Value {
    answer.json()["error"]["details"].clone()
}
