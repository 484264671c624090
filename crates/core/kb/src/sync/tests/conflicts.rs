//! Tools and documents, and documents among each other.

use serde_json::json;

use super::kit::{entity, file, problems, upsert, world};
use crate::write::examine_upsert;

#[test]
fn an_upsert_makes_an_entity_diverge_and_a_sync_keeps_it() {
    let mut world = world();
    let v1 = [file("r.md", &[entity("req", "R-1", "One", &[]), entity("test", "T-1", "T", &[])])];
    world.sync(&v1);
    assert!(world.put(json!({"type": "req", "id": "R-1", "properties": {"title": "One"}})).is_empty());
    world.check(&["R-1 r.md One []", "T-1 r.md T []"]);
    let warnings = world.put(json!({"type": "req", "id": "R-1", "properties": {"owner": "ann"}}));
    assert!(warnings[0].contains("`cairn kb export`") && warnings[0].contains("--force"), "{warnings:?}");
    world.check(&["R-1! r.md One []", "T-1 r.md T []"]);

    let v2 = [file("r.md", &[entity("req", "R-1", "Two", &[]), entity("test", "T-1", "T", &[])])];
    let report = world.sync(&v2);
    assert_eq!((report.diverged_count, report.diverged[0].id.as_str(), report.unchanged), (1, "R-1", 1));
    world.check(&["R-1! r.md One []", "T-1 r.md T []"]);
    assert_eq!(world.sync(&v2).diverged_count, 1, "each run says so");

    // Its file says what is stored: it was exported.
    let mut exported = entity("req", "R-1", "One", &[]);
    exported["properties"]["owner"] = "ann".into();
    let v3 = [file("r.md", &[exported, entity("test", "T-1", "T", &[])])];
    let report = world.sync(&v3);
    assert_eq!((report.diverged_count, report.updated, report.unchanged), (0, 0, 2));
    world.check(&["R-1 r.md One []", "T-1 r.md T []"]);
}

#[test]
fn a_relationship_of_a_tool_diverges_and_force_drops_it() {
    let mut world = world();
    let all = [file("r.md", &[entity("req", "R-1", "One", &[]), entity("test", "T-1", "T", &[])])];
    world.sync(&all);
    let link = json!([{"type": "verified_by", "from": "R-1", "to": "T-1"}]);
    world.put(json!({"type": "req", "id": "R-1", "properties": {}, "relationships": link}));
    world.check(&["R-1! r.md One [verified_by T-1]", "T-1 r.md T []"]);
    world.sync(&all);
    world.check(&["R-1! r.md One [verified_by T-1]", "T-1 r.md T []"]);
    let report = world.force(&all);
    assert_eq!((report.updated, report.relationships_removed), (1, 1));
    world.check(&["R-1 r.md One []", "T-1 r.md T []"]);
}

#[test]
fn fields_of_the_sync_are_read_only() {
    let mut world = world();
    world.sync(&[file("r.md", &[entity("req", "R-1", "One", &[])])]);
    let key = world.branch.find("R-1").unwrap().0;
    let current = world.stored[&key].0.clone();
    for (properties, is_fine) in [
        (json!({"file": "r.md"}), true),
        (json!({"diverged": false}), true),
        (json!({"diverged": null}), true),
        (json!({"file": "other.md"}), false),
        (json!({"file": null}), false),
        (json!({"diverged": true}), false),
        (json!({"file": 1}), false),
    ] {
        let input = upsert(json!({"type": "req", "id": "R-1", "properties": properties}));
        let examined = examine_upsert(&world.branch, Some(&current), &input, None, world.now_ms);
        assert_eq!(examined.problems.is_empty(), is_fine, "{properties} {:?}", examined.problems);
        assert_eq!(examined.plan.entity.text("file"), "r.md");
    }
    let mut claimed = entity("req", "R-2", "Two", &[]);
    claimed["properties"]["file"] = "x.md".into();
    let report = world.sync(&[file("r.md", &[entity("req", "R-1", "One", &[]), claimed])]);
    assert_eq!(problems(&report), ["r.md:20: file: it is read-only"]);
}

#[test]
fn a_document_takes_an_entity_of_tools_over() {
    let mut world = world();
    let put = |title: &str| json!({"type": "req", "id": "R-1", "properties": {"title": title, "status": "open", "source": "r.md"}});
    world.put(put("One"));
    let report = world.sync(&[file("r.md", &[entity("req", "R-1", "One", &[])])]);
    assert_eq!((report.unchanged, report.diverged_count), (1, 0));
    world.check(&["R-1 r.md One []"]);

    let mut world = super::kit::world();
    world.put(put("Other"));
    let all = [file("r.md", &[entity("req", "R-1", "One", &[])])];
    let report = world.sync(&all);
    assert_eq!(report.diverged_count, 1);
    world.check(&["R-1! r.md Other []"]);
    world.force(&all);
    world.check(&["R-1 r.md One []"]);
}

