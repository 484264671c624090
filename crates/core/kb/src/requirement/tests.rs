//! Requirements from statements and claims, through the door of the tool.

use serde_json::{Value as Json, json};

use super::*;
use crate::tools::UpsertInput;
use crate::{Branch, GroupIndex, KbError, NodeKey, conflicts_in_group, examine_upsert};

fn model(input: Json) -> ModelRequirementOutput {
    let input = serde_json::from_value(input).expect("an input");
    model_requirement(&input).expect("a model")
}

fn fails(input: Json) -> String {
    let input: ModelRequirementInput = serde_json::from_value(input).expect("an input");
    let error = model_requirement(&input).expect_err("an error");
    assert!(matches!(error, KbError::Argument { .. } | KbError::TooLarge { .. }), "{error:?}");
    error.to_string()
}

/// Applies plans in their order; panics if one is refused.
fn applied(plans: &[&[UpsertInput]]) -> Branch {
    let mut branch = Branch::default();
    for (next, input) in (1..).zip(plans.iter().copied().flatten()) {
        let examined = examine_upsert(&branch, None, input, None, 1_780_000_000_000);
        assert!(examined.problems.is_empty(), "{}: {:?}", input.id, examined.problems);
        assert!(examined.warnings.is_empty(), "{}: {:?}", input.id, examined.warnings);
        let key = branch.find(&input.id).map_or(NodeKey(next), |(key, _)| key);
        branch.apply(examined.plan.changes(key));
    }
    branch
}

fn conflicts(branch: &Branch) -> usize {
    let index = GroupIndex::build(branch);
    index.groups().map(|group| conflicts_in_group(branch, &index, group, &[]).list.len()).sum()
}

#[test]
fn ids_are_hashes_of_the_claim() {
    let check = |input: Json, key: &str, ids: &[&str]| {
        let output = model(input.clone());
        let found: Vec<&str> = output.apply_plan.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(found, ids, "{input}");
        let row = &output.apply_plan[if output.is_strict { 1 } else { 0 }];
        assert_eq!(row.properties.text("canonical_key"), Some(key), "{input}");
    };
    let retention = json!({
        "text": "Customer data must be kept.", "source": "documentation/requirements/customer-retention.md",
        "subjectKey": "Customer.Data", "propertyKey": "Retention Years", "operator": "eq", "value": 7
    });
    let key = "documentation-requirements-customer-retention-md:customer.data:retention_years:eq:7";
    let strict = ["FACT-SUBJECT-8882606244647A22", "FACT-PROP-74992EC2DFF59DB8", "REQ-AUTO-820A59C8FBD7BDB0"];
    check(retention.clone(), key, &strict);
    let mut unsure = retention.clone();
    unsure["confidence"] = json!(0.69);
    check(unsure, key, &["FACT-OBS-272ECB072176A0CA"]);
    // The other spelling of the arguments gives the same ids.
    let other = json!({
        "statement": "Customer data must be kept.",
        "claim": {
            "subjectKey": "customer.data", "propertyKey": "retention-years", "operator": "eq", "value": 7.0,
            "confidence": 0.95, "sourceRef": "documentation/requirements/customer-retention.md"
        }
    });
    check(other, key, &strict);
    let audit = json!({
        "text": "The audit trail must be enabled.", "source": "requirements/audit.md",
        "subjectKey": "audit trail", "propertyKey": "enabled", "operator": "bool", "value": true
    });
    let output = model(audit);
    assert_eq!(output.apply_plan[2].id, "REQ-AUTO-CBB4934369DF1B1C");
    assert_eq!(
        output.apply_plan[1].properties.text("canonical_key"),
        Some("requirements-audit-md:audit_trail:enabled:bool:true")
    );
}

