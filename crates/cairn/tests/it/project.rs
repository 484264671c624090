//! A git repository with a data directory in it, and commands run there.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::program::{cairn, output, stderr, stdout, within};

/// A temporary folder with the repository `tree`.
pub(crate) struct Project {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Project {
    /// A folder that is no repository, with a data directory.
    pub(crate) fn plain() -> Project {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = dir.path().canonicalize().expect("it is there").join("tree");
        std::fs::create_dir(&root).expect("a folder");
        let project = Project { _dir: dir, root };
        assert_eq!(project.call(&["init"]).status.code(), Some(0));
        project
    }

    /// A repository with one commit on `main`.
    pub(crate) fn new() -> Project {
        let project = Project::plain();
        project.git(&["init", "-q", "-b", "main"]);
        project.commit();
        project
    }

    pub(crate) fn commit(&self) {
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.git_command(arguments).output().expect("git is there");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        stdout(&output).trim().to_owned()
    }

    /// Git with nothing of this machine in its configuration.
    pub(crate) fn git_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.root);
        for (name, value) in [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ] {
            command.env(name, value);
        }
        command
    }

    /// A path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().expect("a folder").join(name)
    }

    /// `cairn` with the data directory of the project, wherever it is called.
    pub(crate) fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = cairn(folder, arguments);
        command.env("CAIRN_DATA_DIR", self.root.join(".cairn"));
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(&self.root, arguments))
    }

    /// What a command prints that has to succeed.
    pub(crate) fn said(&self, arguments: &[&str]) -> String {
        said(&mut self.command(&self.root, arguments))
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.said(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    /// Exit code and error of a command that has to fail.
    pub(crate) fn failed(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.call(arguments);
        assert!(!output.status.success(), "{arguments:?}: {output:?}");
        (output.status.code().expect("it ends by itself"), stderr(&output))
    }

    /// Runs it with something to read.
    pub(crate) fn piped(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command(&self.root, arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        let input = input.to_owned();
        // One that refuses before it reads closes the pipe.
        let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let output = within("its end", move || child.wait_with_output()).expect("its output is read");
        writer.join().expect("it is written");
        output
    }

    /// Creates a requirement on the active branch.
    pub(crate) fn requirement(&self, id: &str) {
        self.said(&["kb", "upsert", "req", id, "--title", id, "--status", "open"]);
    }

    /// Ids of all entities of the active branch.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.ids_with(&[])
    }

    /// The same with more arguments.
    pub(crate) fn ids_with(&self, arguments: &[&str]) -> Vec<String> {
        ids(&self.json(&[&["kb", "query", "--limit", "1000"], arguments].concat()))
    }
}

/// What a command prints that has to succeed.
pub(crate) fn said(command: &mut Command) -> String {
    let output = output(command);
    assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
    stdout(&output)
}

/// Ids of entities of a query.
pub(crate) fn ids(page: &Value) -> Vec<String> {
    let entities = page["entities"].as_array().expect("entities");
    entities.iter().map(|entity| entity["id"].as_str().expect("an id").to_owned()).collect()
}
