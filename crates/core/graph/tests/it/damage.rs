//! Stored bytes that are not what was written: an error that says so, and never a panic.

use std::ops::Bound;

use cairn_base::ErrorCode;
use cairn_graph::{
    ConceptId, Element, LinkTarget, Lookup, Meta, Part, Result, Statistic, Target, View, Writer, known,
    spaces, tables,
};
use cairn_seam::{KeyRange, Keyspace, Visit, WriteTx};

use crate::index::make;
use crate::kit::{Kit, concept_write, link_write};

/// Everything that reads.
fn read_all(view: &View<'_>) -> Vec<Result<()>> {
    let me = Element::Concept(known::SELF);
    let visit = &mut |_: usize, _: &_| Visit::Continue;
    let mut fields = Ok(());
    let mut results = vec![
        view.is_bootstrapped().map(drop),
        view.schema_generation().map(drop),
        view.type_id("Person").map(drop),
        view.definition_name(1).map(drop),
        view.concepts_named("Person").map(drop),
        view.types_of(&[known::SELF]).map(drop),
        view.all_concepts(None, &mut |_, _| Visit::Continue),
        view.concepts_of_type(known::PERSON, None, &mut |_, record| {
            fields = record.value(Part::Attributes, &["name"]).and(record.metadata()).map(drop);
            Visit::Continue
        }),
        view.definitions(Meta::Types, &mut |_, _| Visit::Continue),
        view.concepts(&[(known::SELF, known::PERSON)], &mut |_, _| {}),
        view.concept_views(&[(known::SELF, known::PERSON)], &mut |_, _| {}),
        view.links(&[cairn_graph::LinkId(1)], &mut |_, _| {}),
        view.link_views(&[cairn_graph::LinkId(1)], &mut |_, _| {}),
        view.edges(&[Lookup::All { after: None }], visit),
        view.edges(&[Lookup::Predicate { predicate: known::BELONGS_TO_DOMAIN, after: None }], visit),
        view.edges(&[Lookup::In { object: known::CORE_SCHEMA.into(), predicate: None }], visit),
        view.edges(
            &[Lookup::Exact {
                subject: known::UNSORTED.into(),
                predicate: known::BELONGS_TO_DOMAIN,
                object: known::CORE_SCHEMA.into(),
            }],
            visit,
        ),
        view.edges(&[Lookup::Out { subject: me, predicate: None }], visit),
        view.count(Statistic::Type(known::PERSON)).map(drop),
        view.statistics(&mut |_, _| Visit::Continue),
        view.nearest(Meta::Types, "Persn").map(drop),
        view.indexes().map(drop),
        view.index_of(known::PERSON, Part::Attributes, &["name"]).map(drop),
    ];
    results.push(fields);
    results
}

