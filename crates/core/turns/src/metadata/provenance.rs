//! Where a history came from.

use std::collections::BTreeMap;

use cairn_base::ContextId;

/// One thing that provenance can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvenanceField {
    /// Its tag in the payload.
    pub tag: u64,
    /// What it is called in JSON.
    pub name: &'static str,
    /// What it holds.
    pub kind: ProvenanceKind,
}

/// What a field of provenance holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvenanceKind {
    /// The number of a context.
    Context,
    /// Text.
    Text,
    /// A number.
    Number,
    /// Texts by name.
    Texts,
}

/// What a field of provenance says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProvenanceValue {
    /// A context.
    Context(ContextId),
    /// Text.
    Text(String),
    /// A number.
    Number(u64),
    /// Texts by name.
    Texts(BTreeMap<String, String>),
}

const PARENT_CONTEXT_ID: u64 = 1;
const ROOT_CONTEXT_ID: u64 = 3;
const TRACE_ID: u64 = 10;
const ON_BEHALF_OF: u64 = 20;
const SERVICE_NAME: u64 = 40;
const HOST_NAME: u64 = 45;

/// Every field, in the order of tags.
pub const PROVENANCE_FIELDS: &[ProvenanceField] = &[
    field(PARENT_CONTEXT_ID, "parent_context_id", ProvenanceKind::Context),
    field(2, "spawn_reason", ProvenanceKind::Text),
    field(ROOT_CONTEXT_ID, "root_context_id", ProvenanceKind::Context),
    field(TRACE_ID, "trace_id", ProvenanceKind::Text),
    field(11, "span_id", ProvenanceKind::Text),
    field(12, "correlation_id", ProvenanceKind::Text),
    field(ON_BEHALF_OF, "on_behalf_of", ProvenanceKind::Text),
    field(21, "on_behalf_of_source", ProvenanceKind::Text),
    field(22, "on_behalf_of_email", ProvenanceKind::Text),
    field(30, "writer_method", ProvenanceKind::Text),
    field(31, "writer_subject", ProvenanceKind::Text),
    field(32, "writer_issuer", ProvenanceKind::Text),
    field(SERVICE_NAME, "service_name", ProvenanceKind::Text),
    field(41, "service_version", ProvenanceKind::Text),
    field(42, "service_instance_id", ProvenanceKind::Text),
    field(43, "process_pid", ProvenanceKind::Number),
    field(44, "process_owner", ProvenanceKind::Text),
    field(HOST_NAME, "host_name", ProvenanceKind::Text),
    field(46, "host_arch", ProvenanceKind::Text),
    field(50, "client_address", ProvenanceKind::Text),
    field(51, "client_port", ProvenanceKind::Number),
    field(60, "env", ProvenanceKind::Texts),
    field(70, "sdk_name", ProvenanceKind::Text),
    field(71, "sdk_version", ProvenanceKind::Text),
    field(80, "captured_at", ProvenanceKind::Number),
];

const fn field(tag: u64, name: &'static str, kind: ProvenanceKind) -> ProvenanceField {
    ProvenanceField { tag, name, kind }
}

/// Where a history came from: what its writer said of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    said: BTreeMap<u64, ProvenanceValue>,
}

impl Provenance {
    /// Every field there is, with what was said.
    pub fn fields(&self) -> impl Iterator<Item = (&'static ProvenanceField, Option<&ProvenanceValue>)> {
        PROVENANCE_FIELDS.iter().map(|field| (field, self.said.get(&field.tag)))
    }

    /// The context that spawned this one.
    pub fn parent(&self) -> Option<ContextId> {
        self.context(PARENT_CONTEXT_ID)
    }

    /// The context at the start of everything that was spawned.
    pub fn root(&self) -> Option<ContextId> {
        self.context(ROOT_CONTEXT_ID)
    }

    /// The trace it belongs to.
    pub fn trace_id(&self) -> Option<&str> {
        self.text(TRACE_ID)
    }

    /// The person it was written for.
    pub fn on_behalf_of(&self) -> Option<&str> {
        self.text(ON_BEHALF_OF)
    }

    /// The service that wrote it.
    pub fn service_name(&self) -> Option<&str> {
        self.text(SERVICE_NAME)
    }

    /// The machine on which it was written.
    pub fn host_name(&self) -> Option<&str> {
        self.text(HOST_NAME)
    }

    pub(super) fn say(&mut self, field: &ProvenanceField, value: ProvenanceValue) {
        self.said.insert(field.tag, value);
    }

    pub(super) fn said(&self) -> &BTreeMap<u64, ProvenanceValue> {
        &self.said
    }

    fn context(&self, tag: u64) -> Option<ContextId> {
        match self.said.get(&tag)? {
            ProvenanceValue::Context(id) => Some(*id),
            ProvenanceValue::Text(_) | ProvenanceValue::Number(_) | ProvenanceValue::Texts(_) => None,
        }
    }

    fn text(&self, tag: u64) -> Option<&str> {
        match self.said.get(&tag)? {
            ProvenanceValue::Text(text) => Some(text),
            ProvenanceValue::Context(_) | ProvenanceValue::Number(_) | ProvenanceValue::Texts(_) => None,
        }
    }
}
