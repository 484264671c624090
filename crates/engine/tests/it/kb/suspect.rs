//! Suspect links: found after a change of an end, by this process and the next one, and accepted.

use cairn_access::Principal;
use cairn_engine::{Engine, EngineError, KbTarget};
use cairn_kb::tools::{AcceptInput, AcceptOutput, SuspectInput, SuspectOutput};
use serde_json::json;

use super::kit::{Kb, code, create, elsewhere, input, snapshot_id, target, writes};

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
