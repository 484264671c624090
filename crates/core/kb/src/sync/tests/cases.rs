//! Creating, changing and keeping entities.

use std::slice::from_ref;

use serde_json::json;

use super::kit::{NOW_MS, entity, file, problems, world};
use crate::sync::{SyncFile, SyncHeader};

#[test]
fn entities_are_created_changed_as_a_whole_and_left_alone() {
    let mut world = world();
    let mut first = entity("req", "R-1", "One", &[("verified_by", "T-1")]);
    first["properties"]["owner"] = "ann".into();
    let tests = file("t.md", &[entity("test", "T-1", "Test", &[])]);
    let report = world.sync(&[file("r.md", &[first]), tests.clone()]);
    assert_eq!((report.created, report.relationships_created, report.problem_count), (2, 1, 0));
    world.check(&["R-1 r.md One [verified_by T-1]", "T-1 t.md Test []"]);
    let before = world.shown();
    assert_eq!(before["R-1"].1["source"], "r.md".into());

    world.now_ms += 1_000;
    let second = file("r.md", &[entity("req", "R-1", "Two", &[])]);
    let report = world.sync(&[second.clone(), tests.clone()]);
    assert_eq!((report.files, report.updated, report.relationships_removed), (1, 1, 1));
    world.check(&["R-1 r.md Two []", "T-1 t.md Test []"]);
    let after = world.shown();
    assert!(!after["R-1"].1.contains_key("owner"), "the file has none");
    assert_eq!(after["R-1"].1["created_at"], before["R-1"].1["created_at"]);
    assert_ne!(after["R-1"].1["updated_at"], before["R-1"].1["updated_at"]);
    assert_eq!(after["T-1"], before["T-1"]);

    world.now_ms += 1_000;
    let touched = SyncFile { hash: "other".into(), ..second };
    let report = world.sync(&[touched, tests.clone()]);
    assert_eq!((report.files, report.unchanged, report.updated), (1, 1, 0));
    assert_eq!(world.shown(), after, "only the hash of the file is noted");
    let plan = world.plan(SyncHeader::default(), &[]).unwrap();
    assert!(plan.is_empty());
}

#[test]
fn times_are_those_of_the_file_if_it_gives_any() {
    let mut world = world();
    let mut timed = entity("req", "R-1", "One", &[]);
    timed["properties"]["created_at"] = "2020-01-01T00:00:00Z".into();
    world.sync(&[file("r.md", &[timed.clone()])]);
    assert_eq!(world.shown()["R-1"].1["created_at"], "2020-01-01T00:00:00Z".into());
    timed["properties"]["created_at"] = "2019-01-01T00:00:00Z".into();
    timed["properties"]["updated_at"] = "2019-01-02T00:00:00Z".into();
    let report = world.sync(&[file("r.md", &[timed])]);
    assert_eq!(report.updated, 1);
    let shown = world.shown();
    assert_eq!(shown["R-1"].1["created_at"], "2019-01-01T00:00:00Z".into());
    assert_eq!(shown["R-1"].1["updated_at"], "2019-01-02T00:00:00Z".into());
}

#[test]
fn relationships_have_the_metadata_of_the_file() {
    let mut world = world();
    let linked = |confidence: f64| {
        let mut one = entity("req", "R-1", "One", &[("depends_on", "R-2")]);
        one["relationships"][0]["confidence"] = confidence.into();
        file("r.md", &[one, entity("req", "R-2", "Two", &[])])
    };
    world.sync(&[linked(0.5)]);
    let report = world.sync(&[linked(0.25)]);
    assert_eq!((report.relationships_created, report.relationships_removed), (1, 0));
    assert_eq!((report.updated, report.unchanged), (1, 1));
    let key = ("depends_on".to_owned(), "R-2".to_owned());
    assert_eq!(world.shown()["R-1"].2[&key]["confidence"].to_json(), "0.25");
    let report = world.sync(&[file(
        "r.md",
        &[entity("req", "R-1", "One", &[("depends_on", "R-2")]), entity("req", "R-2", "Two", &[])],
    )]);
    assert_eq!(report.relationships_created, 1);
    assert!(world.shown()["R-1"].2[&key].is_empty());
}

