//! Reading files of the tree.

use std::fs;
use std::os::unix::fs::symlink;

use cairn_base::ErrorCode;
use cairn_worktree::{FileProblem, WorktreeError, read_inside};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::repo::Repo;

fn problem(repo: &Repo, path: &str) -> FileProblem {
    match read_inside(&repo.root, path, 10) {
        Err(WorktreeError::FileRefused { problem, .. }) => problem,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn files_are_read_up_to_the_limit() {
    let repo = Repo::plain();
    repo.write("a/b/ten", "0123456789");
    repo.write("eleven", "0123456789a");
    repo.write("größe", "ä");
    let read = |path| read_inside(&repo.root, path, 10).unwrap();
    assert_eq!(read("a/b/ten"), "0123456789");
    assert_eq!(read("./a/./b/ten"), "0123456789");
    assert_eq!(read("größe"), "ä");
    let error = read_inside(&repo.root, "eleven", 10).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooLarge);
    assert_eq!(read_inside(&repo.root, "eleven", 11).unwrap().len(), 11);
    assert_eq!(read_inside(&repo.root, "nowhere", 10).unwrap_err().code(), ErrorCode::NotFound);
}

#[test]
fn paths_that_leave_the_tree_are_refused() {
    let repo = Repo::plain();
    fs::write(repo.beside("secret"), "x").unwrap();
    repo.write("a/file", "x");
    let absolute = repo.root.join("a/file").to_str().unwrap().to_owned();
    let deep = "a/".repeat(129);
    for path in
        ["", ".", "..", "../secret", "a/../a/file", "a/../../secret", "a\0b", "a\nb", &absolute, &deep]
    {
        let error = read_inside(&repo.root, path, 10).unwrap_err();
        assert!(matches!(error, WorktreeError::PathRefused { .. }), "{path:?}: {error}");
        assert_eq!(error.code(), ErrorCode::InvalidRequest);
    }
    symlink(repo.beside("secret"), repo.root.join("out")).unwrap();
    symlink("../secret", repo.root.join("a/out")).unwrap();
    symlink("../..", repo.root.join("a/up")).unwrap();
    symlink("out", repo.root.join("chain")).unwrap();
    // The name of a folder beside the tree begins with the name of the tree.
    fs::create_dir(repo.beside("tree-two")).unwrap();
    fs::write(repo.beside("tree-two/file"), "x").unwrap();
    symlink(repo.beside("tree-two/file"), repo.root.join("twin")).unwrap();
    for path in ["out", "chain", "a/up/secret", "twin"] {
        assert!(matches!(problem(&repo, path), FileProblem::Outside), "{path}");
    }
    assert!(matches!(problem(&repo, "a/out"), FileProblem::Missing));
}

#[test]
fn links_inside_the_tree_are_followed() {
    let repo = Repo::plain();
    repo.write("a/b/file", "x");
    symlink("a/b", repo.root.join("short")).unwrap();
    symlink("../a/b/file", repo.root.join("a/back")).unwrap();
    symlink(&repo.root, repo.beside("link")).unwrap();
    for path in ["short/file", "a/back"] {
        assert_eq!(read_inside(&repo.beside("link"), path, 10).unwrap(), "x", "{path}");
    }
}

#[test]
fn only_regular_text_files_are_read() {
    let repo = Repo::plain();
    repo.write("a/file", "x");
    repo.write("binary", b"\xff\xfe");
    mknodat(CWD, repo.root.join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    symlink("self", repo.root.join("self")).unwrap();
    symlink("/dev/zero", repo.root.join("zero")).unwrap();
    assert!(matches!(problem(&repo, "a"), FileProblem::NotAFile));
    assert!(matches!(problem(&repo, "pipe"), FileProblem::NotAFile));
    assert!(matches!(problem(&repo, "self"), FileProblem::NotAFile));
    assert!(matches!(problem(&repo, "zero"), FileProblem::Outside));
    assert!(matches!(problem(&repo, "binary"), FileProblem::NotUtf8));
    assert!(matches!(problem(&repo, "a/file/x"), FileProblem::Missing));
}
