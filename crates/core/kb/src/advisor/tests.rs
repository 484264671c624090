//! Receipts: lanes, suggestions and plans, traps, and hostile texts.

use super::{CandidateLane, Interpretation, LogicReadiness, Receipt, SignalKind, SuggestionKind, is_modeled};
use crate::entity::Properties;
use crate::limits;
use crate::model::{EntityType, Relation};
use crate::predicates::link;
use crate::sentence::find_pattern;
use crate::testing::Drafts;
use crate::tools::{SemanticAdvisorInput, UpsertInput};
use crate::{Branch, KbError, SuggestedClaim, examine_upsert};

fn input(text: &str) -> SemanticAdvisorInput {
    SemanticAdvisorInput { text: text.into(), ..SemanticAdvisorInput::default() }
}

fn receipt(text: &str) -> Receipt {
    input(text).run().unwrap().receipt
}

/// Kind and content of each suggestion.
fn lines(receipt: &Receipt) -> Vec<String> {
    let line = |suggestion: &super::Suggestion| {
        let content = match (&suggestion.claim, &suggestion.predicate) {
            (Some(claim), _) => shown(claim),
            (None, Some(predicate)) => format!("{} {}", predicate.canonical_key, predicate.polarity),
            (None, None) => suggestion.evidence.clone(),
        };
        format!("{} {content}", suggestion.kind)
    };
    receipt.suggestions.iter().map(line).collect()
}

fn shown(claim: &SuggestedClaim) -> String {
    let (_, value) = claim.value();
    format!("{} {} {} {}", claim.subject_key, claim.property_key, claim.operator, value.to_json())
}

/// The suggestions and the lane of a text. The plans are accepted in order.
#[track_caller]
fn check(text: &str, expected: &[&str], lane: CandidateLane) {
    let receipt = receipt(text);
    assert_eq!(lines(&receipt), expected, "{text}");
    assert_eq!(receipt.candidate_lane, lane, "{text}");
    let mut drafts = Drafts::default();
    for suggestion in &receipt.suggestions {
        assert!(!suggestion.apply_plan.is_empty(), "{text}");
        drafts.apply(&suggestion.apply_plan);
    }
    let readiness = if receipt.suggestions.is_empty() && receipt.signals.is_empty() {
        LogicReadiness::NotApplicable
    } else {
        LogicReadiness::NeedsModeling
    };
    assert_eq!(receipt.logic_readiness, readiness, "{text}");
}

#[test]
fn each_kind_of_claim_has_its_suggestion() {
    use CandidateLane::{ObservationReview, Predicate, StrictProperty};
    for (text, expected) in [
        ("User sessions expire after 30 minutes.", "user.session expiry_minutes eq 30"),
        ("The response time must be less than 200 ms.", "response.time value lt 200"),
        ("The search API must return within 150 ms.", "search.api latency_ms lte 150"),
        ("Two-factor login must be enabled.", "two.factor.login enabled eq true"),
        ("Customer data must be retained for 7 years.", "customer.data retention_years eq 7"),
        (
            "The order status must be one of draft, paid or sent.",
            r#"order.status allowed_values eq "draft|paid|sent""#,
        ),
        ("A user must have at most 3 active sessions.", "user.session active_count lte 3"),
        ("Uploads are capped at 20.", "upload count lte 20"),
    ] {
        check(text, &[&format!("strict_property {expected}")], StrictProperty);
    }
    for (text, expected) in [
        ("Guests must not delete comments.", "permission_rule(guests,delete,comments,deny) deny"),
        ("Only editors can publish articles.", "permission_rule(editors,publish,articles,assert) assert"),
        ("The theme defaults to dark mode.", "default_value(theme,mode,dark) assert"),
        (
            "Inactive accounts must be deleted after 24 months.",
            "lifecycle_rule(inactive_accounts,deleted,24,months) assert",
        ),
        (
            "Clients must be rate limited to 100 requests per minute.",
            "rate_limit(clients,requests,minute,100) assert",
        ),
        (
            "If a token has expired, it must be renewed.",
            "conditional_behavior(token,has_expired,be_renewed) assert",
        ),
    ] {
        check(text, &[&format!("predicate {expected}")], Predicate);
    }
    check(
        "Clients are rate limited to 100 requests per minute.",
        &["ontology_gap Clients are rate limited to 100 requests per minute."],
        StrictProperty,
    );
    check(
        "Users have 3 active sessions.",
        &["ambiguity_observation Users have 3 active sessions."],
        StrictProperty,
    );
    check("The layout should be pleasant.", &[], ObservationReview);
    check("The sky is blue.", &[], CandidateLane::None);
}

