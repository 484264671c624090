//! `cairn kb sync`, `export` and `status`: documents of a repository and its KB.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::program::{Server, stderr, stdout};
use crate::project::{Project, said};

pub(crate) fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join("documentation").join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

pub(crate) fn document(id: &str, title: &str) -> String {
    format!("---\nid: {id}\ntitle: {title}\nstatus: open\n---\n\nText of {title}.\n")
}

fn of(report: &Value, names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| report[name].as_u64().unwrap_or_else(|| panic!("{name} in {report}"))).collect()
}

const COUNTS: [&str; 5] = ["documents", "created", "updated", "removed", "problemCount"];

fn title(project: &Project, id: &str) -> String {
    let found = project.json(&["kb", "query", "--id", id]);
    found["entities"][0]["title"].as_str().unwrap_or_default().to_owned()
}

fn story(project: &Project) {
    let root = &project.root;
    write(root, "requirements/a.md", document("REQ-A", "First"));
    write(
        root,
        "requirements/deep/b.md",
        "---\nid: REQ-B\ntitle: Second\nlinks:\n  - type: depends_on\n    target: REQ-A\n---\n",
    );
    write(root, "requirements/README.md", "# No document\n");
    write(
        root,
        "symbols.yaml",
        "symbols:\n  - id: SYM-1\n    title: run\n    sourceFile: src/run.rs\n    relationships:\n      - type: implements\n        target: REQ-A\n",
    );
    let report = project.json(&["kb", "sync"]);
    assert_eq!(of(&report, &COUNTS), [3, 3, 0, 0, 0], "{report}");
    assert_eq!(report["relationshipsCreated"], 2);
    assert_eq!(project.json(&["kb", "status"])["syncState"], "fresh");

    // Nothing has changed: the same output each time, and no write.
    let snapshot = project.json(&["kb", "status"])["snapshotId"].clone();
    let again = project.said(&["kb", "sync", "--json"]);
    assert_eq!(again, project.said(&["kb", "sync", "--json"]));
    assert_eq!(of(&serde_json::from_str(&again).expect("JSON"), &COUNTS), [3, 0, 0, 0, 0]);
    assert_eq!(project.json(&["kb", "status"])["snapshotId"], snapshot);
    assert_eq!(project.said(&["kb", "sync"]), "branch main: 3 documents, nothing has changed\n");

    // Of several files only those that differ are examined.
    write(root, "requirements/a.md", document("REQ-A", "Changed"));
    write(root, "tests/new.md", document("TEST-1", "New"));
    fs::remove_file(root.join("documentation/requirements/deep/b.md")).expect("it is there");
    let status = project.json(&["kb", "status"]);
    assert_eq!((&status["syncState"], &status["dirty"]), (&json!("stale"), &json!(true)));
    assert_eq!(
        status["staleReasons"],
        json!([
            "changed: documentation/requirements/a.md",
            "new: documentation/tests/new.md",
            "gone: documentation/requirements/deep/b.md"
        ])
    );
    let report = project.json(&["kb", "sync"]);
    assert_eq!(of(&report, &COUNTS), [3, 1, 1, 1, 0], "{report}");
    assert_eq!(of(&report, &["documentsUnchanged", "documentsRemoved"]), [1, 1]);
    assert_eq!(project.ids(), ["REQ-A", "SYM-1", "TEST-1"]);
    assert_eq!(title(project, "REQ-A"), "Changed");
    assert_eq!(project.json(&["kb", "status"])["staleReasonCount"], 0);

    // A document that is ignored or renamed.
    fs::rename(root.join("documentation/tests/new.md"), root.join("documentation/tests/renamed.md"))
        .expect("renamed");
    let report = project.json(&["kb", "sync"]);
    assert_eq!(of(&report, &["created", "removed"]), [0, 0], "{report}");
    fs::write(root.join(".gitignore"), "renamed.md\n").expect("a file");
    assert_eq!(of(&project.json(&["kb", "sync"]), &["documents", "removed"]), [2, 1]);
}

#[test]
fn documents_become_entities_and_follow_their_files() {
    story(&Project::new());
}

