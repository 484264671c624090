//! What happened to turns, for those who follow: events of the change feed with what is to be known of
//! them out of the records.

use std::collections::HashMap;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContentHash, ContextId, Position, TenantId, TurnId};
use cairn_seam::{Change, Snapshot};
use cairn_turns::{Context, Metadata, Turn, TurnsError, TurnsEvent, TypeNumber};

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

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEvent {
    /// Whoever has seen it is here.
    pub place: Place,
    /// What it was.
    pub what: WhatHappened,
}

/// What happened. The records are as they are now; a tree and what is said of a context can have changed
/// since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhatHappened {
    /// A context was made or forked.
    ContextCreated(Context),
    /// A turn was appended.
    TurnAppended {
        /// The turn.
        turn: Turn,
        /// The name of its declared type.
        type_name: String,
    },
    /// A file tree was attached to a turn.
    TreeAttached {
        /// The turn.
        turn: TurnId,
        /// The context it was appended to.
        context: ContextId,
        /// The root of the tree.
        root: ContentHash,
    },
    /// A context got the metadata of its first turn.
    MetadataUpdated {
        /// The context.
        context: ContextId,
        /// What is said there.
        said: Box<Metadata>,
    },
    /// A context was pruned.
    ContextPruned(ContextId),
}

impl WhatHappened {
    /// The context it happened to.
    pub fn context(&self) -> ContextId {
        match self {
            WhatHappened::ContextCreated(context) => context.id,
            WhatHappened::TurnAppended { turn, .. } => turn.context,
            WhatHappened::TreeAttached { context, .. } | WhatHappened::MetadataUpdated { context, .. } => {
                *context
            }
            WhatHappened::ContextPruned(context) => *context,
        }
    }
}

/// Part of what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEventPage {
    /// In the order of commits.
    pub events: Vec<TurnEvent>,
    /// Where to read on.
    pub next: Place,
    /// Whether that was all there is.
    pub at_end: bool,
}

impl Engine {
    /// Whether somebody may hear what happens in their tenant.
    pub fn permit_events(&self, principal: &Principal) -> Result<(), EngineError> {
        let act = Act::new(Action::FeedRead, Resource::tenant(principal.tenant()));
        self.pipeline.permit(principal, &act).map(drop)
    }

    /// What happened to a tenant's turns after a place, at most `limit` events and
    /// [`limits::EVENTS_PAGE_MAX`].
    ///
    /// Fails with [`cairn_seam::StoreError::TooOld`] when those changes are gone, and with
    /// [`cairn_seam::StoreError::PositionAhead`] on a place this store has not come to.
    pub fn turn_events(
        &self,
        principal: &Principal,
        tenant: TenantId,
        after: Place,
        limit: usize,
    ) -> Result<TurnEventPage, EngineError> {
        let limit = limit.clamp(1, limits::EVENTS_PAGE_MAX);
        let act = Act::new(Action::FeedRead, Resource::tenant(tenant));
        self.pipeline.read(principal, &act, after.position, |_, scope| {
            let store = self.pipeline.store();
            let page = store.changes(after.read_after(), Some(tenant), limit)?;
            // Taken after the feed was read, so that the records of everything in it are there.
            let snapshot = store.snapshot(page.next)?;
            let mut reader = Reader { snapshot: &*snapshot, scope: *scope, type_names: HashMap::new() };
            let mut events = Vec::new();
            for change in &page.changes {
                let whole = u32::try_from(change.events.len()).unwrap_or(u32::MAX);
                for (seen, event) in (1..=whole).zip(&change.events).skip(after.seen_of(change)) {
                    if events.len() == limit {
                        let next = Place::inside(change.position, seen - 1);
                        return Ok(TurnEventPage { events, next, at_end: false });
                    }
                    let place = match seen == whole {
                        true => Place::after(change.position),
                        false => Place::inside(change.position, seen),
                    };
                    let Some(decoded) = TurnsEvent::decode(event)? else { continue };
                    events.extend(reader.read(decoded)?.map(|what| TurnEvent { place, what }));
                }
            }
            Ok(TurnEventPage { events, next: Place::after(page.next).max(after), at_end: page.at_end })
        })
    }
}

struct Reader<'a> {
    snapshot: &'a dyn Snapshot,
    scope: Scope,
    /// There are few types, and every turn has one.
    type_names: HashMap<TypeNumber, String>,
}

impl Reader<'_> {
    /// What is known of an event; nothing when its records are gone.
    fn read(&mut self, event: TurnsEvent) -> Result<Option<WhatHappened>, EngineError> {
        let read = match event {
            TurnsEvent::ContextCreated(id) => {
                cairn_turns::head(self.snapshot, &self.scope, id).map(WhatHappened::ContextCreated)
            }
            TurnsEvent::TurnAppended(id) => self.appended(id),
            TurnsEvent::TreeAttached(id) => self.attached(id),
            TurnsEvent::MetadataUpdated(id) => self.metadata(id),
            TurnsEvent::ContextPruned(id) => Ok(WhatHappened::ContextPruned(id)),
        };
        match read {
            Ok(what) => Ok(Some(what)),
            Err(TurnsError::NoContext(_) | TurnsError::NoTurn(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn appended(&mut self, id: TurnId) -> Result<WhatHappened, TurnsError> {
        let turn = cairn_turns::turn(self.snapshot, &self.scope, id)?;
        let type_name = match self.type_names.get(&turn.type_number) {
            Some(known) => known.clone(),
            None => {
                let name = cairn_turns::type_name(self.snapshot, &self.scope, turn.type_number)?;
                self.type_names.insert(turn.type_number, name.clone());
                name
            }
        };
        Ok(WhatHappened::TurnAppended { turn, type_name })
    }

    fn metadata(&self, id: ContextId) -> Result<WhatHappened, TurnsError> {
        cairn_turns::head(self.snapshot, &self.scope, id)?;
        let said = cairn_turns::metadata(self.snapshot, &self.scope, &[id])?.pop().unwrap_or_default();
        Ok(WhatHappened::MetadataUpdated { context: id, said: Box::new(said) })
    }

    fn attached(&self, id: TurnId) -> Result<WhatHappened, TurnsError> {
        let turn = cairn_turns::turn(self.snapshot, &self.scope, id)?;
        let root = cairn_turns::tree_root(self.snapshot, &self.scope, &turn)?;
        let (_, root) = root.ok_or(TurnsError::NoTurn(id))?;
        Ok(WhatHappened::TreeAttached { turn: id, context: turn.context, root })
    }
}