#[test]
fn the_first_path_wins_an_id_and_the_next_one_follows() {
    let mut world = world();
    let a = file("a.md", &[entity("req", "R-1", "A", &[]), entity("req", "R-1", "Again", &[])]);
    let b = file("b.md", &[entity("req", "R-1", "B", &[])]);
    let report = world.sync(&[b.clone(), a.clone()]);
    assert_eq!(
        problems(&report),
        [
            "a.md:20: R-1 is also in a.md:10, which wins as the first path",
            "b.md:10: R-1 is also in a.md:10, which wins as the first path",
        ]
    );
    world.check(&["R-1 a.md A []"]);
    world.sync(&[b.clone()]);
    world.check(&["R-1 b.md B []"]);
    // A file that comes later wins all the same, and the other one is named though it was not sent.
    let report = world.sync(&[b.clone(), file("a.md", &[entity("req", "R-1", "A", &[])])]);
    assert_eq!(problems(&report), ["b.md: R-1 is also in a.md:10, which wins as the first path"]);
    world.check(&["R-1 a.md A []"]);
    // One that loses against a file that is not sent.
    let report = world.sync(&[
        file("a.md", &[entity("req", "R-1", "A", &[])]),
        b,
        file("c.md", &[entity("req", "R-1", "C", &[])]),
    ]);
    assert_eq!(report.problem_count, 2);
    world.check(&["R-1 a.md A []"]);
}

#[test]
fn a_file_that_moves_takes_its_entities_along() {
    let mut world = world();
    let of = |path: &str| {
        let mut one = entity("req", "R-1", "One", &[]);
        one["properties"]["source"] = "spec".into();
        file(path, &[one])
    };
    let other = file("s.md", &[entity("req", "R-2", "Two", &[("depends_on", "R-1")])]);
    world.sync(&[of("r.md"), other.clone()]);
    let report = world.sync(&[of("moved/r.md"), other]);
    assert_eq!((report.unchanged, report.removed, report.problem_count), (1, 0, 0));
    world.check(&["R-1 moved/r.md One []", "R-2 s.md Two [depends_on R-1]"]);
}

#[test]
fn another_type_keeps_the_relationships_that_fit() {
    let mut world = world();
    let other = file("s.md", &[entity("req", "R", "R", &[("verified_by", "X"), ("relates_to", "X")])]);
    world.sync(&[file("x.md", &[entity("test", "X", "X", &[])]), other.clone()]);
    let report = world.sync(&[file("x.md", &[entity("scenario", "X", "X", &[])]), other.clone()]);
    assert_eq!(problems(&report), ["s.md: verified_by X does not fit any more: it is a scenario"]);
    assert_eq!((report.updated, report.created), (1, 0));
    world.check(&["R s.md R [relates_to X]", "X x.md X []"]);
    let report = world.sync(&[file("x.md", &[entity("test", "X", "X", &[])]), other]);
    assert_eq!(report.problem_count, 0);
    world.check(&["R s.md R [relates_to X, verified_by X]", "X x.md X []"]);
}

#[test]
fn a_tool_that_refers_to_an_entity_holds_its_type() {
    let mut world = world();
    world.sync(&[file("x.md", &[entity("test", "X", "X", &[])])]);
    let link = json!([{"type": "verified_by", "from": "R", "to": "X"}]);
    let of_tool = json!({"type": "req", "id": "R", "properties": {"title": "R", "status": "open"}, "relationships": link});
    world.put(of_tool);
    let report = world.sync(&[file("x.md", &[entity("scenario", "X", "X", &[])])]);
    assert_eq!(problems(&report), ["x.md:10: it cannot become a scenario: R refers to it by verified_by"]);
    world.check(&["R - R [verified_by X]", "X x.md X []"]);
}

#[test]
fn a_fact_of_another_kind_loses_the_relationships_that_do_not_fit() {
    let mut world = world();
    let fact = |kind: &str| {
        let mut fact = entity("fact", "F", "F", &[]);
        fact["properties"]["fact_kind"] = kind.into();
        fact["properties"]["subject_key"] = "s".into();
        if kind == "property_value" {
            fact["properties"]["property_key"] = "p".into();
            fact["properties"]["operator"] = "eq".into();
            fact["properties"]["value_type"] = "string".into();
            fact["properties"]["value_string"] = "v".into();
        }
        file("f.md", &[fact])
    };
    let req = file("r.md", &[entity("req", "R", "R", &[("constrains", "F")])]);
    world.sync(&[fact("subject"), req.clone()]);
    world.check(&["F f.md F []", "R r.md R [constrains F]"]);
    let report = world.sync(&[fact("property_value"), req.clone()]);
    assert_eq!(report.problem_count, 1, "{:?}", problems(&report));
    world.check(&["F f.md F []", "R r.md R []"]);
    world.sync(&[fact("subject"), req]);
    world.check(&["F f.md F []", "R r.md R [constrains F]"]);
}
