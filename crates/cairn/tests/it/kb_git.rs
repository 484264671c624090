//! Git and the KB, with real repositories: hooks, the check of a commit, the symbols of upserts, migration.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::program::{cairn, output, stderr, stdout};
use crate::project::Project;

fn write(project: &Project, path: &str, text: impl AsRef<[u8]>) {
    let path = project.root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("written");
}

/// A repository with the KB of `main` and one requirement.
fn project() -> Project {
    let project = Project::new();
    project.said(&["kb", "init"]);
    project.requirement("REQ-1");
    project
}

/// Git with cairn on the path, and the data directory named.
fn git_with_cairn(project: &Project, folder: &Path, arguments: &[&str]) -> Output {
    output(git_of(project, folder, arguments).env("CAIRN_DATA_DIR", project.root.join(".cairn")))
}

/// Git with cairn on the path.
fn git_of(project: &Project, folder: &Path, arguments: &[&str]) -> Command {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_cairn"));
    let folder_of_program = program.parent().expect("a folder").display();
    let mut command = project.git_command(arguments);
    command.current_dir(folder).env("PATH", format!("{folder_of_program}:/usr/local/bin:/usr/bin:/bin"));
    command.env_remove("CAIRN_DATA_DIR").env("HOME", project.beside("home"));
    command
}

/// cairn without a name of the data directory.
fn cairn_in(project: &Project, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = project.command(folder, arguments);
    command.env_remove("CAIRN_DATA_DIR").env("HOME", project.beside("home"));
    command
}

/// Checks the staged changes: exit code, and symbols as `path:line name links`.
fn staged(project: &Project, arguments: &[&str]) -> (i32, Vec<String>, Value) {
    let output = project.call(&[&["kb", "check", "--staged", "--json"], arguments].concat());
    let json: Value = serde_json::from_str(&stdout(&output))
        .unwrap_or_else(|error| panic!("{error}: {} {}", stdout(&output), stderr(&output)));
    let rows = json["unlinked"].as_array().expect("a list");
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let rows = rows
        .iter()
        .map(|row| format!("{}:{} {} {}", text(row, "path"), row["line"], text(row, "name"), row["links"]))
        .collect();
    (output.status.code().expect("it ends by itself"), rows, json)
}

#[test]
fn changed_symbols_must_be_linked() {
    let project = project();
    write(&project, "src/a.ts", "export function a() {\n  return 1;\n}\nexport function b() {}\n");
    write(&project, "src/a.test.ts", "export function helper() {}\n");
    write(&project, "README.md", "# x\n");
    assert_eq!(staged(&project, &[]), (0, vec![], staged(&project, &[]).2));
    project.git(&["add", "."]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (1, vec!["src/a.ts:1 a 0".to_owned(), "src/a.ts:4 b 0".to_owned()]));
    assert_eq!((&json["files"], &json["symbols"]), (&json!(1), &json!(2)));
    // By a symbol of the KB, and by a comment.
    project.said(&[
        "kb",
        "upsert",
        "symbol",
        "SYM-a",
        "--title",
        "a",
        "--status",
        "active",
        "--field",
        "sourceFile=src/a.ts",
        "--link",
        "implements:REQ-1",
    ]);
    write(
        &project,
        "src/a.ts",
        "export function a() {\n  return 1;\n}\n// implements REQ-1, REQ-9\nexport function b() {}\n",
    );
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).0, 0);
    let (code, rows, json) = staged(&project, &["--min-links", "2"]);
    assert_eq!((code, rows), (1, vec!["src/a.ts:1 a 1".to_owned(), "src/a.ts:5 b 1".to_owned()]));
    assert_eq!(json["unlinked"][1]["unknownRequirements"], json!(["REQ-9"]));
    assert_eq!(staged(&project, &["--min-links", "0"]).0, 0);
    project.git(&["commit", "-q", "-m", "x"]);
    // Only what is staged counts, not what is in the working tree.
    write(&project, "src/a.ts", "export function a() {\n  return 2;\n}\nexport function c() {}\n");
    assert_eq!(staged(&project, &[]).0, 0);
    project.git(&["add", "."]);
    write(&project, "src/a.ts", "gone");
    assert_eq!(staged(&project, &[]).1, ["src/a.ts:4 c 0"]);
    let (code, said) = project.failed(&["kb", "check", "--staged"]);
    assert!(code == 1 && said.contains("1 changed symbol has too few requirements"), "{said}");
}

#[test]
fn renames_deletions_links_modules_and_odd_files() {
    let project = project();
    let lines = "export function same() {}\n".repeat(20);
    write(&project, "old name.ts", &lines);
    write(&project, "gone.ts", "export function gone() {}\n");
    write(&project, "mode.ts", "export function mode() {}\n");
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "x"]);
    project.git(&["mv", "old name.ts", "new \"name\" ä.ts"]);
    project.git(&["rm", "-q", "gone.ts"]);
    let mode = project.root.join("mode.ts");
    fs::set_permissions(&mode, fs::Permissions::from_mode(0o755)).expect("it is ours");
    write(&project, "binary.ts", b"export \0\xff function x() {}\n");
    write(&project, "latin1.py", b"def caf\xe9(): pass\n");
    let utf16: Vec<u8> = "export function x() {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write(&project, "utf16.ts", utf16);
    write(&project, "long.ts", "// x\n".repeat(300_000));
    std::os::unix::fs::symlink("mode.ts", project.root.join("link.ts")).expect("a link");
    project.git(&["add", "."]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (0, vec![]), "{json}");
    let unread: Vec<_> =
        json["unread"].as_array().expect("a list").iter().map(|file| file["path"].clone()).collect();
    assert_eq!(unread, ["binary.ts", "latin1.py", "long.ts", "utf16.ts"], "{json}");
    // A rename with a change: only the change counts.
    write(&project, "new \"name\" ä.ts", format!("{lines}export function added() {{}}\n"));
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).1, ["new \"name\" ä.ts:21 added 0"]);
    // A link becomes a file: all of it is new.
    project.git(&["commit", "-q", "-m", "x"]);
    fs::remove_file(project.root.join("link.ts")).expect("it is there");
    write(&project, "link.ts", "export function real() {}\n");
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).1, ["link.ts:1 real 0"]);
    // A submodule has no symbols.
    project.git(&["commit", "-q", "-m", "x"]);
    let commit = project.git(&["rev-parse", "HEAD"]);
    project.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},module.ts")]);
    assert_eq!(staged(&project, &[]).0, 0);
}

