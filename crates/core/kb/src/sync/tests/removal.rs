//! Entities whose file is gone, or names them no longer.

use std::slice::from_ref;

use serde_json::json;

use super::kit::{entity, file, problems, world};
use crate::sync::{KeptReason, SyncHeader};

#[test]
fn entities_go_with_their_file_and_relationships_to_them_are_problems() {
    let mut world = world();
    let r = file("r.md", &[entity("req", "R", "R", &[("verified_by", "T"), ("depends_on", "Q")])]);
    let t = file("t.md", &[entity("test", "T", "T", &[]), entity("req", "Q", "Q", &[("depends_on", "R")])]);
    world.sync(&[r.clone(), t.clone()]);
    let less = file("t.md", &[entity("test", "T", "T", &[])]);
    let report = world.sync(&[r.clone(), less]);
    assert_eq!((report.removed, report.relationships_removed), (1, 2));
    assert_eq!(problems(&report), ["r.md: depends_on Q: there is no such entity any more"]);
    world.check(&["R r.md R [verified_by T]", "T t.md T []"]);
    let report = world.sync(from_ref(&r));
    assert_eq!((report.files, report.files_removed, report.removed), (1, 1, 1));
    assert_eq!(report.problem_count, 2, "its document was examined again");
    world.check(&["R r.md R []"]);
    assert_eq!(world.files.len(), 1);
    world.sync(&[r, t]);
    world.check(&["Q t.md Q [depends_on R]", "R r.md R [depends_on Q, verified_by T]", "T t.md T []"]);
    assert_eq!(world.files.with_problems(), 0);
}

#[test]
fn an_entity_that_tools_refer_to_becomes_theirs_with_all_that_it_needs() {
    let mut world = world();
    let all = file(
        "r.md",
        &[
            entity("req", "A", "A", &[("depends_on", "B")]),
            entity("req", "B", "B", &[("verified_by", "T")]),
            entity("test", "T", "T", &[]),
            entity("req", "Z", "Z", &[("depends_on", "A")]),
        ],
    );
    world.sync(&[all]);
    let link = json!([{"type": "depends_on", "from": "MINE", "to": "A"}]);
    let of_tool = json!({"type": "req", "id": "MINE", "properties": {"title": "M", "status": "open"}, "relationships": link});
    world.put(of_tool);
    let before = world.shown();
    let report = world.sync(&[]);
    assert_eq!((report.removed, report.released_count), (1, 3));
    let released: Vec<_> = report.released.iter().map(|one| (one.id.as_str(), one.path.as_str())).collect();
    assert_eq!(released, [("A", "r.md"), ("B", "r.md"), ("T", "r.md")]);
    world.check(&["A - A [depends_on B]", "B - B [verified_by T]", "MINE - M [depends_on A]", "T - T []"]);
    assert_eq!(world.shown()["MINE"], before["MINE"]);
}

#[test]
fn a_diverged_entity_of_a_lost_file_is_kept_unless_forced() {
    for force in [false, true] {
        let mut world = world();
        world.sync(&[file("r.md", &[entity("req", "R", "R", &[])])]);
        world.put(json!({"type": "req", "id": "R", "properties": {"title": "Mine"}}));
        let report = if force { world.force(&[]) } else { world.sync(&[]) };
        assert_eq!((report.removed, report.released_count), if force { (1, 0) } else { (0, 1) });
        world.check(if force { &[] } else { &["R - Mine []"] });
    }
}

#[test]
fn an_entity_that_a_tool_deleted_comes_back() {
    let mut world = world();
    let all = [file("r.md", &[entity("req", "R", "R", &[]), entity("req", "Q", "Q", &[])])];
    world.sync(&all);
    world.delete("R");
    world.check(&["Q r.md Q []"]);
    let report = world.sync(&all);
    assert_eq!((report.files, report.created, report.unchanged), (1, 1, 1));
    world.check(&["Q r.md Q []", "R r.md R []"]);
    assert_eq!(world.sync(&all).files, 0);
}

#[test]
fn a_rebuild_removes_what_no_file_names_and_keeps_what_is_of_tools() {
    let mut world = world();
    let r = file("r.md", &[entity("req", "R", "R", &[])]);
    let q = file("q.md", &[entity("req", "Q", "Q", &[]), entity("req", "D", "D", &[])]);
    world.sync(&[r.clone(), q]);
    world.put(json!({"type": "req", "id": "MINE", "properties": {"title": "M", "status": "open"}}));
    world.put(json!({"type": "req", "id": "D", "properties": {"title": "Mine"}}));
    let report = world.rebuild(&[r]);
    assert_eq!((report.unchanged, report.removed, report.released_count), (1, 1, 1));
    world.check(&["D - Mine []", "MINE - M []", "R r.md R []"]);
    assert_eq!(world.files.len(), 1);
}

