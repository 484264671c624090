//! Hostile trees: bounded, named, and no reason to fail.

use cairn_autopilot::limits::{
    AUTOPILOT_FILE_FINDINGS_MAX, AUTOPILOT_MARKDOWN_BYTES_MAX, AUTOPILOT_SUPPRESSED_MAX,
    AUTOPILOT_TEXT_BYTES_MAX,
};
use cairn_autopilot::{AutopilotOutput, Existing, Listing, Project, Skipped, Sources, Tree, generate};
use serde_json::json;

use crate::kit::{Files, Kb, ids, input, over};
use crate::samples;

fn warnings(output: &AutopilotOutput) -> Vec<(&str, &str)> {
    let warnings = &output.discovery_summary.scan_warnings;
    warnings.iter().map(|one| (one.path.as_str(), one.reason.text())).collect()
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let mut files = samples::java();
    files.put("docs/long.md", vec![b'a'; AUTOPILOT_MARKDOWN_BYTES_MAX + 1]);
    files.put("docs/full.md", vec![b'a'; AUTOPILOT_MARKDOWN_BYTES_MAX]);
    files.put("docs/binary.md", b"\x00must".to_vec());
    files.put("docs/latin.md", b"caf\xe9 must".to_vec());
    files.put("src/Bad.java", b"\xff\xfe".to_vec());
    files.put("a/package.json", "[".repeat(200_000));
    files.put("a/Cargo.toml", "[".repeat(200_000));
    files.put("documentation/requirements/latin.md", b"---\ntitle: \xe9\n---\n".to_vec());
    let output = over(&files, json!({}));
    let found = warnings(&output);
    for expected in [
        ("docs/long.md", "too_large"),
        ("docs/binary.md", "not_text"),
        ("docs/latin.md", "not_text"),
        ("src/Bad.java", "not_text"),
        ("a/package.json", "malformed"),
        ("a/Cargo.toml", "malformed"),
        ("documentation/requirements/latin.md", "malformed"),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert_eq!(found.len(), 7, "{found:?}");
    assert!(!output.candidates.is_empty());
    let read = files.read.lock().unwrap();
    assert!(!read.contains("docs/long.md") && read.contains("docs/full.md"));
}

#[test]
fn a_file_that_lies_about_its_length_is_named() {
    let mut files = samples::java();
    files.put("docs/long.md", vec![b'a'; AUTOPILOT_MARKDOWN_BYTES_MAX + 1]);
    let mut listing = files.listing();
    listing.files.iter_mut().for_each(|file| file.bytes = 1);
    let (project, existing) = (Project::default(), Existing::default());
    let sources = Sources { tree: &files, listing, project: &project, existing: &existing };
    let output = generate(sources, &input(json!({}))).unwrap();
    assert_eq!(warnings(&output), [("docs/long.md", "too_large")]);
}

#[test]
fn a_million_normative_statements_are_a_bounded_result() {
    let statement = |n: usize| format!("- Part {n} must hold.\n");
    let text: String = (0..1_000_000).map(statement).collect();
    let pieces: Vec<&str> =
        text.as_bytes().chunks(900_000).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
    let mut files = Files::default();
    for (at, piece) in pieces.iter().enumerate() {
        files.put(&format!("docs/{at:02}.md"), *piece);
    }
    let output = over(&files, json!({"maxCandidates": 200}));
    assert_eq!(output.candidates.len(), 200);
    let summary = &output.discovery_summary;
    assert!(summary.truncated && summary.candidates_omitted > 0, "{summary:?}");
    let most = pieces.len() as u64 * AUTOPILOT_FILE_FINDINGS_MAX as u64;
    assert!(summary.candidates_found <= most, "{}", summary.candidates_found);
    assert!(output.text().len() <= AUTOPILOT_TEXT_BYTES_MAX + 100);
    let mut kb = Kb::default();
    kb.apply(&output.apply_plan);
    assert_eq!(kb.violations(), Vec::<String>::new());
}

/// Many files without content: nothing of them is held.
struct Endless;

impl Tree for Endless {
    fn read(&self, path: &str, _: usize) -> Result<Vec<u8>, Skipped> {
        Ok(format!("export function f{}() {{}}\n", path.len()).into_bytes())
    }
}

#[test]
fn a_hundred_thousand_files_are_a_bounded_result() {
    let file =
        |n: u32| cairn_autopilot::ListedFile { path: format!("src/f{n:06}.ts"), bytes: 30, document: None };
    let listing = Listing { files: (0..100_000).map(file).collect(), ..Listing::default() };
    let (project, existing) = (Project::default(), Existing::default());
    let sources = Sources { tree: &Endless, listing, project: &project, existing: &existing };
    let output = generate(sources, &input(json!({}))).unwrap();
    assert_eq!(output.discovery_summary.files_listed, 100_000);
    assert!(output.discovery_summary.truncated);
    assert_eq!(warnings(&output), [("", "too_many")]);
    assert_eq!(ids(&output), ["FACT-GEN-LAYOUT-SRC"]);
}

#[test]
fn suppressed_candidates_are_listed_within_a_limit_and_all_counted() {
    let mut files = Files::default();
    for n in 0..500 {
        files.put(&format!("d{n:03}/a.md"), "# ADR: the same\n");
    }
    let output = over(&files, json!({}));
    assert_eq!(output.candidates.len(), 1);
    assert_eq!(output.suppressed_candidates.len(), AUTOPILOT_SUPPRESSED_MAX);
    assert_eq!(output.discovery_summary.suppressed_counts["duplicate_title"], 499);
    assert_eq!(output.candidates[0].source_path, "d000/a.md", "of equals the first path wins");
}

#[test]
fn large_documents_fill_the_plan_and_no_more() {
    let mut files = Files::default();
    for n in 0..60 {
        let body = "word ".repeat(40_000);
        let text = format!("---\nid: REQ-{n:02}\ntitle: R {n}\nstatus: open\n---\n{body}");
        files.put(&format!("documentation/requirements/{n:02}.md"), text);
    }
    let output = over(&files, json!({"maxCandidates": 200}));
    assert!(output.candidates.len() > 10 && output.candidates.len() < 60, "{}", output.candidates.len());
    assert!(output.discovery_summary.suppressed_counts["plan_full"] > 0);
    let bytes = serde_json::to_string(&output.apply_plan).unwrap().len();
    assert!(bytes <= cairn_autopilot::limits::AUTOPILOT_PLAN_BYTES_MAX + 1_000, "{bytes}");
}

#[test]
fn ten_thousand_typed_entities_keep_their_neighbours() {
    let mut files = Files::default();
    for n in 0..5_000 {
        let req = format!(
            "---\nid: REQ-{n:04}\ntitle: R {n}\nstatus: open\npriority: must\nlinks:\n  - type: specified_by\n    target: \
             SCEN-{n:04}\n  - type: verified_by\n    target: TEST-{n:04}\n---\n"
        );
        files.put(&format!("documentation/requirements/{n:04}.md"), req);
        files.put(
            &format!("documentation/scenarios/{n:04}.md"),
            format!("---\nid: SCEN-{n:04}\ntitle: S {n}\nstatus: active\n---\n"),
        );
        files.put(
            &format!("documentation/tests/{n:04}.md"),
            format!("---\nid: TEST-{n:04}\ntitle: T {n}\nstatus: passing\n---\n"),
        );
    }
    let output = over(&files, json!({"maxCandidates": 30}));
    assert_eq!(output.candidates.len(), 30);
    let of = |prefix: &str| ids(&output).iter().filter(|id| id.starts_with(prefix)).count();
    assert_eq!((of("REQ-"), of("SCEN-"), of("TEST-")), (10, 10, 10));
}
