//! Spaces that are copied and deleted as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_access::{Action, Resource};
use cairn_base::{ErrorCode, Position, SpaceId, TenantId, Value};
use cairn_engine::{Act, Engine, EngineError, KipImportOptions, SearchHome, SleepQuestion};
use cairn_graph::spaces::{self, SpaceState};
use cairn_graph::{GraphError, tables};
use cairn_seam::{FaultPlan, FaultyStore, KeyRange, MemoryStore, SeamFault, Store, StoreError, Visit};

use super::kit::{DRUGS, Kip, code, send};
use crate::search::until;
use crate::support::{NOW_MS, open};

const TENANT: TenantId = TenantId::LOCAL;
const FIND: &str = r#"FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name ASC"#;

fn in_space(space: &str, text: &str, more: &str) -> String {
    let text = Value::String(text.to_owned()).to_json();
    format!(r#"{{"command":{text},"space":{space:?}{more}}}"#)
}

fn copy(kip: &Kip, from: &str, to: &str) -> Result<SpaceId, EngineError> {
    kip.engine().copy_space(&kip.world.owner, TENANT, from, to, &mut |_| true)
}

fn delete(kip: &Kip, name: &str) -> Result<(), EngineError> {
    kip.engine().delete_space(&kip.world.owner, TENANT, name)
}

fn drug(number: usize) -> String {
    format!(
        r#"UPSERT {{ CONCEPT {{ {{type: "Drug", name: "Drug {number}"}} SET ATTRIBUTES {{ risk: {number} }}
            SET PROPOSITIONS {{ ("treats", {{type: "Symptom", name: "Fever"}}) }} }} }}"#
    )
}

fn unfinished(store: &dyn Store) -> Vec<(SpaceId, SpaceState)> {
    spaces::unfinished(&*store.snapshot(Position::START).unwrap(), TENANT).unwrap()
}

/// Upkeep until every space is finished.
fn tidy(engine: &Engine, store: &dyn Store) {
    for _ in 0..1_000 {
        engine.upkeep_once().unwrap();
        if unfinished(store).is_empty() {
            return;
        }
    }
    panic!("{:?}", unfinished(store));
}

/// Rows of one space: keyspace and key without its scope, and value.
type Rows = BTreeMap<(u16, Vec<u8>), Vec<u8>>;

/// Every row of every space, by its number.
fn rows(store: &dyn Store) -> BTreeMap<u32, Rows> {
    let (snapshot, mut found) = (store.snapshot(Position::START).unwrap(), BTreeMap::new());
    let prefix = TENANT.0.to_be_bytes();
    for keyspace in tables::KEYSPACES.iter().filter(|keyspace| spaces::is_copied(**keyspace)) {
        snapshot
            .multi_scan(*keyspace, &[KeyRange::prefix(&prefix)], &mut |_, key, value| {
                let space = u32::from_be_bytes(*key[4..].first_chunk().unwrap());
                let rows: &mut BTreeMap<_, _> = found.entry(space).or_default();
                rows.insert((keyspace.id, key[8..].to_vec()), value.to_vec());
                Visit::Continue
            })
            .unwrap();
    }
    found
}

#[test]
fn a_copy_is_the_space_at_the_moment_of_its_commit_and_goes_its_own_way_afterwards() {
    let kip = Kip::new();
    let (mut calls, mut finds) = (0, Vec::new());
    let mut on_stage = |_: cairn_seam::Stage<'_>| {
        // Others write while it is copied, and nobody finds it.
        kip.ok(&drug(calls));
        if calls == 1 {
            kip.ok(r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name: "Aspirin"} }"#);
        }
        finds.push(code(&kip.ask(&in_space("branch", FIND, ""))));
        calls += 1;
        true
    };
    let copied =
        kip.engine().copy_space(&kip.world.owner, TENANT, "memory", "branch", &mut on_stage).unwrap();
    assert!(calls >= 2);
    assert!(finds.iter().all(|code| code == "KIP_3002"), "{finds:?}");
    let all = rows(&*kip.world.store);
    assert_eq!(all[&SpaceId::MEMORY.0], all[&copied.0]);
    let before = kip.ok(FIND);
    assert!(before.to_json().contains("Drug 1") && !before.to_json().contains("Aspirin"));
    assert_eq!(kip.ask(&in_space("branch", FIND, "")).get("result"), Some(&before));

    kip.ok(&drug(900));
    assert_eq!(kip.ask(&in_space("branch", FIND, "")).get("result"), Some(&before));
    assert_eq!(code(&kip.ask(&in_space("branch", &drug(901), ""))), "ok");
    assert!(!kip.ok(FIND).to_json().contains("Drug 901"));

    assert!(matches!(copy(&kip, "memory", "branch"), Err(EngineError::Graph(GraphError::SpaceExists(_)))));
    assert!(matches!(copy(&kip, "nowhere", "other"), Err(EngineError::NoSpace(_))));
    assert!(matches!(copy(&kip, "memory", " x"), Err(EngineError::Graph(GraphError::BadSpaceName { .. }))));
}

