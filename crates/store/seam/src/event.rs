//! Typed events that closures emit, and pages of them.

use cairn_base::{Position, TenantId};

/// What kind of thing happened; numbered like keyspaces, once and for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventKind(pub u16);

/// One thing that happened inside a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What kind of thing.
    pub kind: EventKind,
    /// Its description, in the format its kind defines.
    pub body: Vec<u8>,
}

/// The events of one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where in the history; reading on `after` this position never repeats nor skips.
    pub position: Position,
    /// Whose.
    pub tenant: TenantId,
    /// What happened, in the order emitted; never empty.
    pub events: Vec<Event>,
}

/// Part of the change feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePage {
    /// Whole transactions in commit order.
    pub changes: Vec<Change>,
    /// Where to read on: everything up to here has been seen, also what emitted no events.
    pub next: Position,
    /// Whether the feed was read to its end.
    pub at_end: bool,
}