#[test]
fn patterns_find_claims() {
    let check = |text: &str, expected: Option<(&str, &str, &str, Json)>| {
        let output = model(json!({"text": text, "source": "docs/net-work_rules.md#L3"}));
        let claim = serde_json::to_value(&output.claim).expect("plain data");
        let (mode, expected) = match expected {
            Some(expected) => (ExtractionMode::Heuristic, expected),
            None => (ExtractionMode::Fallback, ("net_work_rules", "statement", "eq", json!(text))),
        };
        assert_eq!(output.extraction_mode, mode, "{text}");
        let (subject, property, operator, value) = expected;
        assert_eq!(
            [&claim["subjectKey"], &claim["propertyKey"], &claim["operator"], &claim["value"]],
            [&json!(subject), &json!(property), &json!(operator), &value],
            "{text}"
        );
        applied(&[&output.apply_plan]);
    };
    check(
        "Customer data must be retained for 7 years.",
        Some(("customer_data", "retention_years", "eq", json!(7))),
    );
    check(
        "- The audit logs SHALL be retained for 1 day",
        Some(("audit_logs", "retention_days", "eq", json!(1))),
    );
    check(
        "12. A backup should be retained for 6 months!",
        Some(("backup", "retention_months", "eq", json!(6))),
    );
    check("The audit trail must be enabled.", Some(("audit_trail", "enabled", "bool", json!(true))));
    check("* Telemetry shall be disabled", Some(("telemetry", "enabled", "bool", json!(false))));
    check("Passwords must not be logged.", Some(("passwords", "be_logged", "polarity", json!("forbid"))));
    check("An export shall include totals", Some(("export", "include_totals", "polarity", json!("require"))));
    check(
        "Every\n  row must\nhave an owner.",
        Some(("every_row", "have_an_owner", "polarity", json!("require"))),
    );
    // A number that is too long for an integer is no duration.
    check(
        "Logs must be retained for 9999999999999999999 days",
        Some(("logs", "be_retained_for_9999999999999999999_days", "polarity", json!("require"))),
    );
    check("The system is fast.", None);
    check("Must be fast", None);
    check("Mustard should", None);
    check("Данные must храниться", None);
    check(&format!("The {} must end", "very ".repeat(40)), None);
}

#[test]
fn a_fallback_is_an_observation_with_the_whole_statement() {
    let output = model(json!({"text": " The system is fast. ", "confidence": 0.95}));
    assert_eq!((output.is_strict, output.confidence), (false, 0.69));
    assert_eq!(output.source, "mcp://cairn/model-requirement");
    assert_eq!((output.extraction_warnings.len(), output.warnings.len()), (1, 1));
    assert_eq!(output.warnings[0].kind, "low_confidence_observation_downgrade");
    let row = &output.apply_plan[0];
    assert_eq!(row.properties.text("value_string"), Some("The system is fast."));
    let json = serde_json::to_value(&output.write_set).expect("plain data");
    assert_eq!((&json["isStrict"], &json["relationships"]), (&json!(false), &json!([])));
    assert_eq!(json["observationFact"]["properties"]["fact_kind"], "observation");
}

#[test]
fn statements_of_any_script_stay_apart() {
    let id = |text: &str| model(json!({"text": text, "source": "a.md"})).apply_plan[0].id.clone();
    assert_ne!(id("Данные хранятся 7 лет"), id("Данные хранятся 7 дней"));
}

#[test]
fn confidence_decides_lane_and_band() {
    let check = |confidence: f64, is_strict: bool, tags: [&str; 2]| {
        let output =
            model(json!({"text": "Logs must be enabled", "source": "a.md", "confidence": confidence}));
        assert_eq!(output.is_strict, is_strict, "{confidence}");
        let found = output.apply_plan[0].properties.0["tags"].to_json();
        tags.iter().for_each(|tag| assert!(found.contains(&format!("\"{tag}\"")), "{confidence}: {found}"));
        applied(&[&output.apply_plan]);
    };
    check(1.7, true, ["confidence:1.00", "confidence-band:high"]);
    check(0.9, true, ["confidence:0.90", "confidence-band:high"]);
    check(0.894, true, ["confidence:0.89", "confidence-band:medium"]);
    check(0.8, true, ["confidence:0.80", "confidence-band:medium"]);
    check(0.79, true, ["confidence:0.79", "confidence-band:low"]);
    check(0.695, true, ["confidence:0.70", "lane:strict"]);
    check(0.694, false, ["confidence:0.69", "lane:observation"]);
    check(-3.0, false, ["confidence:0.00", "review:required"]);
}

