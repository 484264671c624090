//! The list of branches.

use std::os::unix::fs::symlink;

use cairn_worktree::WorktreeCode;

use crate::repo::Repo;

#[test]
fn loose_packed_and_unborn_branches_are_listed_once() {
    let repo = Repo::new();
    for name in ["z", "a/b", "a/c", "größe"] {
        repo.git(&["branch", name]);
    }
    repo.git(&["tag", "v1"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let all = ["a/b", "a/c", "größe", "main", "z"];
    assert_eq!(repo.names(), all);
    repo.git(&["pack-refs", "--all", "--no-prune"]);
    assert_eq!(repo.names(), all);
    repo.git(&["pack-refs", "--all", "--prune"]);
    assert_eq!(repo.names(), all);
    repo.git(&["branch", "-q", "-D", "a/b"]);
    repo.git(&["branch", "-m", "z", "y"]);
    assert_eq!(repo.names(), ["a/c", "größe", "main", "y"]);
    let tree = repo.beside("two");
    repo.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    crate::repo::git(&tree, &["checkout", "-q", "--orphan", "unborn"]);
    repo.git(&["checkout", "-q", "--orphan", "here"]);
    assert_eq!(repo.names(), ["a/c", "größe", "here", "main", "unborn", "y"]);
    let from_git = repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    assert_eq!(from_git.lines().collect::<Vec<_>>(), ["a/c", "größe", "main", "y"]);
}

#[test]
fn files_that_are_no_refs_are_left_out() {
    let repo = Repo::new();
    repo.write(".git/refs/heads/main.lock", "");
    repo.write(".git/refs/heads/.hidden", "");
    repo.write(".git/refs/heads/deep/x.lock", "");
    symlink("..", repo.root.join(".git/refs/heads/loop")).unwrap();
    symlink("nowhere", repo.root.join(".git/refs/heads/broken")).unwrap();
    assert_eq!(repo.names(), ["main"]);
    // A branch with a damaged commit is still a branch.
    repo.write(".git/refs/heads/empty", "");
    assert_eq!(repo.names(), ["empty", "main"]);
}

#[test]
fn an_incomplete_list_is_an_error() {
    let repo = Repo::new();
    repo.git(&["branch", "x"]);
    repo.git(&["pack-refs", "--all", "--prune"]);
    let path = repo.root.join(".git/packed-refs");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let error = repo.workspace().branches().unwrap_err();
    assert_eq!(error.code(), WorktreeCode::GitUnreadable);
    assert!(error.to_string().contains("packed-refs is damaged: a line does not end"), "{error}");
    std::fs::write(&path, whole).unwrap();
    assert_eq!(repo.names(), ["main", "x"]);
}

#[test]
fn reftables_are_named_and_refused() {
    let repo = Repo::new();
    repo.write(".git/HEAD", "ref: refs/heads/.invalid\n");
    let check = |text: String| assert!(text.contains("reftables") && text.contains("CAIRN_BRANCH"), "{text}");
    let error = repo.branch().unwrap_err();
    assert_eq!(error.code(), WorktreeCode::GitUnreadable);
    check(error.to_string());
    std::fs::remove_dir_all(repo.root.join(".git/refs/heads")).unwrap();
    repo.write(".git/refs/heads", "this repository uses the reftable format\n");
    check(repo.workspace().branches().unwrap_err().to_string());
}
