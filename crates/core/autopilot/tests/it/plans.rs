//! Plans: each can be applied in order, and adds no violation.

use cairn_autopilot::Project;
use serde_json::json;

use crate::kit::{Files, Kb, ids, over, over_branch, suppressed};
use crate::samples;

#[test]
fn the_plan_of_every_sample_can_be_applied_and_adds_no_violation() {
    for (name, files) in samples::all() {
        for min in [0.6, 0.8, 0.95] {
            let output = over(&files, json!({"minConfidence": min, "maxCandidates": 200}));
            let mut kb = Kb::default();
            kb.apply(&output.apply_plan);
            assert_eq!(kb.violations(), Vec::<String>::new(), "{name} {min}");
            let own = output.candidates.iter().flat_map(|candidate| candidate.apply_plan.clone());
            assert_eq!(own.collect::<Vec<_>>(), output.apply_plan, "{name}");
            for candidate in &output.candidates {
                assert!(kb.entity(&candidate.entity_id).is_some(), "{name}: {}", candidate.entity_id);
                assert!(!candidate.evidence.is_empty(), "{name}: {}", candidate.entity_id);
            }
            let counts = kb.existing();
            assert_eq!(counts_of(&counts), output.payoff_summary.projected_if_all_applied, "{name} {min}");
        }
    }
}

/// Counts of a branch, as a second run sees them.
fn counts_of(existing: &cairn_autopilot::Existing) -> cairn_autopilot::Counts {
    over_branch(&Files::default(), existing, &Project::default(), json!({})).payoff_summary.current
}

#[test]
fn any_number_of_candidates_makes_a_plan_without_violations() {
    let files = samples::typescript();
    for max in 1..=12 {
        let output = over(&files, json!({"maxCandidates": max}));
        assert!(output.candidates.len() <= max, "{max}");
        let mut kb = Kb::default();
        kb.apply(&output.apply_plan);
        assert_eq!(kb.violations(), Vec::<String>::new(), "{max}");
    }
}

#[test]
fn a_second_run_has_nothing_to_add() {
    for (name, files) in samples::all() {
        let first = over(&files, json!({"maxCandidates": 200}));
        let mut kb = Kb::default();
        kb.apply(&first.apply_plan);
        let second = over_branch(&files, &kb.existing(), &Project::default(), json!({"maxCandidates": 200}));
        assert_eq!(ids(&second), Vec::<&str>::new(), "{name}");
        let exists = suppressed(&second).iter().filter(|(_, reason)| *reason == "entity_exists").count();
        assert_eq!(exists, first.candidates.len(), "{name}");
    }
}

#[test]
fn a_symbol_is_a_candidate_if_a_test_of_its_requirement_names_it() {
    let symbols = |files: &Files| {
        let output = over(files, json!({"entityTypes": ["req", "scenario", "test", "symbol"]}));
        let symbols = output.candidates.iter().filter(|candidate| candidate.entity_type.text() == "symbol");
        let links = |candidate: &cairn_autopilot::Candidate| {
            let links = candidate.relationships.iter().map(|link| format!("{} {}", link.relation, link.to));
            (candidate.title.clone(), links.collect::<Vec<_>>())
        };
        symbols.map(links).collect::<Vec<_>>()
    };
    let linked = |title: &str| {
        let links = ["implements REQ-SESSION", "covered_by TEST-IDLE"].map(str::to_owned).to_vec();
        vec![(title.to_owned(), links)]
    };
    assert_eq!(symbols(&samples::typescript()), linked("endSession"));
    assert_eq!(symbols(&samples::python()), linked("end_session"));
    assert_eq!(symbols(&samples::go()), linked("EndSession"));
    assert_eq!(symbols(&samples::rust()), [], "there is no REQ-READ");
    let mut other = samples::typescript();
    other.put(
        "src/session.test.ts",
        "import { test } from 'vitest';\n// TEST-IDLE\ntest('x', () => endSessions());\n",
    );
    assert_eq!(symbols(&other), [], "the test names another symbol");
    let mut other = samples::typescript();
    other.put("src/session.test.ts", "import { test } from 'vitest';\ntest('x', () => endSession());\n");
    assert_eq!(symbols(&other), [], "the file is not that of the test");
}

