//! Suspect links: found after a change of an end, by this process and the next one, and accepted.

use cairn_access::Principal;
use cairn_base::ManualClock;
use cairn_engine::{Engine, EngineError, KbTarget};
use cairn_kb::sync::{SyncHeader, SyncInput};
use cairn_kb::tools::{AcceptInput, AcceptOutput, SuspectInput, SuspectOutput};
use serde_json::{Value, json};

use super::kit::{Kb, code, create, elsewhere, input, snapshot_id, target, writes};
use super::sync::with_changes_max;

fn suspect(engine: &Engine, target: &KbTarget) -> SuspectOutput {
    engine.kb_suspect(&Principal::local_owner(), target, &SuspectInput::default()).unwrap()
}

fn accept(engine: &Engine, target: &KbTarget, ids: &[&str]) -> Result<AcceptOutput, EngineError> {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    let input = AcceptInput { all: ids.is_empty(), ids, ..AcceptInput::default() };
    engine.kb_accept(&Principal::local_owner(), target, &input)
}

/// Suspect links, as `source relation target changed`.
fn lines(found: &SuspectOutput) -> Vec<String> {
    let line = |link: &cairn_kb::tools::SuspectLink| {
        format!("{} {} {} {}", link.from, link.relation, link.to, link.changed)
    };
    found.links.iter().map(line).collect()
}

#[test]
fn a_changed_requirement_makes_its_links_suspect_until_they_are_accepted() {
    let kb = Kb::filled();
    let main = target("main");
    assert_eq!(lines(&suspect(kb.engine(), &main)), Vec::<String>::new());
    assert_eq!(suspect(kb.engine(), &main).unknown, 0);
    kb.put(&input("req", "R-1", json!({"status": "closed"}), &[]));
    assert_eq!(suspect(kb.engine(), &main).count, 0);
    kb.put(&input("req", "R-1", json!({"title": "Sessions end at midnight"}), &[]));
    let all = [
        "R-1 constrains F-S source",
        "R-2 depends_on R-1 target",
        "S-1 implements R-1 target",
        "R-1 requires_property F-30 source",
        "R-1 specified_by SC-1 source",
    ];
    let found = suspect(kb.engine(), &main);
    assert_eq!(lines(&found), all);
    // What is stored is what is in memory, and a copy has it, too.
    assert_eq!(suspect(&elsewhere(kb.store()), &main), found);
    create(kb.engine(), &target("copy"), Some("main")).unwrap();
    assert_eq!(lines(&suspect(kb.engine(), &target("copy"))), all);

    let before = writes(&kb.snapshot_id());
    let done = accept(kb.engine(), &main, &["S-1", "R-2"]).unwrap();
    assert_eq!((done.accepted, done.remaining), (2, 0));
    assert_eq!((done.snapshot_id.as_str(), writes(&done.snapshot_id)), (&*kb.snapshot_id(), before + 1));
    assert_eq!(suspect(kb.engine(), &main).count, 3);
    assert_eq!(accept(kb.engine(), &main, &[]).unwrap().accepted, 3);
    assert_eq!(suspect(kb.engine(), &main).count, 0);
    assert_eq!(suspect(&elsewhere(kb.store()), &main), suspect(kb.engine(), &main));
    assert_eq!(suspect(kb.engine(), &target("copy")).count, 5, "a branch of its own");
}

#[test]
fn nothing_to_accept_is_no_write() {
    let kb = Kb::filled();
    let before = (kb.snapshot_id(), kb.rows());
    assert_eq!(accept(kb.engine(), &target("main"), &[]).unwrap().accepted, 0);
    assert_eq!(code(accept(kb.engine(), &target("main"), &["none"])), "KbNoEntity");
    assert_eq!((kb.snapshot_id(), kb.rows()), before);
    assert_eq!(snapshot_id(kb.engine(), &target("main")), before.0);
}

fn sync(engine: &Engine, title: &str, hash: &str, confidence: f64) {
    let file = |path: &str, hash: &str, entity: Value| json!({"path": path, "hash": hash, "entities": [{"line": 1, "entity": entity}]});
    let properties = |title: &str| json!({"title": title, "status": "open"});
    let link = json!({"type": "depends_on", "from": "D-1", "to": "D-2", "confidence": confidence});
    let first = json!({"type": "req", "id": "D-1", "properties": properties("one"), "relationships": [link]});
    let second = json!({"type": "req", "id": "D-2", "properties": properties(title)});
    let all = [file("a.md", &format!("a{confidence}"), first), file("b.md", hash, second)];
    let files = all.into_iter().map(|one| serde_json::from_value(one).unwrap()).collect();
    let input = SyncInput { header: SyncHeader::default(), files };
    let report = engine.kb_sync(&Principal::local_owner(), &target("main"), &input, &mut |_| true).unwrap();
    assert_eq!(report.problem_count, 0, "{report:?}");
}

/// In one transaction, and staged in a copy of the branch.
#[test]
fn links_of_documents_are_suspect_once_a_document_changes_their_ends() {
    for changes_max in [1_000_000, 2] {
        let kb = Kb::new();
        let engine = with_changes_max(kb.store(), &ManualClock::new(crate::support::NOW_MS), changes_max);
        let main = target("main");
        sync(&engine, "two", "b1", 0.5);
        assert_eq!((suspect(&engine, &main).known, suspect(&engine, &main).unknown), (1, 0), "{changes_max}");
        assert_eq!(suspect(&engine, &main).count, 0);
        sync(&engine, "other", "b2", 0.5);
        let line = ["D-1 depends_on D-2 target"];
        assert_eq!(lines(&suspect(&engine, &main)), line);
        // Other metadata of the link is no reason to trust it again.
        sync(&engine, "other", "b2", 0.9);
        assert_eq!(lines(&suspect(&engine, &main)), line);
        assert_eq!(lines(&suspect(&elsewhere(kb.store()), &main)), line);
        assert_eq!(accept(&engine, &main, &[]).unwrap().accepted, 1);
        sync(&engine, "other", "b3", 0.9);
        assert_eq!(suspect(&engine, &main).count, 0);
    }
}
