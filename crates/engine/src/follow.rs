//! Following the change feed of a tenant: events of a memory, page by page, resumable at any place.

use cairn_access::Principal;
use cairn_base::Position;
use cairn_seam::{Change, Event, Snapshot};

use crate::{Act, Engine, EngineError, limits};

/// How far somebody has followed: which events have been seen.
///
/// A transaction may emit several events, and a follower may stop between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Everything before this position.
    position: Position,
    /// And that many events of the transaction at it.
    seen: u32,
}

impl Place {
    /// All events of a transaction.
    const WHOLE: u32 = u32::MAX;

    /// Behind everything up to a position.
    pub const fn after(position: Position) -> Self {
        Place { position, seen: Place::WHOLE }
    }

    /// Behind so many events of the transaction at a position, which has more of them.
    pub const fn inside(position: Position, seen: u32) -> Self {
        Place { position, seen }
    }

    /// The position.
    pub const fn position(self) -> Position {
        self.position
    }

    /// What [`inside`](Place::inside) makes it of again.
    pub(crate) const fn parts(self) -> (Position, u32) {
        (self.position, self.seen)
    }

    /// The bound after which the feed has to be read on.
    fn read_after(self) -> Position {
        if self.seen == Place::WHOLE { self.position } else { self.position.just_before() }
    }

    /// How many events of a change have been seen.
    fn seen_of(self, change: &Change) -> usize {
        if change.position == self.position { usize::try_from(self.seen).unwrap_or(usize::MAX) } else { 0 }
    }
}

/// Part of what happened.
pub(crate) struct Followed<T> {
    /// What was found, in the order of commits, with the place behind each.
    pub(crate) found: Vec<(Place, T)>,
    /// Where to read on.
    pub(crate) next: Place,
    /// Whether that was all there is.
    pub(crate) at_end: bool,
}

impl Engine {
    /// Reads events after a place, at most `limit` that `read` takes and [`limits::EVENTS_PAGE_MAX`]. `read` returns
    /// nothing for events of other memories, and for those that are not for the caller.
    pub(crate) fn follow<T>(
        &self,
        principal: &Principal,
        act: &Act,
        after: Place,
        limit: usize,
        mut read: impl FnMut(&dyn Snapshot, &Event) -> Result<Option<T>, EngineError>,
    ) -> Result<Followed<T>, EngineError> {
        let limit = limit.clamp(1, limits::EVENTS_PAGE_MAX);
        let tenant = act.resource().tenant;
        self.pipeline.read(principal, act, after.position, |_, _| {
            let store = self.pipeline.store();
            let page = store.changes(after.read_after(), Some(tenant), limit)?;
            // Taken after the feed was read, so that the records of everything in it are there.
            let snapshot = store.snapshot(page.next)?;
            let mut found = Vec::new();
            for change in &page.changes {
                let whole = u32::try_from(change.events.len()).unwrap_or(u32::MAX);
                for (seen, event) in (1..=whole).zip(&change.events).skip(after.seen_of(change)) {
                    if found.len() == limit {
                        let next = Place::inside(change.position, seen - 1);
                        return Ok(Followed { found, next, at_end: false });
                    }
                    let place = match seen == whole {
                        true => Place::after(change.position),
                        false => Place::inside(change.position, seen),
                    };
                    found.extend(read(&*snapshot, event)?.map(|what| (place, what)));
                }
            }
            Ok(Followed { found, next: Place::after(page.next).max(after), at_end: page.at_end })
        })
    }
}