#[test]
fn documents_become_entities_through_a_server() {
    let project = Project::new();
    let data = project.root.join(".cairn");
    let _server = Server::start(&project.root, &["--data-dir", data.to_str().expect("text")]);
    story(&project);
}

#[test]
fn problems_have_a_place_and_the_rest_is_stored() {
    let project = Project::new();
    write(&project.root, "requirements/good.md", document("REQ-A", "Good"));
    write(&project.root, "requirements/bad.md", "---\nid: REQ-B\ntitle: one: two\n---\n");
    write(&project.root, "requirements/twin.md", document("REQ-A", "Twin"));
    write(
        &project.root,
        "requirements/link.md",
        "---\nid: REQ-C\ntitle: C\nlinks:\n  - type: depends_on\n    target: REQ-NONE\n---\n",
    );
    let output = project.call(&["kb", "sync"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stdout(&output);
    assert!(said.contains("documentation/requirements/bad.md:3: unquoted colon"), "{said}");
    assert!(said.contains("documentation/requirements/twin.md:"), "{said}");
    assert!(said.contains("REQ-NONE"), "{said}");
    assert!(stderr(&output).ends_with("error: 3 problems\n"), "{output:?}");
    assert_eq!(project.ids(), ["REQ-A", "REQ-C"]);
    assert_eq!(title(&project, "REQ-A"), "Good");
    let status = project.json(&["kb", "status"]);
    assert_eq!((&status["syncState"], &status["filesWithProblems"]), (&json!("stale"), &json!(3)));

    // A document that breaks keeps its entity until it is corrected.
    fs::remove_file(project.root.join("documentation/requirements/twin.md")).expect("it is there");
    write(&project.root, "requirements/good.md", "---\nid: REQ-A\n");
    assert_eq!(project.call(&["kb", "sync"]).status.code(), Some(1));
    assert_eq!(title(&project, "REQ-A"), "Good");
    fs::remove_file(project.root.join("documentation/requirements/bad.md")).expect("it is there");
    write(&project.root, "requirements/good.md", document("REQ-A", "Better"));
    write(&project.root, "requirements/none.md", document("REQ-NONE", "Now it is there"));
    assert_eq!(of(&project.json(&["kb", "sync"]), &["problemCount", "relationshipsCreated"]), [0, 1]);
    assert_eq!(title(&project, "REQ-A"), "Better");
}

#[test]
fn validation_needs_no_kb_and_changes_nothing() {
    let project = Project::new();
    let data = project.beside("no-data");
    let validate = || {
        let mut command = project.command(&project.root, &["kb", "sync", "--validate-only"]);
        command.env("CAIRN_DATA_DIR", &data);
        crate::program::output(&mut command)
    };
    write(&project.root, "requirements/a.md", document("REQ-A", "A"));
    let output = validate();
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "branch main: 1 document checked\n")
    );
    write(&project.root, "requirements/b.md", document("REQ-A", "B"));
    write(&project.root, "requirements/c.md", "---\nid: REQ-C\n---\n");
    let output = validate();
    assert_eq!(output.status.code(), Some(1));
    let said = stdout(&output);
    assert!(
        said.contains("requirements/b.md:2: REQ-A: documentation/requirements/a.md:2 has the same id"),
        "{said}"
    );
    assert!(said.contains("missing field"), "{said}");
    assert_eq!(said, stdout(&validate()));
    assert!(!data.exists());
    assert!(!project.root.join(".git/cairn").exists());
}

