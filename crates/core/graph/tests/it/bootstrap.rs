//! What every space begins with.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::{SpaceId, TenantId, Value};
use cairn_graph::{Concept, Element, Lookup, Meta, TypeId, known, tables};
use cairn_seam::{KeyRange, Visit};

use crate::kit::{FIRST_MS, Kit, json, scope};

/// Every row of every keyspace.
fn rows(kit: &Kit) -> Vec<(u16, Vec<u8>, Vec<u8>)> {
    let snapshot = kit.snapshot();
    let mut rows = Vec::new();
    for keyspace in tables::KEYSPACES {
        snapshot
            .multi_scan(*keyspace, &[KeyRange::prefix(&[])], &mut |_, key, value| {
                rows.push((keyspace.id, key.to_vec(), value.to_vec()));
                Visit::Continue
            })
            .unwrap();
    }
    rows
}

fn everything(kit: &Kit) -> Vec<Concept> {
    kit.read(|view| {
        let mut wanted = Vec::new();
        view.all_concepts(None, &mut |id, kind| {
            wanted.push((id, kind));
            Visit::Continue
        })
        .unwrap();
        let mut concepts = Vec::new();
        view.concepts(&wanted, &mut |_, concept| concepts.extend(concept)).unwrap();
        concepts
    })
}