#[test]
fn an_entity_that_is_wrong_is_a_problem_and_stays_as_it_was() {
    let mut world = world();
    let good = file("r.md", &[entity("req", "R-1", "One", &[]), entity("req", "R-2", "Two", &[])]);
    world.sync(&[good]);
    let mut wrong = entity("req", "R-1", "Changed", &[]);
    wrong["properties"]["statu"] = "open".into();
    let broken = file("r.md", &[wrong, entity("req", "R-2", "New", &[])]);
    let report = world.sync(from_ref(&broken));
    assert_eq!(problems(&report), ["r.md:10: statu: unknown field"]);
    assert_eq!(report.problems[0].hint.as_deref(), Some("did you mean \"status\"?"));
    world.check(&["R-1 r.md One []", "R-2 r.md New []"]);
    assert_eq!(world.files.with_problems(), 1);
    assert_eq!(world.sync(from_ref(&broken)).files, 1, "it is examined again");
    // A rebuild knows nothing of earlier states.
    world.rebuild(&[broken]);
    world.check(&["R-2 r.md New []"]);
}

#[test]
fn a_document_with_problems_keeps_what_it_no_longer_names() {
    let mut world = world();
    world.sync(&[file("r.md", &[entity("req", "R-1", "One", &[]), entity("req", "R-2", "Two", &[])])]);
    let partial = SyncFile { problems: true, ..file("r.md", &[entity("req", "R-2", "New", &[])]) };
    world.sync(from_ref(&partial));
    world.check(&["R-1 r.md One []", "R-2 r.md New []"]);
    assert_eq!(world.files.with_problems(), 1);
    world.rebuild(&[partial]);
    world.check(&["R-2 r.md New []"]);
}

#[test]
fn relationships_are_checked_one_by_one() {
    let mut world = world();
    let links = [("depends_on", "R-9"), ("verified_by", "R-2"), ("depends_on", "R-2")];
    let all = [file("r.md", &[entity("req", "R-1", "One", &links), entity("req", "R-2", "Two", &[])])];
    let report = world.sync(&all);
    assert_eq!(
        problems(&report),
        [
            "r.md:10: depends_on R-9: there is no such entity",
            "r.md:10: verified_by R-2 cannot link a req to a req; it links req -> test, scenario -> test",
        ]
    );
    world.check(&["R-1 r.md One [depends_on R-2]", "R-2 r.md Two []"]);
    // As soon as the other end is there, the relationship is too.
    let more = [all[0].clone(), file("s.md", &[entity("req", "R-9", "Nine", &[])])];
    assert_eq!(world.sync(&more).problem_count, 1);
    world.check(&["R-1 r.md One [depends_on R-2, depends_on R-9]", "R-2 r.md Two []", "R-9 s.md Nine []"]);
}

#[test]
fn supersedes_has_no_circles_and_symbols_do_not_mix() {
    let mut world = world();
    let linked = |id: &str, links: &[(&str, &str)]| entity("req", id, id, links);
    let all = [
        file("a.md", &[linked("A", &[("supersedes", "B")])]),
        file("b.md", &[linked("B", &[("supersedes", "C")])]),
        file("c.md", &[linked("C", &[("supersedes", "A")]), linked("D", &[("supersedes", "D")])]),
        file(
            "s.md",
            &[
                entity(
                    "symbol",
                    "S",
                    "S",
                    &[("executable_for", "T"), ("implements", "A"), ("relates_to", "A")],
                ),
                entity("test", "T", "T", &[]),
            ],
        ),
    ];
    let report = world.sync(&all);
    assert_eq!(report.problem_count, 5, "{:?}", problems(&report));
    world.check(&[
        "A a.md A []",
        "B b.md B []",
        "C c.md C []",
        "D c.md D []",
        "S s.md S [executable_for T, relates_to A]",
        "T s.md T []",
    ]);
}