#[test]
fn what_tools_changed_is_kept_until_it_is_exported_or_dropped() {
    let project = Project::new();
    write(&project.root, "requirements/a.md", document("REQ-A", "File"));
    project.json(&["kb", "sync"]);
    project.said(&["kb", "upsert", "req", "REQ-A", "--title", "Tool"]);
    project.said(&["kb", "upsert", "fact", "FACT-1", "--title", "Of a tool", "--status", "active"]);
    let status = project.json(&["kb", "status"]);
    assert_eq!(status["staleReasons"], json!(["diverged: REQ-A (documentation/requirements/a.md)"]));
    let report = project.json(&["kb", "sync"]);
    assert_eq!(of(&report, &["divergedCount", "updated"]), [1, 0]);
    assert_eq!(title(&project, "REQ-A"), "Tool");
    assert_eq!(of(&project.json(&["kb", "sync", "--force"]), &["updated"]), [1]);
    assert_eq!(title(&project, "REQ-A"), "File");

    project.said(&["kb", "upsert", "req", "REQ-A", "--title", "Tool: again", "--link", "constrains:FACT-1"]);
    let dry = project.said(&["kb", "export", "--dry-run"]);
    assert_eq!(dry, "would write documentation/requirements/a.md (REQ-A)\n1 document would be written\n");
    let report = project.json(&["kb", "export"]);
    assert_eq!(report["sync"]["divergedCount"], 0, "{report}");
    let text = fs::read_to_string(project.root.join("documentation/requirements/a.md")).expect("a file");
    assert!(
        text.contains("Tool: again") && text.contains("FACT-1") && text.contains("Text of File."),
        "{text}"
    );
    assert_eq!(project.json(&["kb", "status"])["syncState"], "fresh");
    assert_eq!(of(&project.json(&["kb", "sync", "--force"]), &["updated", "created"]), [0, 0]);

    // A rebuild leaves entities of tools alone.
    assert_eq!(
        of(&project.json(&["kb", "sync", "--rebuild"]), &["removed", "updated", "unchanged"]),
        [0, 0, 1]
    );
    assert_eq!(project.ids(), ["FACT-1", "REQ-A"]);

    // A document that was changed since is not overwritten.
    project.said(&["kb", "upsert", "req", "REQ-A", "--title", "Third"]);
    write(&project.root, "requirements/a.md", document("REQ-A", "Fourth"));
    let (code, said) = project.failed(&["kb", "export"]);
    assert_eq!((code, said.contains("1 document was not written")), (1, true), "{said}");
    let text = fs::read_to_string(project.root.join("documentation/requirements/a.md")).expect("a file");
    assert!(text.contains("Fourth"), "{text}");
    project.said(&["kb", "export", "--force"]);
    let text = fs::read_to_string(project.root.join("documentation/requirements/a.md")).expect("a file");
    assert!(text.contains("Third"), "{text}");
    let (code, said) = project.failed(&["kb", "export", "REQ-NONE"]);
    assert_eq!((code, said.contains("1 of the ids are unknown")), (1, true), "{said}");
}

/// Fills a KB with every type, by tools.
fn filled() -> Project {
    let project = Project::new();
    let payloads = json!([
        {"type": "fact", "id": "FACT-S", "properties": {"title": "Subject", "status": "active", "fact_kind": "subject", "subject_key": "a.b"}},
        {"type": "fact", "id": "FACT-V", "properties": {"title": "Value: 3", "status": "active", "fact_kind": "property_value",
            "subject_key": "a.b", "property_key": "c", "operator": "lte", "value_type": "number", "value_number": 0.1, "unit": "ms"}},
        {"type": "test", "id": "TEST/with slash", "properties": {"title": "yes", "status": "passing", "tags": ["1e3", "no", " x"]}},
        {"type": "scenario", "id": "SCEN-1", "properties": {"title": "# S", "status": "active"},
            "relationships": [{"type": "verified_by", "from": "SCEN-1", "to": "TEST/with slash", "confidence": 0.5, "created_by": "me: too"}]},
        {"type": "adr", "id": "ADR-1", "properties": {"title": "Old", "status": "superseded"}},
        {"type": "adr", "id": "ADR-2", "properties": {"title": "New", "status": "accepted", "body": "# Why\n\n---\n\nbecause\n"},
            "relationships": [{"type": "supersedes", "from": "ADR-2", "to": "ADR-1"}]},
        {"type": "req", "id": "REQ-1", "properties": {"title": "\"quoted\": yes", "status": "open", "priority": "must", "source": "src/a.rs#L3",
            "links": ["https://example.org/a?b=c#d"]},
            "relationships": [{"type": "specified_by", "from": "REQ-1", "to": "SCEN-1"},
                {"type": "constrains", "from": "REQ-1", "to": "FACT-S"}, {"type": "requires_property", "from": "REQ-1", "to": "FACT-V"}]},
        {"type": "req", "id": "req-1", "properties": {"title": "Other case", "status": "draft"}},
        {"type": "event", "id": "EVENT-1", "properties": {"title": "Event", "status": "active"}},
        {"type": "symbol", "id": "SYM-1", "properties": {"title": "run", "status": "active", "sourceFile": "src/a.rs"},
            "relationships": [{"type": "implements", "from": "SYM-1", "to": "REQ-1"}, {"type": "publishes", "from": "SYM-1", "to": "EVENT-1"}]},
        {"type": "symbol", "id": "SYM-2", "properties": {"title": "stop: now", "status": "active"}},
        {"type": "flag", "id": "FLAG-1", "properties": {"title": "Flag", "status": "active"},
            "relationships": [{"type": "guards", "from": "FLAG-1", "to": "SYM-1"}]}
    ]);
    let output = project.piped(&["kb", "upsert", "-"], &payloads.to_string());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    project
}

