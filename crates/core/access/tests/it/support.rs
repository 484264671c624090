//! A registry with a few people in it.

use std::sync::Arc;

use cairn_access::registry::{self, TeamName, TenantName, TokenRecord, UserId};
use cairn_access::{Action, KeyId, Principal, Resource, Role, Roles, Scope, Token, TokenKey, authorize};
use cairn_base::{Base64Url, ManualClock, Position, SeededEntropy, TenantId};
use cairn_seam::{MemoryStore, Snapshot, Store, StoreError, WriteTx};
use ed25519_dalek::{Signer, SigningKey};

pub(crate) const NOW_MS: u64 = 1_700_000_000_000;
pub(crate) const NODE_ID: &str = "node";

/// A scope of a tenant, as the local owner gets it.
pub(crate) fn scope(tenant: TenantId) -> Scope {
    let resource = Resource::tenant(tenant);
    let action = if tenant == TenantId::NODE { Action::TenantChange } else { Action::AccessChange };
    authorize(&Principal::local_owner(), action, resource).expect("the owner may").scope()
}

pub(crate) fn roles(names: &str) -> Roles {
    names.split_whitespace().map(|name| name.parse::<Role>().expect("a role")).collect()
}

pub(crate) fn user(name: &str) -> UserId {
    UserId::parse(name).expect("a name")
}

pub(crate) fn team(name: &str) -> TeamName {
    TeamName::parse(name).expect("a name")
}

pub(crate) fn tenant(name: &str) -> TenantName {
    TenantName::parse(name).expect("a name")
}

/// A store with the tenants `local` (1), `acme` (2) and `other` (3).
pub(crate) struct World {
    pub(crate) store: Arc<MemoryStore>,
    entropy: SeededEntropy,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = World {
            store: Arc::new(MemoryStore::new(Arc::new(ManualClock::default()))),
            entropy: SeededEntropy::new(7),
        };
        for name in ["local", "acme", "other"] {
            let name = tenant(name);
            world.write(TenantId::NODE, move |tx, node| registry::create_tenant(tx, node, &name, NOW_MS));
        }
        world
    }

    pub(crate) fn try_write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        tenant: TenantId,
        mut body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let scope = scope(tenant);
        cairn_seam::write(&*self.store, tenant, move |tx| body(tx, &scope)).map(|(value, _)| value)
    }

    pub(crate) fn write<T: Send + 'static, E: From<StoreError> + std::fmt::Debug + Send + 'static>(
        &self,
        tenant: TenantId,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, E> + Send + 'static,
    ) -> T {
        self.try_write(tenant, body).expect("nothing is wrong with it")
    }

    pub(crate) fn snapshot(&self) -> Box<dyn Snapshot> {
        self.store.snapshot(Position::START).expect("it is open")
    }

    pub(crate) fn user(&self, tenant: TenantId, name: &str, names: &str) {
        let (name, roles) = (user(name), roles(names));
        self.write(tenant, move |tx, scope| registry::put_user(tx, scope, &name, roles, NOW_MS));
    }

    pub(crate) fn token(
        &self,
        tenant: TenantId,
        name: &str,
        names: &str,
        expires_at_ms: Option<u64>,
    ) -> Token {
        let token = Token::random(tenant, &token_key(), &self.entropy);
        let record = TokenRecord {
            id: token.id(),
            user: user(name),
            label: "test".into(),
            scope: roles(names),
            hash: token.hash(),
            created_at_ms: NOW_MS,
            expires_at_ms,
            revoked_at_ms: None,
        };
        self.write(tenant, move |tx, scope| registry::add_token(tx, scope, record.clone()));
        token
    }

    /// Registers the key of a seed for somebody.
    pub(crate) fn key(&self, tenant: TenantId, name: &str, seed: u8) -> SigningKey {
        let key = SigningKey::from_bytes(&[seed; 32]);
        let (id, name) = (KeyId(key.verifying_key().to_bytes()), user(name));
        self.write(TenantId::NODE, move |tx, node| registry::home_key(tx, node, id, tenant));
        self.write(tenant, move |tx, scope| registry::add_key(tx, scope, id, &name, NOW_MS));
        key
    }
}

/// The token key of the node.
pub(crate) fn token_key() -> TokenKey {
    TokenKey::new([9; 32])
}

/// A JWT of these parts, signed with a key.
pub(crate) fn signed(key: &SigningKey, header: &str, claims: &str) -> String {
    let signed = format!("{}.{}", Base64Url(header.as_bytes()), Base64Url(claims.as_bytes()));
    let signature = key.sign(signed.as_bytes()).to_bytes();
    format!("{signed}.{}", Base64Url(&signature))
}

/// The usual header for a key.
pub(crate) fn header(key: &SigningKey) -> String {
    format!(r#"{{"alg":"EdDSA","typ":"JWT","kid":"{}"}}"#, KeyId(key.verifying_key().to_bytes()))
}