#[test]
fn a_predicate_with_a_number_is_routed_by_its_suggestion() {
    let found = receipt("Inactive accounts must be deleted after 24 months.");
    assert_eq!(found.signals[0].candidate_lane, CandidateLane::StrictProperty);
    assert_eq!(found.suggested_next_tools, ["kb_suggest_predicates"]);
    assert_eq!(found.suggestions[0].rejected_alternatives, [SuggestionKind::StrictProperty]);
}

#[test]
fn prose_with_several_claims_has_a_suggestion_for_each() {
    check(
        "Sessions expire after 30 minutes and guests must not delete comments. Customer data must be retained for 7 years.",
        &[
            "strict_property session expiry_minutes eq 30",
            "predicate permission_rule(guests,delete,comments,deny) deny",
            "strict_property customer.data retention_years eq 7",
        ],
        CandidateLane::StrictProperty,
    );
    check(
        "All invoices must be retained for 10 years and must be stored in the EU region.",
        &[
            "strict_property invoice retention_years eq 10",
            "predicate data_residency_rule(invoices,eu_region) assert",
        ],
        CandidateLane::StrictProperty,
    );
    // The same clause twice is one suggestion.
    let twice = "Logins must be enabled. Logins must be enabled.";
    check(twice, &["strict_property login enabled eq true"], CandidateLane::StrictProperty);
    check(
        "Guest mode and admin mode must be mutually exclusive.",
        &["predicate mutual_exclusion(guest_mode,admin_mode) assert"],
        CandidateLane::Predicate,
    );
}

#[test]
fn trap_10_indicative_universals_are_not_empty() {
    check(
        "All mutations are recorded in the audit log.",
        &["predicate audit_event_rule(mutations,audit_log) assert"],
        CandidateLane::Predicate,
    );
    check(
        "All sessions expire after 30 minutes.",
        &["strict_property session expiry_minutes eq 30"],
        CandidateLane::StrictProperty,
    );
    check("Every request carries a trace id.", &[], CandidateLane::ObservationReview);
    let found = receipt("Every request carries a trace id.");
    assert_eq!(found.signals[0].kind, SignalKind::UniversalStatement);
    assert_eq!(found.logic_readiness, LogicReadiness::NeedsModeling);
    // Without a quantifier it is a description.
    assert_eq!(receipt("The sky is recorded in paintings.").logic_readiness, LogicReadiness::NotApplicable);
}

#[test]
fn trap_10_examples_are_not_empty() {
    let text = "The product knows roles such as admin, editor and viewer.";
    check(text, &[&format!("ambiguity_observation {text}")], CandidateLane::ObservationReview);
    let found = receipt(text);
    let readings = [Interpretation::NamedMembership, Interpretation::IllustrativeExample];
    assert_eq!(found.suggestions[0].ambiguity, readings);
    assert_eq!(found.ambiguity_witnesses[0].interpretations, readings);
    check(
        "Actions such as delete and export must be recorded in the audit log.",
        &["predicate audit_event_rule(actions,audit_log) assert"],
        CandidateLane::Predicate,
    );
}

#[test]
fn a_bound_makes_a_number_of_sessions_plain() {
    for (text, is_ambiguous) in [
        ("Users have 3 sessions.", true),
        ("Users have three active sessions", true),
        ("Users have at most 3 sessions.", false),
        ("Users are capped at 3 sessions.", false),
        ("Users have 3 doors.", false),
    ] {
        let found = receipt(text).suggestions;
        let has = found.iter().any(|suggestion| suggestion.kind == SuggestionKind::AmbiguityObservation);
        assert_eq!(has, is_ambiguous, "{text}");
    }
}

