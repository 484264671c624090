//! What happened, out of the change feed.

use cairn_base::{ContextId, TurnId, take_varint};
use cairn_seam::Event;

use crate::error::TurnsError;
use crate::tables::{CONTEXT_CREATED, CONTEXT_PRUNED, METADATA_UPDATED, TREE_ATTACHED, TURN_APPENDED};

/// One thing that happened in this memory; what more is to be known of it is in the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnsEvent {
    /// A context was made or forked.
    ContextCreated(ContextId),
    /// A turn was appended.
    TurnAppended(TurnId),
    /// A file tree was attached to a turn that was there already.
    TreeAttached(TurnId),
    /// A context got the metadata of its first turn.
    MetadataUpdated(ContextId),
    /// A context was pruned.
    ContextPruned(ContextId),
}

impl TurnsEvent {
    /// What an event says; `None` when it is another memory's.
    pub fn decode(event: &Event) -> Result<Option<Self>, TurnsError> {
        let number = || {
            let mut body = &event.body[..];
            take_varint(&mut body).filter(|_| body.is_empty()).ok_or_else(|| TurnsError::BadRecord {
                what: "event of turns",
                detail: "its body is not one number".into(),
            })
        };
        Ok(match event.kind {
            CONTEXT_CREATED => Some(TurnsEvent::ContextCreated(ContextId(number()?))),
            TURN_APPENDED => Some(TurnsEvent::TurnAppended(TurnId(number()?))),
            TREE_ATTACHED => Some(TurnsEvent::TreeAttached(TurnId(number()?))),
            METADATA_UPDATED => Some(TurnsEvent::MetadataUpdated(ContextId(number()?))),
            CONTEXT_PRUNED => Some(TurnsEvent::ContextPruned(ContextId(number()?))),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use cairn_seam::EventKind;

    use super::*;

    #[test]
    fn an_event_is_one_number_and_nothing_behind_it() {
        let decode = |kind: EventKind, body: &[u8]| TurnsEvent::decode(&Event { kind, body: body.to_vec() });
        let appended = TurnsEvent::TurnAppended(TurnId(300));
        assert_eq!(decode(TURN_APPENDED, &[0xac, 2]).expect("it decodes"), Some(appended));
        assert_eq!(decode(EventKind(1), b"anything").expect("not ours"), None);
        for bad in [&b""[..], &[0xac], &[0xac, 2, 0]] {
            assert!(decode(TREE_ATTACHED, bad).is_err(), "{bad:?}");
        }
    }
}
