//! Everything that can be read, compared with the model.

use std::collections::BTreeMap;

use cairn_graph::{
    Concept, ConceptId, Edge, Element, Link, LinkId, Lookup, Meta, Part, Statistic, TypeId, View, known,
    tables,
};
use cairn_seam::{KeyRange, Visit};

use super::NOWHERE;
use super::plain::Plain;
use crate::kit::Kit;

pub(crate) fn check(kit: &Kit, plain: &Plain) {
    kit.read(|view| {
        concepts(&view, plain);
        links(&view, plain);
        lookups(&view, plain);
        names(&view, plain);
        statistics(&view, plain);
    });
    nothing_is_left_over(kit, plain);
}

fn concepts(view: &View<'_>, plain: &Plain) {
    let mut wanted: Vec<(ConceptId, TypeId)> = Vec::new();
    view.all_concepts(None, &mut |id, kind| {
        wanted.push((id, kind));
        Visit::Continue
    })
    .unwrap();
    let expected: Vec<_> = plain.concepts.values().map(|concept| (concept.id, concept.kind)).collect();
    assert_eq!(wanted, expected);
    wanted.push((ConceptId(NOWHERE), known::PERSON));
    wanted.push((known::SELF, known::DOMAIN));
    let mut found: Vec<Option<Concept>> = Vec::new();
    view.concepts(&wanted, &mut |_, concept| found.push(concept)).unwrap();
    let mut expected: Vec<Option<Concept>> = plain.concepts.values().cloned().map(Some).collect();
    expected.extend([None, None]);
    assert_eq!(found, expected);
    let mut at = 0;
    view.concept_views(&wanted, &mut |place, record| {
        let expected = expected[place].as_ref();
        assert_eq!((place, record.is_some()), (at, expected.is_some()));
        if let (Some(record), Some(concept)) = (record, expected) {
            assert_eq!(record.name(), Some(concept.name.as_str()));
            assert_eq!(record.attributes().unwrap(), concept.attributes);
            assert_eq!(record.metadata().unwrap(), concept.shown_metadata());
            for key in ["a", "b", "c", "d"] {
                assert_eq!(
                    record.value(Part::Attributes, &[key]).unwrap().as_ref(),
                    concept.attributes.get(key)
                );
                assert_eq!(record.value(Part::Metadata, &[key]).unwrap().as_ref(), concept.metadata.get(key));
            }
        }
        at += 1;
    })
    .unwrap();
    for kind in plain.of_kind(known::CONCEPT_TYPE) {
        let mut ids = Vec::new();
        view.concepts_of_type(TypeId(kind.0), None, &mut |id, record| {
            assert_eq!(record.version(), plain.concepts[&id].version);
            ids.push(id);
            Visit::Continue
        })
        .unwrap();
        assert_eq!(ids, plain.of_kind(TypeId(kind.0)));
    }
    assert_eq!(view.schema_generation().unwrap(), plain.schema);
}

fn links(view: &View<'_>, plain: &Plain) {
    let mut wanted: Vec<LinkId> = plain.links.keys().copied().collect();
    wanted.push(LinkId(NOWHERE));
    let mut found: Vec<Option<Link>> = Vec::new();
    view.links(&wanted, &mut |_, link| found.push(link)).unwrap();
    let mut expected: Vec<Option<Link>> = plain.links.values().cloned().map(Some).collect();
    expected.push(None);
    assert_eq!(found, expected);
    view.link_views(&wanted, &mut |place, record| {
        let edge = record.as_ref().and_then(|record| record.edge());
        assert_eq!(edge, expected[place].as_ref().map(|link| &link.edge));
    })
    .unwrap();
}

