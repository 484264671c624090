//! The root of a tree and its repository.

use std::fs;
use std::os::unix::fs::symlink;

use cairn_base::ErrorCode;
use cairn_worktree::{BranchSource, WorktreeCode};

use crate::repo::{Repo, check, find, git};

#[test]
fn the_nearest_folder_with_a_repository_or_a_configuration_is_the_root() {
    let repo = Repo::new();
    repo.write("a/b/c/file", "");
    let root = |from: &str| find(&repo.root.join(from), &[]).unwrap().root().to_owned();
    assert_eq!(root("a/b/c"), repo.root);
    repo.write("a/cairn-kb.toml", "");
    assert_eq!(root("a/b/c"), repo.root.join("a"));
    assert_eq!(root(""), repo.root);
    check(&find(&repo.root.join("a/b"), &[]).unwrap(), "main", BranchSource::Head);
    // A folder inside of `.git` belongs to the tree around it; an empty `.git` is no repository.
    assert_eq!(root(".git/refs"), repo.root);
    fs::create_dir(repo.root.join("a/b/.git")).unwrap();
    assert_eq!(root("a/b/c"), repo.root.join("a"));
    symlink(repo.root.join("a/b/c"), repo.beside("link")).unwrap();
    assert_eq!(find(&repo.beside("link"), &[]).unwrap().root(), repo.root.join("a"));
}

#[test]
fn the_environment_names_root_and_branch() {
    let repo = Repo::new();
    repo.write("a/b/file", "");
    let inside = repo.root.join("a").to_str().unwrap().to_owned();
    for name in ["CAIRN_WORKSPACE", "KIBI_WORKSPACE"] {
        let workspace = find(&repo.beside(""), &[(name, &inside)]).unwrap();
        assert_eq!(workspace.root(), repo.root.join("a"));
        check(&workspace, "main", BranchSource::Head);
    }
    assert_eq!(find(&repo.root, &[("CAIRN_WORKSPACE", "a/b")]).unwrap().root(), repo.root.join("a/b"));
    for (env, branch, source) in [
        (&[("CAIRN_BRANCH", " x/y \n")][..], "x/y", BranchSource::Env),
        (&[("KIBI_BRANCH", "z")], "z", BranchSource::Env),
        (&[("KIBI_BRANCH", "z"), ("CAIRN_BRANCH", "x")], "x", BranchSource::Env),
        (&[("KIBI_BRANCH", "z"), ("CAIRN_BRANCH", " ")], "z", BranchSource::Env),
        (&[("CAIRN_BRANCH", "")], "main", BranchSource::Head),
    ] {
        check(&find(&repo.root, env).unwrap(), branch, source);
    }
    for (name, value) in [("CAIRN_BRANCH", "a b"), ("KIBI_BRANCH", "../x"), ("CAIRN_WORKSPACE", "nowhere")] {
        let error = find(&repo.root, &[(name, value)]).unwrap_err();
        assert_eq!(error.code(), WorktreeCode::EnvOverride);
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn outside_of_git_the_branch_has_to_be_named() {
    let repo = Repo::plain();
    repo.write("sub/file", "");
    let error = find(&repo.root, &[]).unwrap_err();
    assert_eq!(error.code(), WorktreeCode::NotAGitRepo);
    assert!(error.to_string().contains("CAIRN_BRANCH"), "{error}");
    let workspace = find(&repo.root.join("sub"), &[("CAIRN_BRANCH", "main")]).unwrap();
    assert_eq!((workspace.root(), workspace.is_git()), (&*repo.root.join("sub"), false));
    check(&workspace, "main", BranchSource::Env);
    assert_eq!(workspace.branches().unwrap_err().code(), WorktreeCode::NotAGitRepo);
    repo.write("cairn-kb.toml", "");
    assert_eq!(find(&repo.root.join("sub"), &[("CAIRN_BRANCH", "main")]).unwrap().root(), repo.root);
    assert_eq!(find(&repo.root.join("gone"), &[]).unwrap_err().code(), ErrorCode::NotFound);
}

#[test]
fn a_bare_repository_has_no_tree_and_its_worktrees_have() {
    let repo = Repo::new();
    let bare = repo.beside("bare.git");
    git(&repo.root, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let error = find(&bare, &[]).unwrap_err();
    assert_eq!(error.code(), WorktreeCode::NotAGitRepo);
    assert!(error.to_string().contains("bare"), "{error}");
    git(&bare, &["worktree", "add", "-q", "-b", "x", "../of-bare"]);
    check(&find(&repo.beside("of-bare"), &[]).unwrap(), "x", BranchSource::Head);
}

#[test]
fn a_submodule_is_a_clone_of_its_own() {
    let (repo, part) = (Repo::new(), Repo::new());
    part.git(&["switch", "-q", "-c", "part"]);
    let url = part.root.to_str().unwrap();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "lib/part"]);
    assert!(repo.root.join("lib/part/.git").is_file());
    let inside = find(&repo.root.join("lib/part"), &[]).unwrap();
    assert_eq!(inside.root(), repo.root.join("lib/part"));
    check(&inside, "part", BranchSource::Head);
    let id = |workspace: &cairn_worktree::Workspace| workspace.id(&cairn_base::SystemEntropy).unwrap();
    assert_ne!(id(&inside), id(&repo.workspace()));
}
