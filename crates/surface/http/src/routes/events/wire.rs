//! Events as text, ready to be sent.

use axum::body::Bytes;
use cairn_access::Principal;
use cairn_base::{ContextId, to_iso_utc};
use cairn_engine::{
    ArtifactFilter, ArtifactHappened, ArtifactNews, Engine, EngineError, EventIds, Place, Presence,
    SessionEvent, SessionNews, TurnEvent, WhatHappened, limits,
};
use cairn_wire::artifacts::Event as ArtifactEvent;
use cairn_wire::events::{
    ClientConnected, ClientDisconnected, Connected, ContextCreated, ContextPruned, MetadataUpdated, Reset,
    ResetReason, TreeAttached, TurnAppended,
};
use serde::Serialize;

use super::timeline::{About, Item};
use crate::routes::sessions::live;

/// The first event of a stream. Its id is where the stream begins, so that nothing is lost between it and
/// the first thing that happens.
pub(super) fn connected(id: &str) -> Bytes {
    text("connected", Some(id), &Connected {})
}

/// Tells a client to read a snapshot. What comes after the id, if there is one, follows.
pub(super) fn reset(reason: ResetReason, id: Option<&str>) -> Bytes {
    text("reset", id, &Reset { reason })
}

/// Says that a stream is alive, and where it is now.
pub(super) fn heartbeat(id: &str) -> Bytes {
    Bytes::from(format!(":heartbeat\n\nid: {id}\n\n"))
}

/// Somebody came or went.
pub(super) fn session(event: &SessionEvent) -> Item {
    let (session_id, client_tag) = (event.session.to_string(), event.tag.to_string());
    let text = match event.news {
        SessionNews::Connected => text("client_connected", None, &ClientConnected { session_id, client_tag }),
        SessionNews::Disconnected => {
            let contexts = event.contexts.clone();
            let gone = ClientDisconnected { session_id, client_tag, contexts };
            text("client_disconnected", None, &gone)
        }
    };
    Item { place: None, about: About::Session(event.contexts.clone()), text }
}

/// What happened after a place, as text: at most one page of it, of one context or of all.
pub(super) fn page(
    engine: &Engine,
    principal: &Principal,
    after: Place,
    only: Option<ContextId>,
) -> Result<(Vec<Item>, Place, bool), EngineError> {
    let tenant = principal.tenant();
    let page = engine.turn_events(principal, tenant, after, limits::EVENTS_PAGE_MAX)?;
    let presence = engine.presence(principal, tenant)?;
    let wanted = page.events.iter().filter(|event| only.is_none_or(|only| event.what.context() == only));
    let ids = engine.event_ids(principal);
    Ok((wanted.map(|event| item(event, &ids, &presence)).collect(), page.next, page.at_end))
}

fn item(event: &TurnEvent, ids: &EventIds<'_>, presence: &Presence<'_>) -> Item {
    let id = ids.of_event(event.place);
    let id = Some(&*id);
    let context_id = event.what.context();
    let text = match &event.what {
        WhatHappened::ContextCreated(context) => {
            let live = live(presence, context.id);
            text(
                "context_created",
                id,
                &ContextCreated { context_id, live, created_at: context.created_at_ms },
            )
        }
        WhatHappened::TurnAppended { turn, type_name } => {
            let appended = TurnAppended {
                context_id,
                turn_id: turn.id,
                parent_turn_id: turn.parent,
                depth: turn.depth,
                declared_type_id: type_name.clone(),
                declared_type_version: turn.type_version,
                created_at: turn.created_at_ms,
            };
            text("turn_appended", id, &appended)
        }
        WhatHappened::TreeAttached { turn, root, .. } => {
            let (turn_id, fs_root_hash) = (*turn, root.to_string());
            text("tree_attached", id, &TreeAttached { context_id, turn_id, fs_root_hash })
        }
        WhatHappened::MetadataUpdated { said, .. } => {
            let updated = MetadataUpdated {
                context_id,
                has_provenance: said.provenance.is_some(),
                client_tag: said.client_tag.clone(),
                title: said.title.clone(),
                labels: said.labels.clone(),
            };
            text("context_metadata_updated", id, &updated)
        }
        WhatHappened::ContextPruned(_) => text("context_pruned", id, &ContextPruned { context_id }),
    };
    Item { place: Some(event.place), about: About::Context(event.what.context()), text }
}

/// Artifacts that were published or deleted after a place, as text: at most one page of events, out of which those come
/// that the caller may read and the filter admits.
pub(super) fn artifact_page(
    engine: &Engine,
    principal: &Principal,
    after: Place,
    filter: &ArtifactFilter,
) -> Result<(Vec<Bytes>, Place, bool), EngineError> {
    let page =
        engine.artifact_events(principal, principal.tenant(), after, limits::EVENTS_PAGE_MAX, filter)?;
    let ids = engine.event_ids(principal);
    let texts = page.events.into_iter().map(|event| artifact_text(event, &ids)).collect();
    Ok((texts, page.next, page.at_end))
}

fn artifact_text(news: ArtifactNews, ids: &EventIds<'_>) -> Bytes {
    let ArtifactNews { place, what, artifact, payload } = news;
    let name = match what {
        ArtifactHappened::Published => "artifact_published",
        ArtifactHappened::Deleted => "artifact_deleted",
    };
    let event = ArtifactEvent {
        id: artifact.id.to_string(),
        title: payload.title,
        user_id: payload.user_id,
        tenant_id: payload.tenant_id,
        team: payload.team,
        tags: payload.tags,
        format: payload.format,
        created_at: payload.timestamp,
        deleted_at: artifact.deleted_at_ms.map(to_iso_utc),
    };
    text(name, Some(&ids.of_event(place)), &event)
}

/// One event. JSON has no line breaks outside of its strings, and none inside: it stays on one line.
fn text(name: &str, id: Option<&str>, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).expect("an event is plain data");
    Bytes::from(match id {
        Some(id) => format!("event: {name}\nid: {id}\ndata: {data}\n\n"),
        None => format!("event: {name}\ndata: {data}\n\n"),
    })
}
