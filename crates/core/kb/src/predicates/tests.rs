//! The catalogue, ranking, plans and limits of `kb_suggest_predicates`.

use cairn_base::{Hex, Value};
use cairn_graph::Map;
use cairn_seam::Sha256;

use super::catalogue::CATALOGUE;
use super::score::RANKED_BY_KEYWORDS;
use crate::entity::{Entity, Properties};
use crate::limits;
use crate::model::{EntityType, Polarity};
use crate::predicates::PredicateSchema;
use crate::sentence::find_pattern;
use crate::testing::Drafts;
use crate::tools::{RecommendedAction, SuggestPredicatesInput, SuggestPredicatesOutput, UpsertInput};
use crate::{KbError, Relation};

fn input(text: &str) -> SuggestPredicatesInput {
    SuggestPredicatesInput { text: text.into(), ..SuggestPredicatesInput::default() }
}

fn suggest(text: &str) -> SuggestPredicatesOutput {
    input(text).run(&[]).unwrap()
}

/// Scores and keys of all candidates.
fn lines(output: &SuggestPredicatesOutput) -> Vec<String> {
    output.candidates.iter().map(|found| format!("{:.2} {}", found.score, found.canonical_key)).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(lines(&suggest(text)), expected, "{text}");
}

#[test]
fn the_catalogue_is_whole() {
    assert_eq!(CATALOGUE.len(), 58);
    let mut ids: Vec<String> = CATALOGUE.iter().map(|row| row.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 58);
    for row in CATALOGUE {
        let name = row.name;
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(row.arguments.len() >= 2, "{name}");
        assert!(
            row.arguments.iter().all(|(argument, kind)| !argument.is_empty() && !kind.is_empty()),
            "{name}"
        );
        assert!([row.group, row.title, row.description].iter().all(|text| !text.is_empty()), "{name}");
        for list in [row.keywords, row.examples, row.use_when, row.do_not_use_when] {
            assert!(!list.is_empty() && list.iter().all(|text| !text.trim().is_empty()), "{name}");
        }
        assert!(row.keywords.iter().all(|word| *word == word.to_lowercase()), "{name}");
        // A hint names the predicate to prefer, which exists.
        for hint in row.do_not_use_when {
            let Some((_, names)) = hint.split_once('(') else { continue };
            for named in names.trim_end_matches(')').split(", ") {
                let is_known = CATALOGUE.iter().any(|row| row.name == named);
                let is_other = named == "kb_model_requirement" || named.starts_with("a strict property");
                assert!(is_known || is_other, "{name}: {named}");
            }
        }
    }
    assert!(RANKED_BY_KEYWORDS.iter().all(|name| CATALOGUE.iter().any(|row| row.name == *name)));
}

#[test]
fn every_predicate_is_a_candidate_for_its_examples() {
    for row in CATALOGUE {
        for example in row.examples {
            let asked =
                SuggestPredicatesInput { max_candidates: Some(20), min_score: Some(0.3), ..input(example) };
            let output = asked.run(&[]).unwrap();
            let found = output.candidates.iter().find(|found| found.predicate_name == row.name);
            let found = found.unwrap_or_else(|| panic!("{}: {example}: {:?}", row.name, lines(&output)));
            assert_eq!(found.predicate_args.len(), row.arguments.len(), "{example}");
            assert!(found.predicate_args.iter().all(|arg| !arg.is_empty()), "{example}");
        }
    }
}

#[test]
fn a_sentence_that_states_a_predicate_scores_highest() {
    check(
        "Customer data must be stored in the EU region.",
        &["0.98 data_residency_rule(customer_data,eu_region)"],
    );
    check("Guests must not delete comments.", &["0.98 permission_rule(guests,delete,comments,deny)"]);
    check(
        "If a token has expired, it must be renewed.",
        &["0.98 conditional_behavior(token,has_expired,be_renewed)"],
    );
    check(
        "When the cart is empty, the shop must hide the checkout.",
        &["0.36 conditional_behavior(shop,cart_is_empty,hide_checkout)"],
    );
}

#[test]
fn keywords_rank_by_their_number() {
    // One of five, one of six; three of five, one of five; two of six.
    check(
        "The login has a rate limit.",
        &[
            "0.47 rate_limit(requirement.subject,action,window,unspecified_count)",
            "0.47 resource_constraint(requirement.subject,resource,lte,unspecified_threshold,unit)",
        ],
    );
    check(
        "Clients must be rate limited to 100 attempts per minute.",
        &[
            "0.92 rate_limit(clients,attempts,minute,100)",
            "0.47 uniqueness_constraint(requirement.subject,global)",
        ],
    );
    check("Data is retained for 30 days.", &["0.69 retention_policy(requirement.subject,30,days)"]);
}

