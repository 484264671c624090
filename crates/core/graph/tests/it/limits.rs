//! Names, keys and content at their limits and one past them; long records in blobs.

use cairn_base::{ContentHash, Value};
use cairn_graph::{ConceptId, GraphError, LinkTarget, Part, RecordView, Target, known, limits, tables};
use cairn_seam::Visit;

use crate::kit::{Kit, concept_write, json};

fn too_large<T: std::fmt::Debug>(result: cairn_graph::Result<T>) -> bool {
    matches!(result, Err(GraphError::TooLarge { .. }))
}

#[test]
fn names_and_keys_are_limited_at_their_limit() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let longest = "é".repeat(limits::CONCEPT_NAME_BYTES_MAX / 2);
    let id = kit.put(drug, &longest, "{}");
    assert_eq!(kit.concept(id).unwrap().name, longest);
    assert!(too_large(kit.upsert(drug, &format!("{longest}x"), "{}", "{}")));
    assert!(matches!(kit.upsert(drug, "", "{}", "{}"), Err(GraphError::Empty { .. })));
    // Definitions are concepts, and their names end where others do.
    kit.define_type(&format!("T{}", "x".repeat(limits::CONCEPT_NAME_BYTES_MAX - 1)));
    assert!(too_large(kit.upsert(
        known::CONCEPT_TYPE,
        &"T".repeat(limits::CONCEPT_NAME_BYTES_MAX + 1),
        "{}",
        "{}"
    )));

    let with_key = |bytes: usize| format!("{{\"{}\": 1}}", "k".repeat(bytes));
    let max = limits::ELEMENT_KEY_BYTES_MAX;
    kit.upsert(drug, "a", &with_key(max), &with_key(max)).unwrap();
    assert!(too_large(kit.upsert(drug, "a", &with_key(max + 1), "{}")));
    assert!(too_large(kit.upsert(drug, "a", "{}", &with_key(max + 1))));
    assert!(matches!(kit.upsert(drug, "a", &with_key(0), "{}"), Err(GraphError::Empty { .. })));
}

#[test]
fn content_is_limited_and_an_update_may_not_grow_past_it() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes));
    let half = limits::ELEMENT_BYTES_MAX / 2;
    let id = kit.put(drug, "big", &format!("{{\"a\": {}}}", text(half)));
    assert!(too_large(kit.upsert(drug, "big", &format!("{{\"b\": {}}}", text(half)), "{}")));
    // What stands around the two texts: lengths, keys and heads of maps.
    let rest = limits::ELEMENT_BYTES_MAX - half - 19;
    kit.upsert(drug, "big", &format!("{{\"b\": {}}}", text(rest)), "{}").unwrap();
    assert!(too_large(kit.upsert(drug, "big", &format!("{{\"b\": {}}}", text(rest + 1)), "{}")));
    assert_eq!(kit.concept(id).unwrap().attributes["b"].as_str().map(str::len), Some(rest));
    let deep = format!(
        "{{\"a\": {}{}}}",
        "[".repeat(limits::ELEMENT_LEVELS_MAX + 1),
        "]".repeat(limits::ELEMENT_LEVELS_MAX + 1)
    );
    assert!(matches!(kit.upsert(drug, "deep", &deep, "{}"), Err(GraphError::TooDeep { .. })));
    let deep = format!(
        "{{\"a\": {}{}}}",
        "[".repeat(limits::ELEMENT_LEVELS_MAX),
        "]".repeat(limits::ELEMENT_LEVELS_MAX)
    );
    let id = kit.put(drug, "deep", &deep);
    assert_eq!(json(&kit.concept(id).unwrap().attributes).replace(' ', ""), deep.replace(' ', ""));
}

/// The hashes of blobs that the records of a keyspace refer to.
fn blobs(
    kit: &Kit,
    keyspace: cairn_seam::Keyspace,
    of: fn(&[u8]) -> cairn_graph::Result<Option<ContentHash>>,
) -> Vec<ContentHash> {
    let mut found = Vec::new();
    let range = cairn_seam::KeyRange::prefix(&kit.scope.key());
    kit.snapshot()
        .multi_scan(keyspace, &[range], &mut |_, _, record| {
            found.extend(of(record).unwrap());
            Visit::Continue
        })
        .unwrap();
    found
}

