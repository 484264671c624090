//! Reading metadata from a payload.
//!
//! A payload is a map from tags to values, and tag 30 holds the metadata. Tags are integers or texts of
//! digits, at every level. What has another type than expected, is not UTF-8, or is longer than allowed
//! is left out, field by field; the last of several values of one tag counts.

use std::collections::BTreeMap;

use cairn_base::{ContextId, MsgpackError, MsgpackReader, Token};

use super::Metadata;
use super::provenance::{PROVENANCE_FIELDS, Provenance, ProvenanceField, ProvenanceKind, ProvenanceValue};
use crate::limits;
use crate::projection::tag_from;

/// The tag of metadata in a payload.
const CONTEXT_METADATA: u64 = 30;

pub(super) const CLIENT_TAG: u64 = 1;
pub(super) const TITLE: u64 = 2;
pub(super) const LABELS: u64 = 3;
pub(super) const CUSTOM: u64 = 4;
pub(super) const PROVENANCE: u64 = 10;

const LEVELS: usize = cairn_base::limits::MSGPACK_LEVELS_MAX;

impl Metadata {
    /// What a payload says; nothing if it is not MessagePack from its start to the end of its map.
    pub fn from_payload(payload: &[u8]) -> Self {
        let mut found = Metadata::default();
        let whole = each(MsgpackReader::new(payload), |tag, value| {
            if tag == CONTEXT_METADATA {
                found = Metadata::from_map(value);
            }
        });
        whole.map_or_else(|_| Metadata::default(), |()| found)
    }

    /// What a map of metadata says.
    pub(super) fn from_map(map: MsgpackReader<'_>) -> Self {
        let mut found = Metadata::default();
        // The map was passed as a whole before, so it does not end too early.
        let _ = each(map, |tag, value| match tag {
            CLIENT_TAG => replace(&mut found.client_tag, text(value)),
            TITLE => replace(&mut found.title, text(value)),
            LABELS => found.labels = labels(value).unwrap_or_default(),
            CUSTOM => found.custom = texts(value).unwrap_or_default(),
            PROVENANCE => found.provenance = provenance(value),
            _ => {}
        });
        found
    }
}

fn provenance(map: MsgpackReader<'_>) -> Option<Provenance> {
    let mut found = Provenance::default();
    let _ = each(map, |tag, value| {
        let field = PROVENANCE_FIELDS.iter().find(|field| field.tag == tag);
        if let Some((field, value)) = field.and_then(|field| Some((field, said(field, value)?))) {
            found.say(field, value);
        }
    });
    (found != Provenance::default()).then_some(found)
}

fn said(field: &ProvenanceField, value: MsgpackReader<'_>) -> Option<ProvenanceValue> {
    match field.kind {
        ProvenanceKind::Text => text(value).map(ProvenanceValue::Text),
        ProvenanceKind::Number => number(value).map(ProvenanceValue::Number),
        // 0 is no context.
        ProvenanceKind::Context => {
            number(value).filter(|id| *id > 0).map(|id| ProvenanceValue::Context(ContextId(id)))
        }
        ProvenanceKind::Texts => {
            let texts = texts(value).ok().filter(|texts| !texts.is_empty());
            texts.map(ProvenanceValue::Texts)
        }
    }
}

/// Calls `take` with each tag of a map and with what stands there.
fn each<'a>(
    mut map: MsgpackReader<'a>,
    mut take: impl FnMut(u64, MsgpackReader<'a>),
) -> Result<(), MsgpackError> {
    let Token::Map(count) = map.token()? else { return Ok(()) };
    for _ in 0..count {
        let key = map.clone();
        map.skip(LEVELS)?;
        let value = map.clone();
        map.skip(LEVELS)?;
        if let Some(tag) = tag(key) {
            take(tag, value);
        }
    }
    Ok(())
}

fn tag(mut key: MsgpackReader<'_>) -> Option<u64> {
    match key.token() {
        Ok(Token::Unsigned(tag)) => Some(tag),
        Ok(Token::Text(digits)) => tag_from(digits),
        Ok(_) | Err(_) => None,
    }
}

fn number(mut value: MsgpackReader<'_>) -> Option<u64> {
    match value.token() {
        Ok(Token::Unsigned(number)) => Some(number),
        Ok(_) | Err(_) => None,
    }
}