/// Everything that writes, each in a transaction of its own.
fn write_all(kit: &Kit) -> Vec<Result<()>> {
    let person = |name: &str| concept_write(Target::Named(known::PERSON, name.into()), r#"{"a": 1}"#, "{}");
    let (known_one, new_one) = (person("$self"), person("new"));
    let me = Element::Concept(known::SELF);
    let domain = LinkTarget::Triple(me, known::BELONGS_TO_DOMAIN, known::UNSORTED.into());
    let run =
        |body: &dyn Fn(&mut Writer<'_>) -> Result<()>, tx: &mut dyn WriteTx, scope: &cairn_access::Scope| {
            let mut writer = Writer::new(tx, *scope, 9);
            body(&mut writer)?;
            writer.finish()
        };
    vec![
        kit.transact(move |tx, scope| {
            run(&|writer| writer.upsert_concept(known_one.clone()).map(drop), tx, scope)
        }),
        kit.transact(move |tx, scope| {
            run(&|writer| writer.upsert_concept(new_one.clone()).map(drop), tx, scope)
        }),
        kit.transact(move |tx, scope| {
            run(&|writer| writer.upsert_link(link_write(domain, r#"{"a": "b"}"#, "{}")).map(drop), tx, scope)
        }),
        kit.transact(move |tx, scope| {
            run(&|writer| writer.remove_keys(me, Part::Metadata, &["source".into()]).map(drop), tx, scope)
        }),
        kit.transact(move |tx, scope| {
            run(&|writer| writer.delete_concepts(&[ConceptId(11)]).map(drop), tx, scope)
        }),
        kit.transact(move |tx, scope| {
            run(&|writer| writer.delete_links(&[cairn_graph::LinkId(9)]).map(drop), tx, scope)
        }),
        kit.transact(move |tx, scope| spaces::create(tx, scope.tenant(), "lab").map(drop)),
    ]
}

fn rows(kit: &Kit, keyspace: Keyspace) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    kit.snapshot()
        .multi_scan(keyspace, &[KeyRange::prefix(&[])], &mut |_, key, value| {
            rows.push((key.to_vec(), value.to_vec()));
            Visit::Continue
        })
        .unwrap();
    rows
}

#[test]
fn damage_in_any_table_is_an_error_and_never_a_panic() {
    // Keyspaces of spaces and of indexes have rows of their own below.
    for keyspace in tables::KEYSPACES.iter().take(9) {
        let mut told = 0;
        for damage in [&[][..], &[0xff], &[1, 0xff, 0xff, 0xff], &[0; 64], &[0xff; 300]] {
            let kit = Kit::new();
            let rows = rows(&kit, *keyspace);
            assert!(!rows.is_empty(), "{}", keyspace.name);
            let (keyspace, damage) = (*keyspace, damage.to_vec());
            kit.transact(move |tx, _| {
                rows.iter().try_for_each(|(key, _)| Ok(tx.put(keyspace, key, &damage)?))
            })
            .unwrap();
            let results = kit.read(|view| read_all(&view)).into_iter().chain(write_all(&kit));
            for error in results.filter_map(Result::err) {
                told += usize::from(error.code() == ErrorCode::Damaged);
            }
        }
        assert!(told > 0, "{}", keyspace.name);
    }
}

#[test]
fn single_bytes_that_changed_do_not_panic() {
    for keyspace in [tables::CONCEPTS, tables::LINKS, tables::SPO, tables::NAMES] {
        let kit = Kit::new();
        let (key, value) = rows(&kit, keyspace).into_iter().max_by_key(|(_, value)| value.len()).unwrap();
        for at in (0..value.len()).step_by((value.len() / 40).max(1)) {
            let (key, mut changed) = (key.clone(), value.clone());
            changed[at] ^= 0x91;
            kit.transact(move |tx, _| Ok(tx.put(keyspace, &key, &changed)?)).unwrap();
            let _ = kit.read(|view| read_all(&view));
            let _ = write_all(&kit);
        }
    }
}

#[test]
fn an_index_that_leads_nowhere_is_damage() {
    let kit = Kit::new();
    let of_self = rows(&kit, tables::CONCEPTS)
        .into_iter()
        .map(|(key, _)| key)
        .find(|key| key.ends_with(&known::SELF.0.to_be_bytes()));
    kit.transact(move |tx, _| Ok(tx.delete(tables::CONCEPTS, of_self.as_deref().unwrap())?)).unwrap();
    for error in [
        kit.upsert(known::PERSON, "$self", r#"{"a": 1}"#, "{}").map(drop).unwrap_err(),
        kit.write(|writer| writer.remove_keys(known::SELF.into(), Part::Metadata, &["a".into()]))
            .map(drop)
            .unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::Damaged, "{error}");
    }
    let link = rows(&kit, tables::LINKS).remove(0).0;
    kit.transact(move |tx, _| Ok(tx.delete(tables::LINKS, &link)?)).unwrap();
    let target = LinkTarget::Triple(
        known::CONCEPT_TYPE.concept().into(),
        known::BELONGS_TO_DOMAIN,
        known::CORE_SCHEMA.into(),
    );
    assert_eq!(kit.upsert_link(target, "{}", "{}").unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn a_hash_is_no_proof_of_a_name() {
    let kit = Kit::new();
    let (drug, other) = (kit.define_type("Drug"), kit.define_type("Other"));
    let aspirin = kit.put(drug, "Aspirin", "{}");
    let names = rows(&kit, tables::NAMES);
    let mut row =
        names.iter().find(|(_, value)| *value == [u8::try_from(aspirin.0).unwrap()]).unwrap().clone();
    // As if `Other` had the hash of `Aspirin`, and `Aspirin` of a concept that is called otherwise.
    let other_row = names.iter().find(|(_, value)| *value == [u8::try_from(other.0).unwrap()]).unwrap();
    row.1.clone_from(&other_row.1);
    kit.transact(move |tx, _| Ok(tx.put(tables::NAMES, &row.0, &row.1)?)).unwrap();
    kit.read(|view| {
        assert_eq!(view.find_concepts(&[(drug, "Aspirin")]).unwrap(), [None]);
        assert_eq!(view.concepts_named("Aspirin").unwrap(), []);
    });
    let collide = |kit: &Kit, from: &str| {
        let key = kit
            .scope
            .key()
            .fixed(blake3::hash(from.as_bytes()).as_bytes().first_chunk::<16>().unwrap())
            .u64(drug.0);
        let value = [u8::try_from(aspirin.0).unwrap()];
        kit.transact(move |tx, _| Ok(tx.put(tables::NAMES, &key, &value)?)).unwrap();
    };
    collide(&kit, "Ibuprofen");
    assert_eq!(kit.read(|view| view.find_concepts(&[(drug, "Ibuprofen")])).unwrap(), [None]);
    assert_eq!(kit.read(|view| view.concepts_named("Ibuprofen")).unwrap(), []);
    let error = kit.upsert(drug, "Ibuprofen", r#"{"a": 1}"#, "{}").unwrap_err();
    assert_eq!(error.code(), ErrorCode::Damaged, "{error}");
    assert_eq!(kit.concept(aspirin).unwrap().version, 1);
}

#[test]
fn damaged_spaces_are_told_of() {
    for damage in [&[][..], &[0xff], &[0xff; 40]] {
        let kit = Kit::new();
        kit.transact(|tx, scope| spaces::create(tx, scope.tenant(), "lab").map(drop)).unwrap();
        let tenant = kit.scope.tenant();
        for keyspace in [tables::SPACES, tables::SPACE_NAMES] {
            for (key, _) in rows(&kit, keyspace) {
                let damage = damage.to_vec();
                kit.transact(move |tx, _| Ok(tx.put(keyspace, &key, &damage)?)).unwrap();
            }
        }
        let snapshot = kit.snapshot();
        assert!(spaces::find(&*snapshot, tenant, "lab").is_err());
        let _ = spaces::list(&*snapshot, tenant, None, 10);
        let _ = spaces::name_of(&*snapshot, tenant, cairn_base::SpaceId(2));
        assert!(kit.transact(|tx, scope| spaces::create(tx, scope.tenant(), "lab")).is_err());
    }
}

#[test]
fn damaged_indexes_are_told_of() {
    for damage in [&[][..], &[0xff], &[1, 0xff, 0xff, 0xff], &[0xff; 300]] {
        let kit = Kit::new();
        let index = make(&kit, known::PERSON, "attributes.name");
        let key = rows(&kit, tables::INDEXES).remove(0).0;
        let damage = damage.to_vec();
        kit.transact(move |tx, _| Ok(tx.put(tables::INDEXES, &key, &damage)?)).unwrap();
        let results = kit.read(|view| read_all(&view)).into_iter().chain(write_all(&kit));
        let told = results.filter_map(Result::err).filter(|error| error.code() == ErrorCode::Damaged).count();
        assert!(told > 4, "{told}: nobody writes beside an index that is not known");
        assert!(cairn_graph::all_indexes(&*kit.snapshot()).is_err());
        // An entry that is too short for a concept.
        let key = kit.scope.key().u64(index.id.0).u32(7);
        kit.transact(move |tx, _| Ok(tx.put(tables::INDEX_ENTRIES, &key, &[])?)).unwrap();
        for descending in [false, true] {
            let (low, high) = (Bound::Unbounded, Bound::Unbounded);
            let walked =
                kit.read(|view| view.indexed(&index, low, high, descending, &mut |_, _| Visit::Continue));
            assert_eq!(walked.unwrap_err().code(), ErrorCode::Damaged);
        }
    }
}