#[test]
fn the_text_has_the_keys_of_claims() {
    let output = input("A user must have at most 3 active sessions and guests must not delete comments.")
        .run()
        .unwrap();
    let text = output.text();
    for part in [
        "subject_key=user.session property_key=active_count operator=lte value=3",
        "permission_rule(guests,delete,comments,deny)",
        "needs_modeling",
        "kb_model_requirement",
        "FACT-PROP-",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

fn requirement(text: &str) -> UpsertInput {
    let properties = [("title", "T".into()), ("status", "open".into()), ("text_ref", text.into())];
    UpsertInput {
        kind: EntityType::Req,
        id: "REQ-7".into(),
        properties: Properties::from(properties),
        relationships: Vec::new(),
        request_id: None,
    }
}

#[test]
fn a_payload_is_modeled_by_its_links() {
    let text = "Sessions expire after 30 minutes.";
    let with = |relations: &[Relation]| UpsertInput {
        relationships: relations.iter().map(|relation| link(*relation, "REQ-7", "F")).collect(),
        ..requirement(text)
    };
    use Relation::{Constrains, RequiresPredicate, RequiresProperty, SpecifiedBy};
    for (relations, expected) in [
        (&[][..], LogicReadiness::NeedsModeling),
        (&[SpecifiedBy], LogicReadiness::NeedsModeling),
        (&[Constrains], LogicReadiness::NeedsModeling),
        (&[Constrains, RequiresProperty], LogicReadiness::Modeled),
        (&[RequiresPredicate], LogicReadiness::Modeled),
    ] {
        let found = advise(&with(relations));
        assert_eq!(found.logic_readiness, expected, "{relations:?}");
        let is_modeled = expected == LogicReadiness::Modeled;
        assert_eq!((found.suggestions.is_empty(), found.warnings().is_empty()), (is_modeled, is_modeled));
    }
    // Without a claim in its prose it is modeled, too.
    let plain = UpsertInput {
        properties: Properties::from([("title", "T".into()), ("status", "open".into())]),
        ..with(&[RequiresPredicate])
    };
    assert_eq!(advise(&plain).logic_readiness, LogicReadiness::Modeled);
}

#[test]
fn prose_that_is_not_sent_is_that_of_the_stored_requirement() {
    let mut drafts = Drafts::default();
    let first = requirement("Sessions expire after 30 minutes.");
    drafts.apply(std::slice::from_ref(&first));
    let second = UpsertInput { properties: Properties::from([("priority", "must".into())]), ..first.clone() };
    let stored = examine_upsert(&Branch::default(), None, &first, None, 0).plan.entity;
    let merged = examine_upsert(&Branch::default(), Some(&stored), &second, None, 0).plan.entity;
    let found = super::advise(&second, &merged, false).receipt;
    assert_eq!(lines(&found), ["strict_property session expiry_minutes eq 30"]);
    assert_ne!(found.payload_hash, advise(&first).payload_hash);
}

#[test]
fn a_body_is_prose() {
    let mut payload = requirement("");
    payload.properties.0.insert("title".into(), "Sessions expire after 30 minutes".into());
    let body = "# Sessions\n\nSessions expire after 30 minutes. Guests must not delete comments.";
    payload.properties.0.insert("body".into(), body.into());
    let expected = [
        "strict_property session expiry_minutes eq 30",
        "predicate permission_rule(guests,delete,comments,deny) deny",
    ];
    assert_eq!(lines(&advise(&payload)), expected);
    payload.properties.0.insert("title".into(), "Sessions".into());
    assert_eq!(lines(&advise(&payload)), expected);
}

#[test]
fn a_receipt_of_a_part_of_the_text_says_so() {
    let long = requirement(&"Logins must be enabled. ".repeat(limits::CLAUSES_MAX + 1));
    let entity = examine_upsert(&Branch::default(), None, &long, None, 0).plan.entity;
    let warnings = super::advise(&long, &entity, false).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("the rest was not analysed")), "{warnings:?}");
}

