//! Events of this memory, out of the change feed.

use cairn_seam::{Event, EventKind};

use crate::tables::{ARTIFACT_DELETED, ARTIFACT_ERASED, ARTIFACT_PUBLISHED};
use crate::{ArtifactError, ArtifactId};

/// One event of this memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactEvent {
    /// An artifact was published or imported.
    Published(ArtifactId),
    /// An artifact was deleted.
    Deleted(ArtifactId),
    /// Everything of an artifact but its id was erased.
    Erased(ArtifactId),
}

impl ArtifactEvent {
    /// Decodes an event; `None` if it is another memory's.
    pub fn decode(event: &Event) -> Result<Option<Self>, ArtifactError> {
        let id = || {
            let bad = |_| ArtifactError::BadRecord {
                what: "event of artifacts",
                detail: "it is not 16 bytes".into(),
            };
            <[u8; 16]>::try_from(&event.body[..]).map(ArtifactId::from_bytes).map_err(bad)
        };
        Ok(match event.kind {
            ARTIFACT_PUBLISHED => Some(ArtifactEvent::Published(id()?)),
            ARTIFACT_DELETED => Some(ArtifactEvent::Deleted(id()?)),
            ARTIFACT_ERASED => Some(ArtifactEvent::Erased(id()?)),
            _ => None,
        })
    }

    /// The artifact.
    pub fn id(self) -> ArtifactId {
        match self {
            ArtifactEvent::Published(id) | ArtifactEvent::Deleted(id) | ArtifactEvent::Erased(id) => id,
        }
    }
}

/// The event of a kind about an artifact.
pub(crate) fn event(kind: EventKind, id: ArtifactId) -> Event {
    Event { kind, body: id.as_bytes().to_vec() }
}
