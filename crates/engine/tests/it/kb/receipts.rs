//! Receipts of the semantic advisor in the results of upserts and of their validation.

use cairn_kb::tools::UpsertInput;
use cairn_kb::{CandidateLane, LogicReadiness, SuggestionKind};
use serde_json::json;

use super::kit::{Kb, input, plain, target};

fn requirement(links: &[(&str, &str)]) -> UpsertInput {
    let prose = "Sessions expire after 30 minutes and guests must not delete comments.";
    input("req", "R-1", json!({"title": "Sessions end", "status": "open", "text_ref": prose}), links)
}

#[test]
fn an_upsert_and_its_validation_have_the_same_receipt() {
    let kb = Kb::new();
    let owner = &kb.world.owner;
    let wanted = requirement(&[]);
    let checked = kb.engine().kb_validate_upsert(owner, &target("main"), &wanted, None).unwrap();
    let stored = kb.put(&wanted);
    assert!(checked.valid);
    assert_eq!(checked.warnings, stored.warnings);
    assert_eq!(stored.warnings.len(), 1, "{:?}", stored.warnings);
    assert!(stored.warnings[0].starts_with("semantic advisor: "), "{:?}", stored.warnings);
    let receipt = stored.semantic_advisor.clone().unwrap();
    assert_eq!(checked.semantic_advisor, stored.semantic_advisor);
    assert_eq!(receipt.logic_readiness, LogicReadiness::NeedsModeling);
    assert_eq!(receipt.candidate_lane, CandidateLane::StrictProperty);
    let kinds: Vec<_> = receipt.suggestions.iter().map(|suggestion| suggestion.kind).collect();
    assert_eq!(kinds, [SuggestionKind::StrictProperty, SuggestionKind::Predicate]);
}

#[test]
fn suggestions_that_are_applied_make_the_requirement_modeled() {
    let kb = Kb::new();
    let receipt = kb.put(&requirement(&[])).semantic_advisor.unwrap();
    receipt.suggestions.iter().flat_map(|suggestion| &suggestion.apply_plan).for_each(|row| {
        kb.put(row);
    });
    let link = receipt.suggestions[1].relationship_plan.as_ref().unwrap();
    let linked = UpsertInput { relationships: vec![link.relationship.clone()], ..requirement(&[]) };
    assert_eq!(kb.put(&linked).relationships_created, 1);
    // The links are stored; the payload need not repeat them.
    let again = kb.put(&requirement(&[]));
    let receipt = again.semantic_advisor.unwrap();
    assert_eq!(receipt.logic_readiness, LogicReadiness::Modeled);
    assert!(receipt.suggestions.is_empty() && again.warnings.is_empty(), "{:?}", again.warnings);
}

#[test]
fn a_refused_payload_still_has_a_receipt() {
    let kb = Kb::new();
    let wanted = requirement(&[("specified_by", "SC-MISSING")]);
    let checked = kb.engine().kb_validate_upsert(&kb.world.owner, &target("main"), &wanted, None).unwrap();
    assert!(!checked.valid);
    assert_eq!(checked.semantic_advisor.unwrap().suggestions.len(), 2);
}

#[test]
fn other_types_are_not_applicable() {
    let kb = Kb::new();
    let stored = kb.put(&plain("scenario", "SC-1", &[]));
    assert_eq!(stored.semantic_advisor.unwrap().logic_readiness, LogicReadiness::NotApplicable);
    assert!(stored.warnings.is_empty());
}