#[test]
fn the_first_commit_and_folders_of_a_tree() {
    let project = Project::plain();
    project.git(&["init", "-q", "-b", "main"]);
    project.said(&["kb", "init"]);
    write(&project, "a.go", "package a\n\nfunc A() {}\n");
    write(&project, "part/cairn-kb.toml", "schema_version = 2\n");
    write(&project, "part/b.go", "package b\n\nfunc B() {}\n");
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).1, ["a.go:3 A 0", "part/b.go:3 B 0"]);
    // The root of the workspace is a folder of the repository: what is outside of it is not its matter.
    let mut command = project.command(&project.root.join("part"), &["kb", "check", "--staged", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output(&mut command))).expect("JSON");
    assert_eq!(json["unlinked"][0]["path"], "b.go", "{json}");
    assert_eq!(json["unlinked"].as_array().map(Vec::len), Some(1), "{json}");
}

#[test]
fn staged_documents_are_checked() {
    let project = project();
    write(&project, "documentation/requirements/a.md", "---\ntype: req\nid: REQ-2\n---\n");
    write(&project, "documentation/requirements/b.md", "---\nid: REQ-3\ntitle: B\nstatus: open\n---\nText\n");
    write(&project, "documentation/symbols.yaml", "symbols:\n  - id: S\n");
    write(&project, "notes/c.md", "---\ntype: req\n---\n");
    project.git(&["add", "."]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (1, vec![]), "{json}");
    let paths: Vec<_> =
        json["documents"].as_array().expect("a list").iter().map(|problem| problem["path"].clone()).collect();
    assert_eq!(paths, ["documentation/requirements/a.md", "documentation/symbols.yaml"], "{json}");
    let output = project.call(&["kb", "check", "--staged"]);
    assert!(stdout(&output).contains("documentation/requirements/a.md:"), "{}", stdout(&output));
    assert!(stderr(&output).contains("2 mistakes in documents"), "{}", stderr(&output));
}

#[test]
fn attributes_and_variables_hide_no_file() {
    let project = project();
    write(&project, ".gitattributes", "*.ts -diff\n*.py binary\n");
    write(&project, "a.ts", "export function a() {}\n");
    write(&project, "b.py", "def b(): pass\n");
    // More symbols than are read.
    write(&project, "many.js", "export function f() {}\n".to_owned() + &many_functions(10_001));
    project.git(&["add", "."]);
    let mut command = project.command(&project.root, &["kb", "check", "--staged", "--json"]);
    command.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_DIFF_OPTS", "--unified=9");
    let json: Value = serde_json::from_str(&stdout(&output(&mut command))).expect("JSON");
    let rows = json["unlinked"].as_array().expect("a list");
    let paths: Vec<&str> = rows.iter().filter_map(|row| row["path"].as_str()).take(3).collect();
    assert_eq!(paths, ["a.ts", "b.py", "many.js"], "{rows:?}");
    assert_eq!(json["unread"][0]["path"], "many.js");
    let text = stdout(&project.call(&["kb", "check", "--staged"]));
    assert!(text.lines().count() < 60 && text.contains(" more; "), "{text}");
}

fn many_functions(count: usize) -> String {
    (0..count).map(|at| format!("export function f{at}() {{}}\n")).collect()
}

