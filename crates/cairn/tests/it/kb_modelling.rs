//! `cairn kb advise`, `model` and `suggest`: from prose to entities.

use serde_json::{Value, json};

use crate::program::{stderr, stdout};
use crate::project::Project;

const SENTENCE: &str = "Audit logs must be retained for 90 days.";

#[test]
fn a_sentence_becomes_entities_that_are_compared() {
    let project = Project::new();
    let said = project.said(&["kb", "model", SENTENCE, "--source", "docs/logs.md"]);
    for part in ["strict claim", "property_key=retention_days operator=eq value=90", "1. fact FACT-SUBJECT-"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("Upserted") && project.ids().is_empty(), "{said}");

    let apply = ["kb", "model", SENTENCE, "--source", "docs/logs.md", "--apply"];
    let said = project.said(&apply);
    assert_eq!(said.matches("(created)").count(), 3, "{said}");
    let ids = project.ids();
    let again = project.json(&apply);
    assert_eq!(again["applied"].as_array().map(Vec::len), Some(3), "{again}");
    assert!(again["applied"].as_array().into_iter().flatten().all(|row| row["updated"] == 1), "{again}");
    assert_eq!(project.ids(), ids);
    let check = ["kb", "check", "--rule", "strict-fact-shape,strict-req-fact-pairing,domain-contradictions"];
    assert_eq!(project.said(&check), "no violations\n");

    // The same subject and property with another value: refused at the requirement, and the facts before it stay.
    let (code, said) =
        project.failed(&["kb", "model", "Audit logs must be retained for 30 days.", "--apply"]);
    assert_eq!(code, 1);
    assert!(said.contains("the payload at index 2 (REQ-AUTO-") && said.contains("contradiction"), "{said}");
    assert_eq!(project.ids().len(), ids.len() + 2);
}

#[test]
fn claims_come_from_flags_and_text_from_standard_input() {
    let project = Project::new();
    let flags =
        ["--subject", "Password", "--property", "logged", "--operator", "polarity", "--value", "forbid"];
    let model: Vec<&str> = ["kb", "model", "-", "--json"].into_iter().chain(flags).collect();
    let output = project.piped(&model, "Passwords must\nnot be logged.\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let model: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(model["statement"], "Passwords must\nnot be logged.");
    assert_eq!(model["claim"]["subjectKey"], "password");
    assert_eq!(model["applyPlan"][1]["properties"]["polarity"], "forbid");
    let negative =
        ["kb", "model", "It is cold.", "--subject", "room", "--property", "celsius", "--operator", "gte"];
    let negative = project.json(&[&negative[..], &["--value", "-5"]].concat());
    assert_eq!(negative["claim"]["value"], -5);
}

#[test]
fn the_settings_of_the_tree_are_known() {
    let project = Project::new();
    let model = |project: &Project| project.json(&["kb", "model", SENTENCE]);
    assert_eq!(model(&project)["schemaVersionStatus"], Value::Null);
    for (settings, status, folder) in [
        ("[paths]\nrequirements = \"reqs/**/*.md\"\n", json!("missing"), "reqs/REQ-AUTO-"),
        ("schema_version = 1\n", json!("older"), "documentation/requirements/REQ-AUTO-"),
        ("schema_version = 2\n", json!("current"), "documentation/requirements/REQ-AUTO-"),
        ("schema_version = 3\n", json!("newer"), "documentation/requirements/REQ-AUTO-"),
    ] {
        std::fs::write(project.root.join("cairn-kb.toml"), settings).expect("a file");
        let model = model(&project);
        assert_eq!(model["schemaVersionStatus"]["status"], status, "{settings}");
        assert_eq!(model["migrationWarning"].is_null(), status == "current", "{settings}");
        let source = model["applyPlan"][2]["properties"]["source"].as_str().unwrap_or_default();
        assert!(source.starts_with(folder), "{source}");
    }
}

#[test]
fn predicates_are_suggested_and_prose_is_analysed() {
    let project = Project::new();
    let sentence = "Guests must not delete invoices.";
    let said = project.said(&["kb", "suggest", sentence, "--requirement", "REQ-1"]);
    assert!(said.contains("permission_rule(") && said.contains("requires_predicate"), "{said}");
    let words: Vec<&str> = ["kb", "suggest", "--max", "1"].into_iter().chain(sentence.split(' ')).collect();
    let one = project.json(&words);
    assert_eq!((one["text"].as_str(), one["candidates"].as_array().map(Vec::len)), (Some(sentence), Some(1)));
    // The plan is what upsert takes.
    let plan = project.piped(&["kb", "upsert", "-"], &one["applyPlan"].to_string());
    assert_eq!(plan.status.code(), Some(0), "{}", stderr(&plan));

    let plan = project.piped(&["kb", "upsert", "-"], &one.to_string());
    assert_eq!(plan.status.code(), Some(0), "{}", stderr(&plan));
    assert!(stdout(&plan).contains("(updated)"), "{}", stdout(&plan));

    let said = project.said(&["kb", "advise", SENTENCE]);
    assert!(said.contains("retention_days") && said.contains("Next: `cairn kb model`"), "{said}");
    assert!(!said.contains("kb_model_requirement"), "{said}");
    let advice = project.json(&["kb", "advise", SENTENCE, "--id", "REQ-LOGS"]);
    assert_eq!(advice["receipt"]["candidate_lane"], "strict_property", "{advice}");
    assert_eq!(advice["receipt"]["version"], "semantic-advisor-v1");
}

#[test]
fn the_receipt_of_an_upsert_is_that_of_the_whole_requirement() {
    let project = Project::new();
    let upsert = ["kb", "upsert", "req", "REQ-1"];
    let first = ["--title", "Sessions expire after 30 minutes", "--status", "open"];
    project.said(&[&upsert[..], &first].concat());
    let update = project.json(&[&upsert[..], &["--field", "priority=must"]].concat());
    assert_eq!(update["semanticAdvisor"]["logic_readiness"], "needs_modeling", "{update}");
    let update = project.json(&["kb", "validate", "req", "REQ-1", "--field", "priority=should"]);
    assert_eq!(update["semanticAdvisor"]["logic_readiness"], "needs_modeling", "{update}");
}

#[test]
fn mistakes_are_named_and_change_nothing() {
    let project = Project::new();
    for (arguments, part) in [
        (&["kb", "model", " "][..], "text: it is blank"),
        (&["kb", "advise", " "], "text"),
        (&["kb", "suggest", " "], "text"),
        (&["kb", "model", SENTENCE, "--subject", "log"], "--property, --operator, --value missing"),
        (
            &[
                "kb",
                "model",
                SENTENCE,
                "--subject",
                "a",
                "--property",
                "b",
                "--operator",
                "gte",
                "--value",
                "x",
            ],
            "operator gte needs a number",
        ),
    ] {
        let (code, said) = project.failed(arguments);
        assert_eq!(code, 1, "{arguments:?}: {said}");
        assert!(said.contains(part), "{part} in {said}");
    }
    for arguments in
        [["kb", "model", SENTENCE, "--confidence", "nan"], ["kb", "suggest", SENTENCE, "--min-score", "inf"]]
    {
        let (code, said) = project.failed(&arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("a number from 0 to 1"), "{said}");
    }
    let (code, said) = project.failed(&["kb", "model", SENTENCE, "--operator", "lt"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("polarity"), "{said}");
    assert!(project.ids().is_empty());
}
