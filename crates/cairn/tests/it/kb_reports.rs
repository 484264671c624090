//! `cairn kb impact`, `cairn kb suspect` and `cairn kb report`.

use serde_json::json;

use crate::program::{stderr, stdout};
use crate::project::Project;

/// A requirement with a scenario, a test and a symbol, and a symbol that nobody asked for.
fn filled() -> Project {
    let project = Project::new();
    let payloads = json!([
        {"type": "test", "id": "TEST-1", "properties": {"title": "idle ends", "status": "passing", "source": "tests/idle.rs::ends"}},
        {"type": "scenario", "id": "SCEN-1", "properties": {"title": "Idle", "status": "active"},
         "relationships": [{"type": "verified_by", "from": "SCEN-1", "to": "TEST-1"}]},
        {"type": "req", "id": "REQ-1", "properties": {"title": "Sessions <end>", "status": "open", "priority": "must"},
         "relationships": [{"type": "specified_by", "from": "REQ-1", "to": "SCEN-1"}]},
        {"type": "symbol", "id": "SYM-1", "properties": {"title": "end", "status": "active", "sourceFile": "src/session.rs"},
         "relationships": [{"type": "implements", "from": "SYM-1", "to": "REQ-1"}, {"type": "covered_by", "from": "SYM-1", "to": "TEST-1"}]},
        {"type": "symbol", "id": "SYM-2", "properties": {"title": "lost", "status": "active", "sourceFile": "src/lost.rs"}},
    ]);
    let stored = project.piped(&["kb", "upsert", "-"], &payloads.to_string());
    assert_eq!(stored.status.code(), Some(0), "{}", stderr(&stored));
    project
}

fn change(project: &Project, file: &str) {
    let path = project.root.join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, project.git(&["rev-parse", "HEAD"])).expect("a file");
    project.git(&["add", file]);
    project.git(&["commit", "-q", "-m", file]);
}

#[test]
fn the_impact_of_ids_files_and_commits() {
    let project = filled();
    let said = project.said(&["kb", "impact", "REQ-1"]);
    assert!(said.contains("1 REQ-1 -specified_by-> SCEN-1\n"), "{said}");
    assert!(said.contains("rests on them 3 entities (scenario 1, symbol 1, test 1)"), "{said}");
    let of = |change: &[&str]| {
        let output = project.json(&[&["kb", "impact"], change].concat());
        let ids = output["starts"].as_array().expect("a list").iter().map(|start| start["id"].clone());
        (ids.collect::<Vec<_>>(), output["unknownPaths"].clone())
    };
    let none = json!([]);
    assert_eq!(of(&["src/session.rs"]), (vec![json!("SYM-1")], none.clone()));
    assert_eq!(of(&["./tests/idle.rs", "REQ-1"]), (vec![json!("REQ-1"), json!("TEST-1")], none.clone()));
    let start = project.git(&["rev-parse", "HEAD"]);
    change(&project, "src/session.rs");
    change(&project, "tests/idle.rs");
    change(&project, "src/other file.rs");
    let other = json!(["src/other file.rs"]);
    assert_eq!(of(&["HEAD~1"]), (vec![json!("TEST-1")], none.clone()));
    assert_eq!(of(&["HEAD"]), (vec![], other.clone()));
    for range in [format!("{start}..HEAD"), format!("{start}..."), "HEAD~3..main".to_owned()] {
        assert_eq!(of(&[&range]), (vec![json!("SYM-1"), json!("TEST-1")], other.clone()), "{range}");
    }
    let empty = project.json(&["kb", "impact", "HEAD..HEAD"]);
    let status = project.json(&["kb", "status"]);
    let fields = ["branch", "workspace", "snapshotId"];
    assert_eq!(fields.map(|name| &empty["meta"][name]), fields.map(|name| &status[name]));
    // The commits of another branch do not count from its base.
    project.git(&["checkout", "-q", "-b", "side", "HEAD~2"]);
    change(&project, "src/lost.rs");
    project.git(&["checkout", "-q", "main"]);
    assert_eq!(of(&["main...side"]), (vec![json!("SYM-2")], none));
    let root = project.git(&["rev-list", "--max-parents=0", "HEAD"]);
    assert_eq!(project.said(&["kb", "impact", &root]), "the commits change no files\n");

    let (code, said) = project.failed(&["kb", "impact", "REQ-1", "nothing"]);
    assert_eq!(
        (code, said.contains("no entity, file of an entity, or commit: nothing")),
        (1, true),
        "{said}"
    );
    let (code, said) = project.failed(&["kb", "impact", "none..HEAD"]);
    assert_eq!((code, said.contains("git knows no commit none")), (2, true), "{said}");
    for hostile in ["--output=x..HEAD", "-x"] {
        assert_eq!(project.failed(&["kb", "impact", "--", hostile]).0, 2, "{hostile}");
    }
    assert!(project.failed(&["kb", "impact", "HEAD..--output=x"]).1.contains("is no name of a commit"));
    assert!(!project.root.join("x").exists());
}

#[test]
fn ids_and_paths_with_dots_are_no_ranges() {
    let project = Project::new();
    project.requirement("REQ..DOTS");
    let file = "pages/[...slug].tsx";
    let symbol = ["kb", "upsert", "symbol", "SYM-1", "--title", "page", "--status", "active"];
    project.said(&[&symbol[..], &["--field", &format!("sourceFile={file}")]].concat());
    for (change, id) in [("REQ..DOTS", "REQ..DOTS"), (file, "SYM-1")] {
        assert_eq!(project.json(&["kb", "impact", change])["starts"][0]["id"], id);
    }
    change(&project, "pages/[..all].tsx");
    let (_, said) = project.failed(&["kb", "impact", "pages/[..all].tsx"]);
    assert!(said.contains("no entity, file of an entity, or commit: pages/[..all].tsx"), "{said}");
}

