//! A node with two tenants, and everybody who may ask for an artifact.

use std::sync::Arc;

use cairn_access::identity::{Identity, sign};
use cairn_access::registry::{TeamName, TenantName, UserId};
use cairn_access::{KeyId, Principal, Role, Roles};
use cairn_artifacts::{ArtifactId, Published};
use cairn_base::{Base64, CanonicalObject, ManualClock, SeededEntropy, TenantId, Value, to_iso_utc};
use cairn_engine::{
    ArtifactList, ArtifactQuestion, Engine, EngineConfig, EngineError, PublishStep, SearchHome, SearchMode,
    Signing, SigningError,
};
use cairn_seam::{CountingStore, MemoryStore, Sha256, Store};

use crate::support::NOW_MS;

/// A key of the node.
#[derive(Debug)]
struct Key(Identity);

impl Signing for Key {
    fn identity(&self) -> Result<Identity, SigningError> {
        Ok(self.0.clone())
    }
}

pub(super) fn identity(seed: u64) -> Identity {
    Identity::random(&SeededEntropy::new(seed), &ManualClock::new(0))
}

/// The seed of the key of ada of acme.
pub(super) const ADA_SEED: u64 = 7;

/// An engine over any store, with a key to sign with.
pub(super) fn open(
    store: Arc<dyn Store>,
    clock: &ManualClock,
    search: SearchMode,
) -> Result<Arc<Engine>, EngineError> {
    let signing: Option<Arc<dyn Signing>> = Some(Arc::new(Key(identity(99))));
    let config = EngineConfig { signing, search, ..EngineConfig::default() };
    Engine::open(store, Arc::new(clock.clone()), Arc::new(SeededEntropy::new(1)), config)
}

/// Creates the tenants acme and beta, and registers ada of acme with her key.
pub(super) fn register_people(engine: &Engine) -> (TenantId, TenantId) {
    let owner = Principal::local_owner();
    let tenant = |name: &str| engine.create_tenant(&owner, &TenantName::parse(name).unwrap()).unwrap().id;
    let (acme, beta) = (tenant("acme"), tenant("beta"));
    let ada = UserId::parse("ada").unwrap();
    engine.put_user(&owner, acme, &ada, Roles::NONE.with(Role::Writer)).unwrap();
    engine.add_key(&owner, acme, KeyId(*identity(ADA_SEED).public_key().as_bytes()), &ada).unwrap();
    (acme, beta)
}

pub(super) fn publish(engine: &Engine, principal: &Principal, body: &[u8]) -> Result<Published, EngineError> {
    match engine.publish_artifact(principal, body)? {
        PublishStep::Done(done) => Ok(*done),
        PublishStep::Write(write) => Ok(engine.commit(write)?.value),
    }
}

/// The JSON of a payload of ada, signed by a key, with content.
pub(super) fn signed_body(
    key: &Identity,
    number: u8,
    now_ms: u64,
    content: &[u8],
    more: &[(&str, &str)],
) -> Vec<u8> {
    let mut object = CanonicalObject::parse(b"{}").unwrap();
    let texts = [
        ("id", id(number).to_string()),
        ("version", "1".into()),
        ("user_id", "ada".into()),
        ("tenant_id", "acme".into()),
        ("timestamp", to_iso_utc(now_ms)),
        ("format", "markdown".into()),
        ("visibility", "org".into()),
        ("title", format!("Report {number}")),
        ("content_hash", format!("{:?}", Sha256::of(content))),
    ];
    texts.into_iter().for_each(|(field, text)| object.set(field, &Value::String(text)).unwrap());
    for (field, json) in more {
        object.set(field, &Value::parse_json(json.as_bytes()).unwrap()).unwrap();
    }
    let signature = sign(&object, key).signature;
    object.set("signature", &Value::String(signature.to_string())).unwrap();
    object.set("_content_b64", &Value::String(Base64(content).to_string())).unwrap();
    object.to_json(|_| true).into_bytes()
}

pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(super) store: Arc<CountingStore>,
    pub(super) clock: ManualClock,
    pub(super) owner: Principal,
    pub(super) acme: TenantId,
    pub(super) beta: TenantId,
    /// The key of ada of acme.
    pub(super) ada_key: Identity,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        World::with(SearchMode::Kept(home))
    }

    /// Nothing but the test reads the store.
    pub(super) fn without_search() -> Self {
        World::with(SearchMode::Off)
    }

    fn with(search: SearchMode) -> Self {
        let clock = ManualClock::new(NOW_MS);
        let inner = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let store = Arc::new(CountingStore::new(inner));
        let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock, search).unwrap();
        let (acme, beta) = register_people(&engine);
        let (owner, ada_key) = (Principal::local_owner(), identity(ADA_SEED));
        World { engine, store, clock, owner, acme, beta, ada_key }
    }

    pub(super) fn register(&self, tenant: TenantId, user: &str, key: &Identity) {
        let user = UserId::parse(user).unwrap();
        self.engine.add_key(&self.owner, tenant, KeyId(*key.public_key().as_bytes()), &user).unwrap();
    }

    pub(super) fn user(&self, user: &str, roles: &[Role], teams: &[&str]) -> Principal {
        self.of(self.acme, "acme", user, roles, teams)
    }

    pub(super) fn stranger(&self, user: &str, teams: &[&str]) -> Principal {
        self.of(self.beta, "beta", user, &[Role::Reader], teams)
    }

    fn of(&self, tenant: TenantId, name: &str, user: &str, roles: &[Role], teams: &[&str]) -> Principal {
        let roles = roles.iter().fold(Roles::NONE, |roles, role| roles.with(*role));
        let teams = teams.iter().map(|team| TeamName::parse(team).unwrap().as_str().into()).collect();
        Principal::new(user, tenant, roles).known_as(name, teams)
    }

    pub(super) fn ada(&self) -> Principal {
        self.user("ada", &[Role::Writer], &[])
    }

    /// The JSON of a payload of ada, signed by her key, with content.
    pub(super) fn signed(&self, number: u8, more: &[(&str, &str)]) -> Vec<u8> {
        self.signed_by(&self.ada_key, number, more)
    }

    pub(super) fn signed_by(&self, key: &Identity, number: u8, more: &[(&str, &str)]) -> Vec<u8> {
        let content = format!("content number {number} about kingfishers");
        signed_body(key, number, self.engine.clock().now_ms(), content.as_bytes(), more)
    }

    pub(super) fn publish(&self, principal: &Principal, body: &[u8]) -> Result<Published, EngineError> {
        publish(&self.engine, principal, body)
    }

    /// Publishes something of ada.
    pub(super) fn put(&self, number: u8, more: &[(&str, &str)]) -> ArtifactId {
        self.publish(&self.ada(), &self.signed(number, more)).unwrap().artifact.id
    }

    pub(super) fn list(&self, principal: &Principal, question: ArtifactQuestion) -> ArtifactList {
        let question =
            ArtifactQuestion { limit: if question.limit == 0 { 100 } else { question.limit }, ..question };
        self.engine.artifact_list(principal, &question).unwrap()
    }

    pub(super) fn find(&self, principal: &Principal, text: &str) -> ArtifactList {
        self.list(principal, ArtifactQuestion { text: Some(text.into()), ..ArtifactQuestion::default() })
    }
}

pub(super) fn id(number: u8) -> ArtifactId {
    let mut bytes = [number; 16];
    bytes[6] = 0x40;
    bytes[8] = 0x80;
    ArtifactId::from_bytes(bytes)
}

pub(super) fn ids(list: &ArtifactList) -> Vec<ArtifactId> {
    list.items.iter().map(|item| item.artifact.id).collect()
}

pub(super) fn code<T: std::fmt::Debug>(result: Result<T, EngineError>) -> &'static str {
    result.map_err(|error| error.code().name()).unwrap_err()
}
