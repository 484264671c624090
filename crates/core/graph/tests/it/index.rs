//! Ordered indexes: what they hold is what records say, at every moment.

mod cost;
mod model;
mod recompute;
mod walk;

use cairn_graph::{
    ConceptId, GraphError, Index, IndexField, IndexId, IndexInfo, IndexOrigin, IndexState, Part, Result,
    TypeId, build_index_page, create_index, drop_index, drop_index_page, known, limits, tables,
};

use crate::kit::Kit;
use recompute::{check, stored_entries, wrong};

pub(crate) fn field(text: &str) -> IndexField {
    IndexField::parse(text).unwrap()
}

/// Begins an index.
pub(crate) fn begin(kit: &Kit, kind: TypeId, text: &str) -> Result<IndexInfo> {
    let field = field(text);
    kit.transact(move |tx, scope| create_index(tx, scope, kind, &field, IndexOrigin::Asked))
}

/// Covers one more page, and says whether that was the last.
pub(crate) fn build(kit: &Kit, id: IndexId, concepts_max: usize) -> Result<bool> {
    kit.transact(move |tx, scope| Ok(build_index_page(tx, scope, id, concepts_max)?.is_ready))
}

/// Makes an index as a whole.
pub(crate) fn make(kit: &Kit, kind: TypeId, text: &str) -> Index {
    let index = begin(kit, kind, text).unwrap().index;
    while !build(kit, index.id, 3).unwrap() {}
    index
}

pub(crate) fn take_out(kit: &Kit, id: IndexId) -> Result<()> {
    kit.transact(move |tx, scope| drop_index(tx, scope, id))
}

/// Removes one more piece, and says whether nothing is left.
pub(crate) fn clear(kit: &Kit, id: IndexId, entries_max: usize) -> bool {
    kit.transact(move |tx, scope| Ok(drop_index_page(tx, scope, id, entries_max)?.is_gone)).unwrap()
}

pub(crate) fn state(kit: &Kit, id: IndexId) -> Option<IndexState> {
    let all = kit.read(|view| view.indexes()).unwrap();
    all.into_iter().find(|info| info.index.id == id).map(|info| info.state)
}

/// Whether queries see an index of `attributes.dose`.
fn is_seen(kit: &Kit, kind: TypeId) -> bool {
    kit.read(|view| view.index_of(kind, Part::Attributes, &["dose"])).unwrap().is_some()
}

