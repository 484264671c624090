//! Who is connected, and what they work on.
//!
//! A session is one connection of a client that stays. It is known for as long as its
//! [`SessionHandle`] is held, and forgotten with it, however the connection ends. A context is live while
//! any open session has made it or appended to it. Nothing of this is stored: after a restart nobody is
//! connected.

mod handle;
mod presence;
mod registry;

use std::fmt;
use std::sync::Arc;

use cairn_base::{ContextId, TenantId};

pub use handle::SessionHandle;
pub use presence::{LiveIn, Presence, SessionInfo};
pub(crate) use registry::Registry;

/// A session of a tenant. Each tenant's numbers start at 1 whenever the node is opened: nobody learns from
/// one how many clients others have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A client said hello, or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEvent {
    /// Whose client.
    pub tenant: TenantId,
    /// Its session.
    pub session: SessionId,
    /// What it calls itself; may be empty.
    pub tag: Arc<str>,
    /// What it worked on until now, by number; as far as is remembered.
    pub contexts: Vec<ContextId>,
    /// Which of the two.
    pub news: SessionNews,
}

/// What became of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionNews {
    /// It said hello.
    Connected,
    /// It ended, in whatever way.
    Disconnected,
}
