//! `docs/kb-modelling.md`: every payload of the page is run, and gives what the page says.

use cairn_kb::model_requirement;
use cairn_kb::tools::{ModelRequirementInput, SemanticAdvisorInput, SuggestPredicatesInput};
use serde_json::Value;

use super::page::{json_blocks, read_page};
use super::play::Play;

fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

#[test]
fn payloads_give_what_the_page_says() {
    let page = read_page("kb-modelling.md");
    let mut count = 0;
    for part in page.split("\n## ").skip(1) {
        let heading = part.lines().next().unwrap_or_default();
        let (mut play, mut plan) = (Play::default(), Value::Null);
        for (words, json) in json_blocks(part) {
            count += 1;
            let context = format!("{heading}: {words}\n{json}");
            let payload = parse(json);
            match words.split_once(' ').unwrap_or((words, "")) {
                ("upsert", _) => {
                    play.call("kb_upsert", &payload).unwrap_or_else(|error| panic!("{context}: {error}"));
                }
                ("refused", code) => {
                    let error = play.call("kb_upsert", &payload).expect_err(&context);
                    assert_eq!(error.code().name(), code, "{context}: {error}");
                }
                ("model", lane) => {
                    let input: ModelRequirementInput =
                        serde_json::from_value(payload.clone()).expect("an input");
                    let output =
                        model_requirement(&input).unwrap_or_else(|error| panic!("{context}: {error}"));
                    assert_eq!(if output.is_strict { "strict" } else { "observation" }, lane, "{context}");
                    let new = serde_json::to_value(&output.apply_plan).expect("plain data");
                    if heading == "A bound on a number" && !plan.is_null() {
                        assert_eq!(new, plan, "{context}: the two spellings differ");
                    }
                    plan = new;
                    play.call("kb_model_requirement", &payload)
                        .unwrap_or_else(|error| panic!("{context}: {error}"));
                }
                ("plan", _) => assert_eq!(payload, plan, "{context}: {plan:#}"),
                ("suggest", name) => {
                    let input: SuggestPredicatesInput =
                        serde_json::from_value(payload.clone()).expect("an input");
                    let output = input.run(&[]).unwrap_or_else(|error| panic!("{context}: {error}"));
                    let first = output.candidates.first().map(|candidate| candidate.predicate_name.as_str());
                    assert_eq!(first, Some(name), "{context}");
                    play.call("kb_suggest_predicates", &payload)
                        .unwrap_or_else(|error| panic!("{context}: {error}"));
                }
                ("advise", lane) => {
                    let input: SemanticAdvisorInput = serde_json::from_value(payload).expect("an input");
                    let output = input.run().unwrap_or_else(|error| panic!("{context}: {error}"));
                    let json = serde_json::to_value(&output).expect("plain data");
                    assert_eq!(json["receipt"]["candidate_lane"], lane, "{context}: {json:#}");
                }
                (other, _) => panic!("{context}: unknown block {other}"),
            }
        }
    }
    assert!(count > 15, "{count}");
}
