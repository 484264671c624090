//! Copies of branches.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cairn_kb::tools::CheckInput;
use serde_json::json;

use super::kit::{Kb, code, create, ids, input, plain, query, reports, target, upsert};

#[test]
fn a_copy_has_everything_and_goes_its_own_way() {
    let kb = Kb::filled();
    assert!(create(kb.engine(), &target("copy"), Some("main")).unwrap());
    let entities = |branch: &str| query(kb.engine(), &target(branch), json!({})).unwrap();
    assert_eq!(entities("copy"), entities("main"));
    let status = kb.engine().kb_status(&kb.world.owner, &target("copy")).unwrap();
    assert_eq!(status.copied_from.as_deref(), Some("main"));
    assert_eq!(status.relationships, 9);
    kb.put(&input("req", "R-1", json!({"title": "Only in main"}), &[]));
    upsert(kb.engine(), &target("copy"), &plain("req", "R-77", &[("depends_on", "R-1")])).unwrap();
    assert_eq!((entities("main").count, entities("copy").count), (10, 11));
    let diff = kb.engine().kb_diff(&kb.world.owner, &target("main"), &target("copy")).unwrap();
    assert_eq!((diff.added.len(), diff.removed.len(), diff.changed.len()), (1, 0, 1));
    assert_eq!((diff.links_added.len(), diff.links_removed.len(), diff.truncated), (1, 0, false));
    // A branch that nobody has is no source.
    assert!(create(kb.engine(), &target("other"), Some("nowhere")).unwrap());
    assert_eq!(entities("other").count, 0);
}

#[test]
fn a_copy_under_writes_is_the_source_at_one_moment() {
    const WRITERS: usize = 4;
    let kb = Kb::filled();
    let (done, written) = (AtomicBool::new(false), [const { AtomicUsize::new(0) }; WRITERS]);
    thread::scope(|scope| {
        for (writer, count) in written.iter().enumerate() {
            let (kb, done) = (&kb, &done);
            scope.spawn(move || {
                for number in 0..400 {
                    if done.load(Ordering::Acquire) {
                        return;
                    }
                    let test = format!("T-{writer}-{number:04}");
                    kb.put(&plain("test", &test, &[]));
                    kb.put(&plain("req", &format!("R-{writer}-{number:04}"), &[("verified_by", &test)]));
                    count.store(number + 1, Ordering::Release);
                }
            });
        }
        for round in 0..3 {
            let before: Vec<usize> = written.iter().map(|count| count.load(Ordering::Acquire)).collect();
            let copy = target(&format!("copy-{round}"));
            create(kb.engine(), &copy, Some("main")).unwrap();
            let found = query(kb.engine(), &copy, json!({"limit": 1000})).unwrap();
            let found = ids(&found);
            for (writer, before) in before.into_iter().enumerate() {
                let of = |kind: &str| {
                    let prefix = format!("{kind}-{writer}-");
                    found
                        .iter()
                        .filter(|id| id.starts_with(&prefix))
                        .map(|id| (*id).to_owned())
                        .collect::<Vec<_>>()
                };
                let (reqs, tests) = (of("R"), of("T"));
                assert!(reqs.len() >= before, "acknowledged before the copy began");
                assert!(tests.len() == reqs.len() || tests.len() == reqs.len() + 1);
                let expected: Vec<_> = (0..reqs.len()).map(|at| format!("R-{writer}-{at:04}")).collect();
                assert_eq!(reqs, expected, "one moment has no holes");
            }
            let input: CheckInput = serde_json::from_value(json!({"rules": ["no-dangling-refs"]})).unwrap();
            let checked = kb.engine().kb_check(&kb.world.owner, &copy, &input, &mut |_, _| {}).unwrap();
            assert_eq!(checked.count, 0);
            let gaps = json!({"type": "req", "missingRelationships": ["verified_by"]});
            let gaps = serde_json::from_value(gaps).unwrap();
            let gaps = kb.engine().kb_find_gaps(&kb.world.owner, &copy, &gaps).unwrap();
            assert_eq!(gaps.count, 2, "only R-1 and R-2 have none");
        }
        done.store(true, Ordering::Release);
    });
}

#[test]
fn a_stopped_copy_leaves_nothing_and_can_be_begun_again() {
    let kb = Kb::filled();
    let copy = target("copy");
    let mut calls = 0;
    let stopped = kb.engine().kb_ensure_branch(&kb.world.owner, &copy, Some("main"), &mut |_| {
        calls += 1;
        calls < 2
    });
    assert!(stopped.is_err());
    assert_eq!(code(query(kb.engine(), &copy, json!({}))), "KbNoBranch");
    create(kb.engine(), &copy, Some("main")).unwrap();
    assert_eq!(reports(kb.engine(), &copy).unwrap().len(), 15);
    assert_eq!(query(kb.engine(), &copy, json!({})).unwrap().count, 10);
}
