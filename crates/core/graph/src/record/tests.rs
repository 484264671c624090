//! Records round-trip, single fields are those of the whole, and no bytes panic.

use std::sync::Arc;

use cairn_base::{ManualClock, Number, Position, TenantId, Value};
use cairn_seam::{MemoryStore, Snapshot, Store};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;
use crate::element::has_text;
use crate::{Concept, ConceptId, Edge, Element, Link, LinkId, Map, Part, PredicateId, TypeId, limits};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |float| Number::from_f64(float).map(Value::Number)),
        "[a-c]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |value| {
        prop_oneof![
            vec(value.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-c]{1,2}", value, 0..4).prop_map(Value::from)
        ]
    })
}

fn any_map() -> impl Strategy<Value = Map> {
    btree_map("[a-d]{1,2}", any_value(), 0..5)
}

fn any_end() -> impl Strategy<Value = (Element, Option<TypeId>)> {
    let concept =
        (1..u64::MAX >> 1, 1..u64::MAX).prop_map(|(id, kind)| (ConceptId(id).into(), Some(TypeId(kind))));
    prop_oneof![concept, (1..u64::MAX >> 1).prop_map(|id| (LinkId(id).into(), None))]
}

fn head_of(version: u64, times: [u32; 2], attributes: &Map) -> Head {
    let created_at_ms = u64::from(times[0]);
    let updated_at_ms = created_at_ms + u64::from(times[1]);
    Head { version, created_at_ms, updated_at_ms, has_text: has_text(attributes) }
}

/// A reader that has nothing.
fn nothing() -> Box<dyn Snapshot> {
    MemoryStore::new(Arc::new(ManualClock::new(0))).snapshot(Position::START).unwrap()
}

/// Every path of a value, with what is there; and beside each, one that leads nowhere.
fn paths(map: &Map) -> Vec<(Vec<String>, Option<Value>)> {
    let mut all = vec![(vec!["zz".to_owned()], None), (vec![String::new()], None)];
    for (key, value) in map {
        all.push((vec![key.clone()], Some(value.clone())));
        all.push((vec![key.clone(), "zz".into()], None));
        if let Value::Object(inner) = value {
            all.extend(paths(inner).into_iter().map(|(mut path, value)| {
                path.insert(0, key.clone());
                (path, value)
            }));
        }
    }
    all
}

fn check_fields(view: &RecordView<'_>, part: Part, map: &Map) {
    for (path, expected) in paths(map) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let found = view.value(part, &path).unwrap().map(|value| value.to_json());
        assert_eq!(found, expected.map(|value| value.to_json()), "{path:?}");
    }
}

proptest! {
    #[test]
    fn concepts_round_trip_and_their_fields_are_those_of_the_whole(
        version in 1..u64::MAX, times: [u32; 2], name in "[^\\x00]{1,20}", attributes in any_map(), metadata in any_map()
    ) {
        let head = head_of(version, times, &attributes);
        let body = encode_body(&attributes, &metadata).unwrap();
        let encoded = encode_concept(&head, &name, body.clone()).unwrap();
        prop_assert!(encoded.blob.is_none());
        let parsed = ConceptHead::parse(&encoded.record).unwrap();
        prop_assert_eq!(parsed.body, Body::Here(&body));
        let concept = Concept {
            id: ConceptId(7), kind: TypeId(3), name: name.clone(), attributes, metadata, version,
            created_at_ms: head.created_at_ms, updated_at_ms: head.updated_at_ms,
        };
        prop_assert_eq!(&decode_concept(ConceptId(7), TypeId(3), &parsed, &body).unwrap(), &concept);
        prop_assert_eq!(parsed.head, head);
        prop_assert_eq!(blob_of_concept(&encoded.record).unwrap(), None);

        let reader = nothing();
        let view = RecordView::concept(&encoded.record, Blobs { reader: &*reader, tenant: TenantId::LOCAL }).unwrap();
        prop_assert_eq!(view.name(), Some(name.as_str()));
        prop_assert_eq!((view.version(), view.edge()), (version, None));
        prop_assert_eq!((view.created_at_ms(), view.updated_at_ms()), (head.created_at_ms, head.updated_at_ms));
        prop_assert_eq!(view.has_text(), head.has_text);
        prop_assert_eq!(&view.attributes().unwrap(), &concept.attributes);
        prop_assert_eq!(&view.metadata().unwrap(), &concept.shown_metadata());
        check_fields(&view, Part::Attributes, &concept.attributes);
        check_fields(&view, Part::Metadata, &concept.shown_metadata());

        // A cut is noticed at the latest when the content is read.
        for cut in 0..encoded.record.len() {
            let cut = &encoded.record[..cut];
            let decoded = ConceptHead::parse(cut).and_then(|parsed| match parsed.body {
                Body::Here(body) => decode_concept(ConceptId(7), TypeId(3), &parsed, body),
                Body::Blob(_) => Err(bad(CONCEPT, "no blob was written")),
            });
            prop_assert!(decoded.is_err());
        }
        let longer = [&body[..], &[0xc0]].concat();
        prop_assert!(decode_concept(ConceptId(7), TypeId(3), &parsed, &longer).is_err());
    }

    #[test]
    fn links_round_trip_with_ends_of_both_kinds(
        version in 1..u64::MAX, times: [u32; 2], subject in any_end(), object in any_end(), predicate: u64,
        attributes in any_map(), metadata in any_map()
    ) {
        let ((subject, subject_type), (object, object_type)) = (subject, object);
        let predicate = PredicateId(predicate);
        let edge = Edge { subject, predicate, object, link: LinkId(9), subject_type, object_type };
        let head = head_of(version, times, &attributes);
        let body = encode_body(&attributes, &metadata).unwrap();
        let encoded = encode_link(&head, &edge, body.clone()).unwrap();
        let parsed = LinkHead::parse(LinkId(9), &encoded.record).unwrap();
        let (created_at_ms, updated_at_ms) = (head.created_at_ms, head.updated_at_ms);
        let link = Link { id: LinkId(9), edge, attributes, metadata, version, created_at_ms, updated_at_ms };
        prop_assert_eq!(&decode_link(&parsed, &body).unwrap(), &link);
        let reader = nothing();
        let blobs = Blobs { reader: &*reader, tenant: TenantId::LOCAL };
        let view = RecordView::link(LinkId(9), &encoded.record, blobs).unwrap();
        prop_assert_eq!((view.name(), view.edge()), (None, Some(&edge)));
        check_fields(&view, Part::Attributes, &link.attributes);
    }

    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, path in vec("[a-c]{0,2}", 0..3), flag in 0_u8..4) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let reader = nothing();
        let blobs = Blobs { reader: &*reader, tenant: TenantId::LOCAL };
        let likely = [&[VERSION, flag, 1, 2, 3][..], &bytes].concat();
        for bytes in [&bytes, &likely] {
            for view in [RecordView::concept(bytes, blobs), RecordView::link(LinkId(1), bytes, blobs)].into_iter().flatten() {
                for part in [Part::Attributes, Part::Metadata] {
                    let _ = view.value(part, &path);
                    let _ = view.raw(part, &path);
                }
                let _ = (view.attributes(), view.metadata());
            }
            let _ = (blob_of_concept(bytes), blob_of_link(bytes));
        }
    }
}

