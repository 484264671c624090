//! Repositories for tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cairn_worktree::{ActiveBranch, BranchSource, Workspace, WorktreeError};

/// A temporary folder with repositories in it.
pub(crate) struct Repo {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Repo {
    /// A folder that is no repository.
    pub(crate) fn plain() -> Repo {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("tree");
        std::fs::create_dir(&root).unwrap();
        Repo { _dir: dir, root }
    }

    /// A repository without commits on `main`.
    pub(crate) fn empty() -> Repo {
        let repo = Repo::plain();
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    /// A repository with a commit on `main`.
    pub(crate) fn new() -> Repo {
        let repo = Repo::empty();
        repo.commit();
        repo
    }

    pub(crate) fn commit(&self) {
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.root, arguments)
    }

    /// A path beside the tree.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn workspace(&self) -> Workspace {
        find(&self.root, &[]).unwrap()
    }

    pub(crate) fn branch(&self) -> Result<ActiveBranch, WorktreeError> {
        self.workspace().branch()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.workspace().branches().unwrap().iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    pub(crate) fn check(&self, branch: &str, source: BranchSource) {
        check(&self.workspace(), branch, source);
    }
}

#[track_caller]
pub(crate) fn check(workspace: &Workspace, branch: &str, source: BranchSource) {
    let active = workspace.branch().unwrap();
    assert_eq!((active.branch.as_str(), active.source), (branch, source));
}

pub(crate) fn find(start: &Path, env: &[(&str, &str)]) -> Result<Workspace, WorktreeError> {
    let value = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Workspace::find(start, &value)
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
    ] {
        command.env(name, value);
    }
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    output(command(folder, arguments).output().unwrap(), arguments)
}

pub(crate) fn git_with_input(folder: &Path, arguments: &[&str], input: &[u8]) {
    let mut child = command(folder, arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    output(child.wait_with_output().unwrap(), arguments);
}

fn output(output: Output, arguments: &[&str]) -> String {
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
