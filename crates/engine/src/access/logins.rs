//! Letting somebody in, and knowing them when they come again.
//!
//! Checking a credential costs look-ups, and for a JWT a signature. What was found good is remembered
//! under a hash of the credential until the registry changes: then everyone is looked at again, without
//! the credential. A revocation that was answered is in force.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_access::{
    Action, Credential, CredentialError, KeyId, KeyOwner, Login, LoginError, Principal, Refusal,
    RefusalReason, Resource, SignedJwt, TokenKey,
};
use cairn_base::{Entropy, Position};
use cairn_seam::Snapshot;
use quick_cache::sync::Cache;

use super::replay::Replay;
use crate::secret::Secret;
use crate::{Act, Engine, EngineError, limits};

/// One connection of a client. No two of a process are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Connection(pub(super) u64);

/// Somebody who was let in.
#[derive(Debug, Clone)]
pub struct LoggedIn {
    pub(super) login: Login,
    /// As of which change of the registry.
    pub(super) generation: u64,
    /// A signature is good for one connection.
    pub(super) bound_to: Option<Connection>,
}

impl LoggedIn {
    /// Who it is.
    pub fn principal(&self) -> &Principal {
        &self.login.principal
    }
}

/// What is remembered of those who came in.
pub(crate) struct Logins {
    known: Cache<[u8; 32], Arc<LoggedIn>>,
    /// Whose the keys of JWTs are, by key and tenant, and as of which change of the registry.
    owners: Cache<(KeyId, Option<String>), (u64, Arc<KeyOwner>)>,
    /// How often the registry changed since the node was opened.
    generation: AtomicU64,
    connections: AtomicU64,
    pub(crate) replay: Replay,
    /// The node's id, which JWTs are addressed to.
    audience: OnceLock<String>,
    /// Under which tokens hide their tenant.
    pub(super) token_key: TokenKey,
}

impl Logins {
    pub(crate) fn new(entropy: &dyn Entropy, secret: &Secret) -> Self {
        Logins {
            known: Cache::new(limits::LOGINS_KEPT),
            owners: Cache::new(limits::LOGINS_KEPT),
            generation: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            replay: Replay::new(entropy.next_u64()),
            audience: OnceLock::new(),
            token_key: TokenKey::new(secret.key("cairn 2026 tokens, what hides their tenant")),
        }
    }

    /// The registry has changed: everyone is looked at again.
    pub(super) fn registry_changed(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }
}

impl Engine {
    /// Says by which id JWTs address this node. Without one none is taken; the first one stays.
    pub fn set_audience(&self, node_id: String) {
        let _ = self.logins.audience.set(node_id);
    }

    /// A connection of a client, by which what it shows is told from what others show.
    pub fn new_connection(&self) -> Connection {
        Connection(self.logins.connections.fetch_add(1, Ordering::Relaxed))
    }

    /// Lets somebody in who shows a token or a JWT. A refusal leaves a line in the audit trail.
    pub fn log_in(&self, credential: &str, connection: Connection) -> Result<Arc<LoggedIn>, EngineError> {
        // Known by its hash, so that how long it takes to find tells nothing of its bytes.
        let name = *blake3::hash(credential.as_bytes()).as_bytes();
        if let Some(known) = self.logins.known.get(&name) {
            if known.bound_to.is_some_and(|bound_to| bound_to != connection) {
                return Err(self.refuse(CredentialError::Replayed, Some(known.principal())));
            }
            let renewed = self.still_in(&known)?;
            if !Arc::ptr_eq(&known, &renewed) {
                self.logins.known.insert(name, Arc::clone(&renewed));
            }
            return Ok(renewed);
        }
        // Before reading: what changes from here on makes this one old.
        let generation = self.logins.generation();
        let login = self.check(credential, connection, generation).map_err(|error| self.refused(error))?;
        let bound_to = login.is_signed().then_some(connection);
        let logged_in = Arc::new(LoggedIn { login, generation, bound_to });
        self.logins.known.insert(name, Arc::clone(&logged_in));
        Ok(logged_in)
    }

