//! Prompts name only tools, fields and words that exist.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::*;
use crate::limits::TOOL_TEXT_BYTES_MAX;
use crate::skills::examples::{TOOLS, check, words};
use crate::{EntityType, FIELDS, FactKind, Relation, Rule, STATUSES};

/// Fields of results and nested arguments that prompts may name.
const OTHERS: &[&str] = &[
    "activationReason",
    "applyBlocked",
    "applyPlan",
    "migrationWarning",
    "promptBlock",
    "suppressedCandidates",
    "kb_*",
    "from",
    "to",
    // Folders.
    ".git",
    ".kb",
    "node_modules",
    "vendor",
    "third_party",
];

#[test]
fn names_are_sorted_and_found() {
    let names: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
    assert_eq!(names, ["init-kb", "kb_constraints", "kb_overview", "kb_workflow"]);
    let all =
        PROMPTS.iter().flat_map(|prompt| [prompt.name].into_iter().chain(prompt.aliases.iter().copied()));
    let all: Vec<&str> = all.collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    for name in &all {
        assert!(prompt(name).is_some_and(|found| found.name == *name || found.aliases.contains(name)));
    }
    assert_eq!(prompt("init-kibi").map(|found| found.name), Some("init-kb"));
    assert_eq!(prompt("init"), None);
}

#[test]
fn every_word_in_backticks_exists() {
    let tools = TOOLS.iter().flat_map(|(tool, required, optional)| {
        [*tool].into_iter().chain(required.iter().copied()).chain(optional.iter().copied())
    });
    let known: BTreeSet<&str> = tools
        .chain(FIELDS.iter().map(|field| field.name))
        .chain(Relation::TEXTS.iter().copied())
        .chain(EntityType::TEXTS.iter().copied())
        .chain(FactKind::TEXTS.iter().copied())
        .chain(Rule::TEXTS.iter().copied())
        .chain(STATUSES.iter().copied())
        .chain(OTHERS.iter().copied())
        .collect();
    for prompt in PROMPTS {
        let prose = prompt.text.split("```").step_by(2).collect::<String>();
        for word in words(&prose) {
            assert!(known.contains(word), "{}: unknown word {word:?}", prompt.name);
        }
        assert!(prompt.text.len() < TOOL_TEXT_BYTES_MAX, "{}", prompt.name);
        assert!(
            !prompt.text.contains("cairn kb "),
            "{}: agents are not sent to the command line",
            prompt.name
        );
    }
}

#[test]
fn every_example_is_a_valid_call() {
    let mut count = 0;
    for prompt in PROMPTS {
        for block in prompt.text.split("```json ").skip(1) {
            let (block, _) = block.split_once("\n```").expect("a block ends");
            let (tool, json) = block.split_once('\n').expect("two lines");
            let arguments: Map<String, Value> =
                serde_json::from_str(json).unwrap_or_else(|error| panic!("{}: {error}", prompt.name));
            check(tool, &arguments, prompt.name);
            count += 1;
        }
    }
    assert_eq!(count, 2);
}

#[test]
fn the_overview_names_every_tool_and_the_constraints_every_rule() {
    let text = |name: &str| prompt(name).expect("a prompt").text;
    for (tool, _, _) in TOOLS {
        assert!(text("kb_overview").contains(&format!("`{tool}`")), "{tool}");
    }
    for rule in Rule::TEXTS {
        assert!(text("kb_constraints").contains(&format!("`{rule}`")), "{rule}");
    }
}

#[test]
fn onboarding_asks_at_most_four_questions_and_waits_for_approval() {
    let text = prompt("init-kb").expect("a prompt").text;
    let steps: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(
        steps,
        [
            "1. Look before you ask",
            "2. Ask at most four questions",
            "3. Synthesise candidates",
            "4. Preview",
            "5. Wait for approval",
            "6. Apply",
            "7. Check"
        ]
    );
    let questions = text.split("## 2.").nth(1).and_then(|rest| rest.split("## 3.").next()).expect("a step");
    assert_eq!(questions.matches('?').count(), 4);
}
