//! A store with a space that was bootstrapped, and things to put into it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_access::{Action, Principal, Resource, Role, Roles, Scope, authorize};
use cairn_base::fs::SimulatedFs;
use cairn_base::{ManualClock, Position, SeededEntropy, SpaceId, TenantId, Value};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_graph::{
    Concept, ConceptId, ConceptWrite, Element, GraphError, GraphEvent, Link, LinkId, LinkTarget, LinkWrite,
    Map, Outcome, PredicateId, Result, Target, TypeId, View, Writer, bootstrap, known,
};
use cairn_seam::{MemoryStore, Snapshot, Store, WriteTx, write};

/// When spaces are bootstrapped; every write after it is a millisecond later.
pub(crate) const FIRST_MS: u64 = 1_000;

pub(crate) struct Kit {
    pub(crate) store: Box<dyn Store>,
    /// The disk of a store that has one.
    disk: Option<SimulatedFs>,
    clock: Arc<ManualClock>,
    pub(crate) scope: Scope,
    now_ms: AtomicU64,
}

impl Kit {
    pub(crate) fn empty() -> Self {
        let clock = Arc::new(ManualClock::new(1_000));
        let store = Box::new(MemoryStore::new(Arc::clone(&clock) as _));
        let scope = scope(TenantId::LOCAL, SpaceId::MEMORY);
        Kit { store, disk: None, clock, scope, now_ms: AtomicU64::new(FIRST_MS) }
    }

    pub(crate) fn new() -> Self {
        let kit = Kit::empty();
        kit.bootstrap();
        kit
    }

    /// A store on a disk, which may be restarted.
    pub(crate) fn on_disk() -> Self {
        let kit = Kit::empty();
        let disk = SimulatedFs::new(1);
        let kit = Kit { store: open(&disk, &kit.clock), disk: Some(disk), ..kit };
        kit.bootstrap();
        kit
    }

    /// Cuts the power, and opens what is there then; a store without a disk goes on.
    pub(crate) fn restart(&mut self) {
        let Some(disk) = &self.disk else { return };
        disk.power_cycle();
        self.store = open(disk, &self.clock);
    }

    pub(crate) fn bootstrap(&self) {
        let now_ms = self.now_ms();
        self.transact(move |tx, scope| bootstrap(tx, scope, now_ms)).unwrap();
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::Relaxed)
    }

    /// Runs a transaction a millisecond after the last one.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        mut body: impl FnMut(&mut Writer<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let now_ms = self.now_ms.fetch_add(1, Ordering::Relaxed) + 1;
        self.transact(move |tx, scope| {
            let mut writer = Writer::new(tx, *scope, now_ms);
            let result = body(&mut writer)?;
            writer.finish()?;
            Ok(result)
        })
    }

    pub(crate) fn transact<T: Send + 'static>(
        &self,
        mut body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let scope = self.scope;
        write(&*self.store, scope.tenant(), move |tx| body(tx, &scope)).map(|(value, _)| value)
    }

    pub(crate) fn snapshot(&self) -> Box<dyn Snapshot> {
        self.store.snapshot(Position::START).unwrap()
    }

    pub(crate) fn read<T>(&self, body: impl FnOnce(View<'_>) -> T) -> T {
        let snapshot = self.snapshot();
        body(View::new(&*snapshot, self.scope))
    }

    /// What happened after a position.
    pub(crate) fn events_after(&self, position: Position) -> Vec<GraphEvent> {
        let page = self.store.changes(position, None, 1000).unwrap();
        let events = page.changes.iter().flat_map(|change| &change.events);
        events.filter_map(|event| GraphEvent::decode(event).unwrap()).collect()
    }

    pub(crate) fn define_type(&self, name: &str) -> TypeId {
        TypeId(self.put(known::CONCEPT_TYPE, name, "{}").0)
    }

    pub(crate) fn define_predicate(&self, name: &str) -> PredicateId {
        PredicateId(self.put(known::PROPOSITION_TYPE, name, "{}").0)
    }

    /// Upserts a concept with attributes.
    pub(crate) fn put(&self, kind: TypeId, name: &str, attributes: &str) -> ConceptId {
        self.upsert(kind, name, attributes, "{}").unwrap().0
    }

    pub(crate) fn upsert(
        &self,
        kind: TypeId,
        name: &str,
        attributes: &str,
        metadata: &str,
    ) -> Result<(ConceptId, Outcome)> {
        let write = concept_write(Target::Named(kind, name.into()), attributes, metadata);
        self.write(move |writer| {
            let (id, _, outcome) = writer.upsert_concept(write.clone())?;
            Ok((id, outcome))
        })
    }

    pub(crate) fn link(
        &self,
        subject: impl Into<Element>,
        predicate: PredicateId,
        object: impl Into<Element>,
    ) -> LinkId {
        let target = LinkTarget::Triple(subject.into(), predicate, object.into());
        self.upsert_link(target, "{}", "{}").unwrap().0
    }

    pub(crate) fn upsert_link(
        &self,
        target: LinkTarget,
        attributes: &str,
        metadata: &str,
    ) -> Result<(LinkId, Outcome)> {
        let write = link_write(target, attributes, metadata);
        self.write(move |writer| writer.upsert_link(write.clone()))
    }

    pub(crate) fn concept(&self, id: ConceptId) -> Option<Concept> {
        self.read(|view| {
            let kind = view.types_of(&[id]).unwrap()[0]?;
            let mut found = None;
            view.concepts(&[(id, kind)], &mut |_, concept| found = concept).unwrap();
            found
        })
    }

    pub(crate) fn whole_link(&self, id: LinkId) -> Option<Link> {
        self.read(|view| {
            let mut found = None;
            view.links(&[id], &mut |_, link| found = link).unwrap();
            found
        })
    }
}

fn open(disk: &SimulatedFs, clock: &Arc<ManualClock>) -> Box<dyn Store> {
    let options = EmbeddedOptions {
        fs: Arc::new(disk.clone()),
        clock: Arc::clone(clock) as _,
        entropy: Arc::new(SeededEntropy::new(1)),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    };
    Box::new(EmbeddedStore::open(Path::new("store"), options).unwrap())
}

pub(crate) fn scope(tenant: TenantId, space: SpaceId) -> Scope {
    let member = Principal::new("ada", tenant, Roles::NONE.with(Role::Writer));
    authorize(&member, Action::TurnsWrite, Resource::space(tenant, space)).unwrap().scope()
}

pub(crate) fn map(json: &str) -> Map {
    let Value::Object(map) = Value::parse_json(json.as_bytes()).unwrap() else { panic!("{json}") };
    map
}

pub(crate) fn json(map: &Map) -> String {
    Value::Object(map.clone()).to_json()
}

pub(crate) fn concept_write(target: Target, attributes: &str, metadata: &str) -> ConceptWrite {
    ConceptWrite { target, expect_version: None, attributes: map(attributes), metadata: map(metadata) }
}

pub(crate) fn link_write(target: LinkTarget, attributes: &str, metadata: &str) -> LinkWrite {
    LinkWrite { target, expect_version: None, attributes: map(attributes), metadata: map(metadata) }
}

pub(crate) fn is_protected<T: std::fmt::Debug>(result: Result<T>) -> bool {
    matches!(result, Err(GraphError::Protected { .. }))
}
