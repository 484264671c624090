//! A node that knows a tenant with some users.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use anyhow::{Result, anyhow};
use cairn_access::identity::Identity;
use cairn_access::registry::{TenantName, UserId};
use cairn_access::{KeyId, Principal, Role, Roles};
use cairn_base::{Base64Url, Clock, SystemClock, SystemEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_engine::{Engine, EngineConfig, NewToken};

/// How long JWTs hold: less than they may, and more than any measurement takes.
const JWT_SECONDS: u64 = 240;
const NODE_ID: &str = "bench-node";
/// They wait for the same syncs.
const ISSUERS: usize = 16;

/// A node, and who is known there.
pub(super) struct Registered {
    pub(super) engine: Arc<Engine>,
    tenant: TenantId,
    users: Vec<UserId>,
}

impl Registered {
    pub(super) fn create(dir: &Path, users: usize) -> Result<Self> {
        let engine = open(dir)?;
        let tenant = engine.create_tenant(&Principal::local_owner(), &TenantName::parse("acme")?)?.id;
        let users = (0..users).map(|number| Ok(UserId::parse(&format!("user-{number}@example.com"))?));
        let registered = Registered { engine, tenant, users: users.collect::<Result<_>>()? };
        for user in &registered.users {
            registered.put(user)?;
        }
        Ok(registered)
    }

    /// The same after a restart: nobody is remembered, and everything is in the index.
    pub(super) fn restarted(self, dir: &Path) -> Result<Self> {
        self.engine.close()?;
        let Registered { engine, tenant, users } = self;
        drop(engine);
        Ok(Registered { engine: open(dir)?, tenant, users })
    }

    /// Changes the registry, and nothing about anybody.
    pub(super) fn touch(&self) -> Result<()> {
        self.put(&self.users[0])
    }

    fn put(&self, user: &UserId) -> Result<()> {
        let roles = Roles::NONE.with(Role::Writer);
        self.engine.put_user(&Principal::local_owner(), self.tenant, user, roles)?;
        Ok(())
    }

    /// Tokens, as many for each user as for the others.
    pub(super) fn tokens(&self, each: usize) -> Result<Vec<String>> {
        let share = self.users.len().div_ceil(ISSUERS);
        thread::scope(|scope| {
            let issuers: Vec<_> = self
                .users
                .chunks(share)
                .map(|users| {
                    scope.spawn(move || {
                        let all = users.iter().flat_map(|user| std::iter::repeat_n(user, each));
                        all.map(|user| self.token(user)).collect::<Result<Vec<_>>>()
                    })
                })
                .collect();
            let mut tokens = Vec::new();
            for issuer in issuers {
                tokens.extend(issuer.join().map_err(|_| anyhow!("issuing tokens failed"))??);
            }
            Ok(tokens)
        })
    }

    fn token(&self, user: &UserId) -> Result<String> {
        let wanted = NewToken {
            user: user.clone(),
            label: "bench".into(),
            scope: Roles::NONE.with(Role::Writer),
            expires_at_ms: None,
        };
        let (token, _) = self.engine.issue_token(&Principal::local_owner(), self.tenant, wanted)?;
        Ok(token.reveal().to_string())
    }

    /// Registers a key for each user, and signs JWTs with one after the other.
    pub(super) fn jwts(&self, count: usize) -> Result<Vec<String>> {
        let keys: Vec<Identity> =
            self.users.iter().map(|_| Identity::random(&SystemEntropy, &SystemClock)).collect();
        for (key, user) in keys.iter().zip(&self.users) {
            self.engine.add_key(&Principal::local_owner(), self.tenant, id(key), user)?;
        }
        let expires_at_s = SystemClock.now_ms() / 1000 + JWT_SECONDS;
        Ok((0..count).map(|number| sign(&keys[number % keys.len()], number, expires_at_s)).collect())
    }
}

fn open(dir: &Path) -> Result<Arc<Engine>> {
    let store = Arc::new(EmbeddedStore::open(dir, EmbeddedOptions::default())?);
    let config = EngineConfig { audience: Some(NODE_ID.into()), ..EngineConfig::default() };
    Ok(Engine::open(store, Arc::new(SystemClock), Arc::new(SystemEntropy), config)?)
}

fn id(key: &Identity) -> KeyId {
    KeyId(*key.public_key().as_bytes())
}

fn sign(key: &Identity, number: usize, expires_at_s: u64) -> String {
    let header = format!(r#"{{"alg":"EdDSA","kid":"{}"}}"#, id(key));
    let claims = format!(r#"{{"aud":"{NODE_ID}","exp":{expires_at_s},"jti":"bench-{number:012}"}}"#);
    let signed = format!("{}.{}", Base64Url(header.as_bytes()), Base64Url(claims.as_bytes()));
    format!("{signed}.{}", Base64Url(key.sign_bytes(signed.as_bytes()).as_bytes()))
}