fn assert_same(project: &Project, from: &str, to: &str) {
    let diff = project.json(&["kb", "branch", "diff", from, to]);
    for list in ["added", "removed", "changed", "linksAdded", "linksRemoved"] {
        assert_eq!(diff[list], json!([]), "{list} of {diff:#}");
    }
}

#[test]
fn an_export_syncs_to_the_same_kb() {
    let project = filled();
    let two = project.beside("two");
    project.git(&["worktree", "add", "-q", "-b", "two", two.to_str().expect("text")]);
    let report = project.json(&["kb", "export", "--all", "--to", two.to_str().expect("text")]);
    assert_eq!(report["refused"], json!([]), "{report:#}");
    assert_eq!(report["written"].as_array().expect("documents").len(), 11, "{report:#}");
    assert!(!project.root.join("documentation").exists());
    let in_two = |arguments: &[&str]| said(&mut project.command(&two, arguments));
    // The branch of a new worktree begins empty.
    let synced: Value = serde_json::from_str(&in_two(&["kb", "sync", "--json"])).expect("JSON");
    assert_eq!(of(&synced, &COUNTS), [11, 12, 0, 0, 0], "{synced:#}");
    assert_same(&project, "main", "two");
    assert_eq!(
        serde_json::from_str::<Value>(&in_two(&["kb", "status", "--json"])).expect("JSON")["syncState"],
        "fresh"
    );
    // Exported again, nothing differs.
    let again = project.json(&["kb", "export", "--all", "--to", two.to_str().expect("text")]);
    assert_eq!((&again["written"], &again["unchanged"]), (&json!([]), &json!(11)), "{again:#}");

    // In its own tree, all entities belong to documents then, and none has diverged.
    let report = project.json(&["kb", "export", "--all"]);
    assert_eq!((&report["refused"], &report["sync"]["divergedCount"]), (&json!([]), &json!(0)), "{report:#}");
    let status = project.json(&["kb", "status"]);
    assert_eq!(of(&status, &["fileOwned", "diverged", "staleReasonCount"]), [12, 0, 0], "{status:#}");
    assert_same(&project, "main", "two");
    assert_eq!(
        of(&project.json(&["kb", "sync", "--rebuild", "--force"]), &["created", "updated", "removed"]),
        [0, 0, 0]
    );
}

#[test]
fn an_export_refuses_what_would_be_lost() {
    let project = filled();
    write(&project.root, "symbols.yaml", "symbols: []\n");
    let (_, said) = project.failed(&["kb", "export", "SYM-1"]);
    assert!(said.contains("1 document was not written"), "{said}");
    project.json(&["kb", "sync"]);
    let report = project.json(&["kb", "export", "SYM-1"]);
    assert_eq!(report["written"][0]["entities"], json!(["SYM-1"]));
    // Another symbol joins the first.
    let report = project.json(&["kb", "export", "SYM-2"]);
    assert_eq!(report["written"][0]["entities"], json!(["SYM-1", "SYM-2"]));
    // A file of the name that is no document keeps its content.
    write(&project.root, "events/EVENT-1.md", "# Mine\n");
    let report = project.json(&["kb", "export", "EVENT-1"]);
    let path = report["written"][0]["path"].as_str().expect("a path");
    assert!(path.starts_with("documentation/events/EVENT-1-"), "{path}");
    // Nothing is written through a link.
    let out = project.beside("out");
    fs::create_dir(&out).expect("a folder");
    symlink(&out, project.root.join("documentation/flags")).expect("a link");
    project.failed(&["kb", "export", "FLAG-1"]);
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), 0);
}