/// A text that is not empty and not too long.
fn text(mut value: MsgpackReader<'_>) -> Option<String> {
    match value.token() {
        Ok(Token::Text(bytes)) if (1..=limits::METADATA_TEXT_BYTES_MAX).contains(&bytes.len()) => {
            std::str::from_utf8(bytes).ok().map(str::to_owned)
        }
        Ok(_) | Err(_) => None,
    }
}

/// Labels, each once; those beyond the limit are left out.
fn labels(mut array: MsgpackReader<'_>) -> Result<Vec<String>, MsgpackError> {
    let mut found: Vec<String> = Vec::new();
    let Token::Array(count) = array.token()? else { return Ok(found) };
    for _ in 0..count {
        let label = text(array.clone()).filter(|label| label.len() <= limits::METADATA_LABEL_BYTES_MAX);
        array.skip(LEVELS)?;
        let fresh = label.filter(|label| !found.contains(label));
        if let Some(fresh) = fresh.filter(|_| found.len() < limits::METADATA_LABELS_MAX) {
            found.push(fresh);
        }
    }
    Ok(found)
}

/// Texts by name; those beyond the limits are left out.
fn texts(mut map: MsgpackReader<'_>) -> Result<BTreeMap<String, String>, MsgpackError> {
    let (mut found, mut bytes) = (BTreeMap::new(), 0);
    let Token::Map(count) = map.token()? else { return Ok(found) };
    for _ in 0..count {
        let name = text(map.clone());
        map.skip(LEVELS)?;
        let value = text(map.clone());
        map.skip(LEVELS)?;
        let Some((name, value)) = name.zip(value) else { continue };
        // What every entry takes beside its texts, at the most.
        bytes += name.len() + value.len() + 8;
        if bytes > limits::METADATA_TEXTS_BYTES_MAX {
            break;
        }
        found.insert(name, value);
    }
    Ok(found)
}