#[test]
fn equal_content_has_equal_bytes_and_other_versions_are_refused() {
    let map = |json: &str| {
        let Value::Object(map) = Value::parse_json(json.as_bytes()).unwrap() else { panic!("{json}") };
        map
    };
    let one = encode_body(&map(r#"{"b": [1, 2.5], "a": null}"#), &Map::new()).unwrap();
    let other = encode_body(&map(r#"{"a": null, "b": [1, 2.5]}"#), &Map::new()).unwrap();
    assert_eq!(one, other);
    let head = Head { version: 3, created_at_ms: 1000, updated_at_ms: 1001, has_text: true };
    let mut record = encode_concept(&head, "Aspirin", one).unwrap().record;
    // As docs/format.md draws it.
    let expected = [
        &[1, 2, 3, 0xe8, 7, 1, 7][..],
        b"Aspirin",
        &[17, 0x82, 0xa1, b'a', 0xc0, 0xa1, b'b', 0x92, 1, 0xcb, 0x40, 4, 0, 0, 0, 0, 0, 0, 0x80],
    ]
    .concat();
    assert_eq!(record, expected);
    for (at, byte, part) in [(0, 2, "version"), (1, 4, "makes no sense")] {
        let old = std::mem::replace(&mut record[at], byte);
        let error = ConceptHead::parse(&record).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        record[at] = old;
    }
    assert!(ConceptHead::parse(&[]).is_err());
}

#[test]
fn a_record_spills_when_it_is_longer_than_its_limit_and_content_has_a_limit_of_its_own() {
    let head = Head { version: 1, created_at_ms: 0, updated_at_ms: 0, has_text: true };
    let body_of = |bytes: usize| {
        let attributes = Map::from([("a".to_owned(), Value::from("x".repeat(bytes)))]);
        encode_body(&attributes, &Map::new())
    };
    // Seven bytes stand before the body, and ten of it are no text.
    let longest = limits::ELEMENT_INLINE_BYTES_MAX - 7 - 10;
    let inline = encode_concept(&head, "n", body_of(longest).unwrap()).unwrap();
    assert_eq!((inline.record.len(), inline.blob.is_none()), (limits::ELEMENT_INLINE_BYTES_MAX, true));
    let spilled = encode_concept(&head, "n", body_of(longest + 1).unwrap()).unwrap();
    let blob = spilled.blob.unwrap();
    assert_eq!(blob_of_concept(&spilled.record).unwrap(), Some(blob.hash()));
    assert_eq!((spilled.record.len(), blob.bytes().unwrap()), (7 + 32, &body_of(longest + 1).unwrap()[..]));

    // The head of so long a text takes two bytes more.
    let most = limits::ELEMENT_BYTES_MAX - 12;
    assert_eq!(body_of(most).unwrap().len(), limits::ELEMENT_BYTES_MAX);
    assert!(matches!(body_of(most + 1), Err(GraphError::TooLarge { .. })));
}
