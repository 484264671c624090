//! Spaces that are staged, copied, published and deleted.

use std::collections::BTreeMap;

use cairn_access::Scope;
use cairn_base::{SpaceId, TenantId};
use cairn_graph::spaces::{self, CopyPage, DeriveProgress, Row, SpaceState};
use cairn_graph::{GraphError, GraphEvent, View, tables};
use cairn_seam::{KeyRange, Keyspace, Visit};

use crate::kit::{Kit, scope};

const TENANT: TenantId = TenantId::LOCAL;

fn stage(kit: &Kit) -> SpaceId {
    kit.transact(|tx, _| spaces::stage(tx, TENANT)).unwrap()
}

fn publish(kit: &Kit, space: SpaceId, name: &'static str) -> cairn_graph::Result<()> {
    kit.transact(move |tx, _| spaces::publish(tx, TENANT, space, name))
}

fn find(kit: &Kit, name: &str) -> Option<SpaceId> {
    spaces::find(&*kit.snapshot(), TENANT, name).unwrap()
}

fn unfinished(kit: &Kit) -> Vec<(SpaceId, SpaceState)> {
    spaces::unfinished(&*kit.snapshot(), TENANT).unwrap()
}

/// Copies everything in pages, each out of a snapshot of its own, and lets `between` write in between.
fn copy(kit: &Kit, to: Scope, rows_max: usize, mut between: impl FnMut(usize)) -> usize {
    let (mut place, mut pages) = (None, 0);
    loop {
        let snapshot = kit.snapshot();
        let page = CopyPage::read(&*snapshot, &kit.scope, place.as_ref(), rows_max, 1 << 20).unwrap();
        let next = page.next.clone();
        kit.transact(move |tx, _| page.write(tx, &to)).unwrap();
        between(pages);
        pages += 1;
        place = match next {
            Some(next) => Some(next),
            None => return pages,
        };
    }
}

/// Every row of a scope in some keyspaces, without its scope.
fn rows(kit: &Kit, scope: Scope, wanted: impl Fn(Keyspace) -> bool) -> BTreeMap<(u16, Vec<u8>), Vec<u8>> {
    let (snapshot, mut found) = (kit.snapshot(), BTreeMap::new());
    for keyspace in tables::KEYSPACES.iter().copied().filter(|keyspace| wanted(*keyspace)) {
        snapshot
            .multi_scan(keyspace, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
                found.insert((keyspace.id, key[8..].to_vec()), value.to_vec());
                Visit::Continue
            })
            .unwrap();
    }
    found
}

fn copied(kit: &Kit, scope: Scope) -> BTreeMap<(u16, Vec<u8>), Vec<u8>> {
    rows(kit, scope, spaces::is_copied)
}

#[test]
fn a_staged_space_is_nowhere_until_it_is_published_and_its_number_is_never_given_again() {
    let mut kit = Kit::on_disk();
    let staged = stage(&kit);
    assert_eq!(staged, SpaceId(2));
    assert_eq!(unfinished(&kit), [(staged, SpaceState::Staged)]);
    let list = |kit: &Kit| spaces::list(&*kit.snapshot(), TENANT, None, 10).unwrap();
    assert_eq!(list(&kit), [(SpaceId::MEMORY, "memory".to_owned())]);
    assert_eq!(spaces::name_of(&*kit.snapshot(), TENANT, staged).unwrap(), None);
    assert!(!spaces::is_named(&*kit.snapshot(), TENANT, staged).unwrap());
    kit.restart();
    assert_eq!(unfinished(&kit), [(staged, SpaceState::Staged)]);

    assert!(
        matches!(publish(&kit, staged, "memory"), Err(GraphError::SpaceExists(name)) if name == "memory")
    );
    assert!(matches!(publish(&kit, SpaceId(9), "lab"), Err(GraphError::NotStaged(SpaceId(9)))));
    assert!(matches!(publish(&kit, staged, " lab"), Err(GraphError::BadSpaceName { .. })));
    let before = kit.store.position();
    publish(&kit, staged, "lab").unwrap();
    assert_eq!(kit.events_after(before), [GraphEvent::SpacePublished(staged)]);
    assert_eq!((find(&kit, "lab"), list(&kit).len()), (Some(staged), 2));
    assert!(matches!(publish(&kit, staged, "other"), Err(GraphError::NotStaged(_))));

    let before = kit.store.position();
    let deleted = kit.transact(|tx, _| spaces::delete_begin(tx, TENANT, "lab")).unwrap();
    assert_eq!(deleted, Some(staged));
    assert_eq!(kit.events_after(before), [GraphEvent::SpaceDeleted(staged)]);
    assert_eq!((find(&kit, "lab"), list(&kit).len()), (None, 1));
    assert_eq!(unfinished(&kit), [(staged, SpaceState::Dying)]);
    let gone = scope(TENANT, staged);
    assert!(kit.transact(move |tx, _| spaces::delete_page(tx, &gone, 10)).unwrap());
    assert_eq!(unfinished(&kit), []);
    assert_eq!(kit.transact(|tx, _| spaces::create(tx, TENANT, "lab")).unwrap(), SpaceId(3));
    assert_eq!(stage(&kit), SpaceId(4));
    assert_eq!(kit.transact(|tx, _| spaces::delete_begin(tx, TENANT, "nowhere")).unwrap(), None);
    let memory = kit.transact(|tx, _| spaces::delete_begin(tx, TENANT, "memory"));
    assert!(matches!(memory, Err(GraphError::Protected { .. })));
}