fn lookups(view: &View<'_>, plain: &Plain) {
    let parts = |edge: &Edge| (edge.subject.to_u64(), edge.predicate.0, edge.object.to_u64());
    let by_object = |edge: &Edge| (edge.object.to_u64(), edge.predicate.0, edge.subject.to_u64());
    let by_predicate = |edge: &Edge| (edge.predicate.0, edge.subject.to_u64(), edge.object.to_u64());
    let mut lookups = vec![Lookup::All { after: None }];
    let mut expected = vec![plain.edges(|_| true, parts)];
    let mut ask = |lookup: Lookup, edges: Vec<Edge>| {
        lookups.push(lookup);
        expected.push(edges);
    };
    // Only some elements have links, and all of those are asked for, with a few that have none.
    let mut elements: Vec<Element> =
        plain.links.values().flat_map(|link| [link.edge.subject, link.edge.object]).collect();
    elements.extend([
        Element::Concept(ConceptId(NOWHERE)),
        Element::Link(LinkId(NOWHERE)),
        known::SYSTEM.into(),
    ]);
    elements.extend(plain.links.keys().take(2).map(|id| Element::Link(*id)));
    elements.sort_unstable();
    elements.dedup();
    let predicates = plain.predicates();
    for end in elements {
        ask(Lookup::Out { subject: end, predicate: None }, plain.edges(|edge| edge.subject == end, parts));
        ask(Lookup::In { object: end, predicate: None }, plain.edges(|edge| edge.object == end, by_object));
        for p in &predicates {
            let out = plain.edges(|edge| edge.subject == end && edge.predicate == *p, parts);
            ask(Lookup::Out { subject: end, predicate: Some(*p) }, out);
            let into = plain.edges(|edge| edge.object == end && edge.predicate == *p, by_object);
            ask(Lookup::In { object: end, predicate: Some(*p) }, into);
        }
    }
    for link in plain.links.values() {
        let Edge { subject, predicate, object, .. } = link.edge;
        ask(Lookup::Exact { subject, predicate, object }, vec![link.edge]);
        let turned =
            plain.edges(|edge| parts(edge) == (object.to_u64(), predicate.0, subject.to_u64()), parts);
        ask(Lookup::Exact { subject: object, predicate, object: subject }, turned);
        let behind = plain.edges(
            |edge| edge.predicate == predicate && by_predicate(edge) > by_predicate(&link.edge),
            by_predicate,
        );
        ask(Lookup::Predicate { predicate, after: Some((subject, object)) }, behind);
        let behind = plain.edges(|edge| parts(edge) > parts(&link.edge), parts);
        ask(Lookup::All { after: Some((subject, predicate, object)) }, behind);
    }
    for predicate in predicates {
        let all = plain.edges(|edge| edge.predicate == predicate, by_predicate);
        ask(Lookup::Predicate { predicate, after: None }, all);
    }
    let mut found: Vec<Vec<Edge>> = vec![Vec::new(); lookups.len()];
    let mut last = 0;
    view.edges(&lookups, &mut |place, edge| {
        assert!(place >= last, "in their order");
        last = place;
        found[place].push(*edge);
        Visit::Continue
    })
    .unwrap();
    for ((lookup, found), expected) in lookups.iter().zip(found).zip(expected) {
        assert_eq!(found, expected, "{lookup:?}");
    }
}

fn names(view: &View<'_>, plain: &Plain) {
    let wanted: Vec<(TypeId, &str)> = plain
        .concepts
        .values()
        .flat_map(|concept| [(concept.kind, concept.name.as_str()), (known::DOMAIN, concept.name.as_str())])
        .collect();
    let by_name: BTreeMap<(TypeId, &str), ConceptId> =
        plain.concepts.values().map(|concept| ((concept.kind, concept.name.as_str()), concept.id)).collect();
    let expected: Vec<Option<ConceptId>> = wanted.iter().map(|name| by_name.get(name).copied()).collect();
    assert_eq!(view.find_concepts(&wanted).unwrap(), expected);
    for name in ["n0", "n1", "n2", "n3", "Type0", "predicate_1", "Person"] {
        let mut expected: Vec<(TypeId, ConceptId)> = plain
            .concepts
            .values()
            .filter(|concept| concept.name == name)
            .map(|concept| (concept.kind, concept.id))
            .collect();
        expected.sort_unstable();
        assert_eq!(view.concepts_named(name).unwrap(), expected, "{name}");
    }
    for meta in [Meta::Types, Meta::Predicates] {
        let mut found = Vec::new();
        view.definitions(meta, &mut |id, name| {
            found.push((ConceptId(id), name.to_owned()));
            Visit::Continue
        })
        .unwrap();
        let ids = plain.of_kind(meta.kind());
        assert_eq!(found, ids.iter().map(|id| (*id, plain.concepts[id].name.clone())).collect::<Vec<_>>());
    }
}

fn statistics(view: &View<'_>, plain: &Plain) {
    let mut found: BTreeMap<Statistic, u64> = BTreeMap::new();
    view.statistics(&mut |statistic, count| {
        assert_eq!(found.insert(statistic, count), None);
        Visit::Continue
    })
    .unwrap();
    assert_eq!(found, plain.statistics());
    for (statistic, count) in found {
        assert_eq!(view.count(statistic).unwrap(), count);
    }
    assert_eq!(view.count(Statistic::Type(TypeId(NOWHERE))).unwrap(), 0);
}

/// Each table has a row for each of what it is about, and no others.
fn nothing_is_left_over(kit: &Kit, plain: &Plain) {
    let (concepts, links, counts) = (plain.concepts.len(), plain.links.len(), plain.statistics().len());
    let expected = [1, concepts, concepts, concepts, links, links, links, links, counts, 0, 0, 0];
    let snapshot = kit.snapshot();
    for (keyspace, expected) in tables::KEYSPACES.iter().zip(expected) {
        let mut rows = 0;
        snapshot
            .multi_scan(*keyspace, &[KeyRange::prefix(&[])], &mut |_, _, _| {
                rows += 1;
                Visit::Continue
            })
            .unwrap();
        assert_eq!(rows, expected, "{}", keyspace.name);
    }
}
