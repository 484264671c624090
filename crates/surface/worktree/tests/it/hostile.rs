//! `.git` files and folders that nobody should have made.

use std::fs;
use std::os::unix::fs::symlink;

use cairn_worktree::WorktreeCode;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::repo::{Repo, find};

/// Every one is a bounded error, and none falls back to a repository further up.
#[test]
fn a_git_file_that_leads_nowhere_is_an_error() {
    let outer = Repo::new();
    let dot_git = outer.root.join("inner/.git");
    for content in [
        &b""[..],
        b"nonsense",
        b"gitdir:",
        b"gitdir: \n",
        b"gitdir: nowhere\n",
        b"gitdir: .git\n",
        b"gitdir: .\n",
        b"gitdir: ../inner/.git\n",
        b"gitdir: a\0b\n",
        b"gitdir: ../.git\nmore\n",
        b"\xff\xfe\x00binary",
        &[b"gitdir: ", &[b'x'; 7000][..]].concat(),
        &[b"gitdir: ", &[b'x'; 100_000][..]].concat(),
    ] {
        outer.write("inner/.git", content);
        let error = find(&outer.root.join("inner"), &[]).unwrap_err();
        assert_eq!(error.code(), WorktreeCode::GitUnreadable, "{error}");
        assert!(error.to_string().contains("inner/.git"), "{error}");
        fs::remove_file(&dot_git).unwrap();
    }
    outer.write("inner/.git", "gitdir: ../.git\n");
    assert_eq!(find(&outer.root.join("inner"), &[]).unwrap().branch().unwrap().branch.as_str(), "main");
}

#[test]
fn links_pipes_and_loops_are_errors() {
    let outer = Repo::new();
    fs::create_dir(outer.root.join("inner")).unwrap();
    let dot_git = outer.root.join("inner/.git");
    let check = || {
        let error = find(&outer.root.join("inner"), &[]).unwrap_err();
        assert_eq!(error.code(), WorktreeCode::GitUnreadable, "{error}");
        fs::remove_file(&dot_git).unwrap();
    };
    symlink(".git", &dot_git).unwrap();
    check();
    symlink("nowhere", &dot_git).unwrap();
    check();
    symlink("/dev/zero", &dot_git).unwrap();
    check();
    mknodat(CWD, &dot_git, FileType::Fifo, Mode::RWXU, 0).unwrap();
    check();
    symlink("../.git", &dot_git).unwrap();
    assert_eq!(find(&outer.root.join("inner"), &[]).unwrap().branch().unwrap().branch.as_str(), "main");
}

#[test]
fn a_common_folder_that_is_no_repository_is_never_written_to() {
    let repo = Repo::new();
    repo.git(&["worktree", "add", "-q", "-b", "two", "../two"]);
    fs::create_dir(repo.beside("victim")).unwrap();
    let commondir = repo.root.join(".git/worktrees/two/commondir");
    for content in ["", "nowhere", "../../../../victim", "/", "a\0b", &"x".repeat(10_000)] {
        fs::write(&commondir, content).unwrap();
        let error = find(&repo.beside("two"), &[]).unwrap_err();
        assert_eq!(error.code(), WorktreeCode::GitUnreadable, "{error}");
    }
    fs::write(&commondir, "../..\n").unwrap();
    find(&repo.beside("two"), &[]).unwrap();
}

#[test]
fn a_head_that_is_no_ref_is_an_error() {
    let repo = Repo::new();
    let head = repo.root.join(".git/HEAD");
    let check = || {
        let error = repo.branch().unwrap_err();
        assert_eq!(error.code(), WorktreeCode::GitUnreadable, "{error}");
        assert!(error.to_string().contains(".git/HEAD"), "{error}");
    };
    for content in [&b""[..], b"\n", b"ref:\n", b"abc\n", b"\0\0\0\0", &[b'a'; 100_000], &[b'0'; 41]] {
        fs::write(&head, content).unwrap();
        check();
    }
    fs::remove_file(&head).unwrap();
    mknodat(CWD, &head, FileType::Fifo, Mode::RWXU, 0).unwrap();
    check();
    fs::remove_file(&head).unwrap();
    symlink("HEAD", &head).unwrap();
    check();
    fs::remove_file(&head).unwrap();
    symlink("/dev/zero", &head).unwrap();
    check();
}