#[test]
fn a_warning_without_a_next_tool_names_none() {
    let found = Receipt { suggested_next_tools: Vec::new(), ..receipt("Logins must be enabled.") };
    assert!(found.warnings()[0].ends_with("1 strict property suggested."), "{:?}", found.warnings());
}

#[test]
fn a_claim_about_several_subjects_says_so() {
    let rationale = |text: &str| receipt(text).suggestions[0].rationale.clone();
    assert!(rationale("Cache and log must be enabled.").contains("several subjects"));
    assert!(!rationale("The android cache must be enabled.").contains("several subjects"));
}

#[test]
fn sentences_that_name_no_subject_have_no_suggestion() {
    for text in [
        "No password shall be shorter than 12 characters.",
        "No upload shall be more than 20 MB.",
        "Neither uploads nor downloads must be more than 20 MB.",
        "Few requests must be longer than 5 seconds.",
        "Should sessions expire after 30 minutes?",
        "Sessions expire after 1,5 hours.",
        "While offline, guests must not delete invoices.",
        "In production, caches must be enabled.",
        "Who may approve refunds?",
        "No one but the owner may close the account.",
        "Only if the user is an admin may they sign.",
    ] {
        assert_eq!(lines(&receipt(text)), [""; 0], "{text}");
    }
}

/// The receipt of a payload for a requirement that is not stored yet.
fn advise(input: &UpsertInput) -> Receipt {
    let branch = Branch::default();
    let entity = examine_upsert(&branch, None, input, None, 0).plan.entity;
    super::advise(input, &entity, is_modeled(&branch, input)).receipt
}

#[test]
fn only_requirements_with_prose_are_analysed() {
    for kind in EntityType::ALL.iter().filter(|kind| **kind != EntityType::Req) {
        let found = advise(&UpsertInput { kind: *kind, ..requirement("Sessions expire after 30 minutes.") });
        assert_eq!(found.logic_readiness, LogicReadiness::NotApplicable, "{kind}");
        assert!(found.signals.is_empty() && found.warnings().is_empty(), "{kind}");
    }
    let empty = UpsertInput { properties: Properties::default(), ..requirement("") };
    assert_eq!(advise(&empty).logic_readiness, LogicReadiness::NotApplicable);
}

#[test]
fn the_title_is_the_statement_where_there_is_only_a_reference_to_prose() {
    let mut payload = requirement("docs/sessions.md#L12");
    payload.properties.0.insert("title".into(), "Sessions expire after 30 minutes".into());
    assert_eq!(lines(&advise(&payload)), ["strict_property session expiry_minutes eq 30"]);
}

#[test]
fn ids_of_drafts_follow_from_the_claim_and_the_requirement() {
    let text = "Sessions expire after 30 minutes and guests must not delete comments.";
    let known = advise(&requirement(text));
    let plan = &known.suggestions[0].apply_plan;
    // sha256 of `session`, of `session.expiry_minutes.eq.30`, of the key of the predicate.
    assert_eq!(plan[0].id, "FACT-SUBJECT-3f3af1ecebbd");
    assert_eq!(plan[1].id, "FACT-PROP-e74bde49bca4");
    assert_eq!(plan[1].properties.text("canonical_key"), Some("session.expiry_minutes.eq.30"));
    assert_eq!(plan[2].id, "REQ-7");
    let predicate = &known.suggestions[1];
    assert_eq!(predicate.apply_plan[0].id, "FACT-PRED-473bddf4180a");
    assert_eq!(
        predicate.relationship_plan.as_ref().map(|plan| plan.relationship.from.as_str()),
        Some("REQ-7")
    );
    let unknown = receipt(text);
    assert!(unknown.suggestions[0].apply_plan[2].id.starts_with("REQ-SEMANTIC-"));
    assert!(unknown.suggestions[1].relationship_plan.is_none());
    assert_eq!(receipt(text), unknown, "the same text gives the same receipt");
    // Another unit is another fact.
    let ids = ["Delay must be at most 5 s.", "Delay must be at most 5 ms.", "Delay must be at most 5."]
        .map(|text| receipt(text).suggestions[0].apply_plan[1].id.clone());
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
}

