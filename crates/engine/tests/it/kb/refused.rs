//! Refused writes change nothing, and the dry run says beforehand which ones are refused.

use cairn_engine::EngineError;
use cairn_kb::tools::UpsertInput;
use serde_json::json;

use super::kit::{Kb, claim, code, file, input, plain, reports, target};

/// Every kind of refusal on a filled branch, and its code.
fn refusals() -> Vec<(&'static str, UpsertInput)> {
    let with = |properties| input("req", "R-1", properties, &[]);
    let mut foreign = plain("req", "R-2", &[("depends_on", "R-1")]);
    foreign.relationships[0].from = "R-1".into();
    let mut unsure = plain("req", "R-2", &[("relates_to", "R-1")]);
    unsure.relationships[0].confidence = Some(1.5);
    let entity = "KbInvalidEntity";
    let link = "KbInvalidRelationship";
    vec![
        (entity, plain("req", "", &[])),
        (entity, plain("req", " R", &[])),
        (entity, input("req", "R-9", json!({"status": "open"}), &[])),
        (entity, with(json!({"title": null}))),
        (entity, with(json!({"subjectKey": "x"}))),
        (entity, with(json!({"status": "opne"}))),
        (entity, with(json!({"symbol_role": "config"}))),
        (entity, with(json!({"title": "x".repeat(4 * 1024 + 1)}))),
        (entity, with(json!({"tags": vec!["x"; 257]}))),
        (entity, with(json!({"created_at": "yesterday"}))),
        (entity, plain("test", "R-1", &[])),
        (entity, input("fact", "F-30", json!({"value_int": null}), &[])),
        (entity, input("fact", "F-S", json!({"fact_kind": "property_value"}), &[])),
        (entity, input("fact", "F-30", json!({"fact_kind": "subject"}), &[])),
        (link, foreign),
        (link, unsure),
        (link, plain("req", "R-2", &[("implements", "R-1")])),
        (link, plain("req", "R-2", &[("depends_on", "R-404")])),
        (link, plain("req", "R-2", &[("supersedes", "R-2")])),
        (link, plain("req", "R-2", &[("constrains", "F-30")])),
        (link, plain("req", "R-2", &[("requires_property", "F-S")])),
        (link, plain("symbol", "S-1", &[("executable_for", "T-1")])),
        ("KbGranularity", input("symbol", "S-1", json!({"title": "session.rs"}), &[("implements", "R-2")])),
        ("KbContradiction", claim_of("R-2", "F-60")),
        ("KbTooLarge", plain("req", "R-2", &vec![("relates_to", "R-1"); 1_001])),
    ]
}

/// A requirement that wants another timeout.
fn claim_of(id: &str, fact: &str) -> UpsertInput {
    plain("req", id, &[("constrains", "F-S"), ("requires_property", fact)])
}

fn filled() -> Kb {
    let kb = Kb::filled();
    kb.put(&claim("F-60", "gte", 60));
    kb
}

fn put(kb: &Kb, input: &UpsertInput) -> Result<(), EngineError> {
    kb.engine().kb_upsert(&kb.world.owner, &target("main"), input, Some(&file())).map(drop)
}

#[test]
fn a_refused_write_changes_nothing_not_even_a_timestamp() {
    let kb = filled();
    let (rows, before) = (kb.rows(), reports(kb.engine(), &target("main")).unwrap());
    kb.world.clock.advance(std::time::Duration::from_secs(9));
    for (expected, input) in refusals() {
        let what = format!("{} {:?} {:?}", input.id, input.properties, input.relationships.first());
        let dry =
            kb.engine().kb_validate_upsert(&kb.world.owner, &target("main"), &input, Some(&file())).unwrap();
        assert!(!dry.valid && !dry.errors.is_empty() && dry.normalized_preview.is_none(), "{what}");
        assert_eq!(code(put(&kb, &input)), expected, "{what}");
        assert!(kb.rows() == rows, "{what}");
        assert_eq!(reports(kb.engine(), &target("main")).unwrap(), before, "{what}");
    }
    for ids in [&["R-1"][..], &["T-1", "SC-1"], &[], &["x"; 1_001]] {
        assert!(kb.delete(ids).is_err());
        assert!(kb.rows() == rows);
    }
}

#[test]
fn contradictions_are_refused_from_both_sides_and_explained() {
    let kb = filled();
    let refused = kb.try_put(&claim_of("R-3", "F-60")).unwrap_err().to_string();
    assert!(refused.contains("R-3") && refused.contains("conflicts with R-1"), "{refused}");
    assert!(!refused.contains("R-2"), "the smallest set: {refused}");
    // The same by changing the fact of a requirement that is there.
    kb.put(&claim("F-20", "gte", 20));
    kb.put(&claim_of("R-3", "F-20"));
    assert_eq!(code(kb.try_put(&input("fact", "F-20", json!({"value_int": 31}), &[]))), "KbContradiction");
    kb.put(&input("fact", "F-20", json!({"value_int": 30}), &[]));
    // Replacing the other requirement is no contradiction.
    let replacing =
        plain("req", "R-4", &[("constrains", "F-S"), ("requires_property", "F-60"), ("supersedes", "R-1")]);
    let dry = kb.engine().kb_validate_upsert(&kb.world.owner, &target("main"), &replacing, None).unwrap();
    assert!(dry.valid, "R-3 wants at least 30: {dry:?}");
}

#[test]
fn supersedes_in_the_same_call_resolves_a_contradiction() {
    let kb = filled();
    let replacing =
        plain("req", "R-4", &[("constrains", "F-S"), ("requires_property", "F-60"), ("supersedes", "R-1")]);
    kb.put(&replacing);
    // A deprecated requirement wants nothing either.
    kb.put(&input("req", "R-4", json!({"status": "deprecated"}), &[]));
    assert_eq!(kb.try_put(&plain("req", "R-5", &[])).unwrap().created, 1);
}

#[test]
fn a_write_that_leaves_an_old_contradiction_alone_is_stored() {
    let kb = filled();
    let deprecated = json!({"title": "t", "status": "deprecated"});
    kb.put(&input("req", "R-5", deprecated, &[("constrains", "F-S"), ("requires_property", "F-60")]));
    assert_eq!(code(kb.try_put(&input("req", "R-5", json!({"status": "open"}), &[]))), "KbContradiction");
    kb.put(&input("req", "R-5", json!({"owner": "ada"}), &[]));
}

#[test]
fn trap_4_an_entity_is_not_kept_when_one_of_its_edges_fails() {
    let kb = Kb::new();
    kb.put(&plain("test", "T", &[]));
    let rows = kb.rows();
    let both = plain("req", "R", &[("verified_by", "T"), ("verified_by", "missing")]);
    let refused = kb.try_put(&both).unwrap_err().to_string();
    assert!(refused.contains("index 1") && refused.contains("missing"), "{refused}");
    assert!(kb.rows() == rows);
}
