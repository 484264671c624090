//! An engine over a memory store, with time standing still.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Roles};
use cairn_base::{ManualClock, Position, SeededEntropy, TenantId};
use cairn_engine::{Act, AuditLine, Committed, ConsumerName, Engine, EngineConfig, EngineError};
use cairn_seam::{Event, EventKind, MemoryStore, Store};
use cairn_turns::projection::{BytesRender, EnumRender, Hint, Options, View, WideRender};

pub(crate) const NOW_MS: u64 = 1_700_000_000_000;

/// Payloads as bytes.
pub(crate) const RAW: View = View {
    is_typed: false,
    is_raw: true,
    options: Options {
        include_unknown: false,
        bytes: BytesRender::Base64,
        wide: WideRender::Text,
        enums: EnumRender::Label,
        time: None,
    },
    hint: Hint::Inherit,
};

pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) clock: ManualClock,
    pub(crate) owner: Principal,
}

impl World {
    pub(crate) fn new() -> Self {
        let clock = ManualClock::new(NOW_MS);
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
        World { engine, store, clock, owner: Principal::local_owner() }
    }

    /// The same store, opened once more.
    pub(crate) fn reopen(&self) -> Arc<Engine> {
        open(Arc::clone(&self.store) as Arc<dyn Store>, &self.clock).unwrap()
    }

    /// Commits a transaction that emits these kinds of events.
    pub(crate) fn emit(&self, kinds: &'static [u16]) -> Committed<()> {
        self.engine
            .transact(&self.owner, advance(), move |tx, _| {
                for kind in kinds {
                    tx.emit(Event { kind: EventKind(*kind), body: kind.to_be_bytes().to_vec() })?;
                }
                Ok(())
            })
            .unwrap()
    }

    /// The whole audit trail of a tenant, as the node sees it.
    pub(crate) fn trail(&self, tenant: TenantId) -> Vec<AuditLine> {
        let reader = Principal::new("auditor", tenant, every_role());
        let mut lines = Vec::new();
        let mut after = None;
        loop {
            let page = self.engine.audit_page(&reader, tenant, after, 7).unwrap();
            lines.extend(page.lines);
            after = page.next;
            if after.is_none() {
                return lines;
            }
        }
    }
}

pub(crate) fn open(store: Arc<dyn Store>, clock: &ManualClock) -> Result<Arc<Engine>, EngineError> {
    Engine::open(store, Arc::new(clock.clone()), Arc::new(SeededEntropy::new(1)), EngineConfig::default())
}

/// A writing act that leaves no audit line.
pub(crate) fn advance() -> Act {
    Act::new(Action::ConsumerAdvance, Resource::NODE)
}

/// An administrative act, which does.
pub(crate) fn register() -> Act {
    Act::new(Action::ConsumerRegister, Resource::NODE)
}

pub(crate) fn owner() -> Principal {
    Principal::local_owner()
}

pub(crate) fn stranger() -> Principal {
    Principal::new("eve", TenantId(7), Roles::NONE)
}

pub(crate) fn every_role() -> Roles {
    Principal::local_owner().roles()
}

pub(crate) fn name(text: &str) -> ConsumerName {
    ConsumerName::parse(text).unwrap()
}

pub(crate) fn start() -> Position {
    Position::START
}
