//! Entities whose file is gone, or names them no longer.

use serde_json::json;

use super::kit::{entity, file, problems, world};

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
    let report = world.sync(&[r.clone()]);
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