    /// Whether somebody who was let in may still be: not expired, revoked or disabled since. Cheap unless
    /// the registry has changed.
    pub fn still_in(&self, known: &Arc<LoggedIn>) -> Result<Arc<LoggedIn>, EngineError> {
        let now_ms = self.clock().now_ms();
        if known.login.expires_at_ms.is_some_and(|expires_at_ms| expires_at_ms <= now_ms) {
            return Err(self.refuse(CredentialError::Expired, Some(known.principal())));
        }
        let generation = self.logins.generation();
        if known.generation == generation {
            return Ok(Arc::clone(known));
        }
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let login =
            cairn_access::again(&*snapshot, &known.login, now_ms).map_err(|error| self.refused(error))?;
        Ok(Arc::new(LoggedIn { login, generation, bound_to: known.bound_to }))
    }

    fn check(&self, credential: &str, connection: Connection, generation: u64) -> Result<Login, LoginError> {
        let credential = Credential::parse(credential, &self.logins.token_key)?;
        let now_ms = self.clock().now_ms();
        let snapshot = self.pipeline.store().snapshot(Position::START);
        let snapshot = snapshot.map_err(|error| LoginError::Registry(error.into()))?;
        match credential {
            Credential::Token(token) => cairn_access::by_token(&*snapshot, &token, now_ms),
            Credential::Jwt(jwt) => {
                let jwt = jwt.verify()?;
                let audience = self.logins.audience.get().ok_or(CredentialError::Audience)?;
                let login = cairn_access::by_jwt(
                    &jwt,
                    &*self.key_owner(&*snapshot, &jwt, generation)?,
                    audience,
                    now_ms,
                )?;
                self.use_up(&jwt, &login, connection)?;
                Ok(login)
            }
        }
    }

    /// Whose key has signed a JWT, looked up once for each change of the registry. `generation` is from before
    /// the snapshot: what changes in between makes the answer old.
    fn key_owner(
        &self,
        snapshot: &dyn Snapshot,
        jwt: &SignedJwt<'_>,
        generation: u64,
    ) -> Result<Arc<KeyOwner>, LoginError> {
        let place = (jwt.key(), jwt.claims().tenant.clone());
        if let Some((as_of, owner)) = self.logins.owners.get(&place)
            && as_of == generation
        {
            return Ok(owner);
        }
        let owner = Arc::new(cairn_access::key_owner(snapshot, jwt)?);
        self.logins.owners.insert(place, (generation, Arc::clone(&owner)));
        Ok(owner)
    }

    /// A JWT is used up by the connection that shows it first.
    fn use_up(&self, jwt: &SignedJwt<'_>, login: &Login, connection: Connection) -> Result<(), LoginError> {
        let tenant = login.principal.tenant();
        let store = self.pipeline.store();
        let is_first = self.logins.replay.use_up(store, tenant, jwt, login.expires_at_ms, connection);
        if is_first.map_err(|error| LoginError::Registry(error.into()))? {
            return Ok(());
        }
        let whose = Some(login.principal.clone());
        Err(LoginError::Credential { error: CredentialError::Replayed, whose })
    }

    /// Refuses somebody who showed nothing where one has to show something.
    pub fn refuse_anonymous(&self) -> EngineError {
        let (resource, reason) = (Resource::NODE, RefusalReason::Anonymous);
        let refusal = Refusal { action: Action::Authenticate, resource, reason };
        let act = Act::new(Action::Authenticate, resource);
        self.pipeline.refuse(&Principal::anonymous(), &act, refusal)
    }

    pub(super) fn refused(&self, error: LoginError) -> EngineError {
        match error {
            LoginError::Credential { error, whose } => self.refuse(error, whose.as_ref()),
            LoginError::Registry(error) => error.into(),
        }
    }

    fn refuse(&self, error: CredentialError, whose: Option<&Principal>) -> EngineError {
        let stranger = Principal::anonymous();
        let whose = whose.unwrap_or(&stranger);
        let resource = Resource::NODE;
        let act = Act::new(Action::Authenticate, resource);
        let refusal =
            Refusal { action: Action::Authenticate, resource, reason: RefusalReason::Credential(error) };
        self.pipeline.refuse(whose, &act, refusal)
    }
}
