//! What can be asked about sessions.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_base::{ContextId, TenantId};

use super::SessionId;
use super::registry::{Registry, Session};
use crate::Engine;

/// An open session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its number.
    pub id: SessionId,
    /// What the client calls itself; empty if it did not say.
    pub tag: Arc<str>,
    /// When it connected, in Unix milliseconds.
    pub connected_at_ms: u64,
    /// When it last asked for something, in Unix milliseconds.
    pub active_at_ms: u64,
    /// How many contexts it made or appended to; as far as is remembered.
    pub contexts: usize,
    /// From where it connected.
    pub peer: Option<String>,
}

/// Who works on a live context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveIn {
    /// The session that last did.
    pub session: SessionId,
    /// What its client calls itself; empty if it did not say.
    pub tag: Arc<str>,
    /// From where it connected.
    pub peer: Option<String>,
}

/// Who is connected in one tenant, at the moment of each question.
#[derive(Clone, Copy)]
pub struct Presence<'a> {
    registry: &'a Registry,
    tenant: TenantId,
}

impl Engine {
    /// Who is connected in a tenant, for use cases that hold a permit to know it.
    pub(crate) fn presence_in(&self, tenant: TenantId) -> Presence<'_> {
        Presence { registry: &self.pipeline.shared().sessions, tenant }
    }
}

impl Presence<'_> {
    /// Every open session, in the order in which they came.
    pub fn sessions(&self) -> Vec<SessionInfo> {
        self.registry.sessions(self.tenant).iter().map(|session| info(session)).collect()
    }

    /// Who works on a context, if anybody who is still there does.
    pub fn live(&self, context: ContextId) -> Option<LiveIn> {
        let session = self.registry.live(self.tenant, context)?;
        Some(LiveIn { session: session.id, tag: session.tag(), peer: session.peer.clone() })
    }

    /// Contexts on which a client of this tag works, if nobody else did since.
    pub fn tagged(&self, tag: &str) -> Vec<ContextId> {
        self.registry.tagged(self.tenant, tag)
    }
}

fn info(session: &Session) -> SessionInfo {
    SessionInfo {
        id: session.id,
        tag: session.tag(),
        connected_at_ms: session.connected_at_ms,
        active_at_ms: session.active_at_ms.load(Ordering::Relaxed),
        contexts: session.contexts.load(Ordering::Relaxed),
        peer: session.peer.clone(),
    }
}