#[test]
fn thresholds_are_numbers_of_the_text() {
    let first = |text: &str| {
        let asked = SuggestPredicatesInput { max_candidates: Some(20), min_score: Some(0.1), ..input(text) };
        let output = asked.run(&[]).unwrap();
        let found = output.candidates.iter().find(|found| found.predicate_name == "resource_constraint");
        found.unwrap_or_else(|| panic!("{text}")).predicate_args[3..].join(" ")
    };
    for (text, expected) in [
        ("Latency to a 3rd party has a limit.", "unspecified_threshold unit"),
        ("Latency has a limit at the 95th percentile, 200ms.", "200 ms"),
        ("Latency has a limit of 1.5 s.", "1.5 seconds"),
        ("The timeout limit is 20 sec", "20 seconds"),
        ("The size limit is 1,500 MB (v2.1)", "1500 mb"),
        ("The size limit is 1,5 MB", "unspecified_threshold unit"),
        ("The size limit of v1.5, see figure 3, is 7 pages", "3 unit"),
        ("The size limit is 3 services", "3 unit"),
    ] {
        assert_eq!(first(text), expected, "{text}");
    }
}

#[test]
fn arguments_that_the_text_does_not_state_are_named() {
    let output = suggest("The login has a rate limit.");
    assert!(
        output.warnings[0]
            .starts_with("the text does not state subject, action, window, count of rate_limit"),
        "{:?}",
        output.warnings
    );
}

#[test]
fn events_in_order_are_whole() {
    let asked = SuggestPredicatesInput {
        max_candidates: Some(20),
        ..input(
            "Customers must confirm the details of their order before the shipment leaves the store, at any time.",
        )
    };
    let output = asked.run(&[]).unwrap();
    let found = output.candidates.iter().find(|found| found.predicate_name == "temporal_order").unwrap();
    assert_eq!(found.predicate_args[1..], ["confirm_details_of_their_order", "shipment_leaves_store"]);
}

