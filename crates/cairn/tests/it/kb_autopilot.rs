//! `cairn kb autopilot`: reads only, stays inside, and applies what was confirmed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{stderr, stdout};
use crate::project::Project;

const REQUIREMENT: &str = "---\nid: REQ-1\ntitle: Sessions expire\nstatus: open\npriority: must\nlinks:\n  - type: \
                           specified_by\n    target: SCEN-1\n  - type: verified_by\n    target: TEST-1\n---\n";

/// Writes files, with their folders.
fn write(project: &Project, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = project.root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }
}

/// A small TypeScript project with typed documents.
fn sample() -> Project {
    let project = Project::new();
    write(
        &project,
        &[
            (".gitignore", ".cairn/\nsecret/\n*.local.md\n"),
            ("package.json", r#"{"name": "shop", "devDependencies": {"vitest": "1"}}"#),
            ("README.md", "# Shop\n\nThe cart must be retained for 30 days.\n"),
            ("src/session.ts", "// implements REQ-1\nexport function endSession() {}\n"),
            (
                "src/session.test.ts",
                "import { test } from 'vitest';\n// TEST-1\ntest('x', () => endSession());\n",
            ),
            ("documentation/requirements/a.md", REQUIREMENT),
            (
                "documentation/scenarios/a.md",
                "---\nid: SCEN-1\ntitle: Idle\nstatus: active\nlinks:\n  - type: verified_by\n    target: TEST-1\n---\n",
            ),
            ("documentation/tests/a.md", "---\nid: TEST-1\ntitle: Ends\nstatus: passing\n---\n"),
            ("secret/notes.md", "# ADR: hidden\n\nThe secret must be kept for 9 days.\n"),
            ("my.local.md", "# ADR: hidden\n\nThe local must be kept for 9 days.\n"),
            ("node_modules/x/README.md", "# ADR: hidden\n\nThe module must be kept for 9 days.\n"),
        ],
    );
    project
}

/// Content, mode and times of everything in the repository, `.git` included, without the data directory.
fn everything(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name == ".cairn") {
            continue;
        }
        let meta = path.symlink_metadata().expect("it is there");
        let content = if meta.is_file() { fs::read(&path).expect("readable") } else { Vec::new() };
        let state = format!("{} {} {} {:?}", meta.mode(), meta.mtime(), meta.mtime_nsec(), content);
        found.insert(path.to_string_lossy().into_owned(), state);
        if meta.is_dir() {
            everything(&path, found);
        }
    }
}

fn snapshot(project: &Project) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    everything(&project.root, &mut found);
    found
}

fn ids(output: &Value) -> Vec<&str> {
    let candidates = output["candidates"].as_array().expect("candidates");
    candidates.iter().filter_map(|candidate| candidate["entityId"].as_str()).collect()
}

#[test]
fn nothing_of_the_repository_or_the_branch_changes() {
    let project = sample();
    project.said(&["kb", "init"]);
    project.requirement("REQ-OLD");
    let before =
        (snapshot(&project), project.json(&["kb", "status"]), project.json(&["kb", "branch", "list"]));
    for arguments in
        [&["kb", "autopilot"][..], &["kb", "autopilot", "--json"], &["kb", "autopilot", "--type", "req"]]
    {
        assert!(!project.said(arguments).is_empty());
    }
    let after =
        (snapshot(&project), project.json(&["kb", "status"]), project.json(&["kb", "branch", "list"]));
    assert_eq!(before, after);
}

#[test]
fn a_tree_that_was_never_used_is_not_written_to() {
    let project = sample();
    let before = snapshot(&project);
    let output = project.json(&["kb", "autopilot"]);
    assert_eq!(before, snapshot(&project));
    assert_eq!(output["activationMode"], "cold_start_bootstrap");
    assert_eq!(project.json(&["kb", "branch", "list"])["branches"], json!([]), "no KB was created");
}

#[test]
fn a_read_only_tree_is_read() {
    let project = sample();
    let set = |mode: u32| {
        for folder in ["", ".git", "src", "documentation", "documentation/requirements"] {
            let path = project.root.join(folder);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        }
    };
    set(0o555);
    let before = snapshot(&project);
    let output = project.call(&["kb", "autopilot", "--json"]);
    let after = snapshot(&project);
    set(0o755);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(before, after);
}