#[test]
fn a_strict_write_set_has_every_field() {
    let output = model(json!({
        "text": "Customer data must be retained for 7 years.", "sourceFiles": ["docs/a.md", "docs/b.md"],
        "provenance": "docs/a.md#L12", "requirementsDir": "reqs/"
    }));
    let id = &output.apply_plan[2].id;
    let expected = json!({
        "title": "Customer data must be retained for 7 years.", "status": "open", "source": format!("reqs/{id}.md"),
        "text_ref": "docs/a.md#L12",
        "tags": ["strict-modeling", "confidence:0.80", "confidence-band:medium", "provenance:docs-a-md-l12", "lane:strict"]
    });
    assert_eq!(serde_json::to_value(&output.apply_plan[2].properties).expect("plain data"), expected);
    let expected = json!({
        "title": "Retention Years = 7", "status": "active", "source": "docs/a.md", "text_ref": "docs/a.md#L12",
        "fact_kind": "property_value", "subject_key": "customer_data", "property_key": "retention_years",
        "canonical_key": "docs-a-md:customer_data:retention_years:eq:7", "operator": "eq", "value_type": "int", "value_int": 7,
        "tags": ["strict-modeling", "confidence:0.80", "confidence-band:medium", "provenance:docs-a-md-l12", "lane:strict",
                 "fact:property_value"]
    });
    assert_eq!(serde_json::to_value(&output.apply_plan[1].properties).expect("plain data"), expected);
    assert_eq!(output.apply_plan[0].properties.text("title"), Some("Customer Data"));
    let links: Vec<_> = output.apply_plan[2]
        .relationships
        .iter()
        .map(|link| (link.relation.text(), link.confidence))
        .collect();
    assert_eq!(links, [("constrains", Some(0.8)), ("requires_property", Some(0.8))]);
    let text = output.text();
    for part in
        ["subject_key=customer_data", "property_key=retention_years", "operator=eq value=7", id.as_str()]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // What the tool returns is what a client reads.
    let json = serde_json::to_string(&output).expect("plain data");
    assert_eq!(serde_json::from_str::<ModelRequirementOutput>(&json).expect("an output"), output);
}

#[test]
fn every_operator_and_type_gives_a_fact_that_upsert_accepts() {
    let check = |operator: &str, value: Json, title: &str, fields: Json| {
        let output = model(json!({
            "text": "A claim.", "source": "a.md", "subjectKey": "s", "propertyKey": "p", "operator": operator, "value": value
        }));
        applied(&[&output.apply_plan]);
        let found = serde_json::to_value(&output.apply_plan[1].properties).expect("plain data");
        assert_eq!(found["title"], title);
        for (name, value) in fields.as_object().expect("fields") {
            assert_eq!(&found[name], value, "{operator} {name}: {found}");
        }
    };
    check(
        "eq",
        json!("AES 256"),
        "P = AES 256",
        json!({"operator": "eq", "value_type": "string", "value_string": "AES 256"}),
    );
    check(
        "neq",
        json!(0.5),
        "P != 0.5",
        json!({"operator": "neq", "value_type": "number", "value_number": 0.5}),
    );
    check("gte", json!(3), "P >= 3", json!({"operator": "gte", "value_type": "int", "value_int": 3}));
    check("lte", json!(3.0), "P <= 3", json!({"operator": "lte", "value_type": "int", "value_int": 3}));
    check(
        "eq",
        json!(false),
        "P = false",
        json!({"operator": "eq", "value_type": "bool", "value_bool": false}),
    );
    check(
        "bool",
        json!(true),
        "P = true",
        json!({"operator": "eq", "value_type": "bool", "value_bool": true}),
    );
    let polarity =
        |word: &str| json!({"operator": "eq", "value_type": "bool", "value_bool": true, "polarity": word});
    check("polarity", json!("require"), "P require", polarity("require"));
    check("polarity", json!("forbid"), "P forbid", polarity("forbid"));
}