#[test]
fn long_records_are_read_like_short_ones() {
    for mut kit in [Kit::new(), Kit::on_disk()] {
        let drug = kit.define_type("Drug");
        let treats = kit.define_predicate("treats");
        let long = "x".repeat(limits::ELEMENT_INLINE_BYTES_MAX);
        let names = ["a", "b", "c", "d", "e"];
        let ids: Vec<ConceptId> = names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let text = if at % 2 == 1 { format!("{long}{name}") } else { (*name).to_owned() };
                kit.put(drug, name, &format!(r#"{{"n": {at}, "text": "{text}"}}"#))
            })
            .collect();
        let targets: Vec<LinkTarget> =
            ids.iter().map(|id| LinkTarget::Triple((*id).into(), treats, ids[0].into())).collect();
        let links: Vec<_> = targets
            .iter()
            .enumerate()
            .map(|(at, target)| {
                let text = if at == 2 { &long } else { "short" };
                kit.upsert_link(*target, &format!(r#"{{"text": "{text}"}}"#), r#"{"n": 1}"#).unwrap().0
            })
            .collect();
        kit.restart();
        assert_eq!(blobs(&kit, tables::CONCEPTS, cairn_graph::blob_of_concept).len(), 2);
        assert_eq!(blobs(&kit, tables::LINKS, cairn_graph::blob_of_link).len(), 1);

        let number = |view: &RecordView<'_>| view.value(Part::Attributes, &["n"]).unwrap().unwrap();
        let numbers: Vec<Value> = (0..5_u64).map(Value::from).collect();
        kit.read(|view| {
            let mut scanned = Vec::new();
            view.concepts_of_type(drug, None, &mut |id, record| {
                scanned.push((id, record.name().unwrap().to_owned(), number(&record)));
                Visit::Continue
            })
            .unwrap();
            let expected: Vec<_> = ids
                .iter()
                .zip(names)
                .zip(&numbers)
                .map(|((id, name), n)| (*id, name.to_owned(), n.clone()))
                .collect();
            assert_eq!(scanned, expected);

            let mut stopped = Vec::new();
            view.concepts_of_type(drug, Some(ids[0]), &mut |id, _| {
                stopped.push(id);
                if stopped.len() < 3 { Visit::Continue } else { Visit::Stop }
            })
            .unwrap();
            assert_eq!(stopped, ids[1..4]);

            let mut wanted: Vec<_> = ids.iter().map(|id| (*id, drug)).collect();
            wanted.insert(2, (ConceptId(999), drug));
            let mut seen = Vec::new();
            view.concept_views(&wanted, &mut |place, record| {
                seen.push((place, record.map(|record| number(&record))))
            })
            .unwrap();
            let mut expected: Vec<_> = numbers.iter().cloned().map(Some).collect();
            expected.insert(2, None);
            assert_eq!(seen, expected.clone().into_iter().enumerate().collect::<Vec<_>>());
            let mut whole = Vec::new();
            view.concepts(&wanted, &mut |place, concept| {
                whole.push((place, concept.map(|concept| concept.attributes["n"].clone())));
            })
            .unwrap();
            assert_eq!(whole, expected.into_iter().enumerate().collect::<Vec<_>>());

            let mut lengths = Vec::new();
            view.links(&links, &mut |_, link| {
                lengths.push(link.unwrap().attributes["text"].as_str().unwrap().len())
            })
            .unwrap();
            assert_eq!(lengths, [5, 5, long.len(), 5, 5]);
            let mut seen = Vec::new();
            view.link_views(&links, &mut |place, record| {
                let record = record.unwrap();
                let text = record.value(Part::Attributes, &["text"]).unwrap().unwrap();
                seen.push((record.edge().unwrap().link, text.as_str().unwrap().len()));
                assert_eq!(place + 1, seen.len());
            })
            .unwrap();
            assert_eq!(seen, links.iter().copied().zip(lengths).collect::<Vec<_>>());
        });

        // Back to a short one, and again the same long one.
        kit.put(drug, "b", r#"{"text": "short"}"#);
        assert_eq!(blobs(&kit, tables::CONCEPTS, cairn_graph::blob_of_concept).len(), 1);
        let before = kit.concept(ids[3]).unwrap();
        kit.put(drug, "d", &format!(r#"{{"text": "{long}d"}}"#));
        assert_eq!(kit.concept(ids[3]).unwrap(), before, "nothing changed");
        let removed = kit.write({
            let id = ids[3];
            move |writer| writer.remove_keys(id.into(), Part::Attributes, &["text".into()])
        });
        assert!(removed.unwrap());
        assert_eq!(json(&kit.concept(ids[3]).unwrap().attributes), r#"{"n":3}"#);
    }
}

#[test]
fn a_long_definition_is_still_a_definition() {
    let kit = Kit::new();
    let long = "x".repeat(limits::ELEMENT_INLINE_BYTES_MAX);
    let attributes = format!(
        r#"{{"description": "{long}", "enforce_schema": true, "instance_schema": {{"a": {{"is_required": true}}}}}}"#
    );
    let (id, _) = kit.upsert(known::CONCEPT_TYPE, "Long", &attributes, "{}").unwrap();
    let kind = kit.read(|view| view.type_id("Long")).unwrap().unwrap();
    assert_eq!((kind.0, kit.read(|view| view.definition_name(id.0)).unwrap()), (id.0, Some("Long".into())));
    assert!(matches!(kit.upsert(kind, "x", "{}", "{}"), Err(GraphError::Constraint { .. })));
    let write = concept_write(Target::Named(kind, "x".into()), r#"{"a": 1}"#, "{}");
    kit.write(move |writer| writer.upsert_concept(write.clone())).unwrap();
}