#[test]
fn arguments_have_limits() {
    let refused = |input: SemanticAdvisorInput| match input.run() {
        Err(KbError::Argument { parameter, .. }) => parameter,
        Err(KbError::TooLarge { what, .. }) => what,
        others => panic!("{others:?}"),
    };
    assert_eq!(refused(input("\t ")), "text");
    assert!(input(&"a".repeat(limits::PROSE_BYTES_MAX)).run().is_ok());
    assert_eq!(refused(input(&"a".repeat(limits::PROSE_BYTES_MAX + 1))), "bytes of a text that is analysed");
    let asked = SemanticAdvisorInput { status: Some("odd".into()), ..input("x") };
    assert_eq!(refused(asked), "status");
    let asked = SemanticAdvisorInput { id: Some(String::new()), ..input("x") };
    assert_eq!(refused(asked), "id");
    for (more, is_fine) in [(0, true), (1, false)] {
        let long = "h".repeat(limits::PROSE_ARGUMENT_BYTES_MAX + more);
        let asked = SemanticAdvisorInput { title: Some(long.clone()), ..input("x") };
        assert_eq!(asked.run().is_ok(), is_fine);
        let asked = SemanticAdvisorInput { source: Some(long), ..input("x") };
        assert_eq!(asked.run().is_ok(), is_fine);
    }
}

#[test]
fn hostile_texts_are_bounded_and_named() {
    let line = "Logins number 1 must be enabled.\n";
    let clause = |at: usize| format!("Login number {at} must be enabled.\n");
    let many: String = (0..limits::SUGGESTIONS_MAX).map(clause).collect();
    let output = input(&many).run().unwrap();
    assert_eq!((output.receipt.suggestions.len(), output.warnings.len()), (limits::SUGGESTIONS_MAX, 1));
    let many: String = (0..=limits::SUGGESTIONS_MAX).map(clause).collect();
    let output = input(&many).run().unwrap();
    assert_eq!((output.receipt.suggestions.len(), output.warnings.len()), (limits::SUGGESTIONS_MAX, 2));
    assert!(output.text().len() <= limits::TOOL_TEXT_BYTES_MAX + 100);
    for text in [
        "x".repeat(limits::PROSE_BYTES_MAX),
        "and must ".repeat(7_000),
        "A must b and ".repeat(5_000),
        "if ".repeat(20_000),
        ", the a must ".repeat(5_000),
        line.repeat(1_900),
        "\u{1F600}".repeat(16_000),
        ".\n".repeat(30_000),
    ] {
        let output = input(&text).run().unwrap();
        assert!(output.receipt.suggestions.len() <= 1, "{:.20}", text);
    }
    // A payload that will be refused is still analysed within bounds.
    let refused = requirement(&"Logins must be enabled. ".repeat(100_000));
    assert_eq!(advise(&refused).suggestions.len(), 1);
}

#[test]
fn every_pattern_of_the_table_gives_its_predicate() {
    for row in crate::sentence::PATTERNS {
        for (sentence, args) in row.matches {
            let plain = crate::sentence::prepare(sentence);
            let first = find_pattern(&plain, |row| !matches!(row.used, crate::sentence::Use::Suggestion(_)));
            let found = receipt(sentence);
            let Some(first) = first else {
                assert!(lines(&found).is_empty(), "{sentence}");
                continue;
            };
            let predicate = found.suggestions[0].predicate.as_ref().unwrap_or_else(|| panic!("{sentence}"));
            assert_eq!(predicate.predicate_name, first.pattern.predicate, "{sentence}");
            if std::ptr::eq(first.pattern, row) {
                assert_eq!(predicate.predicate_args, *args, "{sentence}");
            }
            let mut drafts = Drafts::default();
            found.suggestions.iter().for_each(|suggestion| drafts.apply(&suggestion.apply_plan));
        }
    }
}