#[test]
fn the_example_of_the_tool_saves_a_draft() {
    let asked = SuggestPredicatesInput {
        requirement_id: Some("REQ-EDITOR-004".into()),
        source: Some("requirements/editor.md#L12".into()),
        subject_hint: Some("editor.annotation".into()),
        ..input(
            "When the user navigates away with unsaved annotation edits, the editor must auto-save the draft and return to idle mode.",
        )
    };
    let output = asked.run(&[]).unwrap();
    let best = &output.candidates[0];
    assert_eq!(best.canonical_key, "commit_action(editor.annotation,navigation,draft)");
    assert_eq!((best.score, best.polarity), (0.98, Polarity::Assert));
    assert_eq!(output.recommended_action, RecommendedAction::ApplyRequiresPredicate);
    let id = expected_id(&["REQ-EDITOR-004", "requirements/editor.md#L12", &best.canonical_key]);
    assert_eq!(output.apply_plan[0].id, format!("FACT-PRED-{id}"));
    let tags = output.apply_plan[0].properties.0["tags"].to_json();
    assert_eq!(tags, r#"["lane:ontology","predicate-suggestion","predicate:state"]"#);
    let link = output.relationship_plan.as_ref().unwrap();
    assert_eq!(link.apply_after, output.apply_plan[0].id);
    assert_eq!(link.relationship.relation, Relation::RequiresPredicate);
    let text = output.text();
    assert!(text.contains(&best.canonical_key) && text.contains(&link.apply_after), "{text}");
    let mut drafts = Drafts::default();
    drafts.apply(&output.apply_plan);
    drafts.apply(&[requirement("REQ-EDITOR-004")]);
    drafts.apply(&[UpsertInput {
        relationships: vec![link.relationship.clone()],
        ..requirement("REQ-EDITOR-004")
    }]);
}

fn requirement(id: &str) -> UpsertInput {
    UpsertInput {
        kind: EntityType::Req,
        id: id.into(),
        properties: Properties::from([("title", "t".into()), ("status", "open".into())]),
        relationships: Vec::new(),
        request_id: None,
    }
}

/// Twelve digits of the hash, upper case.
fn expected_id(parts: &[&str]) -> String {
    let hash = Hex(Sha256::of(parts.join("\0").as_bytes()).as_bytes()).to_string();
    hash[..12].to_uppercase()
}

#[test]
fn a_text_that_no_predicate_fits_is_an_ontology_gap() {
    let text = "The sky over the harbor is blue.";
    let output = suggest(text);
    assert_eq!(lines(&output), Vec::<String>::new());
    assert_eq!(output.recommended_action, RecommendedAction::RecordOntologyGap);
    assert_eq!(output.apply_plan[0].id, format!("FACT-ONTOLOGY-GAP-{}", expected_id(&["", "", text])));
    assert_eq!(output.apply_plan[0].properties.text("value_string"), Some(text));
    let tags = output.apply_plan[0].properties.0["tags"].to_json();
    assert_eq!(tags, r#"["review:ontology-gap","needs_schema_extension"]"#);
    Drafts::default().apply(&output.apply_plan);
    let asked = SuggestPredicatesInput { requirement_id: Some("REQ-1".into()), ..input(text) };
    let output = asked.run(&[]).unwrap();
    assert!(output.relationship_plan.is_none() && output.text().contains("ontology gap"));
    assert_eq!(output.apply_plan[0].id, format!("FACT-ONTOLOGY-GAP-{}", expected_id(&["REQ-1", "", text])));
}

#[test]
fn plans_of_every_predicate_are_accepted() {
    let mut drafts = Drafts::default();
    for row in CATALOGUE {
        for example in row.examples {
            drafts.apply(&suggest(example).apply_plan);
        }
    }
}

#[test]
fn a_higher_minimum_and_fewer_candidates_leave_more_out() {
    let text = "The editor must save the draft in edit mode.";
    let all = lines(&suggest(text));
    assert!(all.len() > 2, "{all:?}");
    let asked = SuggestPredicatesInput { max_candidates: Some(1), ..input(text) };
    assert_eq!(lines(&asked.run(&[]).unwrap()), all[..1]);
    let asked = SuggestPredicatesInput { min_score: Some(0.99), ..input(text) };
    assert_eq!(lines(&asked.run(&[]).unwrap()), Vec::<String>::new());
}

fn schema(id: &str, more: &str) -> PredicateSchema {
    let own = r#"{"title":"T","status":"active","fact_kind":"predicate_schema"}"#;
    let mut attributes = Map::new();
    for json in [own, more] {
        let Value::Object(entries) = Value::parse_json(json.as_bytes()).unwrap() else { panic!("{json}") };
        attributes.extend(entries);
    }
    let entity = Entity { id: id.into(), kind: EntityType::Fact, attributes };
    PredicateSchema::of_entity(&entity).unwrap()
}

#[test]
fn schemas_of_the_branch_rank_beside_the_built_in_ones() {
    let own = schema(
        "FACT-SCHEMA-BREW",
        r#"{"predicate_name":"brewing_rule","predicate_arity":3,"argument_names":["subject","beans","count"],
            "argument_types":["entity","entity","number"],"aliases":["brew","espresso"],"tags":["coffee"],
            "predicate_namespace":"cafe","use_when":["x"],"do_not_use_when":["y"]}"#,
    );
    let text = "The machine brews: espresso, coffee, brew 2 cups.";
    let output = input(text).run(std::slice::from_ref(&own)).unwrap();
    // Three of four keywords: 0.24 + 0.5 * 3/3 + 0.06 * 3.
    assert_eq!(lines(&output), ["0.92 brewing_rule(requirement.subject,unspecified_beans,2)"]);
    assert!(output.warnings[0].contains("beans"), "{:?}", output.warnings);
    assert_eq!(output.apply_plan[0].properties.text("predicate_namespace"), Some("cafe"));
    assert!(output.candidates[0].schema.usage_hints.is_some());
    Drafts::default().apply(&output.apply_plan);
    let without = SuggestPredicatesInput { include_existing_schemas: Some(false), ..input(text) };
    assert_eq!(lines(&without.run(&[own]).unwrap()), Vec::<String>::new());
}

#[test]
fn an_alias_that_is_the_name_counts_once() {
    let score = |aliases: &str| {
        let more = r#"{"predicate_name":"brew","predicate_arity":1,"argument_names":["subject"],
            "argument_types":["entity"],"aliases":ALIASES}"#;
        let own = schema("FACT-BREW", &more.replace("ALIASES", aliases));
        input("The machine can brew.").run(&[own]).unwrap().candidates[0].score
    };
    assert_eq!(score(r#"["brew","Brew"]"#), score("[]"));
}

#[test]
fn a_schema_of_the_branch_stands_for_the_built_in_one_of_its_name() {
    let own = schema(
        "FACT-MINE",
        r#"{"predicate_name":"audit_event_rule","predicate_arity":2,"argument_names":["subject","log"],
            "argument_types":["entity","log"],"use_when":["x"]}"#,
    );
    let output = input("Deletions must be recorded in the audit log.").run(&[own]).unwrap();
    assert_eq!(lines(&output), ["0.98 audit_event_rule(deletions,audit_log)"]);
    assert_eq!(output.candidates[0].schema.id, "FACT-MINE");
    assert!(output.candidates[0].schema.usage_hints.is_none(), "one of the two lists is missing");
}

#[test]
fn only_whole_schema_facts_are_schemas() {
    for attributes in [
        r#"{"fact_kind":"predicate","predicate_name":"x","argument_names":["a"],"argument_types":["b"]}"#,
        r#"{"fact_kind":"predicate_schema","argument_names":["a"],"argument_types":["b"]}"#,
        r#"{"fact_kind":"predicate_schema","predicate_name":"x","argument_names":["a"],"argument_types":[]}"#,
    ] {
        let Value::Object(attributes) = Value::parse_json(attributes.as_bytes()).unwrap() else { panic!() };
        let entity = Entity { id: "F".into(), kind: EntityType::Fact, attributes };
        assert_eq!(PredicateSchema::of_entity(&entity), None, "{entity:?}");
    }
}

#[test]
fn arguments_have_limits() {
    let refused = |input: SuggestPredicatesInput| match input.run(&[]) {
        Err(KbError::Argument { parameter, .. }) => parameter,
        Err(KbError::TooLarge { what, .. }) => what,
        others => panic!("{others:?}"),
    };
    assert_eq!(refused(input(" \n")), "text");
    let long = |bytes: usize| "a ".repeat(bytes / 2);
    assert!(input(&long(limits::PROSE_BYTES_MAX)).run(&[]).is_ok());
    assert_eq!(refused(input(&long(limits::PROSE_BYTES_MAX + 2))), "bytes of a text that is analysed");
    for (count, is_fine) in [(0, false), (1, true), (20, true), (21, false)] {
        let asked = SuggestPredicatesInput { max_candidates: Some(count), ..input("x") };
        assert_eq!(asked.run(&[]).is_ok(), is_fine, "{count}");
    }
    for (score, is_fine) in [(-0.1, false), (0.0, true), (1.0, true), (1.1, false), (f64::NAN, false)] {
        let asked = SuggestPredicatesInput { min_score: Some(score), ..input("x") };
        assert_eq!(asked.run(&[]).is_ok(), is_fine, "{score}");
    }
    for (more, is_fine) in [(0, true), (1, false)] {
        let hint = "h".repeat(limits::PROSE_ARGUMENT_BYTES_MAX + more);
        let asked = SuggestPredicatesInput { subject_hint: Some(hint.clone()), ..input("x") };
        assert_eq!(asked.run(&[]).is_ok(), is_fine);
        let asked = SuggestPredicatesInput { source: Some(hint), ..input("x") };
        assert_eq!(asked.run(&[]).is_ok(), is_fine);
    }
    let asked = SuggestPredicatesInput { requirement_id: Some(" ".into()), ..input("x") };
    assert_eq!(refused(asked), "requirementId");
    let own = schema(
        "F",
        r#"{"predicate_name":"p","predicate_arity":1,"argument_names":["s"],"argument_types":["e"]}"#,
    );
    for (count, warned) in [(limits::PREDICATE_SCHEMAS_MAX, 0), (limits::PREDICATE_SCHEMAS_MAX + 1, 1)] {
        let output = input("x").run(&vec![own.clone(); count]).unwrap();
        assert_eq!(output.warnings.len(), warned, "{:?}", output.warnings);
    }
}

#[test]
fn a_long_text_gives_plans_that_are_accepted() {
    let text = "must show ".repeat(limits::PROSE_BYTES_MAX / 10);
    let output = suggest(&text);
    assert_eq!(output.candidates[0].predicate_name, "acceptance_rule");
    assert!(output.candidates[0].predicate_args[1].len() <= 64);
    assert!(output.warnings.iter().any(|warning| warning.contains("too long")));
    Drafts::default().apply(&output.apply_plan);
    let text = "x".repeat(limits::PROSE_BYTES_MAX);
    Drafts::default().apply(&suggest(&text).apply_plan);
}

#[test]
fn every_row_with_a_pattern_is_reached_by_it() {
    for row in CATALOGUE.iter().filter(|row| !RANKED_BY_KEYWORDS.contains(&row.name)) {
        let is_reached = row.examples.iter().all(|example| {
            let plain = crate::sentence::prepare(example);
            find_pattern(&plain, |pattern| pattern.predicate == row.name).is_some()
        });
        assert!(is_reached || row.name == "commit_action", "{}", row.name);
    }
}
