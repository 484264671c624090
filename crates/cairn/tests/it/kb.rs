//! `cairn kb`: the tour of a KB, with and without a server; exit codes; mistakes.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::{Server, stderr, stdout};
use crate::project::Project;

/// From an empty KB to one without violations, over whatever there is.
fn story(project: &Project) {
    let said = project.said(&["kb", "init", "--config"]);
    assert!(said.contains("created an empty KB of branch main") && said.contains("written"), "{said}");
    let again = project.said(&["kb", "init", "--config"]);
    assert!(again.contains("branch main has a KB already") && again.contains("exists already"), "{again}");
    assert!(project.root.join("cairn-kb.toml").exists());
    assert_eq!(project.said(&["kb", "query"]), "no entities\n");
    assert_eq!(project.said(&["kb", "check"]), "no violations\n");

    let arguments = [
        "kb",
        "upsert",
        "req",
        "REQ-001",
        "--title",
        "Sessions expire",
        "--status",
        "open",
        "--tag",
        "auth",
        "--field",
        "priority=must",
        "--source",
        "docs/auth.md",
    ];
    assert_eq!(project.said(&arguments), "Upserted REQ-001 (created) with 0 relationship(s).\n");
    let output = project.call(&["kb", "check"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = stdout(&output);
    assert!(said.starts_with("must-priority-coverage  REQ-001  docs/auth.md\n    "), "{said}");
    assert!(said.ends_with("must-priority-coverage 1\n1 violation\n"), "{said}");
    assert_eq!(stderr(&output), "error: 1 violation\n");
    assert_eq!(project.call(&["kb", "check", "--rule", "no-cycles,required-fields"]).status.code(), Some(0));

    let gaps = project.said(&["kb", "gaps", "--type", "req", "--missing", "specified_by,verified_by"]);
    assert!(gaps.contains("REQ-001") && gaps.ends_with("1 row\n"), "{gaps}");
    let coverage = project.said(&["kb", "coverage"]);
    assert!(coverage.contains("missing_scenario_and_test") && coverage.contains("1 uncovered"), "{coverage}");

    // The fix that the check suggests, with its placeholders as they are, is what upsert takes.
    let fixes = project.call(&["kb", "check", "--fix-json"]);
    assert_eq!(fixes.status.code(), Some(1));
    let parsed: Value = serde_json::from_str(&stdout(&fixes)).expect("JSON");
    assert!(parsed.as_array().is_some_and(|fixes| !fixes.is_empty()), "{parsed}");
    let applied = project.piped(&["kb", "upsert", "-"], &stdout(&fixes));
    assert_eq!(applied.status.code(), Some(0), "{}", stderr(&applied));
    assert_eq!(project.said(&["kb", "check"]), "no violations\n");
    let covered = project.said(&["kb", "coverage", "--all"]);
    assert!(covered.contains("REQ-001") && covered.contains("1 fully covered, 0 uncovered"), "{covered}");
    assert_eq!(project.said(&["kb", "gaps", "--type", "req", "--missing", "verified_by"]), "no gaps\n");

    let graph = project.said(&["kb", "graph", "REQ-001", "--direction", "both"]);
    assert!(graph.starts_with("REQ-001  Sessions expire  req, open\n|- specified_by -> "), "{graph}");
    let dot = project.said(&["kb", "graph", "REQ-001", "--format", "dot"]);
    assert!(dot.starts_with("digraph kb {") && dot.contains("\"REQ-001\" -> "), "{dot}");
    let mermaid = project.said(&["kb", "graph", "REQ-001", "--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart LR\n") && mermaid.contains("-->|verified_by|"), "{mermaid}");

    let found = project.said(&["kb", "search", "sessions"]);
    assert!(found.contains("REQ-001  Sessions expire"), "{found}");
    assert_eq!(project.said(&["kb", "search", "zeppelin"]), "nothing was found\n");
    let one = project.said(&["kb", "query", "--id", "REQ-001"]);
    assert!(one.contains("priority    must\n") && one.contains("tags        auth\n"), "{one}");
    let status = project.said(&["kb", "status"]);
    assert!(status.contains("branch         main\n") && status.contains("entities       3\n"), "{status}");

    let test = project.ids_with(&["--type", "test"]).remove(0);
    let (code, said) = project.failed(&["kb", "delete", &test]);
    assert_eq!(code, 1);
    assert!(said.contains("deletion blocked") && said.contains("REQ-001"), "{said}");
    let all = project.ids();
    let all: Vec<&str> =
        [&["kb", "delete"], all.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat();
    assert_eq!(project.said(&all), "deleted 3 entities\n");
    let said = project.said(&["kb", "delete", "REQ-001"]);
    assert_eq!(said, "deleted 0 entities\nno such entity: REQ-001\n");
}

#[test]
fn a_kb_is_filled_checked_and_emptied() {
    story(&Project::new());
}

#[test]
fn a_kb_is_filled_checked_and_emptied_through_a_server() {
    let project = Project::new();
    let data = project.root.join(".cairn");
    let _server = Server::start(&project.root, &["--data-dir", data.to_str().expect("text")]);
    story(&project);
}

#[test]
fn check_tells_violations_from_failures() {
    let project = Project::new();
    project.requirement("REQ-1");
    assert_eq!(project.call(&["kb", "check"]).status.code(), Some(0));
    let rule = project.call(&["kb", "check", "--rule", "no-cycle"]);
    assert_eq!(rule.status.code(), Some(2));
    assert!(stderr(&rule).contains("no-cycles"), "{rule:?}");
    let page = project.failed(&["kb", "check", "--limit", "1001"]);
    assert_eq!(page.0, 2, "{}", page.1);

    // Settings switch rules on and off, and flags win.
    let fact = ["kb", "upsert", "fact", "F", "--title", "F", "--status", "active"];
    project.said(&[&fact[..], &["--field", "fact_kind=subject", "--field", "subject_key=session"]].concat());
    project.said(&["kb", "upsert", "req", "REQ-1", "--link", "constrains:F"]);
    assert_eq!(project.call(&["kb", "check"]).status.code(), Some(0));
    std::fs::write(project.root.join("cairn-kb.toml"), "[checks.rules]\nstrict-req-fact-pairing = true\n")
        .expect("a file");
    let strict = project.call(&["kb", "check"]);
    assert_eq!(strict.status.code(), Some(1), "{strict:?}");
    assert!(stdout(&strict).starts_with("strict-req-fact-pairing  REQ-1"), "{strict:?}");
    assert_eq!(project.call(&["kb", "check", "--rule", "no-cycles"]).status.code(), Some(0));
    std::fs::write(project.root.join("cairn-kb.toml"), "[checks.rules]\nno-cycle = true\n").expect("a file");
    let (code, said) = project.failed(&["kb", "check"]);
    assert_eq!(code, 2);
    assert!(said.contains("cairn-kb.toml:2") && said.contains("did you mean `no-cycles`?"), "{said}");

    // The settings of another program are read where there are none of ours.
    std::fs::remove_file(project.root.join("cairn-kb.toml")).expect("it is there");
    std::fs::create_dir(project.root.join(".kb")).expect("a folder");
    std::fs::write(
        project.root.join(".kb/config.json"),
        r#"{"checks": {"rules": {"strict-req-fact-pairing": true}}}"#,
    )
    .expect("a file");
    assert_eq!(project.call(&["kb", "check"]).status.code(), Some(1));
}

#[test]
fn a_symbol_needs_a_decision_where_that_is_required() {
    let project = Project::new();
    project.requirement("REQ-1");
    let symbol = [
        "kb",
        "upsert",
        "symbol",
        "SYM-1",
        "--title",
        "login",
        "--status",
        "active",
        "--link",
        "implements:REQ-1",
        "--field",
        "sourceFile=src/login.rs",
        "--field",
        "symbol_role=behavioral",
        "--field",
        "granularity_reason=extractor-miss",
    ];
    project.said(&symbol);
    let check = ["kb", "check", "--rule", "symbol-traceability"];
    assert_eq!(project.call(&check).status.code(), Some(0));
    assert_eq!(project.call(&[&check[..], &["--require-adr"]].concat()).status.code(), Some(1));
    let settings = "[checks.symbol_traceability]\nrequire_adr = true\n";
    std::fs::write(project.root.join("cairn-kb.toml"), settings).expect("a file");
    assert_eq!(project.call(&check).status.code(), Some(1));
}

#[test]
fn mistakes_are_named_and_change_nothing() {
    let project = Project::new();
    project.requirement("REQ-1");
    let before = project.json(&["kb", "status"]);
    let fact = ["kb", "upsert", "fact", "F", "--title", "F", "--status", "active"];
    let req = ["kb", "upsert", "req", "REQ-2", "--title", "T", "--status"];
    for (arguments, part) in [
        (&[&fact[..], &["--field", "subjectKey=a"]].concat()[..], "subject_key"),
        (&[&fact[..], &["--field", "fact_kind=property"]].concat(), "property_value"),
        (&[&req[..], &["opn"]].concat(), "did you mean \"open\"?"),
        (&[&req[..], &["open", "--field", "colour=red"]].concat(), "colour"),
        (
            &[&req[..], &["open", "--link", "implements:REQ-1"]].concat(),
            "relationship validation failed at index 0",
        ),
        (&[&req[..], &["open", "--link", "depends_on:REQ-9"]].concat(), "REQ-9"),
        (
            &["kb", "upsert", "test", "REQ-1", "--title", "T", "--status", "passing"],
            "REQ-1 is a req, not a test",
        ),
        (&["kb", "upsert", "req", "REQ-2", "--status", "open"], "title"),
        (&["kb", "query", "--limit", "1001"], "limit"),
        (&["kb", "search", " "], "query"),
        (&["kb", "graph", "REQ-1", "--depth", "6"], "depth"),
    ] {
        let (code, said) = project.failed(arguments);
        assert_eq!(code, 1, "{arguments:?}: {said}");
        assert!(said.contains(part), "{part} in {said}");
    }
    for (arguments, part) in [
        (&["kb", "upsert", "requirement", "R"][..], "req, scenario, test"),
        (&["kb", "gaps", "--missing", "verifies"], "verified_by"),
        (&["kb", "query", "--type", "reqs"], "req"),
        (&["kb", "skills", "read", "cairn-usage", "../../etc/passwd"], "resources/"),
        (&["kb", "skills", "read", "cairn-usage", "/etc/passwd"], "resources/"),
        (&["kb", "skills", "load", "cairn-use"], "did you mean `cairn-usage`?"),
        (&["kb", "--branch", "a..b", "status"], "--branch"),
        (&["kb", "--workspace-root", "nowhere", "status"], "CAIRN_WORKSPACE"),
    ] {
        let (code, said) = project.failed(arguments);
        assert_eq!(code, 2, "{arguments:?}: {said}");
        assert!(said.contains(part), "{part} in {said}");
    }
    let foreign = json!({"type": "req", "id": "REQ-2", "properties": {"title": "T", "status": "open"},
        "relationships": [{"type": "depends_on", "from": "REQ-1", "to": "REQ-2"}]});
    let output = project.piped(&["kb", "upsert", "-"], &foreign.to_string());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("REQ-1") && stderr(&output).contains("index 0"), "{output:?}");
    assert_eq!(project.json(&["kb", "status"]), before, "nothing changed");
}

#[test]
fn a_list_ends_at_the_first_error_and_can_be_applied_again() {
    let project = Project::new();
    let req = |id: &str, status: &str| {
        json!({"type": "req", "id": id, "properties": {"title": id, "status": status},
               "relationships": if id == "A" { json!([]) } else { json!([{"type": "depends_on", "from": id, "to": "A"}]) }})
    };
    let list = json!([req("A", "open"), req("B", "opn"), req("C", "open")]).to_string();
    let output = project.piped(&["kb", "upsert", "-"], &list);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "Upserted A (created) with 0 relationship(s).\n");
    assert!(stderr(&output).contains("error: the payload at index 1 (B): "), "{output:?}");
    assert_eq!(project.ids(), ["A"]);

    let validated = project.piped(&["kb", "validate", "-"], &list);
    assert_eq!(validated.status.code(), Some(1));
    assert!(stdout(&validated).contains("A: Valid.\nB: Not valid.\n"), "{validated:?}");
    assert!(stderr(&validated).contains("1 of 3 payloads are not valid; the first one is at index 1"));
    let valid = ["kb", "validate", "req", "D", "--title", "D", "--status", "open"];
    assert_eq!(project.said(&valid), "D: Valid.\n");
    assert_eq!(project.ids(), ["A"], "nothing is stored");
    assert_eq!(project.piped(&["kb", "validate", "-"], "{").status.code(), Some(2));

    let file = project.root.join("list.json");
    std::fs::write(&file, json!([req("A", "open"), req("B", "open"), req("C", "open")]).to_string())
        .expect("a file");
    let outputs = project.json(&["kb", "upsert", "--file", "list.json"]);
    let created: Vec<_> =
        outputs.as_array().expect("a list").iter().map(|one| one["created"].clone()).collect();
    assert_eq!(created, [json!(0), json!(1), json!(1)]);
    let again = project.json(&["kb", "upsert", "--file", "list.json"]);
    assert!(again.as_array().expect("a list").iter().all(|one| one["created"] == 0 && one["updated"] == 1));
    assert_eq!(project.ids(), ["A", "B", "C"]);
}

#[test]
fn every_command_prints_json() {
    let project = Project::new();
    project.json(&["kb", "init"]);
    project.requirement("REQ-1");
    for (arguments, key) in [
        (&["kb", "init"][..], "workspace"),
        (&["kb", "query"], "entities"),
        (&["kb", "search", "REQ"], "results"),
        (&["kb", "status"], "snapshotId"),
        (&["kb", "gaps"], "rows"),
        (&["kb", "coverage"], "summary"),
        (&["kb", "coverage", "--by", "symbol"], "rows"),
        (&["kb", "coverage", "--by", "type"], "rows"),
        (&["kb", "graph", "REQ-1"], "nodes"),
        (&["kb", "check"], "counts"),
        (&["kb", "upsert", "req", "REQ-1", "--title", "T"], "updated"),
        (&["kb", "validate", "req", "REQ-1", "--title", "T"], "normalizedPreview"),
        (&["kb", "delete", "REQ-9"], "skipped"),
        (&["kb", "skills", "list"], "skills"),
        (&["kb", "skills", "load", "cairn-usage"], "contentHash"),
        (&["kb", "skills", "read", "cairn-usage", "resources/fact-lanes.md"], "content"),
        (&["kb", "branch", "list"], "branches"),
        (&["kb", "branch", "show"], "hasKb"),
        (&["kb", "branch", "create", "next"], "created"),
        (&["kb", "branch", "diff", "main", "next"], "added"),
        (&["kb", "gc"], "gone"),
        (&["kb", "branch", "delete", "next"], "deleted"),
    ] {
        let answer = project.json(arguments);
        assert!(answer.get(key).is_some(), "{key} of {arguments:?} in {answer}");
    }
    let fixes = project.json(&["kb", "check", "--fix-json"]);
    assert_eq!(fixes, json!([]));
    let violated = ["kb", "upsert", "req", "REQ-1", "--field", "priority=must"];
    project.said(&violated);
    let output = project.call(&["kb", "check", "--json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((output.status.code(), &report["count"]), (Some(1), &json!(1)));
}

#[test]
fn skills_need_no_store_and_no_repository() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let list = crate::program::run(dir.path(), &["kb", "skills", "list"]);
    assert_eq!(list.status.code(), Some(0));
    assert!(stdout(&list).contains("cairn-usage") && stdout(&list).contains("cairn-bootstrap"), "{list:?}");
    let load = crate::program::run(dir.path(), &["kb", "skills", "load", "kibi-usage"]);
    assert_eq!(load.status.code(), Some(0));
    assert!(stdout(&load).starts_with('#'), "{load:?}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 0, "nothing is created");
}

#[test]
fn without_a_data_directory_the_command_says_how_to_make_one() {
    let project = Project::new();
    let output = crate::program::output(
        project.command(&project.root, &["kb", "status"]).env("CAIRN_DATA_DIR", Path::new("elsewhere")),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cairn init"), "{output:?}");
    assert!(!project.root.join(".git/cairn").exists(), "nothing is created");
}
