//! `docs/kb-errors.md`: every code has a section, payloads that fail do so with the code of their section, and those that
//! recover are accepted.

use std::collections::BTreeMap;

use cairn_kb::{KbCode, KbError, SparqlCode};
use serde_json::Value;

use super::page::{json_blocks, read_page, section};
use super::play::{Play, is_readable};

/// Parts of a page below headings of this level, each with its heading.
fn parts<'a>(text: &'a str, level: &str) -> Vec<(&'a str, &'a str)> {
    let marker = format!("\n{level} ");
    text.split(marker.as_str()).skip(1).map(|part| part.split_once('\n').expect("a heading ends")).collect()
}

#[test]
fn payloads_fail_and_recover() {
    let page = read_page("kb-errors.md");
    let mut counts = BTreeMap::<String, usize>::new();
    for (code, part) in parts(&page, "##") {
        let mut examples = parts(part, "###");
        if examples.is_empty() {
            examples.push((code, part));
        }
        for (name, example) in examples {
            let context = format!("{code}, {name}");
            let mut given = Value::Array(Vec::new());
            let mut recovers = 0;
            for (words, json) in json_blocks(example) {
                let payload: Value =
                    serde_json::from_str(json).unwrap_or_else(|error| panic!("{context}: {error}"));
                let (kind, tool) = words.split_once(' ').unwrap_or((words, ""));
                *counts.entry(kind.to_owned()).or_default() += 1;
                let mut play = Play::default();
                play.call("kb_upsert", &given).unwrap_or_else(|error| panic!("{context}: {error}"));
                match kind {
                    "given" => given = payload,
                    "fails" => {
                        let error = play.call(tool, &payload).expect_err(&context);
                        assert_eq!(error.code().name(), code, "{context}: {error}");
                    }
                    "recovers" => {
                        play.call(tool, &payload).unwrap_or_else(|error| panic!("{context}: {error}"));
                        recovers += 1;
                    }
                    "unreadable" => assert!(!is_readable(tool, &payload), "{context}"),
                    other => panic!("{context}: unknown block {other}"),
                }
            }
            assert!(recovers > 0, "{context}: no payload recovers");
        }
    }
    assert!(counts["fails"] > 20 && counts["recovers"] > 40, "{counts:?}");
}

#[test]
fn every_code_has_a_section_and_a_row() {
    let page = read_page("kb-errors.md");
    for code in KbCode::ALL {
        assert!(page.contains(&format!("\n## {code}\n")), "{code}");
        assert!(page.contains(&format!("| `{code}` |")), "{code} is not in the table");
    }
    for code in SparqlCode::ALL {
        assert!(section(&page, "Remote SPARQL").contains(&format!("| `{code}` |")), "{code}");
    }
}

/// The section of each class of errors. A new variant needs a section, a row here, and an example below.
fn section_of(error: &KbError) -> Option<&'static str> {
    match error {
        KbError::Entity(_) | KbError::OtherType { .. } => Some("KbInvalidEntity"),
        KbError::Relationship { .. } => Some("KbInvalidRelationship"),
        KbError::Granularity(_) => Some("KbGranularity"),
        KbError::Contradiction { .. } => Some("KbContradiction"),
        KbError::Blocked(_) => Some("KbBlocked"),
        KbError::Argument { .. } => Some("KbInvalidArgument"),
        KbError::NoBranch { .. } => Some("KbNoBranch"),
        KbError::NoEntity(_) => Some("KbNoEntity"),
        KbError::Refresh { .. } => Some("KbRefreshError"),
        KbError::Busy { .. } => Some("KbBranchBusy"),
        KbError::TooLarge { .. } => Some("KbTooLarge"),
        KbError::Off { .. } => Some("KbSwitchedOff"),
        KbError::Sparql(_) => Some("Remote SPARQL"),
        // Damage and failures of the store are those of the whole node.
        KbError::Store(_) | KbError::Graph(_) | KbError::Record(_) => None,
    }
}

#[test]
fn every_class_of_errors_has_a_section() {
    let page = read_page("kb-errors.md");
    let text = || "x".to_owned();
    let examples = [
        KbError::Entity(Vec::new()),
        KbError::OtherType { id: text(), found: "req", asked: "fact" },
        KbError::Relationship { index: 0, message: text() },
        KbError::Granularity(text()),
        KbError::Contradiction { id: text(), conflicts: Vec::new(), others: Vec::new() },
        KbError::Blocked(Vec::new()),
        KbError::Argument { parameter: "x", message: text() },
        KbError::NoBranch { workspace: text(), branch: text(), near: None },
        KbError::NoEntity(Vec::new()),
        KbError::Refresh { branch: text(), detail: text() },
        KbError::Busy { branch: text(), doing: "created" },
        KbError::TooLarge { what: "x", count: 2, max: 1 },
        KbError::Off { what: "x", setting: "y" },
    ];
    for error in &examples {
        let heading = section_of(error).expect("a section");
        assert_eq!(error.code().name(), heading, "{error:?}");
        assert!(page.contains(&format!("\n## {heading}\n")), "{heading}");
    }
}
