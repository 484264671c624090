//! What happened to turns, for those who follow: events of the change feed with what is to be known of
//! them out of the records.

use std::collections::HashMap;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContentHash, ContextId, TenantId, TurnId};
use cairn_seam::Snapshot;
use cairn_turns::{Context, Metadata, Turn, TurnsError, TurnsEvent, TypeNumber};

use crate::follow::Followed;
use crate::{Act, Engine, EngineError, Place};

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
    /// [`limits::EVENTS_PAGE_MAX`](crate::limits::EVENTS_PAGE_MAX).
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
        let act = Act::new(Action::FeedRead, Resource::tenant(tenant));
        let scope = self.own_scope(tenant)?;
        let mut type_names = HashMap::new();
        let followed = self.follow(principal, &act, after, limit, |snapshot, event| {
            let Some(decoded) = TurnsEvent::decode(event)? else { return Ok(None) };
            Reader { snapshot, scope, type_names: &mut type_names }.read(decoded)
        })?;
        let Followed { found, next, at_end } = followed;
        let events = found.into_iter().map(|(place, what)| TurnEvent { place, what }).collect();
        Ok(TurnEventPage { events, next, at_end })
    }
}

struct Reader<'a> {
    snapshot: &'a dyn Snapshot,
    scope: Scope,
    /// There are few types, and every turn has one.
    type_names: &'a mut HashMap<TypeNumber, String>,
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