#[test]
fn the_index_is_judged_by_its_own_documents() {
    let project = project();
    let requirement = |id: &str| format!("---\nid: {id}\ntype: req\ntitle: R\nstatus: open\n---\n");
    let manifest = "symbols:\n  - id: SYM-b\n    title: b\n    sourceFile: ./src/b.ts\n    status: active\n    \
                    relationships: [{type: implements, target: REQ-2}]\n";
    // A requirement, and code that implements it, by a comment and by the manifest.
    write(&project, "documentation/requirements/r.md", requirement("REQ-2"));
    write(&project, "src/a.ts", "// implements REQ-2\nexport function a() {}\n");
    write(&project, "src/b.ts", "export function b() {}\n");
    write(&project, "documentation/symbols.yaml", manifest);
    project.git(&["add", "."]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (0, vec![]), "{json}");
    assert_eq!(project.ids(), ["REQ-1"], "nothing is stored");
    project.git(&["commit", "-q", "-m", "x"]);
    // The KB is behind.
    write(&project, "src/c.ts", "// implements REQ-2\nexport function c() {}\n");
    project.git(&["add", "."]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows, &json["stale"]), (1, vec!["src/c.ts:2 c 0".to_owned()], &json!(true)), "{json}");
    let text = stdout(&project.call(&["kb", "check", "--staged"]));
    assert!(text.contains("run `cairn kb sync` first"), "{text}");
    project.said(&["kb", "sync"]);
    assert_eq!(staged(&project, &[]).0, 0);
    project.git(&["commit", "-q", "-m", "x"]);
    // The document moves, and nothing is lost.
    project.git(&["mv", "documentation/requirements/r.md", "documentation/requirements/moved.md"]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (0, vec![]), "{json}");
    project.git(&["reset", "-q", "--hard"]);
    // It goes, which a KB that does not have it knows, too.
    project.git(&["checkout", "-q", "-b", "unsynced"]);
    write(&project, "documentation/requirements/u.md", requirement("REQ-U"));
    write(&project, "src/u.ts", "// implements REQ-U\nexport function u() {}\n");
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).0, 0);
    project.git(&["commit", "-q", "-m", "x"]);
    project.git(&["rm", "-q", "documentation/requirements/u.md"]);
    assert_eq!(staged(&project, &[]).1, ["src/u.ts:2 u 0"]);
    project.git(&["reset", "-q", "--hard"]);
    project.git(&["checkout", "-q", "main"]);
    // Code that is not staged, and the manifest, still name it.
    project.git(&["rm", "-q", "documentation/requirements/r.md"]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (1, vec!["src/a.ts:2 a 0".to_owned(), "src/c.ts:2 c 0".to_owned()]), "{json}");
    assert_eq!(json["unlinked"][0]["unknownRequirements"], json!(["REQ-2"]));
    assert_eq!(json["documents"][0]["path"], "documentation/symbols.yaml", "{json}");
    assert_eq!(json["stale"], json!(false), "{json}");
    // With another one in its place, in a document with another name.
    write(&project, "documentation/requirements/new.md", requirement("REQ-2"));
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).0, 0);
    project.git(&["reset", "-q", "--hard"]);
    // Links lead to entities that are stored, or staged with them.
    let with_link = |to: &str| {
        format!(
            "---\nid: REQ-3\ntype: req\ntitle: T\nstatus: open\nlinks:\n  - type: specified_by\n    \
             target: {to}\n---\n"
        )
    };
    write(&project, "documentation/requirements/t.md", with_link("SCEN-1"));
    project.git(&["add", "."]);
    let (code, _, json) = staged(&project, &[]);
    let problem = &json["documents"][0];
    assert_eq!((code, &problem["path"]), (1, &json!("documentation/requirements/t.md")), "{json}");
    assert!(problem["message"].as_str().is_some_and(|text| text.contains("SCEN-1")), "{json}");
    write(
        &project,
        "documentation/scenarios/s.md",
        "---\nid: SCEN-1\ntype: scenario\ntitle: S\nstatus: active\n---\n",
    );
    project.git(&["add", "."]);
    let (code, _, json) = staged(&project, &[]);
    assert_eq!(code, 0, "{json}");
}

#[test]
fn a_merge_is_judged_by_what_it_changes_itself() {
    let project = project();
    let text = |first: &str, second: &str, more: &str| {
        format!(
            "export function a() {{\n  return {first};\n}}\n\nexport function b() {{\n  return {second};\n}}\n{more}"
        )
    };
    write(&project, "both.ts", text("0", "0", ""));
    write(&project, "conflict.txt", "0\n");
    let commit = || {
        project.git(&["add", "."]);
        project.git(&["commit", "-q", "--no-verify", "-m", "x"]);
    };
    commit();
    project.git(&["checkout", "-q", "-b", "side"]);
    write(&project, "theirs.ts", "export function theirs() {}\n");
    write(&project, "both.ts", text("1", "0", ""));
    write(&project, "conflict.txt", "1\n");
    write(&project, "documentation/requirements/r.md", document("REQ-2", "R"));
    commit();
    project.git(&["checkout", "-q", "main"]);
    write(&project, "both.ts", text("0", "2", ""));
    write(&project, "conflict.txt", "2\n");
    commit();
    let merged = output(&mut project.git_command(&["merge", "-q", "side"]));
    assert!(!merged.status.success(), "there is a conflict");
    write(&project, "conflict.txt", "3\n");
    project.git(&["add", "."]);
    let (code, rows, json) = staged(&project, &[]);
    assert_eq!((code, rows), (0, vec![]), "{json}");
    // What the merge itself writes counts, and the documents of the other side do.
    let more = "export function own() {}\n// implements REQ-2\nexport function linked() {}\n";
    write(&project, "both.ts", text("1", "2", more));
    project.git(&["add", "."]);
    assert_eq!(staged(&project, &[]).1, ["both.ts:8 own 0"]);
}

