//! The life of a branch: created, written, asked, deleted, created again.

use cairn_access::Principal;
use cairn_kb::tools::{CheckInput, CoverageInput, FindGapsInput, GraphInput};
use serde_json::json;

use super::kit::{
    Kb, claim, code, create, elsewhere, ids, input, plain, query, reports, snapshot_id, subject, target,
    writes,
};

#[test]
fn a_branch_is_created_written_asked_and_deleted() {
    let kb = Kb::new();
    assert!(!create(kb.engine(), &target("main"), None).unwrap(), "it is there");
    let empty = query(kb.engine(), &target("main"), json!({})).unwrap();
    assert_eq!((empty.count, empty.entities.len()), (0, 0));
    let status = kb.engine().kb_status(&kb.world.owner, &target("main")).unwrap();
    assert_eq!((status.synced_at, &*status.last_sync_source), (None, "unknown"));

    let first = kb.put(&plain("test", "T-1", &[]));
    assert_eq!((first.created, first.updated), (1, 0));
    let again = kb.put(&plain("test", "T-1", &[]));
    assert_eq!((again.created, again.updated), (0, 1));
    assert_ne!(first.snapshot_id, again.snapshot_id);
    assert_eq!(kb.snapshot_id(), again.snapshot_id);
    let linked = kb.put(&plain("scenario", "SC-1", &[("verified_by", "T-1")]));
    assert_eq!(linked.relationships_created, 1);
    let linked = kb.put(&plain("scenario", "SC-1", &[("verified_by", "T-1"), ("relates_to", "SC-1")]));
    assert_eq!(linked.relationships_created, 1, "only the new one");

    assert_eq!(code(kb.delete(&["T-1"])), "KbBlocked");
    let gone = kb.delete(&["T-1", "SC-1", "X"]).unwrap();
    assert_eq!((gone.deleted, gone.skipped, gone.snapshot_id), (2, vec!["X".to_owned()], kb.snapshot_id()));
    let before = kb.snapshot_id();
    assert_eq!(kb.delete(&["X"]).unwrap().snapshot_id, before, "nothing was written");

    let owner = Principal::local_owner();
    assert!(kb.engine().kb_delete_branch(&owner, &target("main")).unwrap());
    assert!(!kb.engine().kb_delete_branch(&owner, &target("main")).unwrap());
    assert_eq!(code(query(kb.engine(), &target("main"), json!({}))), "KbNoBranch");
}

#[test]
fn queries_combine_their_filters() {
    let kb = Kb::filled();
    let found = |filter| {
        let found = query(kb.engine(), &target("main"), filter).unwrap();
        ids(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({"type": "req"})), ["R-1", "R-2"]);
    assert_eq!(found(json!({"id": "R-1"})), ["R-1"]);
    assert_eq!(found(json!({"id": "R-1", "type": "test"})), Vec::<String>::new());
    assert_eq!(found(json!({"tags": ["web", "none"]})), ["R-1"]);
    assert_eq!(found(json!({"sourceFile": "session"})), ["S-1"]);
    assert_eq!(found(json!({"limit": 2, "offset": 1})).len(), 2);
    let one = query(kb.engine(), &target("main"), json!({"id": "S-1"})).unwrap();
    assert_eq!(one.entities[0].text("sourceFile"), "src/session.rs");
    assert_eq!(one.entities[0].text("source"), "mcp://cairn/upsert");
}

#[test]
fn reports_and_checks_see_what_was_written() {
    let kb = Kb::filled();
    let (engine, owner, main) = (kb.engine(), &kb.world.owner, target("main"));
    let gaps: FindGapsInput =
        serde_json::from_value(json!({"type": "req", "missingRelationships": ["specified_by"]})).unwrap();
    assert_eq!(engine.kb_find_gaps(owner, &main, &gaps).unwrap().count, 1);
    let coverage: CoverageInput = serde_json::from_value(json!({"includePassing": true})).unwrap();
    assert_eq!(engine.kb_coverage(owner, &main, &coverage).unwrap().rows.len(), 2);
    let graph: GraphInput = serde_json::from_value(json!({"seedIds": ["R-1"], "depth": 2})).unwrap();
    assert_eq!(engine.kb_graph(owner, &main, &graph).unwrap().nodes.len(), 5);
    let check = |rules| {
        let input: CheckInput = serde_json::from_value(json!({"rules": rules})).unwrap();
        engine.kb_check(owner, &main, &input, &mut |_, _| {}).unwrap()
    };
    assert_eq!(check(json!(["no-cycles"])).count, 0);
    // depend on each other from now on.
    kb.put(&plain("req", "R-1", &[("depends_on", "R-2")]));
    let found = check(json!(["no-cycles"]));
    assert_eq!((found.count, found.snapshot_id), (1, kb.snapshot_id()));
}

