//! Documents out of records: what of a turn and of a context can be found.

use cairn_base::ContextId;
use cairn_search::document::Document;

use crate::registry::Described;
use crate::{Metadata, Turn, projection};

/// Maximum bytes of a payload that are searched. A longer one is found by its beginning.
pub const PAYLOAD_BYTES_MAX: usize = 1 << 20;

/// Begins the tag of turns whose type nobody has described yet. No request can ask for it.
pub const UNDESCRIBED: &str = "\0undescribed\0";

/// Turns, one after the other, that make one window.
const WINDOW_TURNS: u32 = 8;

/// The encoding of payloads that have texts.
const MSGPACK: u32 = 1;

/// A turn as a document. `kind` is the name of its type.
pub fn turn_document(turn: &Turn, kind: &str, is_described: bool, texts: Vec<String>) -> Document {
    let tags = if is_described { Vec::new() } else { vec![undescribed_tag(kind, turn.type_version)] };
    Document {
        id: Document::id_of(turn.id.0),
        group: turn.context.0,
        subgroup: window_of(turn.context, turn.depth),
        texts: texts.into_iter().map(|text| (0, text)).collect(),
        kind: kind.to_owned(),
        tags,
        visible_to: Vec::new(),
        time_ms: turn.created_at_ms,
        language: None,
    }
}

/// Adds the texts of a payload, or of its beginning. What cannot be decoded to its end gives what comes before.
pub fn texts(turn: &Turn, payload: &[u8], described: Option<Described<'_>>, texts: &mut Vec<String>) {
    if turn.encoding == MSGPACK {
        let _ = projection::texts(payload, described, &mut |text| texts.push(text.to_owned()));
    }
}

/// A context as a document, if it says anything about itself.
pub fn context_document(id: ContextId, said: &Metadata, created_at_ms: u64) -> Option<Document> {
    let texts = said.title.iter().map(|title| (0, title.clone()));
    let labels = said.labels.iter().map(|label| (1, label.clone()));
    let about = said.client_tag.iter().chain(said.custom.values()).map(|text| (2, text.clone()));
    let texts: Vec<_> = texts.chain(labels).chain(about).collect();
    (!texts.is_empty()).then(|| Document {
        id: Document::id_of(id.0),
        group: id.0,
        subgroup: 0,
        kind: "context".into(),
        texts,
        tags: said.labels.clone(),
        visible_to: Vec::new(),
        time_ms: created_at_ms,
        language: None,
    })
}

/// The window that a turn of a context belongs to.
fn window_of(context: ContextId, depth: u32) -> u64 {
    (context.0 << 28) | u64::from(depth / WINDOW_TURNS)
}

/// The tag of turns of a version of a type that nobody has described yet.
fn undescribed_tag(kind: &str, version: u32) -> String {
    format!("{UNDESCRIBED}{version}\0{kind}")
}

/// The version and the type that the tag of an undescribed turn names.
pub fn undescribed_type(tag: &str) -> Option<(u32, &str)> {
    let (version, kind) = tag.strip_prefix(UNDESCRIBED)?.split_once('\0')?;
    Some((version.parse().ok()?, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_undescribed_types_lead_back_to_them() {
        for (kind, version) in [("chat.message", 1), ("", 0), ("with\0zero", u32::MAX)] {
            assert_eq!(undescribed_type(&undescribed_tag(kind, version)), Some((version, kind)));
        }
        assert_eq!(undescribed_type("chat.message"), None);
    }

    #[test]
    fn windows_hold_turns_one_after_the_other() {
        let windows: Vec<_> = (0..17).map(|depth| window_of(ContextId(3), depth)).collect();
        assert!(windows[..8].iter().all(|window| *window == windows[0]));
        assert_eq!(windows[8] + 1, windows[16]);
        assert_ne!(window_of(ContextId(4), 0), windows[0]);
    }
}
