//! A store, and turns to put into it.

use std::path::Path;
use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Role, Roles, Scope, authorize};
use cairn_base::fs::SimulatedFs;
use cairn_base::{ContentHash, ContextId, ManualClock, Position, SeededEntropy, TenantId, TurnId, Value};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Blob, MemoryStore, Snapshot, Store, WriteTx, write};
use cairn_turns::{Append, Appended, Context, DeclaredType, IdempotencyKey, Turn, TurnsError};

pub(crate) struct Kit {
    pub(crate) store: Box<dyn Store>,
    /// The disk of a store that has one.
    disk: Option<SimulatedFs>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) scope: Scope,
}

impl Kit {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(1_000));
        let store = Box::new(MemoryStore::new(Arc::clone(&clock) as _));
        Kit { store, disk: None, clock, scope: scope(TenantId::LOCAL) }
    }

    /// A store on a disk, which may be restarted.
    pub(crate) fn on_disk() -> Self {
        let kit = Kit::new();
        let disk = SimulatedFs::new(1);
        Kit { store: open(&disk, &kit.clock), disk: Some(disk), ..kit }
    }

    /// Cuts the power, and opens what is there then.
    pub(crate) fn restart(&mut self) {
        let disk = self.disk.as_ref().expect("a store on a disk");
        disk.power_cycle();
        self.store = open(disk, &self.clock);
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        mut body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, TurnsError> + Send + 'static,
    ) -> Result<T, TurnsError> {
        let scope = self.scope;
        write(&*self.store, scope.tenant(), move |tx| body(tx, &scope)).map(|(value, _)| value)
    }

    pub(crate) fn snapshot(&self) -> Box<dyn Snapshot> {
        self.store.snapshot(Position::START).unwrap()
    }

    pub(crate) fn create(&self, base: Option<TurnId>) -> Result<Context, TurnsError> {
        self.write(move |tx, scope| cairn_turns::create(tx, scope, base, 5))
    }

    pub(crate) fn append(&self, request: Append) -> Result<Appended, TurnsError> {
        self.write(move |tx, scope| cairn_turns::append(tx, scope, &request))
    }

    pub(crate) fn say_all(&self, context: ContextId, count: u32) {
        for number in 1..=count {
            self.say(context, &number.to_string());
        }
    }

    pub(crate) fn say(&self, context: ContextId, text: &str) -> Turn {
        self.append(request(context, text)).unwrap().turn
    }

    pub(crate) fn head(&self, context: ContextId) -> Context {
        cairn_turns::head(&*self.snapshot(), &self.scope, context).unwrap()
    }

    pub(crate) fn put_blob(&self, bytes: &[u8]) -> ContentHash {
        let blob = Blob::new(bytes.to_vec()).unwrap();
        let hash = blob.hash();
        self.write(move |tx, _| Ok(tx.put_blob(&blob)?)).unwrap();
        hash
    }
}

fn open(disk: &SimulatedFs, clock: &Arc<ManualClock>) -> Box<dyn Store> {
    let options = EmbeddedOptions {
        fs: Arc::new(disk.clone()),
        clock: Arc::clone(clock) as _,
        entropy: Arc::new(SeededEntropy::new(1)),
        segment_bytes: 16 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    };
    Box::new(EmbeddedStore::open(Path::new("store"), options).unwrap())
}

pub(crate) fn scope(tenant: TenantId) -> Scope {
    let member = Principal::new("ada", tenant, Roles::NONE.with(Role::Writer));
    authorize(&member, Action::TurnsWrite, Resource::tenant(tenant)).unwrap().scope()
}

pub(crate) fn request(context: ContextId, text: &str) -> Append {
    Append {
        context,
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "test.Said".into(), version: 1 },
        encoding: 1,
        compression: 0,
        payload: Blob::new(text.as_bytes().to_vec()).unwrap(),
        payload_bytes: u32::try_from(text.len()).unwrap(),
        tree: None,
        key: None,
        remember_ms: 1_000,
        now_ms: 7,
        strict: false,
    }
}

pub(crate) fn keyed(context: ContextId, text: &str, key: &str) -> Append {
    Append { key: IdempotencyKey::parse(key.as_bytes()).unwrap(), ..request(context, text) }
}

/// A vector of the conformance folder, if that is beside the project.
pub(crate) fn conformance(file: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/conformance/wire");
    let Ok(text) = std::fs::read(folder.join(file)) else {
        eprintln!("skipped: there is no conformance folder beside the project");
        return None;
    };
    Some(Value::parse_json(&text).unwrap())
}

/// Bytes out of their hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).unwrap()).unwrap();
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The payload of such a vector.
pub(crate) fn conformance_payload(file: &str) -> Option<Vec<u8>> {
    let vector = conformance(file)?;
    Some(unhex(vector.get("payload_hex").unwrap().as_str().unwrap()))
}
