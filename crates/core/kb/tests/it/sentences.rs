//! The suite of sentences: receipts of `kb_semantic_advisor` and candidates of `kb_suggest_predicates`.

use std::collections::BTreeSet;
use std::path::Path;

use cairn_kb::tools::{SemanticAdvisorInput, SuggestPredicatesInput};
use cairn_kb::{Branch, NodeKey, examine_upsert};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    text: String,
    signals: Option<Vec<String>>,
    lane: String,
    suggestions: Vec<Map<String, Value>>,
    /// `None` if it is absent, `Some(Null)` if there is no candidate.
    #[serde(default, deserialize_with = "present")]
    top: Option<Value>,
}

fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../suites/kb/sentences.json");
    let json = std::fs::read(path).expect("the suite is read");
    serde_json::from_slice(&json).expect("rows")
}

/// Runs `check` on every row, and fails with all rows that it finds fault with.
fn every(check: impl Fn(&Row) -> Result<(), String>) {
    let found: Vec<String> = rows()
        .iter()
        .filter_map(|row| check(row).err().map(|fault| format!("{:?}\n    {fault}", row.text)))
        .collect();
    assert!(found.is_empty(), "{} rows:\n{}", found.len(), found.join("\n"));
}

fn receipt(row: &Row) -> Value {
    let input = SemanticAdvisorInput { text: row.text.clone(), ..SemanticAdvisorInput::default() };
    serde_json::to_value(input.run().expect("a receipt").receipt).expect("plain data")
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, not {expected:?}")) }
}

#[test]
fn the_suite_is_as_large_as_it_has_to_be() {
    let rows = rows();
    let texts: BTreeSet<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts.len(), rows.len(), "a sentence is there twice");
    let without = rows.iter().filter(|row| row.suggestions.is_empty()).count();
    assert!(rows.len() >= 150 && without >= 50, "{} rows, {without} without suggestions", rows.len());
}

#[test]
fn signals_and_lanes() {
    every(|row| {
        let receipt = receipt(row);
        let found: BTreeSet<&str> = receipt["signals"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|signal| signal["kind"].as_str())
            .collect();
        if let Some(expected) = &row.signals {
            same("signals", &found, &expected.iter().map(String::as_str).collect())?;
        }
        same("lane", &receipt["candidate_lane"], &json!(row.lane))
    });
}

#[test]
fn suggestions() {
    every(|row| {
        let receipt = receipt(row);
        let found = receipt["suggestions"].as_array().cloned().unwrap_or_default();
        let kinds = |list: &[Value]| list.iter().map(|one| one["kind"].clone()).collect::<Vec<_>>();
        let expected: Vec<Value> = row.suggestions.iter().cloned().map(Value::Object).collect();
        same("kinds", &kinds(&found), &kinds(&expected))?;
        found.iter().zip(&row.suggestions).try_for_each(|(found, expected)| suggestion(found, expected))
    });
}

/// Compares the keys that a row has.
fn suggestion(found: &Value, expected: &Map<String, Value>) -> Result<(), String> {
    for (key, expected) in expected {
        let value = match key.as_str() {
            "kind" => &found["kind"],
            "predicate" if found["kind"] == "ontology_gap" => {
                &found["recommendedPredicateSchema"]["predicate_name"]
            }
            "predicate" => &found["predicate"]["predicate_name"],
            "args" => &found["predicate"]["predicate_args"],
            "polarity" => &found["predicate"]["polarity"],
            "subject" => &found["claim"]["subject_key"],
            "property" => &found["claim"]["property_key"],
            "operator" => &found["claim"]["operator"],
            "unit" => &found["claim"]["unit"],
            "value" => {
                let claim = &found["claim"];
                let kind = claim["value_type"].as_str().unwrap_or_default();
                &claim[format!("value_{kind}")]
            }
            other => panic!("unknown key {other}"),
        };
        same(key, value, expected).map_err(|fault| format!("{fault} in {found}"))?;
    }
    Ok(())
}

#[test]
fn first_candidates() {
    every(|row| {
        let Some(expected) = &row.top else { return Ok(()) };
        let input = SuggestPredicatesInput { text: row.text.clone(), ..SuggestPredicatesInput::default() };
        let output = serde_json::to_value(input.run(&[]).expect("candidates")).expect("plain data");
        let first = &output["candidates"][0];
        let found = if expected.is_null() {
            first.clone()
        } else {
            let mut found = json!({"predicate": first["predicate_name"], "score": first["score"]});
            if expected.get("args").is_some() {
                found["args"] = first["predicate_args"].clone();
            }
            found
        };
        same("first candidate", &found, expected)?;
        let action = if expected.is_null() { "record_ontology_gap" } else { "apply_requires_predicate" };
        same("action", &output["recommendedAction"], &json!(action))
    });
}

#[test]
fn every_plan_is_accepted_in_its_order() {
    every(|row| {
        let advice = SemanticAdvisorInput { text: row.text.clone(), ..SemanticAdvisorInput::default() };
        let suggest = SuggestPredicatesInput { text: row.text.clone(), ..SuggestPredicatesInput::default() };
        let receipt = advice.run().expect("a receipt").receipt;
        let mut plans: Vec<_> =
            receipt.suggestions.into_iter().map(|suggestion| suggestion.apply_plan).collect();
        plans.push(suggest.run(&[]).expect("candidates").apply_plan);
        for plan in plans {
            let mut branch = Branch::default();
            for (key, input) in (1..).zip(&plan) {
                let examined = examine_upsert(&branch, None, input, None, 1_780_000_000_000);
                if !examined.problems.is_empty() {
                    return Err(format!("{}: {:?}", input.id, examined.problems));
                }
                branch.apply(examined.plan.changes(NodeKey(key)));
            }
        }
        Ok(())
    });
}