#[test]
fn a_space_begins_once_and_always_alike() {
    let kit = Kit::empty();
    assert!(!kit.read(|view| view.is_bootstrapped()).unwrap());
    assert_eq!((rows(&kit), kit.read(|view| view.schema_generation()).unwrap()), (vec![], 0));
    kit.bootstrap();
    assert!(kit.read(|view| view.is_bootstrapped()).unwrap());
    let (first, position) = (rows(&kit), kit.store.position());
    kit.bootstrap();
    assert_eq!((rows(&kit), kit.store.position()), (first.clone(), position), "twice is once");
    assert_eq!(rows(&Kit::new()), first, "the same time gives the same bytes");
    assert_eq!(rows(&Kit::on_disk()), first);
    // What was changed since stays.
    kit.upsert(known::PERSON, "$self", r#"{"name": "Ada"}"#, "{}").unwrap();
    kit.bootstrap();
    assert_eq!(kit.concept(known::SELF).unwrap().attributes["name"].as_str(), Some("Ada"));
}

#[test]
fn numbers_that_are_known_belong_to_what_they_are_called_after() {
    let kit = Kit::new();
    for (id, kind, name) in [
        (known::CONCEPT_TYPE.concept(), known::CONCEPT_TYPE, "$ConceptType"),
        (known::PROPOSITION_TYPE.concept(), known::CONCEPT_TYPE, "$PropositionType"),
        (known::DOMAIN.concept(), known::CONCEPT_TYPE, "Domain"),
        (known::BELONGS_TO_DOMAIN.concept(), known::PROPOSITION_TYPE, "belongs_to_domain"),
        (known::CORE_SCHEMA, known::DOMAIN, "CoreSchema"),
        (known::UNSORTED, known::DOMAIN, "Unsorted"),
        (known::ARCHIVED, known::DOMAIN, "Archived"),
        (known::PERSON.concept(), known::CONCEPT_TYPE, "Person"),
        (known::SELF, known::PERSON, "$self"),
        (known::SYSTEM, known::PERSON, "$system"),
    ] {
        let concept = kit.concept(id).unwrap();
        assert_eq!((concept.kind, concept.name.as_str()), (kind, name));
    }
}

#[test]
fn definitions_say_what_they_mean_and_where_they_come_from() {
    let kit = Kit::new();
    let concepts = everything(&kit);
    let named = |meta: Meta| -> BTreeSet<String> {
        concepts
            .iter()
            .filter(|concept| concept.kind == meta.kind())
            .map(|concept| concept.name.clone())
            .collect()
    };
    let types = [
        "$ConceptType",
        "$PropositionType",
        "Domain",
        "Event",
        "Insight",
        "Person",
        "Preference",
        "SleepTask",
    ];
    assert_eq!(named(Meta::Types), types.map(str::to_owned).into());
    let predicates = [
        "assigned_to",
        "belongs_to_domain",
        "consolidated_to",
        "derived_from",
        "involves",
        "learned",
        "mentions",
        "prefers",
    ];
    assert_eq!(named(Meta::Predicates), predicates.map(str::to_owned).into());

    for concept in &concepts {
        assert_eq!(
            json(&concept.metadata),
            r#"{"author":"$system","confidence":1.0,"source":"SystemBootstrap","status":"active"}"#
        );
        assert_eq!((concept.version, concept.created_at_ms), (1, FIRST_MS));
        let text = |key: &str| concept.attributes.get(key).and_then(Value::as_str).map(str::len);
        if concept.kind == known::PERSON {
            let directives = concept.attributes["core_directives"].as_array().unwrap();
            assert_eq!(directives.len(), if concept.id == known::SELF { 7 } else { 6 });
            assert!(text("persona") > Some(40) && text("person_class").is_some());
        } else {
            assert!(text("description") > Some(20), "{}", concept.name);
        }
        // Each says what its own type asks for.
        let kind = &concepts.iter().find(|kind| kind.id == concept.kind.concept()).unwrap().attributes;
        for (key, rule) in kind["instance_schema"].as_object().unwrap() {
            if rule.get("is_required").and_then(Value::as_bool) == Some(true) {
                assert!(concept.attributes.contains_key(key), "{} has no {key}", concept.name);
            }
            assert!(
                rule.get("description").and_then(Value::as_str).is_some_and(|text| text.len() > 8),
                "{key}"
            );
        }
        let names: BTreeMap<&str, TypeId> =
            concepts.iter().map(|concept| (concept.name.as_str(), TypeId(concept.id.0))).collect();
        for key in ["subject_types", "object_types", "key_instances"] {
            for name in concept.attributes.get(key).and_then(Value::as_array).unwrap_or_default() {
                let name = name.as_str().unwrap();
                assert!(name == "*" || names.contains_key(name), "{name}");
            }
        }
    }
}

#[test]
fn the_schemas_of_the_bootstrap_can_be_enforced() {
    let kit = Kit::new();
    for concept in everything(&kit) {
        if Meta::of_kind(concept.kind).is_some() && concept.id.0 > known::PERSON.0 {
            kit.upsert(concept.kind, &concept.name, r#"{"enforce_schema": true}"#, "{}").unwrap();
        }
    }
    let task = kit.read(|view| view.type_id("SleepTask")).unwrap().unwrap();
    assert!(
        kit.upsert(
            task,
            "t",
            r#"{"target_type": "A", "target_name": "b", "requested_action": "eat", "reason": "r"}"#,
            "{}"
        )
        .is_err()
    );
    kit.upsert(
        task,
        "t",
        r#"{"target_type": "A", "target_name": "b", "requested_action": "review", "reason": "r"}"#,
        "{}",
    )
    .unwrap();
}

#[test]
fn definitions_and_core_domains_are_members_of_the_core_schema() {
    let kit = Kit::new();
    let mut members = BTreeSet::new();
    let object = Element::Concept(known::CORE_SCHEMA);
    kit.read(|view| {
        view.edges(&[Lookup::All { after: None }], &mut |_, edge| {
            assert_eq!((edge.predicate, edge.object), (known::BELONGS_TO_DOMAIN, object));
            members.insert(edge.subject);
            Visit::Continue
        })
    })
    .unwrap();
    let expected = everything(&kit).into_iter().filter(|concept| {
        Meta::of_kind(concept.kind).is_some() || [known::UNSORTED, known::ARCHIVED].contains(&concept.id)
    });
    assert_eq!(members, expected.map(|concept| Element::Concept(concept.id)).collect());
}

#[test]
fn every_space_of_every_tenant_has_its_own() {
    let mut kit = Kit::new();
    for (tenant, space) in [(TenantId::LOCAL, SpaceId(2)), (TenantId(7), SpaceId::MEMORY)] {
        kit.scope = scope(tenant, space);
        assert!(!kit.read(|view| view.is_bootstrapped()).unwrap());
        assert_eq!(kit.read(|view| view.type_id("Person")).unwrap(), None);
        kit.bootstrap();
        assert_eq!(kit.read(|view| view.type_id("Person")).unwrap(), Some(known::PERSON));
    }
}