#[test]
fn an_upsert_of_a_whole_file_names_its_functions() {
    let project = project();
    write(
        &project,
        "src/session.ts",
        "export class Session { end() {} }\nexport interface Options {}\nfunction own() {}\n",
    );
    let upsert = |id: &str, title: &str, more: &[&str]| {
        let arguments = [
            &["kb", "upsert", "symbol", id, "--title", title, "--status", "active"][..],
            &["--field", "sourceFile=src/session.ts", "--link", "implements:REQ-1"],
            more,
        ];
        project.call(&arguments.concat())
    };
    let refused = upsert("S-1", "session.ts", &[]);
    let said = stderr(&refused);
    assert!(!refused.status.success() && said.contains("Session, Session.end, end"), "{said}");
    assert!(said.contains("Options"), "{said}");
    for (id, title, more) in [
        ("S-2", "Session.end", &[][..]),
        ("S-3", "own", &[]),
        ("S-4", "session.ts", &["--field", "granularity_reason=module-level-behavior"]),
    ] {
        let done = upsert(id, title, more);
        assert!(
            done.status.success() && !stdout(&done).contains("Warning"),
            "{}{}",
            stdout(&done),
            stderr(&done)
        );
    }
    // A later link of the stored symbol reads its stored file.
    project.said(&[
        "kb",
        "upsert",
        "symbol",
        "S-5",
        "--title",
        "session.ts",
        "--status",
        "active",
        "--field",
        "sourceFile=src/session.ts",
    ]);
    let (_, said) = project.failed(&["kb", "upsert", "symbol", "S-5", "--link", "implements:REQ-1"]);
    assert!(said.contains("Session.end"), "{said}");
    let checked = project.call(&["kb", "validate", "symbol", "S-5", "--link", "implements:REQ-1"]);
    assert!(stdout(&checked).contains("granularity_reason"), "{}", stdout(&checked));
    // A file that is not there, or outside of the tree, is a warning.
    for (id, file) in [("S-6", "src/none.ts"), ("S-7", "../outside.ts"), ("S-8", "/etc/hosts.ts")] {
        let field = format!("sourceFile={file}");
        let said = project.said(&[
            "kb",
            "upsert",
            "symbol",
            id,
            "--title",
            "whole",
            "--status",
            "active",
            "--field",
            &field,
            "--link",
            "implements:REQ-1",
        ]);
        assert!(said.contains("was not read"), "{said}");
    }
}

const HOOKS: [&str; 4] = ["pre-commit", "post-checkout", "post-merge", "post-rewrite"];

fn hook(project: &Project, name: &str) -> PathBuf {
    project.root.join(".git/hooks").join(name)
}

#[test]
fn hooks_are_added_and_removed_without_a_trace() {
    let project = project();
    let own = hook(&project, "pre-commit");
    fs::create_dir_all(own.parent().expect("a folder")).expect("a folder");
    fs::write(&own, "#!/bin/sh\necho mine").expect("written");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o750)).expect("it is ours");
    project.said(&["kb", "init", "--hooks"]);
    let first: Vec<_> = HOOKS.map(|name| fs::read(hook(&project, name)).expect("it is there")).to_vec();
    assert!(first[0].starts_with(b"#!/bin/sh\n# >>> cairn") && first[0].ends_with(b"\necho mine"));
    let mode =
        |name: &str| fs::metadata(hook(&project, name)).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode("pre-commit"), mode("post-merge")), (0o750, 0o755));
    let again = project.said(&["kb", "init", "--hooks"]);
    assert!(again.contains("pre-commit") && again.matches("unchanged").count() == 4, "{again}");
    assert_eq!(first, HOOKS.map(|name| fs::read(hook(&project, name)).expect("it is there")).to_vec());
    project.said(&["kb", "init", "--remove-hooks"]);
    assert_eq!(fs::read(&own).expect("it is there"), b"#!/bin/sh\necho mine");
    assert!(HOOKS[1..].iter().all(|name| !hook(&project, name).exists()));
    let gone = project.said(&["kb", "init", "--remove-hooks"]);
    assert_eq!(gone.matches("no block").count(), 4, "{gone}");
}

#[test]
fn hooks_are_where_git_looks_for_them() {
    let project = project();
    let worktree = project.beside("linked");
    project.git(&["worktree", "add", "-q", worktree.to_str().expect("text"), "-b", "linked"]);
    let mut command = project.command(&worktree, &["kb", "init", "--hooks"]);
    assert!(output(&mut command).status.success());
    assert!(hook(&project, "pre-commit").exists(), "worktrees share the hooks of the clone");
    project.git(&["config", "core.hooksPath", ".githooks"]);
    fs::create_dir(project.root.join("sub")).expect("a folder");
    let mut command = project.command(&project.root.join("sub"), &["kb", "init", "--hooks"]);
    assert!(output(&mut command).status.success());
    assert!(project.root.join(".githooks/pre-commit").exists());
    // A link inside of the repository is followed, and stays.
    write(&project, "scripts/merge.sh", "#!/bin/sh\n: merge\n");
    fs::remove_file(project.root.join(".githooks/post-merge")).expect("it is there");
    std::os::unix::fs::symlink("../scripts/merge.sh", project.root.join(".githooks/post-merge"))
        .expect("a link");
    let said = project.said(&["kb", "init", "--hooks"]);
    assert!(said.contains("not executable"), "{said}");
    assert!(
        fs::read_to_string(project.root.join("scripts/merge.sh")).expect("text").contains("hook post-merge")
    );
    // Outside of it nothing is touched.
    let outside = project.beside("shared-hooks");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("hook"), "#!/bin/sh\n").expect("written");
    fs::remove_file(project.root.join(".githooks/post-merge")).expect("it is there");
    std::os::unix::fs::symlink(outside.join("hook"), project.root.join(".githooks/post-merge"))
        .expect("a link");
    let (code, said) = project.failed(&["kb", "init", "--hooks"]);
    assert!(code == 2 && said.contains("link to outside of the repository"), "{said}");
    project.git(&["config", "core.hooksPath", outside.to_str().expect("text")]);
    let (code, said) = project.failed(&["kb", "init", "--hooks"]);
    assert!(code == 2 && said.contains("core.hooksPath"), "{said}");
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 1);
    // A script of another language is left alone, and so are the other hooks.
    project.git(&["config", "--unset", "core.hooksPath"]);
    project.said(&["kb", "init", "--remove-hooks"]);
    fs::write(hook(&project, "post-rewrite"), "#!/usr/bin/env python3\n").expect("written");
    let (code, said) = project.failed(&["kb", "init", "--hooks"]);
    assert!(
        code == 2 && said.contains("no shell script") && !hook(&project, "pre-commit").exists(),
        "{said}"
    );
}