#[test]
fn a_copy_that_is_stopped_or_was_left_by_another_process_leaves_nothing() {
    let kip = Kip::new();
    let before = rows(&*kip.world.store);
    for stop_at in 0..2 {
        let mut calls = 0;
        let mut on_stage = |_: cairn_seam::Stage<'_>| {
            calls += 1;
            calls <= stop_at
        };
        let stopped = kip.engine().copy_space(&kip.world.owner, TENANT, "memory", "branch", &mut on_stage);
        assert!(matches!(stopped, Err(EngineError::Store(StoreError::Stopped))), "{stop_at}: {stopped:?}");
        assert!(matches!(unfinished(&*kip.world.store)[..], [(_, SpaceState::Abandoned)]));
        assert_eq!(code(&kip.ask(&in_space("branch", FIND, ""))), "KIP_3002");
        tidy(kip.engine(), &*kip.world.store);
        assert_eq!(rows(&*kip.world.store), before);
    }
    // A process that ended in the middle leaves a staged space with rows.
    let act = Act::new(Action::GraphWrite, Resource::tenant(TENANT));
    let staged = kip
        .engine()
        .transact(&kip.world.owner, act, |tx, whole| {
            let space = spaces::stage(tx, whole.tenant())?;
            let (from, to) = (whole.of_space(SpaceId::MEMORY).unwrap(), whole.of_space(space).unwrap());
            let page = spaces::CopyPage::read(&*tx, &from, None, 100, 1 << 20)?;
            page.write(tx, &to)?;
            Ok(space)
        })
        .unwrap();
    let next = kip.world.reopen();
    assert!(rows(&*kip.world.store).contains_key(&staged.value.0));
    tidy(&next, &*kip.world.store);
    assert_eq!(rows(&*kip.world.store), before);
}

#[test]
fn a_staged_space_is_left_alone_while_a_copy_runs() {
    let kip = Kip::new();
    let mut on_stage = |_: cairn_seam::Stage<'_>| {
        kip.engine().upkeep_once().unwrap();
        true
    };
    let copied =
        kip.engine().copy_space(&kip.world.owner, TENANT, "memory", "branch", &mut on_stage).unwrap();
    let all = rows(&*kip.world.store);
    assert_eq!(all[&SpaceId::MEMORY.0], all[&copied.0]);
}

#[test]
fn a_deleted_space_is_gone_at_once_and_its_name_can_be_used_again() {
    let kip = Kip::new();
    let first = copy(&kip, "memory", "branch").unwrap();
    tidy(kip.engine(), &*kip.world.store);
    assert_eq!(code(&kip.ask(&in_space("branch", FIND, ""))), "ok");
    delete(&kip, "branch").unwrap();
    assert_eq!(code(&kip.ask(&in_space("branch", FIND, ""))), "KIP_3002");
    tidy(kip.engine(), &*kip.world.store);
    assert!(!rows(&*kip.world.store).contains_key(&first.0));
    assert!(matches!(delete(&kip, "branch"), Err(EngineError::NoSpace(_))));
    assert!(matches!(delete(&kip, "memory"), Err(EngineError::Graph(GraphError::Protected { .. }))));
    assert_eq!(code(&kip.ask(&in_space("branch", DRUGS, ""))), "ok");
    assert_eq!(code(&kip.ask(&in_space("branch", FIND, ""))), "ok");
    assert!(copy(&kip, "branch", "third").unwrap() > first);
}

#[test]
fn a_space_that_goes_while_it_is_copied_is_not_copied() {
    let kip = Kip::new();
    copy(&kip, "memory", "branch").unwrap();
    let mut on_stage = |stage: cairn_seam::Stage<'_>| {
        if stage.done > 0 {
            let _ = kip.engine().delete_space(&kip.world.owner, TENANT, "branch");
        }
        true
    };
    let copied = kip.engine().copy_space(&kip.world.owner, TENANT, "branch", "other", &mut on_stage);
    assert!(matches!(copied, Err(EngineError::Graph(GraphError::NoSpace(_)))), "{copied:?}");
    tidy(kip.engine(), &*kip.world.store);
    assert_eq!(rows(&*kip.world.store).len(), 1);
}

/// Copies a space and deletes the copy.
fn run(store: Arc<dyn Store>, clock: &cairn_base::ManualClock) -> Result<(), EngineError> {
    let engine = open(store, clock)?;
    let owner = cairn_access::Principal::local_owner();
    engine.copy_space(&owner, TENANT, "memory", "branch", &mut |_| true)?;
    engine.upkeep_once()?;
    engine.delete_space(&owner, TENANT, "branch")
}

