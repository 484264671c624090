//! `cairn kb` and git: which branch is active, what a new one is copied from, and what goes with branches that are gone.

use serde_json::json;

use crate::program::{output, stderr, stdout};
use crate::project::{Project, ids, said};

#[test]
fn a_new_branch_is_a_copy_of_the_one_before_and_then_its_own() {
    let project = Project::new();
    project.requirement("REQ-1");
    project.git(&["switch", "-q", "-c", "feature/login"]);
    let shown = project.json(&["kb", "branch", "show"]);
    assert_eq!((&shown["branch"], &shown["previous"]), (&json!("feature/login"), &json!("main")));
    assert_eq!((&shown["hasKb"], &shown["source"]), (&json!(false), &json!("head")));
    let first = project.call(&["kb", "upsert", "req", "REQ-2", "--title", "T", "--status", "open"]);
    assert_eq!(stderr(&first), "created KB of branch feature/login from main\n");
    assert_eq!(project.ids(), ["REQ-1", "REQ-2"]);
    project.git(&["switch", "-q", "main"]);
    assert_eq!(project.ids(), ["REQ-1"]);

    // A branch of a branch is a copy of that one; the order in which they were active counts, and not git's.
    project.git(&["switch", "-q", "feature/login"]);
    project.requirement("REQ-3");
    project.git(&["switch", "-q", "-c", "next", "main"]);
    assert_eq!(project.ids(), ["REQ-1", "REQ-2", "REQ-3"]);
    let status = project.json(&["kb", "status"]);
    assert_eq!(status["copiedFrom"], json!("feature/login"));

    let diff = project.said(&["kb", "branch", "diff", "main", "next"]);
    assert_eq!(diff, "+ REQ-2  T  req\n+ REQ-3  REQ-3  req\n");
    assert_eq!(project.said(&["kb", "branch", "diff", "next", "next"]), "no differences\n");
    let list = project.said(&["kb", "branch", "list"]);
    assert_eq!(list.lines().count(), 4, "{list}");
    assert!(list.lines().any(|line| line.starts_with("*  next")), "{list}");
}

#[test]
fn an_unborn_branch_is_its_name() {
    let project = Project::plain();
    project.git(&["init", "-q", "-b", "trunk"]);
    project.requirement("REQ-1");
    assert_eq!(project.json(&["kb", "status"])["branch"], json!("trunk"));
    assert_eq!(project.json(&["kb", "gc"])["gone"], json!([]));
}

