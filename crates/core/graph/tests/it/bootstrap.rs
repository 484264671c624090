//! What every space begins with.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::{SpaceId, TenantId, Value};
use cairn_graph::{
    Concept, ConceptId, Deleted, Element, GraphError, Lookup, Meta, Statistic, TypeId, Writer, bootstrap,
    known, restore, tables,
};
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

/// Deletes a concept as versions did that did not protect it.
fn lose(kit: &Kit, ids: &'static [u64]) -> Deleted {
    let deleted = kit.transact(move |tx, scope| {
        let mut writer = Writer::unprotected(tx, *scope, FIRST_MS + 1);
        let ids: Vec<ConceptId> = ids.iter().map(|id| ConceptId(*id)).collect();
        let deleted = writer.delete_concepts(&ids)?;
        writer.finish()?;
        Ok(deleted)
    });
    deleted.unwrap()
}

fn restored(kit: &Kit) -> cairn_graph::Result<bool> {
    kit.transact(|tx, scope| restore(tx, scope, FIRST_MS + 2))
}

const EVENT: u64 = 12;
const SLEEP_TASK: u64 = 13;

#[test]
fn types_that_were_deleted_once_come_back_with_new_numbers() {
    let mut kit = Kit::on_disk();
    let first: BTreeMap<String, Concept> =
        everything(&kit).into_iter().map(|concept| (concept.name.clone(), concept)).collect();
    let count = |kit: &Kit| kit.read(|view| view.count(Statistic::Type(known::CONCEPT_TYPE))).unwrap();
    assert_eq!((count(&kit), restored(&kit).unwrap()), (8, false));
    assert!(!kit.read(|view| view.lacks_required()).unwrap());
    let (last, _) = kit.read(|view| view.last_numbers()).unwrap();
    assert_eq!(lose(&kit, &[EVENT, SLEEP_TASK]), Deleted { concepts: 2, links: 2 });
    kit.restart();
    assert_eq!(
        kit.read(|view| (view.type_id("Event").unwrap(), view.lacks_required().unwrap())),
        (None, true)
    );
    // What a space begins with is not given twice.
    kit.bootstrap();
    assert_eq!(kit.read(|view| view.type_id("Event")).unwrap(), None);

    assert!(restored(&kit).unwrap());
    let position = kit.store.position();
    assert!(!restored(&kit).unwrap(), "twice is once");
    assert_eq!(kit.store.position(), position);
    kit.restart();
    assert!(!kit.read(|view| view.lacks_required()).unwrap());
    for (name, number) in [("Event", last.0 + 1), ("SleepTask", last.0 + 2)] {
        let id = kit.read(|view| view.type_id(name)).unwrap().unwrap().concept();
        assert_eq!(id, ConceptId(number), "a number is never used again");
        let (concept, first) = (kit.concept(id).unwrap(), &first[name]);
        assert_eq!((&concept.attributes, &concept.metadata), (&first.attributes, &first.metadata));
        assert_eq!((concept.version, concept.created_at_ms), (1, FIRST_MS + 2));
        let mut domains = Vec::new();
        let lookup = Lookup::Out { subject: id.into(), predicate: Some(known::BELONGS_TO_DOMAIN) };
        kit.read(|view| {
            view.edges(&[lookup], &mut |_, edge| {
                domains.push(edge.object);
                Visit::Continue
            })
        })
        .unwrap();
        assert_eq!(domains, [Element::Concept(known::CORE_SCHEMA)]);
        let again = kit.write(move |writer| writer.delete_concepts(&[id]));
        assert!(matches!(again, Err(GraphError::Protected { .. })), "{again:?}");
    }
    assert_eq!(count(&kit), 8);
}

#[test]
fn what_somebody_defined_again_is_left_as_it_is() {
    let kit = Kit::new();
    lose(&kit, &[EVENT]);
    let own = kit.put(known::CONCEPT_TYPE, "Event", r#"{"description": "mine"}"#);
    assert!(!restored(&kit).unwrap());
    assert_eq!(kit.concept(own).unwrap().attributes["description"].as_str(), Some("mine"));
}

#[test]
fn the_same_loss_is_restored_to_the_same_bytes() {
    let lost_and_restored = || {
        let kit = Kit::new();
        lose(&kit, &[SLEEP_TASK]);
        restored(&kit).unwrap();
        rows(&kit)
    };
    assert_eq!(lost_and_restored(), lost_and_restored());
}

#[test]
fn concepts_with_numbers_of_their_own_come_back_under_them() {
    let kit = Kit::new();
    let (last, _) = kit.read(|view| view.last_numbers()).unwrap();
    let ids: [u64; 4] = [known::UNSORTED.0, known::ARCHIVED.0, known::SELF.0, known::SYSTEM.0];
    for id in ids {
        assert!(kit.concept(ConceptId(id)).is_some());
    }
    lose(&kit, &[6, 7, 9, 10]);
    assert!(restored(&kit).unwrap());
    for (id, name) in [
        (known::UNSORTED, "Unsorted"),
        (known::ARCHIVED, "Archived"),
        (known::SELF, "$self"),
        (known::SYSTEM, "$system"),
    ] {
        assert_eq!(kit.concept(id).unwrap().name, name);
    }
    assert_eq!(kit.read(|view| view.last_numbers()).unwrap().0, last);
    // In a space that has nothing there is nothing to restore before it begins.
    let fresh = Kit::empty();
    fresh.transact(|tx, scope| bootstrap(tx, scope, FIRST_MS)).unwrap();
    assert!(!restored(&fresh).unwrap());
}