#[test]
fn whatever_fails_a_copy_is_whole_or_not_there_and_upkeep_leaves_nothing_else() {
    for fault in [SeamFault::Fail, SeamFault::LoseAnswer, SeamFault::Rerun] {
        for n in 0.. {
            let clock = cairn_base::ManualClock::new(NOW_MS);
            let inner: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
            let owner = cairn_access::Principal::local_owner();
            let request = super::kit::one(DRUGS);
            send(&open(Arc::clone(&inner), &clock).unwrap(), &owner, TENANT, &request).unwrap();
            let before = rows(&*inner);
            let faulty = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::at(n, fault)));
            let outcome = run(Arc::clone(&faulty) as Arc<dyn Store>, &clock);
            let engine = open(Arc::clone(&inner), &clock).unwrap();
            tidy(&engine, &*inner);
            let after = rows(&*inner);
            let snapshot = inner.snapshot(Position::START).unwrap();
            match spaces::find(&*snapshot, TENANT, "branch").unwrap() {
                Some(space) => {
                    assert_eq!(after.len(), 2, "{fault:?} {n}");
                    assert_eq!(after[&space.0], before[&1], "{fault:?} {n}");
                }
                None => assert_eq!(after, before, "{fault:?} {n}"),
            }
            if faulty.operations() <= n {
                assert!(n > 15 && outcome.is_ok(), "{n} {outcome:?}");
                break;
            }
        }
    }
}

#[test]
fn kip_reads_spaces_of_the_knowledge_base_and_writes_to_none() {
    let kip = Kip::new();
    copy(&kip, "memory", "kb/shop/main").unwrap();
    let before = rows(&*kip.world.store);
    let ask = |text: &str, more: &str| kip.ask(&in_space("kb/shop/main", text, more));
    assert_eq!(ask(FIND, "").get("result"), Some(&kip.ok(FIND)));
    let delete = r#"DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug"} }"#;
    for (text, more) in
        [(DRUGS, ""), (DRUGS, r#","dry_run":true"#), (delete, ""), (delete, r#","dry_run":true"#)]
    {
        let answer = ask(text, more);
        assert_eq!(code(&answer), "KIP_3004", "{text} {more}");
        assert!(answer.to_json().contains("cairn kb upsert"), "{}", answer.to_json());
    }
    let made = kip.ask(&in_space("kb/shop/new", DRUGS, ""));
    assert_eq!(code(&made), "KIP_3004");
    for more in ["", r#","dry_run":true"#] {
        let commands = super::kit::several(&[DRUGS, delete], &format!(r#","space":"kb/shop/main"{more}"#));
        let answer = kip.send(&kip.world.owner, &commands);
        let text = answer
            .map_or_else(|error| error.in_kip().unwrap().code.text().to_owned(), |answer| answer.to_json());
        assert!(text.contains("KIP_3004") && !text.contains(r#""upserted"#), "{text}");
    }
    let options = KipImportOptions { space: Some("kb/shop/main".into()), ..KipImportOptions::default() };
    let imported = kip.engine().kip_import(&kip.world.owner, TENANT, &mut &b""[..], &options, &mut |_| true);
    assert!(matches!(&imported, Err(error) if error.code() == ErrorCode::Forbidden), "{imported:?}");
    let question = SleepQuestion { space: Some("kb/shop/main".into()), apply: true, shown_max: 10 };
    let slept = kip.engine().sleep(&kip.world.owner, TENANT, &question, &mut |_| true);
    assert!(matches!(&slept, Err(EngineError::ManagedSpace { .. })), "{slept:?}");
    let looked = SleepQuestion { apply: false, ..question };
    assert!(kip.engine().sleep(&kip.world.owner, TENANT, &looked, &mut |_| true).is_ok());
    assert_eq!(rows(&*kip.world.store), before);
}

#[test]
fn a_copy_is_searched_when_it_is_indexed_and_a_deleted_one_leaves_no_documents() {
    let kip = Kip::new();
    let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
    kip.engine().start_search(home).unwrap();
    until("the index is ready", || kip.engine().search_status().state == "ready");
    let search =
        |space: &str| kip.send(&kip.world.owner, &in_space(space, r#"SEARCH CONCEPT "aspirin""#, ""));
    let names = |space: &str| search(space).unwrap().get("result").unwrap().to_json();
    assert!(names("memory").contains("Aspirin"));
    let documents = || {
        kip.ok(r#"SEARCH CONCEPT "fever""#);
        kip.engine().search_status().documents
    };
    let alone = documents();

    let space = copy(&kip, "memory", "branch").unwrap();
    assert!(kip.engine().documents_pending(TENANT, space).unwrap());
    assert!(matches!(search("branch"), Err(EngineError::NoSearch { .. })), "it is never wrong");
    assert!(names("memory").contains("Aspirin"), "other spaces are searched meanwhile");
    tidy(kip.engine(), &*kip.world.store);
    assert!(!kip.engine().documents_pending(TENANT, space).unwrap());
    assert!(names("branch").contains("Aspirin"));
    assert_eq!(documents(), 2 * alone);
    kip.engine().search_rebuild(&kip.world.owner, &mut |_| true).unwrap();
    assert_eq!(documents(), 2 * alone, "a new index holds the same");
    assert!(names("branch").contains("Aspirin"));

    delete(&kip, "branch").unwrap();
    assert_eq!(code(&search("branch").unwrap()), "KIP_3002");
    tidy(kip.engine(), &*kip.world.store);
    until("documents of the deleted space are gone", || documents() == alone);
    kip.engine().search_rebuild(&kip.world.owner, &mut |_| true).unwrap();
    assert_eq!(documents(), alone);
    assert!(names("memory").contains("Aspirin"));
    kip.engine().close().unwrap();
}