#[test]
fn a_rebuild_leaves_files_that_could_not_be_read() {
    let mut world = world();
    let unread =
        file("b.md", &[entity("req", "B", "B", &[("depends_on", "A")]), entity("req", "D", "D", &[])]);
    let a = file("a.md", &[entity("req", "A", "A", &[])]);
    world.sync(&[a.clone(), unread, file("c.md", &[entity("req", "C", "C", &[])])]);
    world.put(json!({"type": "req", "id": "D", "properties": {"title": "Mine"}}));
    let header =
        || SyncHeader { rebuild: true, kept: vec!["b.md".into()], force: true, ..SyncHeader::default() };
    let report = world.run(header(), from_ref(&a));
    assert_eq!((report.removed, report.released_count, report.problem_count), (1, 0, 0));
    world.check(&["A a.md A []", "B b.md B [depends_on A]", "D! b.md Mine []"]);
    assert_eq!(world.files.len(), 2);
    // An earlier path wins an id of it, and one that is wrong there takes nothing away.
    let mut wrong = entity("req", "B", "Other", &[]);
    wrong["properties"]["statu"] = "open".into();
    world.run(header(), &[a.clone(), file("a2.md", &[wrong])]);
    world.check(&["A a.md A []", "B a2.md B [depends_on A]", "D! b.md Mine []"]);
    let report = world.run(header(), &[a, file("z.md", &[entity("req", "D", "Z", &[])])]);
    assert_eq!(problems(&report)[0], "z.md:10: D is also in b.md, which wins as the first path");
}

#[test]
fn what_a_diverged_entity_refers_to_stays_unless_forced() {
    let of = |path: &str, kind: &str, id: &str| file(path, &[entity(kind, id, id, &[])]);
    let link = json!([{"type": "depends_on", "from": "A", "to": "B"}]);
    let linked = || {
        let mut world = world();
        world.sync(&[of("a.md", "req", "A"), of("b.md", "req", "B")]);
        world.put(json!({"type": "req", "id": "A", "properties": {}, "relationships": link}));
        world
    };
    // Its document is gone.
    let mut world = linked();
    for _ in 0..2 {
        let report = world.sync(&[of("a.md", "req", "A")]);
        assert_eq!((report.removed, report.diverged_count), (0, 1));
        world.check(&["A! a.md A [depends_on B]", "B - B []"]);
    }
    let mut world = linked();
    let report = world.sync(&[of("a.md", "req", "A")]);
    assert_eq!(report.released[0].reason, KeptReason::Referred);
    let mut world = linked();
    world.force(&[of("a.md", "req", "A")]);
    world.check(&["A a.md A []"]);
    // Its document gives it another type.
    let mut world = linked();
    let report = world.sync(&[of("a.md", "req", "A"), of("b.md", "test", "B")]);
    assert_eq!(problems(&report), ["b.md:10: it cannot become a test: A refers to it by depends_on"]);
    world.check(&["A! a.md A [depends_on B]", "B b.md B []"]);
    world.force(&[of("a.md", "req", "A"), of("b.md", "test", "B")]);
    world.check(&["A a.md A []", "B b.md B []"]);
    // Both are gone.
    let mut world = linked();
    let report = world.sync(&[]);
    let released: Vec<_> = report.released.iter().map(|kept| (kept.id.as_str(), kept.reason)).collect();
    assert_eq!(released, [("A", KeptReason::Diverged), ("B", KeptReason::Referred)]);
    world.check(&["A - A [depends_on B]", "B - B []"]);
}

#[test]
fn what_a_document_takes_over_keeps_what_it_refers_to() {
    let mut world = world();
    world.sync(&[file("b.md", &[entity("req", "B", "B", &[])])]);
    let link = json!([{"type": "depends_on", "from": "A", "to": "B"}]);
    world.put(json!({"type": "req", "id": "A", "properties": {"title": "Mine", "status": "open"}, "relationships": link}));
    world.sync(&[file("a.md", &[entity("req", "A", "A", &[])])]);
    world.check(&["A! a.md Mine [depends_on B]", "B - B []"]);
}