#[test]
fn an_upsert_merges_and_time_goes_on() {
    let kb = Kb::new();
    kb.put(&input("req", "R", json!({"title": "A", "status": "open", "owner": "ada"}), &[]));
    let shown = || query(kb.engine(), &target("main"), json!({"id": "R"})).unwrap().entities.remove(0);
    let before = shown();
    kb.world.clock.advance(std::time::Duration::from_secs(60));
    kb.put(&input("req", "R", json!({"title": "B"}), &[]));
    let after = shown();
    assert_eq!((after.text("title"), after.text("owner"), after.text("status")), ("B", "ada", "open"));
    assert_eq!(after.text("created_at"), before.text("created_at"));
    assert_ne!(after.text("updated_at"), before.text("updated_at"));
    kb.put(&input("req", "R", json!({"owner": null}), &[]));
    assert!(!shown().0.contains_key("owner"));
}

#[test]
fn another_process_answers_byte_for_byte_the_same() {
    let kb = Kb::filled();
    let before = reports(kb.engine(), &target("main")).unwrap();
    assert_eq!(reports(kb.engine(), &target("main")).unwrap(), before);
    assert_eq!(reports(&elsewhere(kb.store()), &target("main")).unwrap(), before);
}

#[test]
fn a_recreated_branch_has_nothing_of_the_old_one() {
    let kb = Kb::filled();
    let owner = Principal::local_owner();
    let old = kb.snapshot_id();
    kb.engine().kb_delete_branch(&owner, &target("main")).unwrap();
    kb.create("main");
    let found = query(kb.engine(), &target("main"), json!({})).unwrap();
    assert_eq!(found.count, 0);
    assert_ne!(kb.snapshot_id().split('.').next(), old.split('.').next());
    kb.put(&subject());
    kb.put(&claim("F-30", "lte", 30));
    assert_eq!(query(kb.engine(), &target("main"), json!({})).unwrap().count, 2);
}

#[test]
fn names_of_branches_are_told_apart_and_the_longest_one_works() {
    let kb = Kb::new();
    let longest = "b".repeat(255);
    for branch in ["master", "feature/ä b", longest.as_str(), "Main"] {
        kb.create(branch);
        let put = super::kit::upsert(
            kb.engine(),
            &target(branch),
            &plain("event", branch.split('/').next().unwrap(), &[]),
        );
        assert_eq!(writes(&put.unwrap().snapshot_id), 1, "{branch}");
    }
    assert_eq!(kb.snapshot_id(), snapshot_id(kb.engine(), &target("main")));
    assert_eq!(query(kb.engine(), &target("main"), json!({})).unwrap().count, 0);
    for branch in ["", "a..b", "/a", "a/", "-a", "a.", "a//b", " a", &"b".repeat(256)] {
        assert_eq!(code(create(kb.engine(), &target(branch), None)), "KbInvalidArgument", "{branch:?}");
    }
    let listed = kb.engine().kb_branches(&kb.world.owner, cairn_base::TenantId::LOCAL, Some("ws")).unwrap();
    let names: Vec<_> = listed.branches.iter().map(|branch| branch.branch.as_str()).collect();
    assert_eq!(names, ["Main", longest.as_str(), "feature/ä b", "main", "master"]);
    let missing = query(kb.engine(), &target("mian"), json!({})).unwrap_err().to_string();
    assert!(missing.contains("\"main\""), "{missing}");
}