#[test]
fn opposite_statements_contradict_each_other() {
    let check = |one: &str, other: &str, expected: usize| {
        let [one, other] = [one, other].map(|text| model(json!({"text": text, "source": "a.md"})).apply_plan);
        assert_eq!(conflicts(&applied(&[&one, &other])), expected, "{one:?}");
    };
    check("Passwords must be logged", "Passwords must not be logged", 1);
    check("Passwords must be logged", "Keys must not be logged", 0);
    check("Logs must be enabled", "Logs shall be disabled", 1);
    check("The cache must be enabled.", "The cache must not be enabled.", 1);
    check("The cache must be enabled.", "The cache must never be disabled.", 0);
    check("Passwords must be logged", "Passwords must never be logged", 1);
    check("Files must be in C++", "Files must not be in C#", 0);
    check("Offsets must be -5", "Offsets must not be 5", 0);
    check("Data must be retained for 7 years", "The data must be retained for 8 years", 1);
    check("Data must be retained for 7 years", "Data must be retained for 7 years.", 0);
}

#[test]
fn statements_that_keys_would_distort_are_observations() {
    for (text, reason) in [
        ("The parser must be written in C++.", "characters"),
        ("Offsets must be -5.", "characters"),
        ("Die Größe must be kept.", "characters"),
        ("注文 must be kept.", "characters"),
        ("No password must be logged.", "no subject"),
        ("There must be a log.", "no subject"),
        ("It must be kept.", "no subject"),
        ("As a user, I want to see what must be kept.", "no subject"),
        ("Should logs be kept or must they go?", "question"),
        ("Must the logs be kept? They must be kept?", "question"),
    ] {
        let output = model(json!({"text": text, "source": "a.md"}));
        assert_eq!(output.extraction_mode, ExtractionMode::Fallback, "{text}");
        assert!(!output.is_strict && output.extraction_warnings[0].contains(reason), "{text}: {output:?}");
        // The keys of the caller are taken as they are.
        let output = model(json!({
            "text": text, "source": "a.md", "subjectKey": "s", "propertyKey": "p", "operator": "eq", "value": 1
        }));
        assert!(output.is_strict, "{text}");
    }
}

#[test]
fn marks_are_no_part_of_keys() {
    for text in [
        "REQ-12: Logs must be kept.",
        "- [ ] Logs must be kept;",
        "- [x] **Logs** must be kept",
        "3.1 Logs *must* be kept.",
        "[REQ-12] Logs must be kept!",
        "REQ-12 Logs must be kept",
    ] {
        let claim = model(json!({"text": text, "source": "a.md"})).claim;
        let keys = (claim.subject_key.as_str(), claim.property_key.as_str());
        assert_eq!(keys, ("logs", "be_kept"), "{text}");
    }
}