#[test]
fn a_copy_in_pages_with_writes_in_between_is_the_space_when_it_is_published() {
    let kit = Kit::new();
    let (person, knows) = (kit.define_type("Person"), kit.define_predicate("knows"));
    let people: Vec<_> = (0..40).map(|at| kit.put(person, &format!("p{at}"), "{}")).collect();
    for pair in people.windows(2) {
        kit.link(pair[0], knows, pair[1]);
    }
    for rows_max in [1, 7, 64, 10_000] {
        let space = stage(&kit);
        let to = scope(TENANT, space);
        let mut before = copied(&kit, kit.scope);
        let mut changed: Vec<Row> = Vec::new();
        copy(&kit, to, rows_max, |page| {
            if page % 5 != 0 {
                return;
            }
            // Some concepts are made, one goes with its links.
            kit.put(person, &format!("new {rows_max} {page}"), "{}");
            if page % 15 == 0 {
                let gone = people[(page / 15 + rows_max) % people.len()];
                kit.write(move |writer| writer.delete_concepts(&[gone])).unwrap();
            }
            let now = copied(&kit, kit.scope);
            let keys = before.keys().chain(now.keys()).filter(|key| before.get(key) != now.get(key));
            let row = |(number, key): &(u16, Vec<u8>)| {
                let keyspace = tables::KEYSPACES.iter().find(|keyspace| keyspace.id == *number).unwrap();
                (*keyspace, [&kit.scope.key()[..], key].concat())
            };
            changed.extend(keys.map(row));
            before = now;
        });
        let from = kit.scope;
        let name = format!("copy {rows_max}");
        kit.transact(move |tx, _| {
            spaces::copy_rows(tx, &from, &to, &changed)?;
            spaces::copy_indexes(tx, &from, &to)?;
            spaces::publish(tx, TENANT, space, &name)
        })
        .unwrap();
        assert_eq!(copied(&kit, to), copied(&kit, kit.scope), "{rows_max}");
        assert!(!copied(&kit, to).is_empty());
    }
}

#[test]
fn nothing_is_copied_into_a_space_that_is_not_staged() {
    let kit = Kit::new();
    let lab = kit.transact(|tx, _| spaces::create(tx, TENANT, "lab")).unwrap();
    let (from, to) = (kit.scope, scope(TENANT, lab));
    let page = CopyPage::read(&*kit.snapshot(), &from, None, 10, 1 << 20).unwrap();
    let written = kit.transact(move |tx, _| page.write(tx, &to));
    assert!(matches!(written, Err(GraphError::NotStaged(space)) if space == lab));
    let copied = kit.transact(move |tx, _| spaces::copy_rows(tx, &from, &to, &[]));
    assert!(matches!(copied, Err(GraphError::NotStaged(_))));
}

#[test]
fn rows_of_a_deleted_or_abandoned_space_go_in_pages_and_nothing_else_does() {
    let kit = Kit::new();
    let kept = rows(&kit, kit.scope, |_| true);
    for is_published in [true, false] {
        let space = stage(&kit);
        let to = scope(TENANT, space);
        copy(&kit, to, 50, |_| {});
        if is_published {
            publish(&kit, space, "lab").unwrap();
            kit.transact(|tx, _| spaces::delete_begin(tx, TENANT, "lab")).unwrap();
        } else {
            kit.transact(move |tx, _| spaces::abandon(tx, TENANT, space)).unwrap();
        }
        let all = rows(&kit, to, |_| true).len();
        let before = kit.store.position();
        let mut pages = 1;
        while !kit.transact(move |tx, _| spaces::delete_page(tx, &to, 10)).unwrap() {
            assert_eq!(rows(&kit, to, |_| true).len(), all.saturating_sub(10 * pages));
            let state = if is_published { SpaceState::Dying } else { SpaceState::Abandoned };
            assert_eq!(unfinished(&kit), [(space, state)]);
            pages += 1;
        }
        assert!(pages > 3);
        let is_gone = |event: &GraphEvent| matches!(event, GraphEvent::ConceptDeleted(of, _) if *of == space);
        let announced = kit.events_after(before).iter().filter(|event| is_gone(event)).count();
        let concepts = kept.keys().filter(|(number, _)| *number == tables::HOMES.id).count();
        assert_eq!(announced, if is_published { concepts } else { 0 });
        assert_eq!((rows(&kit, to, |_| true).len(), unfinished(&kit)), (0, vec![]));
        assert!(kit.transact(move |tx, _| spaces::delete_page(tx, &to, 10)).unwrap());
    }
    assert_eq!(rows(&kit, kit.scope, |_| true), kept);
    let memory = kit.scope;
    assert!(kit.transact(move |tx, _| spaces::delete_page(tx, &memory, 10)).unwrap());
    assert_eq!(rows(&kit, kit.scope, |_| true), kept, "it is not being deleted");
}

#[test]
fn every_concept_of_a_copy_is_announced_once() {
    let kit = Kit::new();
    let space = stage(&kit);
    let to = scope(TENANT, space);
    copy(&kit, to, 1_000, |_| {});
    let page = move |kit: &Kit| kit.transact(move |tx, _| spaces::derive_page(tx, &to, 4)).unwrap();
    assert_eq!(page(&kit), DeriveProgress::Done, "it has no name yet");
    publish(&kit, space, "lab").unwrap();
    let before = kit.store.position();
    while page(&kit) == DeriveProgress::More {
        assert_eq!(unfinished(&kit).len(), 1);
    }
    assert_eq!(unfinished(&kit), []);
    let mut announced = Vec::new();
    for event in kit.events_after(before) {
        let found = spaces::copied_elements(&*kit.snapshot(), &to, event).unwrap();
        assert!(found.concepts.len() <= 4);
        announced.extend(found.concepts);
    }
    let mut all = Vec::new();
    View::new(&*kit.snapshot(), to)
        .all_concepts(None, &mut |id, _| {
            all.push(id);
            Visit::Continue
        })
        .unwrap();
    assert_eq!(announced, all);
}
