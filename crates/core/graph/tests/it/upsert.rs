//! Making and changing concepts and links.

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, GraphError, GraphEvent, LinkId, LinkTarget, Outcome, Part, PredicateId,
    Target, TypeId, known,
};

use crate::kit::{Kit, concept_write, json, link_write};

#[test]
fn keys_merge_shallowly_and_versions_count_changes() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let (id, outcome) =
        kit.upsert(drug, "Aspirin", r#"{"a": {"x": 1}, "b": 1}"#, r#"{"source": "s"}"#).unwrap();
    assert_eq!(outcome, Outcome::Created);
    let made = kit.concept(id).unwrap();
    assert_eq!((made.version, made.created_at_ms, made.updated_at_ms), (1, kit.now_ms(), kit.now_ms()));

    let (same, outcome) =
        kit.upsert(drug, "Aspirin", r#"{"a": {"y": 2}, "c": null}"#, r#"{"author": "me"}"#).unwrap();
    assert_eq!((same, outcome), (id, Outcome::Updated));
    let changed = kit.concept(id).unwrap();
    assert_eq!(json(&changed.attributes), r#"{"a":{"y":2},"b":1,"c":null}"#);
    assert_eq!(json(&changed.metadata), r#"{"author":"me","source":"s"}"#);
    assert_eq!((changed.version, changed.created_at_ms), (2, made.created_at_ms));
    assert_eq!(changed.updated_at_ms, kit.now_ms());

    let shown = changed.shown_metadata();
    assert_eq!(shown["_version"], Value::from(2_u64));
    assert_eq!(shown["_created_at"].as_str().map(str::len), Some("1970-01-01T00:00:01.002Z".len()));
    assert!(shown["_created_at"] < shown["_updated_at"]);
}

#[test]
fn what_changes_nothing_is_not_written_and_not_told() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let treats = kit.define_predicate("treats");
    let aspirin = kit.upsert(drug, "Aspirin", r#"{"a": [1, null], "b": "x"}"#, r#"{"c": 1}"#).unwrap().0;
    let target = LinkTarget::Triple(aspirin.into(), treats, aspirin.into());
    let link = kit.upsert_link(target, r#"{"note": "x"}"#, "{}").unwrap().0;
    let before = kit.store.position();
    let (_, outcome) = kit.upsert(drug, "Aspirin", r#"{"a": [1, null]}"#, r#"{"c": 1}"#).unwrap();
    assert_eq!(outcome, Outcome::Unchanged);
    assert_eq!(kit.upsert(drug, "Aspirin", "{}", "{}").unwrap().1, Outcome::Unchanged);
    assert_eq!(kit.upsert_link(target, r#"{"note": "x"}"#, "{}").unwrap(), (link, Outcome::Unchanged));
    assert_eq!(kit.upsert_link(LinkTarget::Id(link), "{}", "{}").unwrap(), (link, Outcome::Unchanged));
    let is_removed = kit.write(move |writer| {
        writer.remove_keys(Element::Concept(aspirin), Part::Attributes, &["none".into()])
    });
    assert!(!is_removed.unwrap());
    assert_eq!(
        kit.store.position(),
        before,
        "a transaction that changes nothing has no place in the history"
    );
    assert_eq!(kit.concept(aspirin).unwrap().version, 1);
    // One and one point zero are equal, and not written alike.
    assert_eq!(kit.upsert(drug, "Aspirin", "{}", r#"{"c": 1.0}"#).unwrap().1, Outcome::Updated);
    assert_eq!(json(&kit.concept(aspirin).unwrap().metadata), r#"{"c":1.0}"#);
}

#[test]
fn expected_versions_are_those_that_are_there() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let expecting = |version, attributes: &str| {
        let write = ConceptWrite {
            expect_version: Some(version),
            ..concept_write(Target::Named(drug, "Aspirin".into()), attributes, "{}")
        };
        kit.write(move |writer| writer.upsert_concept(write.clone()))
    };
    let mismatch = |result: cairn_graph::Result<_>, expected: u64, found: u64| {
        let error: GraphError = Result::<(ConceptId, TypeId, Outcome), _>::unwrap_err(result);
        let GraphError::VersionMismatch { expected: e, found: f, .. } = error else { panic!("{error}") };
        assert_eq!((e, f), (expected, found));
    };
    mismatch(expecting(1, "{}"), 1, 0);
    let (id, ..) = expecting(0, r#"{"a": 1}"#).unwrap();
    mismatch(expecting(0, r#"{"a": 2}"#), 0, 1);
    mismatch(expecting(2, r#"{"a": 2}"#), 2, 1);
    assert_eq!(expecting(1, r#"{"a": 2}"#).unwrap().2, Outcome::Updated);
    assert_eq!(kit.concept(id).unwrap().version, 2);

    let treats = kit.define_predicate("treats");
    let target = LinkTarget::Triple(id.into(), treats, id.into());
    let link = |version, attributes: &str| {
        let mut write = link_write(target, attributes, "{}");
        write.expect_version = Some(version);
        kit.write(move |writer| writer.upsert_link(write.clone()))
    };
    assert!(matches!(link(1, "{}"), Err(GraphError::VersionMismatch { expected: 1, found: 0, .. })));
    assert_eq!(link(0, "{}").unwrap().1, Outcome::Created);
    assert!(matches!(link(0, "{}"), Err(GraphError::VersionMismatch { expected: 0, found: 1, .. })));
    assert_eq!(link(1, r#"{"a": 1}"#).unwrap().1, Outcome::Updated);
}

#[test]
fn what_is_named_by_its_number_has_to_be_there() {
    let kit = Kit::new();
    let gone = ConceptId(999);
    let by_id = |target: Target| {
        kit.write(move |writer| writer.upsert_concept(concept_write(target.clone(), "{}", "{}")))
    };
    assert!(matches!(by_id(Target::Id(gone)), Err(GraphError::NoConcept(id)) if id == gone));
    assert_eq!(by_id(Target::Id(known::SELF)).unwrap(), (known::SELF, known::PERSON, Outcome::Unchanged));
    assert!(matches!(by_id(Target::Named(TypeId(999), "x".into())), Err(GraphError::NoType(TypeId(999)))));
    // A concept that is no type, and a predicate, are no types either.
    assert!(matches!(by_id(Target::Named(TypeId(known::SELF.0), "x".into())), Err(GraphError::NoType(_))));
    let predicate = known::BELONGS_TO_DOMAIN;
    assert!(matches!(by_id(Target::Named(TypeId(predicate.0), "x".into())), Err(GraphError::NoType(_))));

    let (me, link) = (Element::Concept(known::SELF), Element::Link(LinkId(999)));
    let upsert = |target| kit.upsert_link(target, "{}", "{}");
    assert!(matches!(upsert(LinkTarget::Id(LinkId(999))), Err(GraphError::NoLink(_))));
    assert!(matches!(upsert(LinkTarget::Triple(gone.into(), predicate, me)), Err(GraphError::NoConcept(_))));
    assert!(matches!(upsert(LinkTarget::Triple(me, predicate, gone.into())), Err(GraphError::NoConcept(_))));
    assert!(matches!(upsert(LinkTarget::Triple(me, predicate, link)), Err(GraphError::NoLink(_))));
    assert!(matches!(upsert(LinkTarget::Triple(me, PredicateId(999), me)), Err(GraphError::NoPredicate(_))));
    assert!(matches!(
        upsert(LinkTarget::Triple(me, PredicateId(known::PERSON.0), me)),
        Err(GraphError::NoPredicate(_))
    ));
    let removed = kit.write(move |writer| writer.remove_keys(gone.into(), Part::Metadata, &["a".into()]));
    assert!(matches!(removed, Err(GraphError::NoConcept(_))));
}

#[test]
fn keys_that_begin_with_an_underscore_are_cairns_in_metadata() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let reserved = |result: cairn_graph::Result<(ConceptId, Outcome)>| {
        assert!(matches!(result, Err(GraphError::ReservedKey(_))), "{result:?}");
    };
    reserved(kit.upsert(drug, "Aspirin", "{}", r#"{"_version": 7}"#));
    reserved(kit.upsert(drug, "Aspirin", "{}", r#"{"_mine": 7}"#));
    let id = kit.put(drug, "Aspirin", r#"{"_mine": 7}"#);
    assert_eq!(json(&kit.concept(id).unwrap().attributes), r#"{"_mine":7}"#);
    let removed =
        kit.write(move |writer| writer.remove_keys(id.into(), Part::Metadata, &["_version".into()]));
    assert!(matches!(removed, Err(GraphError::ReservedKey(_))));
    let removed = kit.write(move |writer| writer.remove_keys(id.into(), Part::Attributes, &["_mine".into()]));
    assert!(removed.unwrap());
}

#[test]
fn links_are_told_of_only_while_they_have_text() {
    let kit = Kit::new();
    let treats = kit.define_predicate("treats");
    let (me, space) = (Element::Concept(known::SELF), kit.scope.space());
    let target = LinkTarget::Triple(me, treats, me);
    let check = |attributes: &str, is_told: bool| {
        let before = kit.store.position();
        let (link, _) = kit.upsert_link(target, attributes, "{}").unwrap();
        let expected: &[GraphEvent] = if is_told { &[GraphEvent::LinkChanged(space, link)] } else { &[] };
        assert_eq!(kit.events_after(before), expected, "{attributes}");
        link
    };
    check(r#"{"dose": 1}"#, false);
    check(r#"{"dose": {"unit": [""]}}"#, false);
    check(r#"{"dose": {"unit": ["mg"]}}"#, true);
    let link = check(r#"{"dose": 2}"#, true);
    check(r#"{"dose": 3}"#, false);
    let before = kit.store.position();
    kit.write(move |writer| writer.delete_links(&[link])).unwrap();
    assert_eq!(kit.events_after(before), []);
    let link = check(r#"{"note": "x"}"#, true);
    let before = kit.store.position();
    kit.write(move |writer| writer.delete_links(&[link])).unwrap();
    assert_eq!(kit.events_after(before), [GraphEvent::LinkDeleted(space, link)]);
}

#[test]
fn a_writer_sees_what_it_wrote_and_an_error_leaves_nothing() {
    let kit = Kit::new();
    let before = kit.store.position();
    let failed = kit.write(|writer| {
        let target = Target::Named(known::CONCEPT_TYPE, "Drug".into());
        let (id, ..) = writer.upsert_concept(concept_write(target, "{}", "{}"))?;
        assert_eq!(writer.view().type_id("Drug")?, Some(TypeId(id.0)));
        let target = Target::Named(TypeId(id.0), "Aspirin".into());
        let (aspirin, ..) = writer.upsert_concept(concept_write(target, r#"{"a": 1}"#, "{}"))?;
        assert_eq!(writer.view().concepts_named("Aspirin")?, [(TypeId(id.0), aspirin)]);
        writer.upsert_concept(concept_write(Target::Id(ConceptId(999)), "{}", "{}"))
    });
    assert!(matches!(failed, Err(GraphError::NoConcept(_))));
    assert_eq!(kit.store.position(), before);
    assert_eq!(kit.read(|view| view.type_id("Drug")).unwrap(), None);
}
