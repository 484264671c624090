//! The branch that was active before.

use std::fs;

use crate::repo::{Repo, find};

fn previous(workspace: &cairn_worktree::Workspace) -> Option<String> {
    workspace.branch().unwrap().previous.map(|name| name.to_string())
}

#[test]
fn each_worktree_remembers_its_own_branch() {
    let repo = Repo::new();
    assert_eq!(previous(&repo.workspace()), None);
    let main = repo.branch().unwrap().branch;
    assert!(repo.workspace().remember(&main).unwrap());
    assert!(!repo.workspace().remember(&main).unwrap());
    assert_eq!(previous(&repo.workspace()), None);
    repo.git(&["switch", "-q", "-c", "größe/x"]);
    for _ in 0..2 {
        assert_eq!(previous(&repo.workspace()).as_deref(), Some("main"));
    }
    repo.workspace().remember(&repo.branch().unwrap().branch).unwrap();
    assert_eq!(previous(&repo.workspace()), None);
    repo.git(&["switch", "-q", "main"]);
    assert_eq!(previous(&repo.workspace()).as_deref(), Some("größe/x"));
    repo.git(&["worktree", "add", "-q", "-b", "two", "../two"]);
    let second = find(&repo.beside("two"), &[]).unwrap();
    assert_eq!(previous(&second), None);
    second.remember(&second.branch().unwrap().branch).unwrap();
    assert!(repo.root.join(".git/worktrees/two/cairn/branch").is_file());
    assert_eq!(previous(&repo.workspace()).as_deref(), Some("größe/x"));
    let names: Vec<_> =
        fs::read_dir(repo.root.join(".git/cairn")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["branch"]);
}

#[test]
fn an_override_is_remembered_and_compared_too() {
    let repo = Repo::plain();
    let named = |name| find(&repo.root, &[("CAIRN_BRANCH", name)]).unwrap();
    let first = named(".a/b.lock");
    assert!(first.remember(&first.branch().unwrap().branch).unwrap());
    assert_eq!(previous(&first), None);
    assert_eq!(previous(&named("b")).as_deref(), Some(".a/b.lock"));
}

#[test]
fn a_damaged_memory_is_none() {
    let repo = Repo::new();
    for bad in [&b""[..], b"main", b"a b\n", b"\xff\n", b"x\ny\n"] {
        repo.write(".git/cairn/branch", bad);
        assert_eq!(previous(&repo.workspace()), None, "{bad:?}");
    }
    let main = repo.branch().unwrap().branch;
    assert!(repo.workspace().remember(&main).unwrap());
    assert_eq!(fs::read(repo.root.join(".git/cairn/branch")).unwrap(), b"main\n");
}
