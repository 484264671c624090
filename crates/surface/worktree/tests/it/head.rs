//! The active branch.

use std::fs;
use std::os::unix::fs::symlink;

use cairn_worktree::BranchSource::{Detached, Head};
use cairn_worktree::{WorktreeCode, WorktreeError};

use crate::repo::{Repo, check, find};

#[test]
fn the_branch_is_what_git_has_checked_out() {
    let repo = Repo::new();
    repo.check("main", Head);
    for name in ["feature/a/b", "master", "größe", "fix/#12", "user@host"] {
        repo.git(&["switch", "-q", "-c", name]);
        repo.check(name, Head);
        assert_eq!(repo.git(&["branch", "--show-current"]), name);
        repo.git(&["pack-refs", "--all", "--prune"]);
        repo.check(name, Head);
    }
}

#[test]
fn a_branch_without_commits_is_its_name() {
    let repo = Repo::empty();
    repo.check("main", Head);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/not/yet"]);
    repo.check("not/yet", Head);
    repo.commit();
    repo.git(&["checkout", "-q", "--orphan", "other"]);
    repo.check("other", Head);
}

#[test]
fn a_detached_head_is_the_one_branch_that_points_there() {
    let repo = Repo::new();
    repo.git(&["checkout", "-q", "--detach"]);
    repo.check("main", Detached);
    repo.git(&["pack-refs", "--all", "--prune"]);
    repo.check("main", Detached);
    // Tags and remote branches do not count.
    repo.git(&["tag", "v1"]);
    repo.git(&["update-ref", "refs/remotes/origin/x", "HEAD"]);
    repo.check("main", Detached);
    repo.git(&["branch", "b/two"]);
    let error = repo.branch().unwrap_err();
    assert_eq!(error.code(), WorktreeCode::DetachedHead);
    let text = error.to_string();
    assert!(text.contains("2 branches point at it: b/two, main") && text.contains("CAIRN_BRANCH"), "{text}");
    // A loose ref hides the packed one.
    repo.git(&["checkout", "-q", "main"]);
    repo.commit();
    repo.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    repo.check("b/two", Detached);
    repo.git(&["branch", "-q", "-D", "b/two"]);
    let error = repo.branch().unwrap_err();
    assert!(
        matches!(&error, WorktreeError::DetachedHead { candidates, .. } if candidates.is_empty()),
        "{error}"
    );
    let named = find(&repo.root, &[("CAIRN_BRANCH", "main")]).unwrap();
    check(&named, "main", cairn_worktree::BranchSource::Env);
}

#[test]
fn branches_of_other_worktrees_count() {
    let repo = Repo::new();
    let tree = repo.beside("tree-two");
    repo.git(&["worktree", "add", "-q", "-b", "two", tree.to_str().unwrap()]);
    let second = find(&tree, &[]).unwrap();
    check(&second, "two", Head);
    repo.check("main", Head);
    repo.git(&["checkout", "-q", "--detach"]);
    assert_eq!(repo.branch().unwrap_err().code(), WorktreeCode::DetachedHead);
    crate::repo::git(&tree, &["commit", "-q", "--allow-empty", "-m", "x"]);
    repo.check("main", Detached);
    check(&second, "two", Head);
}

#[test]
fn symbolic_branches_stand_for_the_branch_they_lead_to() {
    let repo = Repo::new();
    repo.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
    assert_eq!(repo.git(&["branch", "--show-current"]), "main");
    repo.check("main", Head);
    repo.git(&["checkout", "-q", "--detach"]);
    repo.check("main", Detached);
    // Without an end.
    repo.write(".git/refs/heads/alias", "ref: refs/heads/alias\n");
    repo.write(".git/HEAD", "ref: refs/heads/alias\n");
    assert_eq!(repo.branch().unwrap_err().code(), WorktreeCode::GitUnreadable);
}

#[test]
fn old_forms_of_head_are_read() {
    let repo = Repo::new();
    let head = repo.root.join(".git/HEAD");
    fs::remove_file(&head).unwrap();
    symlink("refs/heads/main", &head).unwrap();
    repo.check("main", Head);
    fs::remove_file(&head).unwrap();
    symlink("refs/heads/unborn", &head).unwrap();
    repo.check("unborn", Head);
    fs::remove_file(&head).unwrap();
    fs::write(&head, "ref: refs/heads/main").unwrap();
    repo.check("main", Head);
}

#[test]
fn a_head_that_names_no_branch_is_detached() {
    let repo = Repo::new();
    repo.git(&["symbolic-ref", "HEAD", "refs/changes/1"]);
    let error = repo.branch().unwrap_err();
    assert_eq!(error.code(), WorktreeCode::DetachedHead);
    assert!(error.to_string().contains("refs/changes/1"), "{error}");
}

#[test]
fn a_name_that_no_kb_can_have_is_refused() {
    let repo = Repo::new();
    for name in [&b"a\xffb"[..], &[b'a'; 256], b"../../x", b"a b"] {
        repo.write(".git/HEAD", [b"ref: refs/heads/", name, b"\n"].concat());
        let error = repo.branch().unwrap_err();
        assert!(matches!(error, WorktreeError::BranchName { .. }), "{error}");
        assert_eq!(error.code(), WorktreeCode::GitUnreadable);
    }
}