#[test]
fn invalid_arguments_are_named() {
    let check = |input: Json, part: &str| {
        let said = fails(input.clone());
        assert!(said.contains(part), "{input}: {said}");
    };
    check(json!({}), "text: it is blank");
    check(json!({"text": "  "}), "text: it is blank");
    check(json!({"text": "a", "statement": "b"}), "`text` and `statement` differ");
    check(json!({"text": "a", "subjectKey": "s", "value": 1}), "claim: propertyKey, operator missing");
    check(json!({"text": "a", "claim": {"operator": "eq"}}), "claim: subjectKey, propertyKey, value missing");
    let (s, p) = ("s", "p");
    let flat = |subject: &str, operator: &str, value: Json| json!({"text": "a", "source": "a.md", "subjectKey": subject, "propertyKey": p, "operator": operator, "value": value});
    let mut twice = flat(s, "eq", json!(1));
    twice["claim"] = json!({"subjectKey": "s"});
    check(twice, "given twice");
    check(flat("!", "eq", json!(1)), "subjectKey: it has no letter");
    check(flat(&"s".repeat(5000), "eq", json!(1)), "subjectKey: 5000 bytes");
    check(flat(s, "gte", json!("5")), "value: operator gte needs a number");
    check(flat(s, "polarity", json!("allow")), "\"require\" or \"forbid\"");
    check(json!({"text": "Logs must be kept", "source": "требования"}), "source: it has no letter");
    check(json!({"text": "x".repeat(16 * 1024 + 1)}), "bytes of text: 16385 are more than the 16384 allowed");
    check(json!({"text": "a", "sourceFiles": vec!["a.md"; 257]}), "sourceFiles: 257");
    check(json!({"text": "a", "source": "a".repeat(5000)}), "source: 5000 bytes");
}

#[test]
fn the_longest_arguments_are_accepted_by_upsert() {
    let long = "x".repeat(4096);
    for text in
        ["word ".repeat(3276), "ß".repeat(8192), format!("{} must {}", "a".repeat(128), "b".repeat(128))]
    {
        for confidence in [0.5, 1.0] {
            let plain = json!({"text": text, "source": long, "provenance": long, "confidence": confidence});
            applied(&[&model(plain.clone()).apply_plan]);
            let mut claimed = plain;
            for (name, value) in [("subjectKey", &long), ("propertyKey", &long), ("value", &text)] {
                claimed[name] = json!(value);
            }
            claimed["operator"] = json!("eq");
            applied(&[&model(claimed).apply_plan]);
        }
    }
}

#[test]
fn a_statement_that_is_longer_than_a_title_is_the_body() {
    let text = format!("Logs must be enabled {}", "and on ".repeat(1000));
    let output = model(json!({
        "text": text, "source": "a.md", "subjectKey": "logs", "propertyKey": "on", "operator": "bool", "value": true
    }));
    let req = &output.apply_plan[2].properties;
    assert!(req.text("title").is_some_and(|title| title.ends_with('…') && title.len() <= 4096));
    assert_eq!(req.text("body"), Some(text.trim()));
}

#[test]
fn doubtful_statements_carry_a_warning() {
    let check = |text: &str, parts: &[&str]| {
        let found = model(json!({"text": text, "source": "a.md"})).extraction_warnings;
        assert_eq!(found.len(), parts.len(), "{text}: {found:?}");
        found.iter().zip(parts).for_each(|(found, part)| assert!(found.contains(part), "{text}: {found}"));
    };
    check("Logs must be kept.", &[]);
    check("Version 1.2 must be kept.", &[]);
    check("When idle, a session must end.", &["condition"]);
    check("Logs must be kept. Backups must go.", &["several sentences"]);
    check("If idle, a session must end. Logs must stay.", &["condition", "several sentences"]);
    check("In production, caches must be kept warm.", &["condition"]);
    check("Caches must be warm and logs must be kept.", &["several claims"]);
    check("Names and emails must be unique.", &["several things"]);
    check(
        "Passwords must be at least 12 characters long.",
        &["subject_key=password property_key=value operator=gte value=12 unit=characters"],
    );
}

#[test]
fn the_schema_version_is_reported_if_it_is_known() {
    let input =
        |version: Json| json!({"text": "Logs must be kept.", "source": "a.md", "schemaVersion": version});
    let output = model(input(Json::Null));
    assert_eq!((output.schema_version_status, output.migration_warning), (None, None));
    let output = model(input(json!(1)));
    assert!(output.migration_warning.as_deref().is_some_and(|warning| warning.contains("cairn kb migrate")));
    assert!(output.text().contains("cairn kb migrate"));
    assert_eq!(model(input(json!(SCHEMA_VERSION_LATEST))).migration_warning, None);
}