#[test]
fn a_commit_is_checked() {
    let project = project();
    project.said(&["kb", "init", "--hooks"]);
    write(&project, "src/a.py", "def run():\n    return 1\n");
    project.git(&["add", "."]);
    let refused = git_with_cairn(&project, &project.root, &["commit", "-q", "-m", "x"]);
    let said = stderr(&refused);
    assert!(
        !refused.status.success() && said.contains("src/a.py:1: function run is linked to 0 of 1"),
        "{said}"
    );
    write(&project, "src/a.py", "# implements REQ-1\ndef run():\n    return 1\n");
    // The index of `commit --all` is another file than usual.
    let done = git_with_cairn(&project, &project.root, &["commit", "-q", "-a", "-m", "x"]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!((stdout(&done), stderr(&done)), (String::new(), String::new()), "there is nothing to say");
    write(&project, "src/a.py", "# implements REQ-1\ndef run():\n    return 2\n\ndef other(): pass\n");
    let partial = git_with_cairn(&project, &project.root, &["commit", "-q", "-m", "x", "src/a.py"]);
    assert!(!partial.status.success() && stderr(&partial).contains("other"), "{}", stderr(&partial));
}

#[test]
fn hooks_stop_nothing_without_cairn_or_without_a_kb() {
    let project = project();
    project.said(&["kb", "init", "--hooks"]);
    write(&project, "a.rs", "pub fn a() {}\n");
    project.git(&["add", "."]);
    let mut without = project.git_command(&["commit", "-q", "-m", "x"]);
    without.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let done = output(&mut without);
    assert!(done.status.success() && stderr(&done).is_empty(), "{}", stderr(&done));
    // No data directory, and one without a KB.
    write(&project, "a.rs", "pub fn b() {}\n");
    let empty = project.beside("empty");
    fs::create_dir(&empty).expect("a folder");
    assert!(output(&mut cairn(&empty, &["init"])).status.success());
    for (data, said) in [(project.beside("none"), "there is no data directory"), (empty.join(".cairn"), "")] {
        let mut command = project.git_command(&["commit", "-q", "-a", "--amend", "-m", "x"]);
        let program = PathBuf::from(env!("CARGO_BIN_EXE_cairn"));
        let folder = program.parent().expect("a folder").display();
        command.env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin")).env("CAIRN_DATA_DIR", &data);
        let done = output(&mut command);
        // Where a KB has been, the hook reports that the data directory is missing.
        assert!(done.status.success() && stderr(&done).contains(said), "{}", stderr(&done));
        assert_eq!(stderr(&done).is_empty(), said.is_empty(), "{}", stderr(&done));
    }
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn a_hook_that_is_there_keeps_its_exit_code() {
    let project = project();
    write(&project, "lint.sh", "exit 1\n");
    let own = hook(&project, "pre-commit");
    executable(&own, "#!/bin/sh\nsh ./lint.sh\n");
    project.said(&["kb", "init", "--hooks"]);
    let commit = || {
        git_with_cairn(&project, &project.root, &["commit", "-q", "--allow-empty", "-m", "x"])
            .status
            .success()
    };
    assert!(!commit(), "lint.sh stops it");
    write(&project, "lint.sh", "exit 0\n");
    assert!(commit());
    // One that ends by itself does not skip the block.
    executable(&own, "#!/bin/sh\nexit 0\n");
    project.said(&["kb", "init", "--hooks"]);
    write(&project, "a.ts", "export function a() {}\n");
    project.git(&["add", "."]);
    assert!(!commit(), "a is not linked");
}

#[test]
fn husky_runs_the_block() {
    let project = project();
    let stub = "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"";
    executable(&project.root.join(".husky/_/pre-commit"), stub);
    write(
        &project,
        ".husky/_/h",
        "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\
         [ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nc=$?\nexit $c\n",
    );
    write(&project, ".husky/pre-commit", "true\n");
    project.git(&["config", "core.hooksPath", ".husky/_"]);
    let said = project.said(&["kb", "init", "--hooks"]);
    assert!(!said.contains("not executable"), "{said}");
    let stays = fs::read_to_string(project.root.join(".husky/_/pre-commit")).expect("it is there");
    assert_eq!(stays, stub);
    write(&project, "a.ts", "export function a() {}\n");
    project.git(&["add", "a.ts"]);
    let refused = git_with_cairn(&project, &project.root, &["commit", "-q", "-m", "x"]);
    assert!(!refused.status.success() && stderr(&refused).contains("a.ts:1"), "{}", stderr(&refused));
    project.said(&["kb", "init", "--remove-hooks"]);
    let own = fs::read_to_string(project.root.join(".husky/pre-commit")).expect("it is there");
    assert_eq!(own, "true\n");
    assert!(!project.root.join(".husky/post-merge").exists());
}

#[test]
fn linked_worktrees_find_the_data_directory_of_the_main_one() {
    let project = project();
    project.said(&["kb", "init", "--hooks"]);
    let linked = project.beside("elsewhere/linked");
    let path = linked.to_str().expect("text");
    let added = output(&mut git_of(&project, &project.root, &["worktree", "add", "-q", "-b", "new", path]));
    let said = stderr(&added);
    assert!(added.status.success() && said.contains("created an empty KB of branch new"), "{said}");
    assert!(said.contains("cairn kb branch create --from"), "{said}");
    let status = output(&mut cairn_in(&project, &linked, &["kb", "status"]));
    assert!(status.status.success(), "{}", stderr(&status));
    fs::write(linked.join("a.ts"), "export function a() {}\n").expect("written");
    project.git(&["-C", path, "add", "."]);
    let refused = output(&mut git_of(&project, &linked, &["commit", "-q", "-m", "x"]));
    assert!(!refused.status.success() && stderr(&refused).contains("a.ts:1"), "{}", stderr(&refused));
    // Where it is gone, the hook says so.
    fs::rename(project.root.join(".cairn"), project.beside("moved")).expect("it is ours");
    let done = output(&mut git_of(&project, &linked, &["commit", "-q", "-m", "x"]));
    assert!(
        done.status.success() && stderr(&done).contains("there is no data directory"),
        "{}",
        stderr(&done)
    );
}

#[test]
fn each_root_of_a_repository_has_its_hooks() {
    let project = Project::new();
    fs::remove_dir_all(project.root.join(".cairn")).expect("it is ours");
    let root = |name: &str| project.root.join("packages").join(name);
    let said = |folder: &Path, arguments: &[&str]| {
        let output = output(&mut cairn_in(&project, folder, arguments));
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    };
    for name in ["a", "it's b"] {
        let config = format!("packages/{name}/cairn-kb.toml");
        write(&project, &config, "schema_version = 2\n");
        write(
            &project,
            &format!("packages/{name}/documentation/requirements/r.md"),
            document(&format!("REQ-{}", &name[..1]), "R"),
        );
        said(&root(name), &["init"]);
        said(&root(name), &["kb", "init", "--hooks"]);
        said(&root(name), &["kb", "sync"]);
    }
    let git = |arguments: &[&str]| output(&mut git_of(&project, &project.root, arguments));
    write(&project, "packages/a/a.ts", "// implements REQ-a\nexport function a() {}\n");
    write(&project, "outside.ts", "export function outside() {}\n");
    project.git(&["add", "."]);
    let done = git(&["commit", "-q", "-m", "x"]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(git(&["checkout", "-q", "-b", "other"]).status.success());
    let ids = |name: &str| said(&root(name), &["kb", "query", "--json"]);
    assert!(ids("a").contains("REQ-a") && ids("it's b").contains("REQ-i"), "{}", ids("a"));
    write(&project, "packages/it's b/b.ts", "export function b() {}\n");
    project.git(&["add", "."]);
    let refused = git(&["commit", "-q", "-m", "x"]);
    assert!(!refused.status.success() && stderr(&refused).contains("b.ts:1"), "{}", stderr(&refused));
    // In a linked worktree, too, where git names the repository to its hooks.
    project.git(&["reset", "-q", "--hard"]);
    let linked = project.beside("linked");
    let path = linked.to_str().expect("text");
    assert!(git(&["worktree", "add", "-q", "-b", "third", path]).status.success());
    fs::write(linked.join("packages/a/c.ts"), "export function c() {}\n").expect("written");
    fs::write(linked.join("c.ts"), "export function outside() {}\n").expect("written");
    project.git(&["-C", path, "add", "."]);
    let refused = output(&mut git_of(&project, &linked, &["commit", "-q", "-m", "x"]));
    let text_of_hook = stderr(&refused);
    assert!(!refused.status.success() && text_of_hook.starts_with("c.ts:1"), "{text_of_hook}");
    assert!(text_of_hook.contains("1 changed symbol"), "{text_of_hook}");
    // Each removes its own line.
    let text = || fs::read_to_string(hook(&project, "pre-commit")).unwrap_or_default();
    let both = text();
    said(&root("a"), &["kb", "init", "--remove-hooks"]);
    assert!(!text().contains("packages/a") && text().contains("packages/it'\\''s b"), "{}", text());
    assert!(both.contains("packages/a"), "{both}");
    let other = said(&project.root, &["kb", "init", "--remove-hooks"]);
    assert!(other.contains("another folder") && text().contains("packages"), "{other}");
    said(&root("it's b"), &["kb", "init", "--remove-hooks"]);
    assert!(!hook(&project, "pre-commit").exists());
}

#[test]
fn files_of_others_are_not_deleted() {
    let project = project();
    let bare = hook(&project, "post-merge");
    executable(&bare, "#!/bin/sh\n");
    write(&project, "scripts/rewrite.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("../../scripts/rewrite.sh", hook(&project, "post-rewrite")).expect("a link");
    for _ in 0..2 {
        project.said(&["kb", "init", "--hooks"]);
        project.said(&["kb", "init", "--remove-hooks"]);
        assert_eq!(fs::read(&bare).expect("it is there"), b"#!/bin/sh\n");
        assert_eq!(fs::read(project.root.join("scripts/rewrite.sh")).expect("it is there"), b"#!/bin/sh\n");
        assert!(hook(&project, "post-rewrite").is_symlink() && !hook(&project, "pre-commit").exists());
        // It was made by cairn, and others link to it since.
        let made = hook(&project, "pre-commit");
        fs::remove_file(hook(&project, "post-rewrite")).expect("it is there");
        project.said(&["kb", "init", "--hooks"]);
        fs::rename(&made, project.root.join("scripts/commit.sh")).expect("it is ours");
        std::os::unix::fs::symlink("../../scripts/commit.sh", &made).expect("a link");
        project.said(&["kb", "init", "--remove-hooks"]);
        assert_eq!(fs::read(&made).expect("it is there"), b"#!/bin/sh\n");
        fs::remove_file(&made).expect("it is there");
        std::os::unix::fs::symlink("../../scripts/rewrite.sh", hook(&project, "post-rewrite"))
            .expect("a link");
    }
}

#[test]
fn an_init_that_fails_changes_nothing() {
    let project = Project::new();
    let own = hook(&project, "pre-commit");
    executable(&own, "#!/usr/bin/env python3\n");
    let (code, said) = project.failed(&["kb", "init", "--hooks", "--config"]);
    assert!(code == 2 && said.contains("no shell script"), "{said}");
    assert!(!project.root.join("cairn-kb.toml").exists());
    assert_eq!(project.json(&["kb", "branch", "list"])["branches"], json!([]));
    fs::remove_file(&own).expect("it is there");
    // One script behind two names would lose one of the blocks.
    write(&project, "scripts/all.sh", "#!/bin/sh\n");
    for name in ["pre-commit", "post-merge"] {
        std::os::unix::fs::symlink("../../scripts/all.sh", hook(&project, name)).expect("a link");
    }
    let (code, said) = project.failed(&["kb", "init", "--hooks"]);
    assert!(code == 2 && said.contains("pre-commit and post-merge are one file"), "{said}");
    fs::remove_file(hook(&project, "post-merge")).expect("it is there");
    // The repository of a variable is not that of the workspace.
    let other = project.beside("other");
    project.git(&["init", "-q", other.to_str().expect("text")]);
    let mut command = project.command(&project.root, &["kb", "init", "--hooks"]);
    let refused = output(command.env("GIT_DIR", other.join(".git")));
    assert!(!refused.status.success() && stderr(&refused).contains("GIT_DIR"), "{}", stderr(&refused));
    assert!(
        !fs::read_dir(other.join(".git/hooks"))
            .expect("a folder")
            .any(|entry| { !entry.expect("an entry").file_name().to_string_lossy().ends_with(".sample") })
    );
    // Of a failure in the middle it is said what is done.
    let full = hook(&project, "post-rewrite");
    executable(&project.root.join("scripts/locked/rewrite.sh"), "#!/bin/sh\n");
    std::os::unix::fs::symlink("../../scripts/locked/rewrite.sh", &full).expect("a link");
    let locked = project.root.join("scripts/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).expect("it is ours");
    let output = project.call(&["kb", "init", "--hooks"]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).expect("it is ours");
    // The superuser may write everywhere.
    if !output.status.success() {
        assert!(stderr(&output).contains("pre-commit, post-checkout, post-merge"), "{}", stderr(&output));
    }
}

#[test]
fn files_of_the_repository_may_be_read_by_others() {
    let project = Project::new();
    fs::remove_dir_all(project.root.join(".git/hooks")).expect("it is ours");
    project.said(&["kb", "init", "--hooks", "--config"]);
    project.requirement("REQ-1");
    project.said(&["kb", "export", "REQ-1"]);
    let mode = |path: &str| fs::metadata(project.root.join(path)).expect(path).permissions().mode() & 0o777;
    for (path, expected) in [
        (".git/hooks", 0o755),
        (".git/hooks/pre-commit", 0o755),
        ("cairn-kb.toml", 0o644),
        ("documentation", 0o755),
        ("documentation/requirements", 0o755),
        ("documentation/requirements/REQ-1.md", 0o644),
        (".cairn", 0o700),
    ] {
        assert_eq!(mode(path), expected, "{path}");
    }
}

#[test]
fn a_migration_raises_the_version_and_gives_coarse_links_their_reason() {
    let project = project();
    write(&project, "src/a.ts", "export function a() {}\n");
    write(&project, "cairn-kb.toml", "# Mine.\nschema_version = 1\n\n[checks.rules]\n");
    let body = json!({
        "type": "symbol", "id": "S-1",
        "properties": {"title": "a.ts", "status": "active", "sourceFile": "src/a.ts",
                       "granularity_reason": "extractor-miss"},
        "relationships": [{"type": "implements", "from": "S-1", "to": "REQ-1"}]
    });
    project.piped(&["kb", "upsert", "-"], &body.to_string());
    project.said(&["kb", "upsert", "symbol", "S-1", "--unset", "granularity_reason"]);
    project.said(&[
        "kb",
        "upsert",
        "symbol",
        "S-2",
        "--title",
        "a",
        "--status",
        "active",
        "--field",
        "sourceFile=src/a.ts",
        "--link",
        "implements:REQ-1",
    ]);
    let output = project.call(&["kb", "check", "--rule", "no-cycles"]);
    assert!(stderr(&output).contains("warning: schema version 1 is older"), "{}", stderr(&output));
    let before = fs::read_to_string(project.root.join("cairn-kb.toml")).expect("text");
    for arguments in [&["kb", "migrate"][..], &["kb", "migrate", "--dry-run"]] {
        let plan = project.json(arguments);
        assert_eq!(plan["coarseSymbols"], json!(["S-1"]), "{plan}");
        assert_eq!((&plan["needsMigration"], &plan["applied"]), (&json!(true), &json!(false)));
    }
    assert_eq!(before, fs::read_to_string(project.root.join("cairn-kb.toml")).expect("text"));
    let done = project.json(&["kb", "migrate", "--yes"]);
    assert_eq!(
        (&done["fromVersion"], &done["toVersion"], &done["applied"]),
        (&json!(1), &json!(2), &json!(true))
    );
    assert_eq!(
        fs::read_to_string(project.root.join("cairn-kb.toml")).expect("text"),
        "# Mine.\nschema_version = 2\n\n[checks.rules]\n"
    );
    let symbols = project.json(&["kb", "query", "--type", "symbol"]);
    let reasons: Vec<_> = symbols["entities"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entity| entity["granularity_reason"].clone())
        .collect();
    assert_eq!(reasons, [json!("legacy-link"), Value::Null], "{symbols}");
    let again = project.json(&["kb", "migrate", "--yes"]);
    assert_eq!((&again["needsMigration"], &again["applied"]), (&json!(false), &json!(false)));
    write(&project, "cairn-kb.toml", "schema_version = 99\n");
    let (code, said) = project.failed(&["kb", "migrate", "--yes"]);
    assert!(code == 1 && said.contains("newer"), "{said}");
    // The file of another program keeps its shape.
    fs::remove_file(project.root.join("cairn-kb.toml")).expect("it is there");
    write(&project, ".kb/config.json", "{\n  \"other\": [1],\n  \"schemaVersion\": 1\n}\n");
    project.said(&["kb", "migrate", "--yes"]);
    let text = fs::read_to_string(project.root.join(".kb/config.json")).expect("text");
    assert_eq!(text, "{\n  \"other\": [1],\n  \"schemaVersion\": 2\n}\n");
    // Of two values of a key only one would change.
    let twice = "{\"schemaVersion\": 1, \"schemaVersion\": 1}";
    write(&project, ".kb/config.json", twice);
    let (code, said) = project.failed(&["kb", "migrate", "--yes"]);
    assert!(code == 1 && said.contains("set the schema version to 2 yourself"), "{said}");
    assert_eq!(fs::read_to_string(project.root.join(".kb/config.json")).expect("text"), twice);
}

fn document(id: &str, title: &str) -> String {
    format!("---\nid: {id}\ntype: req\ntitle: {title}\nstatus: open\n---\n")
}

#[test]
fn the_kb_follows_checkouts_and_merges() {
    let project = project();
    let run = |arguments: &[&str]| {
        let done = git_with_cairn(&project, &project.root, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", stderr(&done));
        stderr(&done)
    };
    project.said(&["kb", "init", "--hooks"]);
    write(&project, "documentation/requirements/a.md", document("REQ-A", "A"));
    project.git(&["add", "."]);
    run(&["commit", "-q", "-m", "a"]);
    project.said(&["kb", "sync"]);
    let said = run(&["checkout", "-q", "-b", "other"]);
    assert!(!said.contains("error"), "{said}");
    let branches = project.json(&["kb", "branch", "list"]);
    assert!(branches.to_string().contains("\"other\""), "{branches}");
    write(&project, "documentation/requirements/b.md", document("REQ-B", "B"));
    project.git(&["add", "."]);
    run(&["commit", "-q", "-m", "b"]);
    // A checkout of files does not switch the branch.
    run(&["checkout", "-q", "--", "documentation"]);
    run(&["checkout", "-q", "main"]);
    assert_eq!(project.ids(), ["REQ-1", "REQ-A"]);
    run(&["merge", "-q", "--ff-only", "other"]);
    assert_eq!(project.ids(), ["REQ-1", "REQ-A", "REQ-B"]);
    // A document with a mistake is named, and stops nothing.
    write(&project, "documentation/requirements/b.md", "---\ntype: req\n---\n");
    project.git(&["commit", "-q", "--no-verify", "-a", "-m", "broken"]);
    run(&["checkout", "-q", "other"]);
    let said = run(&["checkout", "-q", "main"]);
    assert!(said.contains("documentation/requirements/b.md"), "{said}");
}

/// Each branch has one document of its own, and the KB of each has that one after switches in any order.
#[test]
fn hooks_survive_branch_switches_during_a_sync() {
    let project = project();
    const BRANCHES: usize = 4;
    for branch in 0..BRANCHES {
        project.git(&["checkout", "-q", "-b", &format!("b{branch}"), "main"]);
        for file in 0..50 {
            let path = format!("documentation/requirements/{file}.md");
            write(&project, &path, document(&format!("REQ-{branch}-{file}"), "x"));
        }
        project.git(&["add", "."]);
        project.git(&["commit", "-q", "-m", "x"]);
    }
    project.git(&["checkout", "-q", "main"]);
    project.said(&["kb", "init", "--hooks"]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..6 {
                // It may find a branch that is gone before it is done; then it begins again.
                let output = project.call(&["kb", "sync"]);
                assert!(output.status.code().is_some(), "it ends by itself");
            }
        });
        for turn in 0..12 {
            let branch = format!("b{}", turn * 3 % BRANCHES);
            let done = git_with_cairn(&project, &project.root, &["checkout", "-q", &branch]);
            assert!(done.status.success(), "{}", stderr(&done));
        }
    });
    for branch in 0..BRANCHES {
        let done = git_with_cairn(&project, &project.root, &["checkout", "-q", &format!("b{branch}")]);
        assert!(done.status.success(), "{}", stderr(&done));
        let own: Vec<String> = project.ids().into_iter().filter(|id| id != "REQ-1").collect();
        assert!(own.len() == 50 && own.iter().all(|id| id.starts_with(&format!("REQ-{branch}-"))), "{own:?}");
    }
}