#[test]
fn a_commit_of_a_shallow_clone_is_no_root_commit() {
    let project = filled();
    change(&project, "src/session.rs");
    change(&project, "src/lost.rs");
    let shallow = project.git(&["rev-parse", "HEAD~1"]);
    std::fs::write(project.root.join(".git/shallow"), format!("{shallow}\n")).expect("a file");
    assert_eq!(project.json(&["kb", "impact", "HEAD"])["starts"][0]["id"], "SYM-2");
    let (code, said) = project.failed(&["kb", "impact", "HEAD~1"]);
    assert!(code == 2 && said.contains("the clone is shallow") && said.contains("--depth 2"), "{said}");
}

#[test]
fn suspect_links_are_listed_and_cleared() {
    let project = filled();
    assert_eq!(project.said(&["kb", "suspect"]), "0 suspect links\n");
    project.said(&["kb", "upsert", "req", "REQ-1", "--status", "closed", "--tag", "auth"]);
    assert_eq!(project.said(&["kb", "suspect"]), "0 suspect links\n");
    project.said(&["kb", "upsert", "req", "REQ-1", "--title", "Sessions end at midnight"]);
    let said = project.said(&["kb", "suspect"]);
    assert!(
        said.contains("SYM-1") && said.contains("target") && said.ends_with("2 suspect links\n"),
        "{said}"
    );
    let report = project.said(&["kb", "report", "matrix"]);
    assert!(report.contains("SYM-1 end suspect") && report.contains("gaps       2 suspect"), "{report}");
    assert!(project.said(&["kb", "impact", "REQ-1"]).contains("suspect"));
    assert_eq!(project.failed(&["kb", "suspect", "--clear"]).0, 2);
    assert_eq!(project.failed(&["kb", "suspect", "--all"]).0, 2);
    assert!(project.failed(&["kb", "suspect", "--clear", "REQ-9"]).1.contains("no such entity: REQ-9"));
    assert_eq!(project.said(&["kb", "suspect", "--clear", "SYM-1"]), "accepted 1 link\n");
    let links = project.json(&["kb", "suspect"]);
    assert_eq!((&links["count"], &links["links"][0]["type"]), (&json!(1), &json!("specified_by")), "{links}");
    assert_eq!(project.json(&["kb", "suspect", "--clear", "--all"])["accepted"], 1);
    assert_eq!(project.said(&["kb", "suspect"]), "0 suspect links\n");
}

#[test]
fn reports_in_every_format() {
    let project = filled();
    let text = project.said(&["kb", "report"]);
    for part in
        ["Requirements of main", "SCEN-1", "TEST-1 passing", "Code with gaps", "SYM-2", "no requirement"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    let markdown = project.said(&["kb", "report", "matrix", "--format", "markdown"]);
    assert!(
        markdown.contains("| **REQ-1**<br>Sessions &lt;end&gt;") && !markdown.contains("## Coverage"),
        "{markdown}"
    );
    let json = project.json(&["kb", "report", "coverage"]);
    assert_eq!(
        (&json["coverage"]["summary"]["fullyCovered"], &json["matrix"]),
        (&json!(1), &json!(null)),
        "{json}"
    );
    let none = project.said(&["kb", "report", "contradictions"]);
    assert!(none.contains("No current requirements contradict each other."), "{none}");

    let page = |name: &str| {
        let output = project.call(&["kb", "report", "--format", "html", "--output", name]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()), "{}", stderr(&output));
        assert_eq!(stderr(&output), format!("wrote {name}\n"));
        std::fs::read_to_string(project.root.join(name)).expect("it is there")
    };
    let first = page("report.html");
    assert!(first.starts_with("<!doctype html>") && first.contains("Sessions &lt;end&gt;"), "{first}");
    assert_eq!((page("report.html"), page("again.html")), (first.clone(), first.clone()), "the same state");
    assert_eq!(project.said(&["kb", "report", "--format", "html", "--output", "-"]), first);
    let filtered = project.said(&["kb", "report", "matrix", "--priority", "should"]);
    assert!(
        filtered.contains("Priorities: should") && filtered.contains("No requirements pass the filters."),
        "{filtered}"
    );
    let retired = project.said(&["kb", "report", "matrix", "--retired", "--tag", "billing"]);
    assert!(retired.contains("Tags: billing\nRetired: included\n"), "{retired}");
    assert!(retired.contains("No symbols pass the filters.") && !retired.contains("Every "), "{retired}");
    assert_eq!(project.failed(&["kb", "report", "--output", "."]).0, 2);
    assert_eq!(project.failed(&["kb", "report", "everything"]).0, 2);
    assert_eq!(project.failed(&["kb", "report", "--max-rows", "0"]).0, 2);
    let names = std::fs::read_dir(&project.root).expect("a folder");
    let parts = names
        .filter(|name| name.as_ref().is_ok_and(|name| name.file_name().to_string_lossy().contains(".part")));
    assert_eq!(parts.count(), 0);
}

#[test]
fn rows_beyond_the_limit_are_counted() {
    let project = filled();
    project.requirement("REQ-2");
    let text = project.said(&["kb", "report", "matrix", "--max-rows", "1"]);
    assert!(text.contains("1 of 2 rows are shown") && text.contains("2 requirements"), "{text}");
}