fn replace(place: &mut Option<String>, found: Option<String>) {
    if found.is_some() {
        *place = found;
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::MsgpackWriter;
    use proptest::prelude::*;

    use super::*;

    /// A payload whose tags are integers, or texts of digits.
    fn payload(
        as_text: bool,
        body: impl FnOnce(&mut MsgpackWriter, &dyn Fn(&mut MsgpackWriter, u64)),
    ) -> Vec<u8> {
        let tag = move |to: &mut MsgpackWriter, tag: u64| {
            if as_text { to.text(&tag.to_string()) } else { to.unsigned(tag) }
        };
        let mut to = MsgpackWriter::new();
        to.map(2);
        tag(&mut to, 1);
        to.text("system");
        tag(&mut to, 30);
        body(&mut to, &tag);
        to.into_bytes()
    }

    #[test]
    fn every_field_is_read_under_integers_and_under_digits() {
        let both = [false, true].map(|as_text| {
            let bytes = payload(as_text, |to, tag| {
                to.map(5);
                tag(to, 1);
                to.text("agent");
                tag(to, 2);
                to.text("A title");
                tag(to, 3);
                to.array(3);
                ["a", "b", "a"].iter().for_each(|label| to.text(label));
                tag(to, 4);
                to.map(1);
                to.text("7");
                to.text("seven");
                tag(to, 10);
                to.map(PROVENANCE_FIELDS.len());
                for field in PROVENANCE_FIELDS {
                    tag(to, field.tag);
                    match field.kind {
                        ProvenanceKind::Text => to.text(field.name),
                        ProvenanceKind::Number => to.unsigned(field.tag),
                        ProvenanceKind::Context => to.unsigned(u64::MAX - field.tag),
                        ProvenanceKind::Texts => {
                            to.map(1);
                            to.text("HOME");
                            to.text("/");
                        }
                    }
                }
            });
            Metadata::from_payload(&bytes)
        });
        let [integers, digits] = both;
        assert_eq!(integers, digits);
        assert_eq!(
            (integers.client_tag.as_deref(), integers.title.as_deref()),
            (Some("agent"), Some("A title"))
        );
        assert_eq!(integers.labels, ["a", "b"]);
        assert_eq!(integers.custom, BTreeMap::from([("7".to_owned(), "seven".to_owned())]));
        let provenance = integers.provenance.unwrap();
        assert!(provenance.fields().all(|(_, value)| value.is_some()));
        assert_eq!(provenance.parent(), Some(ContextId(u64::MAX - 1)));
        assert_eq!(provenance.root(), Some(ContextId(u64::MAX - 3)));
        assert_eq!(
            [
                provenance.trace_id(),
                provenance.on_behalf_of(),
                provenance.service_name(),
                provenance.host_name()
            ],
            [Some("trace_id"), Some("on_behalf_of"), Some("service_name"), Some("host_name")]
        );
    }

    #[test]
    fn what_has_a_wrong_type_is_left_out_and_the_rest_stays() {
        let bytes = payload(false, |to, tag| {
            to.map(7);
            tag(to, 1);
            to.unsigned(7);
            tag(to, 2);
            to.text("kept");
            tag(to, 2);
            to.nil();
            tag(to, 3);
            to.array(4);
            to.nil();
            to.text("x");
            to.text("");
            to.array(1);
            to.text("inner");
            tag(to, 4);
            to.array(1);
            to.nil();
            to.array(1);
            to.nil();
            to.nil();
            tag(to, 10);
            to.map(4);
            tag(to, 1);
            to.text("5");
            tag(to, 3);
            to.unsigned(0);
            tag(to, 43);
            to.signed(-1);
            tag(to, 40);
            to.text("kept too");
        });
        let found = Metadata::from_payload(&bytes);
        assert_eq!((found.client_tag, found.title.as_deref()), (None, Some("kept")));
        assert_eq!((found.labels, found.custom), (vec!["x".to_owned()], BTreeMap::new()));
        let provenance = found.provenance.unwrap();
        assert_eq!(provenance.fields().filter(|(_, value)| value.is_some()).count(), 1);
        assert_eq!(provenance.service_name(), Some("kept too"));
    }

    #[test]
    fn lengths_and_counts_hold_at_the_limit_and_one_past_it() {
        let title = |bytes: usize| {
            let bytes = payload(false, |to, tag| {
                to.map(1);
                tag(to, 2);
                to.text(&"x".repeat(bytes));
            });
            Metadata::from_payload(&bytes).title.map(|title| title.len())
        };
        assert_eq!(title(limits::METADATA_TEXT_BYTES_MAX), Some(limits::METADATA_TEXT_BYTES_MAX));
        assert_eq!(title(limits::METADATA_TEXT_BYTES_MAX + 1), None);
        let labels = payload(false, |to, tag| {
            to.map(1);
            tag(to, 3);
            to.array(limits::METADATA_LABELS_MAX + 3);
            to.text(&"x".repeat(limits::METADATA_LABEL_BYTES_MAX + 1));
            to.text(&"x".repeat(limits::METADATA_LABEL_BYTES_MAX));
            (0..=limits::METADATA_LABELS_MAX).for_each(|label| to.text(&label.to_string()));
        });
        let labels = Metadata::from_payload(&labels).labels;
        assert_eq!(
            (labels.len(), labels[0].len()),
            (limits::METADATA_LABELS_MAX, limits::METADATA_LABEL_BYTES_MAX)
        );
        let custom = payload(false, |to, tag| {
            to.map(1);
            tag(to, 4);
            to.map(1000);
            for name in 0..1000 {
                to.text(&format!("{name:04}"));
                to.text("0123456789ab");
            }
        });
        assert_eq!(Metadata::from_payload(&custom).custom.len(), limits::METADATA_TEXTS_BYTES_MAX / 24);
    }

    #[test]
    fn payloads_that_are_no_maps_or_not_whole_say_nothing() {
        let good = payload(false, |to, tag| {
            to.map(1);
            tag(to, 1);
            to.text("agent");
        });
        assert!(!Metadata::from_payload(&good).is_empty());
        for cut in 0..good.len() {
            assert!(Metadata::from_payload(&good[..cut]).is_empty(), "{cut}");
        }
        for bytes in [&[][..], &[0xc0], &[0x91, 0x80], &[0x81, 30, 0xc0], &[0xdf, 255, 255, 255, 255]] {
            assert!(Metadata::from_payload(bytes).is_empty(), "{bytes:x?}");
        }
        assert!(Metadata::from_payload(&[[0x81, 30].as_slice(), &[0x91; 100_000]].concat()).is_empty());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(tail: Vec<u8>) {
            let _ = Metadata::from_payload(&tail);
            let _ = Metadata::from_payload(&[&[0x81, 30, 0x84, 3], &tail[..]].concat());
            let _ = Metadata::from_payload(&[&[0x81, 30, 0x81, 10, 0x8f], &tail[..]].concat());
        }
    }
}