#[test]
fn what_is_ignored_or_outside_is_no_evidence() {
    let project = sample();
    let outside = project.beside("outside");
    fs::create_dir_all(outside.join("docs")).expect("a folder");
    fs::write(outside.join("docs/x.md"), "# ADR: outside\n\nThe outside must be kept for 9 days.\n")
        .expect("a file");
    symlink(outside.join("docs"), project.root.join("docs")).expect("a link");
    symlink(outside.join("docs/x.md"), project.root.join("linked.md")).expect("a link");
    fs::write(project.root.join(".git/info/exclude"), "private.md\n").expect("a file");
    write(&project, &[("private.md", "# ADR: hidden\n"), (".git/x.md", "# ADR: hidden\n")]);
    let output = project.said(&["kb", "autopilot", "--json", "--min-confidence", "0.6"]);
    for word in ["hidden", "The outside", "The secret", "The local", "The module", "ADR: outside"] {
        assert!(!output.contains(word), "{word}");
    }
    let output: Value = serde_json::from_str(&output).expect("JSON");
    let excluded = output["discoverySummary"]["excludedRoots"].as_array().expect("a list");
    for (path, reason) in [
        ("docs", "outside_workspace"),
        ("linked.md", "outside_workspace"),
        ("secret", "gitignored"),
        ("my.local.md", "gitignored"),
        ("private.md", "git_info_exclude"),
        ("node_modules", "hard_deny"),
        (".git", "hard_deny"),
    ] {
        assert!(excluded.contains(&json!({"path": path, "reason": reason})), "{path} {excluded:?}");
    }
}

#[test]
fn a_plan_is_applied_when_it_is_confirmed() {
    let project = sample();
    let (code, error) = project.failed(&["kb", "autopilot", "--apply"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("--yes"), "{error}");
    assert_eq!(project.ids(), Vec::<String>::new());
    let plan = project.json(&["kb", "autopilot"]);
    let applied = project.json(&["kb", "autopilot", "--apply", "--yes"]);
    assert_eq!(applied["newViolations"], json!([]));
    assert_eq!(applied["upserted"].as_array().map(Vec::len), plan["applyPlan"].as_array().map(Vec::len));
    assert_eq!(project.said(&["kb", "check"]), "no violations\n");
    let stored = project.ids();
    assert!(ids(&plan).iter().all(|id| stored.iter().any(|stored| stored == id)), "{stored:?}");
    let again = project.json(&["kb", "autopilot"]);
    assert_eq!(ids(&again), Vec::<&str>::new());
    assert!(!again["suppressedCandidates"].as_array().expect("a list").is_empty());
    let graph = project.said(&["kb", "graph", "REQ-1", "--direction", "incoming"]);
    assert!(graph.contains("endSession"), "{graph}");
}

#[test]
fn two_runs_give_the_same_bytes() {
    let project = sample();
    project.said(&["kb", "init"]);
    let first = project.said(&["kb", "autopilot", "--json", "--min-confidence", "0.6"]);
    assert_eq!(first, project.said(&["kb", "autopilot", "--json", "--min-confidence", "0.6"]));
}

#[test]
fn settings_with_missing_paths_block_the_plan() {
    let project = sample();
    write(&project, &[("cairn-kb.toml", "[paths]\nrequirements = \"nowhere\"\n")]);
    let output = project.json(&["kb", "autopilot"]);
    assert_eq!(
        (&output["activationMode"], &output["applyBlocked"]),
        (&json!("repair_bootstrap"), &json!(true))
    );
    let (code, error) = project.failed(&["kb", "autopilot", "--apply", "--yes"]);
    assert_eq!(code, 1, "{error}");
    assert_eq!(project.ids(), Vec::<String>::new());
}

#[test]
fn a_context_comes_from_a_file_or_from_standard_input() {
    let project = sample();
    write(&project, &[("context.json", r#"{"projectSummary": "A shop", "priorityRoots": ["src"]}"#)]);
    let output = project.json(&["kb", "autopilot", "--context", "context.json"]);
    assert_eq!(output["declaredContext"]["projectSummary"], "A shop");
    let piped =
        project.piped(&["kb", "autopilot", "--json", "--context", "-"], r#"{"priorityRoots": ["../x"]}"#);
    assert_eq!(piped.status.code(), Some(2), "{}", stdout(&piped));
    assert!(stderr(&piped).contains("no path inside"), "{}", stderr(&piped));
    let piped = project.piped(&["kb", "autopilot", "--context", "-"], r#"{"summary": 1}"#);
    assert_eq!(piped.status.code(), Some(2));
    assert!(stderr(&piped).contains("projectSummary"), "{}", stderr(&piped));
}

#[test]
fn hostile_files_are_named_and_skipped() {
    let project = sample();
    let sparse = fs::File::create(project.root.join("huge.md")).expect("a file");
    sparse.set_len(1 << 30).expect("a sparse file");
    fs::write(project.root.join("binary.md"), b"\x00\x01").expect("a file");
    fs::write(project.root.join("latin.md"), b"caf\xe9").expect("a file");
    let many = project.root.join("many");
    fs::create_dir(&many).expect("a folder");
    for n in 0..2_000 {
        fs::write(many.join(format!("{n}.ts")), "export const a = 1;\n").expect("a file");
    }
    let output = project.json(&["kb", "autopilot"]);
    let warnings = output["discoverySummary"]["scanWarnings"].as_array().expect("a list");
    for (path, reason) in [("huge.md", "too_large"), ("binary.md", "not_text"), ("latin.md", "not_text")] {
        let is_named = |warning: &Value| warning["path"] == path && warning["reason"] == reason;
        assert!(warnings.iter().any(is_named), "{path}: {warnings:?}");
    }
    assert!(ids(&output).contains(&"REQ-1"));
}
