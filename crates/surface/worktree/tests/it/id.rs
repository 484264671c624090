//! The id of a workspace.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Barrier;
use std::{fs, thread};

use cairn_base::{SeededEntropy, SystemEntropy};
use cairn_worktree::{Workspace, WorkspaceId, WorktreeCode};

use crate::repo::{Repo, find};

fn id(workspace: &Workspace) -> WorkspaceId {
    workspace.id(&SystemEntropy).unwrap()
}

#[test]
fn worktrees_of_a_clone_share_an_id_and_clones_do_not() {
    let repo = Repo::new();
    let first = id(&repo.workspace());
    let stored = fs::read_to_string(repo.root.join(".git/cairn/workspace")).unwrap();
    assert_eq!(stored, format!("{first}\n"));
    assert_eq!(stored.trim().parse(), Ok(first));
    assert_eq!(id(&repo.workspace()), first);
    repo.git(&["worktree", "add", "-q", "-b", "two", "../two"]);
    assert_eq!(id(&find(&repo.beside("two"), &[]).unwrap()), first);
    repo.git(&["clone", "-q", ".", "../clone"]);
    assert_ne!(id(&find(&repo.beside("clone"), &[]).unwrap()), first);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let names: Vec<_> =
        fs::read_dir(repo.root.join(".git/cairn")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["workspace"]);
}

#[test]
fn creating_it_at_once_gives_one_id() {
    for round in 0..20_u64 {
        let repo = Repo::plain();
        let workspace = find(&repo.root, &[("CAIRN_BRANCH", "main")]).unwrap();
        let start = Barrier::new(8);
        let ids: BTreeSet<WorkspaceId> = thread::scope(|scope| {
            let create = |n| {
                let (start, workspace) = (&start, &workspace);
                scope.spawn(move || {
                    start.wait();
                    workspace.id(&SeededEntropy::new(round * 100 + n)).unwrap()
                })
            };
            let threads: Vec<_> = (0..8_u64).map(create).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(ids.len(), 1);
        assert!(repo.root.join(".cairn-workspace/workspace").is_file());
    }
}

#[test]
fn a_damaged_id_is_an_error_and_is_not_replaced() {
    let repo = Repo::new();
    for bad in ["", "abc\n", &"0".repeat(32), &"g".repeat(33), &"0".repeat(10_000)] {
        repo.write(".git/cairn/workspace", bad);
        let error = repo.workspace().id(&SystemEntropy).unwrap_err();
        assert_eq!(error.code(), WorktreeCode::WorkspaceState, "{error}");
        assert_eq!(fs::read_to_string(repo.root.join(".git/cairn/workspace")).unwrap(), bad);
    }
}

#[test]
fn no_link_leads_the_id_elsewhere() {
    let repo = Repo::new();
    fs::create_dir(repo.beside("elsewhere")).unwrap();
    symlink(repo.beside("elsewhere"), repo.root.join(".git/cairn")).unwrap();
    let error = repo.workspace().id(&SystemEntropy).unwrap_err();
    assert_eq!(error.code(), WorktreeCode::WorkspaceState);
    let main = cairn_worktree::BranchName::parse("main").unwrap();
    assert_eq!(repo.workspace().remember(&main).unwrap_err().code(), WorktreeCode::WorkspaceState);
    assert_eq!(fs::read_dir(repo.beside("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_repository_that_cannot_be_written_says_so() {
    let repo = Repo::new();
    let folder = repo.root.join(".git/cairn");
    fs::write(&folder, "a file").unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o444)).unwrap();
    let error = repo.workspace().id(&SystemEntropy).unwrap_err();
    assert_eq!(error.code(), WorktreeCode::WorkspaceState);
    assert!(error.to_string().contains(".git/cairn/workspace"), "{error}");
}