#[test]
fn hostile_files_are_named_and_skipped() {
    let project = Project::new();
    let root = &project.root;
    let outside = project.beside("secret.md");
    fs::write(&outside, document("REQ-SECRET", "secret")).expect("a file");
    write(root, "requirements/good.md", document("REQ-A", "Good"));
    symlink(&outside, root.join("documentation/requirements/link.md")).expect("a link");
    symlink(root.parent().expect("a folder"), root.join("documentation/requirements/up")).expect("a link");
    symlink("good.md", root.join("documentation/requirements/same.md")).expect("a link");
    let sparse = fs::File::create(root.join("documentation/requirements/huge.md")).expect("a file");
    sparse.set_len(1 << 30).expect("sparse");
    write(root, "requirements/binary.md", b"---\nid: X\ntitle: \xff\xfe\0\n---\n");
    write(root, "requirements/picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\0");
    write(
        root,
        "requirements/deep.md",
        format!("---\nid: {}1{}\n---\n", "[".repeat(100_000), "]".repeat(100_000)),
    );
    write(root, "requirements/bomb.md", "---\na: &a [x, x]\nb: &b [*a, *a]\nid: *b\ntitle: T\n---\n");
    write(root, "requirements/long.md", format!("---\nid: REQ-L\ntitle: {}\n---\n", "x".repeat(3 << 20)));
    mknodat(CWD, root.join("documentation/requirements/pipe.md"), FileType::Fifo, Mode::RWXU, 0)
        .expect("a pipe");
    let output = project.call(&["kb", "sync", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let names = |list: &str| -> Vec<String> {
        let found = report[list].as_array().expect("a list").iter();
        let mut names: Vec<_> = found
            .map(|one| one["path"].as_str().expect("a path").replace("documentation/requirements/", ""))
            .collect();
        names.dedup();
        names
    };
    assert_eq!(names("problems"), ["binary.md", "bomb.md", "deep.md", "huge.md", "long.md"], "{report:#}");
    assert_eq!(names("warnings"), ["link.md", "pipe.md", "same.md", "up"], "{report:#}");
    assert_eq!(project.ids(), ["REQ-A"]);
    assert!(!stdout(&output).contains("secret"), "{output:?}");
    let again = project.call(&["kb", "sync", "--json"]);
    let validated = project.call(&["kb", "sync", "--validate-only", "--json"]);
    assert_eq!(stdout(&validated), stdout(&project.call(&["kb", "sync", "--validate-only", "--json"])));
    assert_eq!(stdout(&again), stdout(&project.call(&["kb", "sync", "--json"])));
}

#[test]
fn a_folder_that_is_too_large_loses_no_entity() {
    let project = Project::new();
    let folder = project.root.join("documentation/requirements");
    write(&project.root, "requirements/many/good.md", document("REQ-A", "Good"));
    write(&project.root, "tests/t.md", document("TEST-1", "Test"));
    project.json(&["kb", "sync"]);
    for number in 0..100_000 {
        mknodat(CWD, folder.join("many").join(number.to_string()), FileType::RegularFile, Mode::RUSR, 0)
            .expect("a file");
    }
    fs::remove_file(project.root.join("documentation/tests/t.md")).expect("it is there");
    let output = project.call(&["kb", "sync", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["problems"][0]["class"], "too_many", "{report:#}");
    assert_eq!(report["problems"][0]["path"], "documentation/requirements/many");
    // The document that is gone is gone, and the one that cannot be seen stays.
    assert_eq!(project.ids(), ["REQ-A"]);
}

#[test]
fn a_rebuild_keeps_what_it_cannot_read() {
    let project = Project::new();
    let root = &project.root;
    for (folder, id) in [("requirements", "REQ-A"), ("requirements/rules", "REQ-B"), ("tests", "TEST-C")] {
        write(root, &format!("{folder}/{id}.md"), document(id, id));
    }
    write(root, "facts/many.md", document("FACT-D", "D"));
    project.json(&["kb", "sync"]);
    let all = project.ids();
    let huge = fs::File::create(root.join("documentation/requirements/REQ-A.md")).expect("a file");
    huge.set_len(1 << 30).expect("sparse");
    write(root, "requirements/rules/.gitignore", "#\n".repeat(100_000));
    fs::remove_file(root.join("documentation/tests/TEST-C.md")).expect("it is there");
    let output = project.call(&["kb", "sync", "--rebuild", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(of(&report, &["removed", "releasedCount", "problemCount"]), [1, 0, 2], "{report:#}");
    let stay: Vec<_> = all.into_iter().filter(|id| id != "TEST-C").collect();
    assert_eq!(project.ids(), stay);
    write(root, "requirements/REQ-A.md", document("REQ-A", "Again"));
    fs::remove_file(root.join("documentation/requirements/rules/.gitignore")).expect("it is there");
    assert_eq!(of(&project.json(&["kb", "sync"]), &["updated", "problemCount"]), [1, 0]);
}

#[test]
fn a_document_that_is_none_any_more_is_named() {
    let project = Project::new();
    let root = &project.root;
    for id in ["REQ-A", "REQ-B", "REQ-C", "REQ-D"] {
        write(root, &format!("requirements/{id}.md"), document(id, id));
    }
    project.json(&["kb", "sync"]);
    let wide = document("REQ-A", "A");
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(wide.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    write(root, "requirements/REQ-A.md", wide);
    write(root, "requirements/REQ-B.md", "");
    write(root, "requirements/REQ-C.md", format!("\n{}", document("REQ-C", "C")));
    let output = project.call(&["kb", "sync", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let paths = |list: &str| -> Vec<String> {
        let found = report[list].as_array().expect("a list").iter();
        found
            .map(|one| one["path"].as_str().expect("a path").replace("documentation/requirements/", ""))
            .collect()
    };
    assert_eq!(
        (paths("problems"), paths("warnings")),
        (vec!["REQ-A.md".to_owned()], vec!["REQ-B.md".to_owned(), "REQ-C.md".to_owned()])
    );
    assert_eq!(report["problems"][0]["message"], "unreadable file: the text is not UTF-8");
    assert_eq!(report["warnings"][0]["message"], "it is no document any more; its entities were removed");
    assert_eq!(project.ids(), ["REQ-A", "REQ-D"]);
    let status = project.json(&["kb", "status"]);
    assert_eq!(status["staleReasons"], json!(["unread: documentation/requirements/REQ-A.md"]));
}

#[test]
fn a_link_in_place_of_a_folder_removes_nothing() {
    let project = Project::new();
    let root = &project.root;
    write(root, "requirements/a.md", document("REQ-A", "A"));
    project.json(&["kb", "sync"]);
    fs::rename(root.join("documentation"), root.join("docs2")).expect("renamed");
    symlink("docs2", root.join("documentation")).expect("a link");
    for arguments in [&["kb", "sync"][..], &["kb", "sync", "--rebuild"]] {
        let output = project.call(arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout(&output).starts_with("documentation: "), "{output:?}");
        assert_eq!(project.ids(), ["REQ-A"]);
    }
    let status = project.json(&["kb", "status"]);
    assert_eq!(status["staleReasons"], json!(["unread: documentation"]));
}

#[test]
fn a_link_of_a_tool_outlives_the_document_of_its_target() {
    let project = Project::new();
    let root = &project.root;
    write(root, "requirements/a.md", document("REQ-A", "A"));
    write(root, "requirements/b.md", document("REQ-B", "B"));
    project.json(&["kb", "sync"]);
    project.said(&["kb", "upsert", "req", "REQ-A", "--link", "depends_on:REQ-B"]);
    fs::remove_file(root.join("documentation/requirements/b.md")).expect("it is there");
    let said = project.said(&["kb", "sync"]);
    assert!(said.contains("kept REQ-A as a tool has changed it\n"), "{said}");
    assert!(
        said.contains("kept REQ-B, to which entities refer that tools have created or changed"),
        "{said}"
    );
    let found = project.json(&["kb", "graph", "REQ-A"]);
    assert!(found.to_string().contains("REQ-B"), "{found}");
    project.said(&["kb", "export"]);
    assert_eq!(project.json(&["kb", "status"])["diverged"], 0);
    assert_eq!(project.ids(), ["REQ-A", "REQ-B"]);
}

#[test]
fn an_export_refuses_to_lose_fields_and_to_write_what_is_ignored() {
    let project = Project::new();
    let root = &project.root;
    write(root, "requirements/a.md", "---\nid: REQ-A\ntitle: A\nlayout: post\n---\n");
    let symbols = "version: 2\nsymbols:\n  - id: SYM-1\n    title: run\n    sourceLine: 3\n";
    write(root, "symbols.yaml", symbols);
    project.json(&["kb", "sync"]);
    project.said(&["kb", "upsert", "req", "REQ-A", "--title", "Tool"]);
    project.said(&["kb", "upsert", "symbol", "SYM-1", "--title", "Tool"]);
    let output = project.call(&["kb", "export", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let refused = report["refused"].as_array().expect("a list").iter();
    let refused: Vec<_> = refused.map(|one| one["message"].as_str().expect("a message")).collect();
    assert_eq!(
        refused,
        ["it has fields that would be lost: layout", "it has fields that would be lost: sourceLine, version"]
    );
    assert_eq!(fs::read_to_string(root.join("documentation/symbols.yaml")).expect("a file"), symbols);
    assert_eq!(of(&project.json(&["kb", "export", "--force"])["sync"], &["divergedCount"]), [0]);

    project.said(&["kb", "upsert", "event", "EVENT-1", "--title", "E", "--status", "active"]);
    fs::write(root.join(".gitignore"), "documentation/events/*.md\n").expect("a file");
    for _ in 0..2 {
        let output = project.call(&["kb", "export", "EVENT-1"]);
        let expected =
            "documentation/events/EVENT-1.md: it would be ignored by .gitignore, and no document of the KB\n";
        assert!(stdout(&output).starts_with(expected), "{output:?}");
        assert_eq!(output.status.code(), Some(1));
    }
    assert!(!root.join("documentation/events").exists());
}

#[test]
fn what_a_tool_deleted_makes_the_kb_stale() {
    let project = Project::new();
    write(&project.root, "requirements/a.md", document("REQ-A", "A"));
    let report = project.json(&["kb", "sync"]);
    assert_eq!(report["contradictionCount"], 0);
    // Nothing is sent, so that nobody counted them.
    assert_eq!(project.json(&["kb", "sync"]).get("contradictionCount"), None);
    project.said(&["kb", "delete", "REQ-A"]);
    let status = project.json(&["kb", "status"]);
    assert_eq!(status["staleReasons"], json!(["missing: documentation/requirements/a.md"]));
    assert!(project.said(&["kb", "status"]).contains("stale; run `cairn kb sync`"));
    assert_eq!(of(&project.json(&["kb", "sync"]), &["created"]), [1]);
    assert_eq!(project.json(&["kb", "status"])["syncState"], "fresh");
}

#[test]
fn validation_needs_no_branch() {
    let project = Project::new();
    write(&project.root, "requirements/a.md", document("REQ-A", "A"));
    let validate = || project.said(&["kb", "sync", "--validate-only"]);
    assert_eq!(validate(), "branch main: 1 document checked\n");
    fs::write(project.root.join(".git/HEAD"), format!("{}\n", "1".repeat(40))).expect("a head");
    assert_eq!(validate(), "1 document checked\n");
    fs::remove_dir_all(project.root.join(".git")).expect("it is there");
    assert_eq!(validate(), "1 document checked\n");
}

#[test]
fn a_problem_of_a_link_has_its_line() {
    let project = Project::new();
    write(
        &project.root,
        "requirements/a.md",
        "---\nid: REQ-A\ntitle: A\nlinks:\n  - type: depends_on\n    target: REQ-B\n---\n",
    );
    let said = stdout(&project.call(&["kb", "sync"]));
    let expected = "documentation/requirements/a.md:5: REQ-A: depends_on REQ-B: there is no such entity\n    correct the \
                    link, or the entity that it names\n";
    assert!(said.contains(expected), "{said}");
}