#[test]
fn a_symbol_has_its_file_line_and_role() {
    let output = over(&samples::typescript(), json!({}));
    let symbol = output.candidates.iter().find(|candidate| candidate.title == "endSession").unwrap();
    let properties = &symbol.apply_plan[0].properties;
    for (name, expected) in
        [("sourceFile", "src/session.ts"), ("source", "src/session.ts#L4"), ("symbol_role", "behavioral")]
    {
        assert_eq!(properties.text(name), Some(expected), "{name}");
    }
    assert_eq!(symbol.evidence[0].line, Some(3));
    assert_eq!(symbol.evidence[1].path, "src/session.test.ts");
}

#[test]
fn what_would_violate_or_contradict_is_suppressed() {
    let output = over(&samples::documents(), json!({}));
    let reasons = suppressed(&output);
    for (candidate, reason) in [
        ("md:documentation/requirements/alone.md:REQ-ALONE", "would_violate"),
        ("md:documentation/adr/old.md:ADR-OLD", "would_violate"),
    ] {
        assert!(reasons.contains(&(candidate, reason)), "{reasons:?}");
    }
    let output = over(&samples::python(), json!({}));
    let contradicting =
        output.suppressed_candidates.iter().find(|one| one.reason.text() == "would_contradict");
    let detail = contradicting.unwrap().detail.as_deref().unwrap();
    assert!(detail.contains("audit_logs.retention_years"), "{detail}");
    let retention = ids(&output).iter().filter(|id| id.starts_with("REQ-AUTO")).count();
    assert_eq!(retention, 2, "one of the two years, and the debug mode");
}

#[test]
fn the_symbols_file_names_no_ignored_source() {
    let output = over(&samples::typescript(), json!({}));
    let reasons = suppressed(&output);
    assert!(reasons.contains(&("mf:documentation/symbols.yaml:SYM-GONE", "ignored_source")), "{reasons:?}");
}

#[test]
fn relationships_end_at_entities_that_come_earlier() {
    let output = over(&samples::documents(), json!({"entityTypes": ["req"]}));
    let mut seen = Vec::new();
    let mut between = 0;
    for payload in &output.apply_plan {
        for link in &payload.relationships {
            assert!(seen.contains(&link.to), "{payload:?}");
            between += 1;
        }
        seen.push(payload.id.clone());
    }
    // A statement has two. REQ-A and REQ-B relate to each other, so that one relationship has a payload of its own.
    assert_eq!(between, 4);
    let late = output.apply_plan.iter().filter(|payload| payload.properties.0.is_empty());
    assert_eq!(late.map(|payload| payload.id.as_str()).collect::<Vec<_>>(), ["REQ-B"]);
    let left_out = output.candidates.iter().flat_map(|candidate| &candidate.evidence);
    let left_out: Vec<_> = left_out.filter(|one| one.detail.starts_with("left out")).collect();
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    assert!(left_out[0].detail.contains("depends_on REQ-NOWHERE"), "{left_out:?}");
}

#[test]
fn a_contradiction_with_the_branch_is_suppressed() {
    let mut kb = Kb::default();
    let plan = json!([
        {"type": "fact", "id": "S", "properties": {"title": "s", "status": "active", "fact_kind": "subject",
            "subject_key": "debug_mode"}},
        {"type": "fact", "id": "V", "properties": {"title": "v", "status": "active", "fact_kind": "property_value",
            "subject_key": "debug_mode", "property_key": "enabled", "operator": "eq", "value_type": "bool",
            "value_bool": true}},
        {"type": "req", "id": "R", "properties": {"title": "r", "status": "open"}, "relationships": [
            {"type": "constrains", "from": "R", "to": "S"}, {"type": "requires_property", "from": "R", "to": "V"}]}
    ]);
    kb.apply(&serde_json::from_value::<Vec<_>>(plan).unwrap());
    let output =
        over_branch(&samples::python(), &kb.existing(), &Project::default(), json!({"entityTypes": ["req"]}));
    let contradicting: Vec<_> =
        output.suppressed_candidates.iter().filter(|one| one.reason.text() == "would_contradict").collect();
    assert_eq!(contradicting.len(), 2, "{contradicting:?}");
    kb.apply(&output.apply_plan);
    assert_eq!(kb.violations(), Vec::<String>::new());
}

#[test]
fn what_exists_is_left_as_it_is() {
    let mut kb = Kb::default();
    let plan =
        json!([{"type": "req", "id": "REQ-SESSION", "properties": {"title": "Mine", "status": "closed"}}]);
    kb.apply(&serde_json::from_value::<Vec<_>>(plan).unwrap());
    let output = over_branch(&samples::typescript(), &kb.existing(), &Project::default(), json!({}));
    kb.apply(&output.apply_plan);
    assert_eq!(kb.entity("REQ-SESSION").unwrap().text("title"), "Mine");
}
