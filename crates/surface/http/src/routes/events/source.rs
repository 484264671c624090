//! What a stream follows: turns, out of the timeline that all streams of a tenant share, or artifacts.
//!
//! Whether an artifact is told of depends on the caller, so that each of those streams reads history for itself, when
//! the hub has heard of artifacts. A stream of artifacts costs nothing while others append turns.

use std::sync::Arc;

use axum::body::Bytes;
use cairn_access::Principal;
use cairn_base::ContextId;
use cairn_engine::{ArtifactFilter, Engine, EngineError, Place};
use tokio::sync::watch;

use super::hub::Hub;
use super::timeline::{Cursor, Taken};
use super::wire;

/// What a client follows.
#[derive(Debug, Clone)]
pub(crate) enum Follow {
    /// Turns of one context, or of all.
    Turns(Option<ContextId>),
    /// Artifacts that match.
    Artifacts(Arc<ArtifactFilter>),
}

impl Follow {
    /// Artifacts that match a filter.
    pub(crate) fn artifacts(filter: ArtifactFilter) -> Self {
        Follow::Artifacts(Arc::new(filter))
    }

    /// Returns the events after a place as text: at most one page of them, the place to read on from, and whether
    /// that was all.
    pub(super) fn page(
        &self,
        engine: &Engine,
        principal: &Principal,
        after: Place,
    ) -> Result<(Vec<Bytes>, Place, bool), EngineError> {
        match self {
            Follow::Turns(only) => {
                let (items, next, at_end) = wire::page(engine, principal, after, *only)?;
                Ok((items.into_iter().map(|item| item.text).collect(), next, at_end))
            }
            Follow::Artifacts(filter) => wire::artifact_page(engine, principal, after, filter),
        }
    }
}

/// What a stream follows, and how far it is.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) follow: Follow,
    cursor: Cursor,
    /// Changes whenever there may be something to take.
    news: watch::Receiver<()>,
    /// Whether there may be artifacts behind the cursor.
    is_unread: bool,
}

impl Source {
    /// Begins after a place.
    pub(super) fn enter(hub: &Hub, follow: Follow, after: Place) -> Self {
        let news = match &follow {
            Follow::Turns(_) => hub.timeline.news(),
            Follow::Artifacts(_) => hub.artifacts.subscribe(),
        };
        Source { follow, cursor: hub.timeline.enter(after), news, is_unread: true }
    }

    /// Everything up to here was sent, or did not concern the client.
    pub(super) fn place(&self) -> Place {
        self.cursor.place
    }

    /// Takes note of what was read of history.
    pub(super) fn has_read_to(&mut self, place: Place, at_end: bool) {
        self.cursor.place = place;
        self.is_unread = !at_end;
    }

    /// Takes what there is.
    pub(super) fn take(&mut self, hub: &Hub) -> Taken {
        match self.follow {
            Follow::Turns(only) => {
                // Before looking: what comes in between rings again.
                self.news.mark_unchanged();
                hub.timeline.take(&mut self.cursor, only)
            }
            Follow::Artifacts(_) if hub.timeline.has_ended() => Taken::Ended,
            Follow::Artifacts(_) => {
                let is_unread = self.is_unread || self.news.has_changed().unwrap_or(false);
                if !is_unread {
                    return Taken::Nothing;
                }
                self.news.mark_unchanged();
                Taken::Behind
            }
        }
    }

    /// Waits until there may be something to take; `None` if there will not be.
    pub(super) async fn changed(&mut self) -> Option<()> {
        self.news.changed().await.ok()?;
        self.is_unread = true;
        Some(())
    }

    /// Returns whether history has to be read before the place says how far the stream is.
    pub(super) fn reads_before_heartbeat(&mut self) -> bool {
        let reads = matches!(self.follow, Follow::Artifacts(_));
        self.is_unread |= reads;
        reads
    }
}