fn drugs(kit: &Kit, kind: TypeId, names: std::ops::Range<u64>) -> Vec<ConceptId> {
    names.map(|name| kit.put(kind, &format!("drug {name}"), &format!(r#"{{"dose": {name}}}"#))).collect()
}

#[test]
fn making_an_index_goes_on_after_a_cut_of_power_at_every_page_and_beside_writers() {
    let mut kit = Kit::on_disk();
    let drug = kit.define_type("Drug");
    let ids = drugs(&kit, drug, 0..10);
    let index = begin(&kit, drug, "attributes.dose").unwrap().index;
    assert_eq!(begin(&kit, drug, "attributes.dose").unwrap().index, index, "it is made once");
    let mut pages = 0;
    loop {
        kit.restart();
        check(&kit);
        assert!(!is_seen(&kit, drug), "half of it answers nobody");
        // One that is covered, one that is not, a new one, and one that goes.
        kit.put(drug, "drug 0", &format!(r#"{{"dose": "changed {pages}"}}"#));
        kit.put(drug, "drug 9", &format!(r#"{{"dose": [{pages}]}}"#));
        if pages < 2 {
            kit.put(drug, &format!("new {pages}"), r#"{"dose": true}"#);
            let gone = [ids[1 + pages], ids[8 - pages]];
            kit.write(move |writer| writer.delete_concepts(&gone)).unwrap();
        }
        check(&kit);
        pages += 1;
        if build(&kit, index.id, 2).unwrap() {
            break;
        }
    }
    assert!(pages >= 4, "{pages}");
    kit.restart();
    check(&kit);
    assert!(is_seen(&kit, drug));
    assert_eq!(stored_entries(&kit).len(), 8);
    assert_eq!(state(&kit, index.id), Some(IndexState::Ready));
    assert!(build(&kit, index.id, 2).unwrap(), "there is nothing more to do");
    assert_eq!(stored_entries(&kit).len(), 8);
}

#[test]
fn a_dropped_index_is_gone_at_once_and_cleared_in_pieces() {
    let mut kit = Kit::on_disk();
    let drug = kit.define_type("Drug");
    drugs(&kit, drug, 0..7);
    let index = make(&kit, drug, "attributes.dose");
    assert!(is_seen(&kit, drug));
    take_out(&kit, index.id).unwrap();
    assert!(!is_seen(&kit, drug));
    assert!(matches!(take_out(&kit, index.id), Err(GraphError::NoIndex(_))));
    assert!(matches!(build(&kit, index.id, 9), Err(GraphError::NoIndex(_))));
    // What it still holds is nobody's business any more.
    kit.put(drug, "drug 1", r#"{"dose": 99}"#);
    assert_eq!(stored_entries(&kit).len(), 7);
    assert!(!clear(&kit, index.id, 3));
    assert_eq!(stored_entries(&kit).len(), 4);
    kit.restart();
    let again = make(&kit, drug, "attributes.dose");
    assert!(again.id > index.id, "numbers are not used again");
    while !clear(&kit, index.id, 3) {}
    assert_eq!(state(&kit, index.id), None);
    assert!(clear(&kit, index.id, 3));
    assert!(!clear(&kit, again.id, 3), "what is in use is not cleared");
    check(&kit);
    assert_eq!(stored_entries(&kit).len(), 7);
}

#[test]
fn an_index_goes_with_its_type() {
    let kit = Kit::new();
    let (drug, other) = (kit.define_type("Drug"), kit.define_type("Other"));
    let mut ids = drugs(&kit, drug, 0..3);
    kit.put(other, "o", r#"{"dose": 1}"#);
    let (index, kept) = (make(&kit, drug, "attributes.dose"), make(&kit, other, "attributes.dose"));
    let half = begin(&kit, drug, "metadata._version").unwrap().index;
    build(&kit, half.id, 2).unwrap();
    ids.push(drug.concept());
    let deleted = kit.write(move |writer| writer.delete_concepts(&ids)).unwrap();
    assert_eq!(deleted.concepts, 4);
    assert_eq!((state(&kit, index.id), state(&kit, half.id)), (None, None));
    assert_eq!(state(&kit, kept.id), Some(IndexState::Ready));
    check(&kit);
    assert_eq!(stored_entries(&kit).len(), 1);
    assert!(matches!(begin(&kit, drug, "attributes.dose"), Err(GraphError::NoType(_))));
}

#[test]
fn indexes_are_limited_and_one_that_is_asked_for_is_no_longer_automatic() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let wanted = field("attributes.key0");
    let info = kit
        .transact(move |tx, scope| create_index(tx, scope, drug, &wanted, IndexOrigin::Automatic))
        .unwrap();
    assert_eq!(info.origin, IndexOrigin::Automatic);
    assert_eq!(begin(&kit, drug, "attributes.key0").unwrap().origin, IndexOrigin::Asked);
    let again = field("attributes.key0");
    let info =
        kit.transact(move |tx, scope| create_index(tx, scope, drug, &again, IndexOrigin::Automatic)).unwrap();
    assert_eq!(info.origin, IndexOrigin::Asked);
    for place in 1..limits::GRAPH_INDEXES_MAX {
        begin(&kit, drug, &format!("attributes.key{place}")).unwrap();
    }
    assert!(matches!(begin(&kit, drug, "attributes.one_more"), Err(GraphError::IndexesFull { .. })));
    begin(&kit, drug, "attributes.key1").unwrap();
    // Those that are being dropped do not count, as long as there are few of them.
    let spare = (limits::GRAPH_INDEXES_HELD_MAX - limits::GRAPH_INDEXES_MAX) as u64;
    for id in 1..=spare {
        take_out(&kit, IndexId(id)).unwrap();
        begin(&kit, drug, &format!("attributes.one_more{id}")).unwrap();
        let full = begin(&kit, drug, "attributes.too_many");
        assert!(matches!(full, Err(GraphError::IndexesFull { .. })), "{id}");
    }
    take_out(&kit, IndexId(spare + 1)).unwrap();
    assert!(matches!(begin(&kit, drug, "attributes.too_many"), Err(GraphError::IndexesDropping { .. })));
    assert!(clear(&kit, IndexId(1), 1));
    begin(&kit, drug, "attributes.too_many").unwrap();
    let nothing = IndexField { part: Part::Attributes, path: Vec::new() };
    let refused =
        kit.transact(move |tx, scope| create_index(tx, scope, known::PERSON, &nothing, IndexOrigin::Asked));
    assert!(matches!(refused, Err(GraphError::BadIndexField { .. })));
}

#[test]
fn a_verification_finds_what_is_missing_and_what_is_too_much() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    drugs(&kit, drug, 0..10);
    let index = make(&kit, drug, "attributes.dose");
    let info = kit.read(|view| view.indexes()).unwrap().remove(0);
    assert_eq!(wrong(&kit, &info), 0);
    let entries: Vec<Vec<u8>> = stored_entries(&kit).into_iter().collect();
    let (gone, last) = (entries[3].clone(), entries[9].clone());
    kit.transact(move |tx, _| Ok(tx.delete(tables::INDEX_ENTRIES, &gone)?)).unwrap();
    assert_eq!(wrong(&kit, &info), 1);
    // Of no concept at all, and of one under another value.
    let strange = kit.scope.key().u64(index.id.0).u8(0xff).u64(1 << 40);
    let moved = [&kit.scope.key().u64(index.id.0).u8(0xff)[..], &last[last.len() - 8..]].concat();
    kit.transact(move |tx, _| {
        tx.put(tables::INDEX_ENTRIES, &strange, &[])?;
        Ok(tx.put(tables::INDEX_ENTRIES, &moved, &[])?)
    })
    .unwrap();
    assert_eq!(wrong(&kit, &info), 3);
    take_out(&kit, index.id).unwrap();
    let info = kit.read(|view| view.indexes()).unwrap().remove(0);
    assert_eq!(wrong(&kit, &info), 0, "nobody asks it any more");
}

#[test]
fn an_entry_of_a_concept_that_is_not_covered_yet_is_too_much() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let ids = drugs(&kit, drug, 0..10);
    let whole = make(&kit, drug, "attributes.dose");
    let last = stored_entries(&kit).into_iter().find(|key| key.ends_with(&ids[9].0.to_be_bytes())).unwrap();
    take_out(&kit, whole.id).unwrap();
    while !clear(&kit, whole.id, 99) {}
    let half = begin(&kit, drug, "attributes.dose").unwrap().index;
    assert!(!build(&kit, half.id, 3).unwrap());
    let info = kit.read(|view| view.indexes()).unwrap().remove(0);
    assert_eq!(wrong(&kit, &info), 0);
    // What it is going to hold, too early.
    let front = kit.scope.key().u64(half.id.0);
    let early = [&front[..], &last[front.len()..]].concat();
    kit.transact(move |tx, _| Ok(tx.put(tables::INDEX_ENTRIES, &early, &[])?)).unwrap();
    assert_eq!(wrong(&kit, &info), 1);
}

#[test]
fn a_page_covers_fewer_of_those_that_are_long() {
    let kit = Kit::new();
    let drug = kit.define_type("Drug");
    let long = format!(r#"{{"dose": 1, "text": "{}"}}"#, "x".repeat(200_000));
    for name in 0..4 {
        kit.put(drug, &format!("long {name}"), &long);
    }
    drugs(&kit, drug, 0..4);
    let id = begin(&kit, drug, "attributes.dose").unwrap().index.id;
    let covered =
        || kit.transact(move |tx, scope| Ok(build_index_page(tx, scope, id, 100)?.covered)).unwrap();
    assert_eq!([covered(), covered()], [2, 2], "each is read as a whole");
    assert_eq!(covered(), 4);
    assert_eq!(state(&kit, id), Some(IndexState::Ready));
    check(&kit);
}