#[test]
fn the_status_of_a_test_with_results_is_left_alone() {
    let mut world = world();
    let all = [file("t.md", &[entity("test", "T-1", "Test", &[])])];
    world.sync(&all);
    let key = world.branch.find("T-1").unwrap().0;
    // As an import of results does, without an upsert.
    let mut stored = world.stored[&key].0.clone();
    stored.attributes.insert("status".into(), "failing".into());
    stored.attributes.insert("result_at".into(), "2026-05-01T10:00:00Z".into());
    world.branch.put(key, stored.node());
    world.stored.get_mut(&key).unwrap().0 = stored;
    for changed in [false, true] {
        let title = if changed { "Renamed" } else { "Test" };
        let mut one = entity("test", "T-1", title, &[]);
        one["properties"]["tags"] = json!([format!("{changed}")]);
        let report = world.force(&[file("t.md", &[one])]);
        assert_eq!(report.problem_count, 0);
        let shown = world.shown();
        assert_eq!((&shown["T-1"].1["status"], &shown["T-1"].1["title"]), (&"failing".into(), &title.into()));
        assert_eq!(shown["T-1"].1["result_at"], "2026-05-01T10:00:00Z".into());
    }
    let plain = file("t.md", &[entity("test", "T-1", "Renamed", &[])]);
    world.sync(from_ref(&plain));
    let again = SyncFile { hash: "other".into(), ..plain };
    assert_eq!(world.sync(&[again]).unchanged, 1, "the status is no difference");
}

#[test]
fn what_is_wrong_with_the_sync_itself_fails_it() {
    let world = world();
    assert_eq!(world.now_ms, NOW_MS);
    let twice = [file("r.md", &[]), file("r.md", &[])];
    assert!(world.plan(SyncHeader::default(), &twice).unwrap_err().to_string().contains("twice"));
    let outside = [file("../r.md", &[])];
    assert!(world.plan(SyncHeader::default(), &outside).unwrap_err().to_string().contains("segment"));
}

#[test]
fn a_circle_of_supersedes_is_refused_whatever_came_first() {
    let superseding = |id: &str, to: &str| entity("req", id, id, &[("supersedes", to)]);
    let a = file("a.md", &[superseding("A", "B")]);
    let b = file("b.md", &[superseding("B", "A"), superseding("N", "A")]);
    let mut world = world();
    world.sync(&[file("a.md", &[entity("req", "A", "A", &[])]), b.clone()]);
    world.check(&["A a.md A []", "B b.md B [supersedes A]", "N b.md N [supersedes A]"]);
    let report = world.sync(&[a.clone(), b.clone()]);
    let circle = "supersede each other, perhaps by way of others; supersedes goes from new to old";
    assert_eq!(problems(&report), [format!("a.md:10: A and B {circle}"), format!("b.md: B and A {circle}")]);
    world.check(&["A a.md A []", "B b.md B []", "N b.md N [supersedes A]"]);
    let incremental = world.shown();
    world.sync(&[a.clone(), b.clone()]);
    assert_eq!(world.shown(), incremental);
    world.rebuild(&[a.clone(), b.clone()]);
    assert_eq!(world.shown(), incremental);
    // Without the newer document the older one has its relationship again.
    world.sync(&[file("a.md", &[entity("req", "A", "A", &[])]), b]);
    world.check(&["A a.md A []", "B b.md B [supersedes A]", "N b.md N [supersedes A]"]);
    // A relationship of tools stays, and that of a document is refused.
    world.put(json!({"type": "req", "id": "T", "properties": {"title": "T", "status": "open"},
        "relationships": [{"type": "supersedes", "from": "T", "to": "A"}]}));
    let report = world.sync(&[file("a.md", &[superseding("A", "T")])]);
    assert_eq!(problems(&report).len(), 1, "{:?}", problems(&report));
    world.check(&["A a.md A []", "T - T [supersedes A]"]);
}

#[test]
fn the_line_of_a_link_is_named_if_it_is_known() {
    let mut world = world();
    let links = [("depends_on", "R-8"), ("depends_on", "R-9")];
    let mut all = file("r.md", &[entity("req", "R-1", "One", &links)]);
    all.entities[0].link_lines = vec![12, 14];
    let report = world.sync(from_ref(&all));
    assert_eq!(
        problems(&report),
        [
            "r.md:12: depends_on R-8: there is no such entity",
            "r.md:14: depends_on R-9: there is no such entity"
        ]
    );
    assert_eq!(report.problems[0].hint.as_deref(), Some("correct the link, or the entity that it names"));
    all.entities[0].link_lines = vec![0];
    assert!(problems(&world.sync(&[all])).iter().all(|problem| problem.starts_with("r.md:10:")));
}