#[test]
fn worktrees_share_the_workspace_and_have_a_branch_each() {
    let project = Project::new();
    project.requirement("REQ-1");
    let beside = project.beside("beside");
    project.git(&["worktree", "add", "-q", "-b", "fix", beside.to_str().expect("text")]);
    let there = |arguments: &[&str]| {
        let text = said(&mut project.command(&beside, &[arguments, &["--json"]].concat()));
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let (here, other) = (project.json(&["kb", "branch", "show"]), there(&["kb", "branch", "show"]));
    assert_eq!(here["workspace"], other["workspace"]);
    assert_eq!((&here["branch"], &other["branch"]), (&json!("main"), &json!("fix")));
    let upsert = ["kb", "upsert", "req", "REQ-2", "--title", "T", "--status", "open"];
    let first = output(&mut project.command(&beside, &upsert));
    // No branch was active before in this worktree.
    assert!(stderr(&first).starts_with("created an empty KB of branch fix\nhint: "), "{first:?}");
    assert_eq!(ids(&there(&["kb", "query"])), ["REQ-2"]);
    assert_eq!(project.ids(), ["REQ-1"]);
    assert_eq!(project.ids_with(&["--branch", "fix"]), ids(&there(&["kb", "query"])));
    // From elsewhere, the tree can be named.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let named = ["kb", "--workspace-root", beside.to_str().expect("text"), "status", "--json"];
    let named = said(&mut project.command(elsewhere.path(), &named));
    assert!(named.contains("\"branch\": \"fix\""), "{named}");
}

#[test]
fn a_detached_head_is_the_only_branch_that_points_there() {
    let project = Project::new();
    project.requirement("REQ-1");
    project.git(&["switch", "-q", "--detach"]);
    assert_eq!(project.ids(), ["REQ-1"]);
    assert_eq!(project.json(&["kb", "branch", "show"])["source"], json!("detached"));
    project.git(&["branch", "other"]);
    for arguments in [&["kb", "status"][..], &["kb", "gc"], &["kb", "upsert", "req", "X", "--title", "X"]] {
        let (code, said) = project.failed(arguments);
        assert_eq!(code, 2, "{said}");
        assert!(
            said.contains("2 branches point at it: main, other") && said.contains("CAIRN_BRANCH"),
            "{said}"
        );
    }
    let named = output(project.command(&project.root, &["kb", "query"]).env("CAIRN_BRANCH", "main"));
    assert!(stdout(&named).contains("REQ-1"), "{named:?}");
    assert_eq!(project.ids_with(&["--branch", "main"]), ["REQ-1"]);
}

#[test]
fn a_branch_that_is_named_for_one_command_is_not_remembered() {
    let project = Project::new();
    project.requirement("REQ-1");
    let named = |name: &str, arguments: &[&str]| {
        said(project.command(&project.root, arguments).env("CAIRN_BRANCH", name))
    };
    named("aside", &["kb", "upsert", "req", "REQ-2", "--title", "T", "--status", "open"]);
    assert_eq!(project.ids_with(&["--branch", "aside"]), ["REQ-1", "REQ-2"], "it is a copy of main");
    // The flag goes before the variable.
    assert!(!named("aside", &["kb", "--branch", "main", "query"]).contains("REQ-2"));
    project.git(&["switch", "-q", "-c", "next"]);
    assert_eq!(project.ids(), ["REQ-1"], "main was checked out before, and aside was not");
}

#[test]
fn outside_of_git_a_variable_names_the_branch() {
    let project = Project::plain();
    let (code, said_) = project.failed(&["kb", "status"]);
    assert_eq!(code, 2);
    assert!(said_.contains("not in a git repository") && said_.contains("CAIRN_BRANCH"), "{said_}");
    let on = |name: &str, value: &str, arguments: &[&str]| {
        said(project.command(&project.root, arguments).env(name, value))
    };
    on("CAIRN_BRANCH", "main", &["kb", "upsert", "req", "REQ-1", "--title", "T", "--status", "open"]);
    assert!(on("KIBI_BRANCH", "main", &["kb", "query"]).contains("REQ-1"));
    // It is the only branch that there is, so it is remembered.
    assert!(on("CAIRN_BRANCH", "next", &["kb", "query"]).contains("REQ-1"));
    let named = output(project.command(&project.root, &["kb", "status"]).env("CAIRN_BRANCH", "a..b"));
    assert_eq!(named.status.code(), Some(2));
    assert!(stderr(&named).contains("CAIRN_BRANCH is no branch name"), "{named:?}");
}

#[test]
fn gc_deletes_kbs_of_branches_that_are_gone() {
    let project = Project::new();
    project.requirement("REQ-1");
    for name in ["old", "kept", "older"] {
        project.git(&["switch", "-q", "-c", name]);
        project.ids();
    }
    project.git(&["switch", "-q", "main"]);
    project.ids();
    assert_eq!(project.said(&["kb", "gc"]), "nothing to delete\n");
    project.git(&["branch", "-q", "-D", "old", "older"]);
    project.git(&["pack-refs", "--all"]);
    // Another clone on the same data directory has KBs of its own.
    let clone = project.beside("clone");
    project.git(&["clone", "-q", ".", clone.to_str().expect("text")]);
    said(&mut project.command(&clone, &["kb", "init", "--branch", "old"]));

    let dry = project.said(&["kb", "gc"]);
    assert_eq!(
        dry,
        "would delete KB of branch old\nwould delete KB of branch older\nnothing was deleted; --force deletes them\n"
    );
    assert_eq!(
        project.json(&["kb", "gc"]),
        json!({"gone": ["old", "older"], "deleted": [], "hasMore": false})
    );
    assert_eq!(project.ids_with(&["--branch", "old"]), ["REQ-1"], "nothing is deleted yet");
    let kept = said(project.command(&project.root, &["kb", "gc", "--force"]).env("CAIRN_BRANCH", "older"));
    assert_eq!(kept, "deleted KB of branch old\n", "the active one stays, wherever its name comes from");
    assert_eq!(project.said(&["kb", "gc", "--force"]), "deleted KB of branch older\n");
    let left = project.json(&["kb", "branch", "list"]);
    let left: Vec<_> =
        left["branches"].as_array().expect("branches").iter().map(|one| &one["branch"]).collect();
    assert_eq!(left, ["kept", "main"]);
    let theirs = said(&mut project.command(&clone, &["kb", "branch", "list"]));
    assert!(theirs.contains("old"), "{theirs}");
}

#[test]
fn branches_are_created_and_deleted_by_name() {
    let project = Project::new();
    project.requirement("REQ-1");
    assert_eq!(project.said(&["kb", "branch", "create", "a"]), "created KB of branch a from main\n");
    assert_eq!(project.said(&["kb", "branch", "create", "a"]), "branch a has a KB already\n");
    assert_eq!(
        project.said(&["kb", "branch", "create", "fix/#12", "--from", "a"]),
        "created KB of branch fix/#12 from a\n"
    );
    let (code, said) = project.failed(&["kb", "branch", "create", "c", "--from", "mian"]);
    assert_eq!(code, 1);
    assert!(said.contains("did you mean \"main\"?"), "{said}");
    assert_eq!(project.said(&["kb", "branch", "delete", "fix/#12"]), "deleted KB of branch fix/#12\n");
    let (code, said) = project.failed(&["kb", "branch", "delete", "fix/#12"]);
    assert_eq!(code, 1);
    assert!(said.contains("has no KB") && said.contains("cairn kb branch list"), "{said}");
    assert_eq!(project.failed(&["kb", "branch", "delete", "a..b"]).0, 2);
    assert_eq!(project.failed(&["kb", "branch", "diff", "main", "nowhere"]).0, 1);
}
