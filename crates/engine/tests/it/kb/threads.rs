//! Many clients at once, on one branch and on several, and readers of a branch that goes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cairn_access::Principal;
use serde_json::json;

use super::kit::{
    Kb, create, elsewhere, fill, ids, plain, query, reports, snapshot_id, target, upsert, writes,
};

const THREADS: usize = 8;
const EACH: usize = 20;

#[test]
fn eight_clients_on_one_branch_lose_nothing() {
    let kb = Kb::new();
    kb.put(&plain("req", "R", &[]));
    let snapshots: BTreeSet<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..THREADS)
            .map(|client| {
                let kb = &kb;
                scope.spawn(move || {
                    let each = (0..EACH).map(|number| {
                        let put =
                            kb.put(&plain("test", &format!("T-{client}-{number}"), &[("validates", "R")]));
                        let found =
                            query(kb.engine(), &target("main"), json!({"type": "test", "limit": 1000}))
                                .unwrap();
                        assert!(ids(&found).contains(&&*format!("T-{client}-{number}")), "its own write");
                        assert_eq!(found.count, found.entities.len() as u64);
                        put.snapshot_id
                    });
                    each.collect::<Vec<_>>()
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    assert_eq!(snapshots.len(), THREADS * EACH, "each write has its own");
    assert_eq!(writes(&kb.snapshot_id()), (THREADS * EACH + 1) as u64);
    let status = kb.engine().kb_status(&kb.world.owner, &target("main")).unwrap();
    assert_eq!(
        (status.entities, status.relationships),
        ((THREADS * EACH + 1) as u64, (THREADS * EACH) as u64)
    );
    let here = reports(kb.engine(), &target("main")).unwrap();
    assert_eq!(here, reports(&elsewhere(kb.store()), &target("main")).unwrap());
}

#[test]
fn eight_clients_on_several_branches_mix_nothing() {
    let kb = Kb::new();
    let branches = ["a", "b", "c", "d"];
    thread::scope(|scope| {
        for client in 0..THREADS {
            let kb = &kb;
            scope.spawn(move || {
                let branch = target(branches[client % 4]);
                create(kb.engine(), &branch, None).unwrap();
                for number in 0..EACH {
                    let id = format!("{}-{client}-{number}", branch.branch);
                    upsert(kb.engine(), &branch, &plain("event", &id, &[])).unwrap();
                }
            });
        }
    });
    for branch in branches {
        let found = query(kb.engine(), &target(branch), json!({"limit": 1000})).unwrap();
        assert_eq!(found.count, (2 * EACH) as u64);
        assert!(ids(&found).iter().all(|id| id.starts_with(branch)));
        assert_eq!(writes(&snapshot_id(kb.engine(), &target(branch))), (2 * EACH) as u64);
    }
}

#[test]
fn readers_of_a_branch_that_is_deleted_and_recreated_see_one_or_the_other() {
    let kb = Kb::filled();
    let (done, main) = (AtomicBool::new(false), target("main"));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    match query(kb.engine(), &main, json!({})) {
                        Ok(found) => {
                            assert_eq!(found.count, found.entities.len() as u64);
                            assert!(found.count <= 10, "{}", found.count);
                        }
                        Err(error) => {
                            let code = error.code().name();
                            assert!(["KbNoBranch", "KbRefreshError"].contains(&code), "{error}");
                        }
                    }
                }
            });
        }
        for _ in 0..10 {
            kb.engine().kb_delete_branch(&Principal::local_owner(), &main).unwrap();
            create(kb.engine(), &main, None).unwrap();
            fill(kb.engine(), &main);
        }
        done.store(true, Ordering::Release);
    });
    assert_eq!(query(kb.engine(), &main, json!({})).unwrap().count, 10);
}
