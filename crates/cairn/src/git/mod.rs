//! Running git, where cairn runs in its hooks or for it. Everything else reads `.git` as it lies on disk.
//!
//! Arguments are passed as they are, never through a shell. Variables such as `GIT_INDEX_FILE` are inherited, so that a
//! hook sees the index of the commit that is being made; those that give arguments another meaning are not. Output is
//! read up to a limit.

mod blobs;
mod commits;
mod diff;
mod hooks_folder;

use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use cairn_worktree::Workspace;

pub(crate) use self::blobs::Blob;
pub(crate) use self::commits::{Commits, found};
pub(crate) use self::diff::{Hunk, Staged, StagedChanges};
pub(crate) use self::hooks_folder::HooksFolder;
use crate::failure::Failure;
use crate::limits::{GIT_DIFF_BYTES_MAX, GIT_MESSAGE_BYTES_MAX};

/// Variables that change the meaning of pathspecs and the output of a diff.
const NOT_INHERITED: [&str; 5] = [
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_DIFF_OPTS",
];

/// Variables that say which repository git works on. In a hook they make a folder below the top of the tree the top.
const OF_REPOSITORY: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX"];

/// Git in a folder.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    folder: PathBuf,
    /// Whether variables say which repository it is.
    is_named: bool,
}

/// A run of git that came to its end.
struct Ran {
    status: ExitStatus,
    output: Vec<u8>,
    /// Its messages.
    said: Vec<u8>,
}

impl Git {
    /// Git in a folder, and in the repository that variables name, if they do.
    pub(crate) fn at(folder: &Path) -> Git {
        Git { folder: folder.to_owned(), is_named: true }
    }

    /// Git in the root of a workspace, and in its repository.
    pub(crate) fn of(workspace: &Workspace) -> Git {
        Git { folder: workspace.root().to_owned(), is_named: false }
    }

    fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new("git");
        command.args(["--no-optional-locks", "--no-pager"]);
        command.args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"]).args(arguments);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let of_repository = OF_REPOSITORY.into_iter().filter(|_| !self.is_named);
        for name in NOT_INHERITED.into_iter().chain(of_repository) {
            command.env_remove(name);
        }
        command
    }

    /// Runs git to its end. Fails if it prints more than `bytes_max` bytes.
    fn run(&self, arguments: &[impl AsRef<OsStr>], bytes_max: usize) -> Result<Ran, Failure> {
        let mut child = self.command(arguments).spawn().map_err(|error| cannot_run(&error))?;
        let name = arguments.first().map(|name| name.as_ref().to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        // A program that fills one pipe while the other is read would wait without end.
        let said = std::thread::spawn(move || read(stderr, GIT_MESSAGE_BYTES_MAX).unwrap_or_default());
        let output = read(stdout, bytes_max);
        let is_too_long = output.as_ref().is_ok_and(|output| output.len() > bytes_max);
        if is_too_long || output.is_err() {
            // It may have ended by itself.
            let _ = child.kill();
        }
        let status =
            child.wait().map_err(|error| Failure::io(format_args!("wait for git {name}"), &error))?;
        let said = said.join().unwrap_or_default();
        let output = output.map_err(|error| Failure::io(format_args!("read from git {name}"), &error))?;
        if is_too_long {
            return Err(Failure::new(format!("git {name} prints more than the {bytes_max} bytes allowed"))
                .hint("name fewer commits, or commit the changes in several parts"));
        }
        Ok(Ran { status, output, said })
    }

    /// Runs git and returns what it prints, at most `bytes_max` bytes. Fails if git does.
    fn output(&self, arguments: &[impl AsRef<OsStr>], bytes_max: usize) -> Result<Vec<u8>, Failure> {
        let Ran { status, output, said } = self.run(arguments, bytes_max)?;
        let name = arguments.first().map(|name| name.as_ref().to_string_lossy()).unwrap_or_default();
        // It is the answer of a search that finds nothing.
        let is_none = status.code() == Some(1) && output.is_empty() && name == "grep";
        if !status.success() && !is_none {
            let said = String::from_utf8_lossy(&said);
            let said = said.trim().trim_start_matches("fatal: ");
            return Err(Failure::new(format!("git {name} failed: {said}")));
        }
        Ok(output)
    }

    /// Returns the paths in the index, among those that match one of the pathspecs, whose content has one of the words.
    pub(crate) fn staged_with_words(
        &self,
        words: &[&str],
        pathspecs: &[String],
    ) -> Result<Vec<String>, Failure> {
        let mut arguments = vec!["grep", "--cached", "-l", "-z", "-F", "-w", "--text", "--no-color"];
        words.iter().for_each(|word| arguments.extend(["-e", word]));
        arguments.push("--");
        arguments.extend(pathspecs.iter().map(String::as_str));
        let output = self.output(&arguments, GIT_DIFF_BYTES_MAX)?;
        let paths = output.split(|byte| *byte == 0).filter_map(|path| std::str::from_utf8(path).ok());
        Ok(paths.filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    /// Runs git, and returns its only line.
    fn line(&self, arguments: &[&str]) -> Result<PathBuf, Failure> {
        let mut output = self.output(arguments, GIT_MESSAGE_BYTES_MAX)?;
        if output.last() == Some(&b'\n') {
            output.pop();
        }
        use std::os::unix::ffi::OsStringExt;
        Ok(std::ffi::OsString::from_vec(output).into())
    }
}

fn read(pipe: impl Read, bytes_max: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn cannot_run(error: &std::io::Error) -> Failure {
    let failure = Failure::io("run git", error);
    if error.kind() == ErrorKind::NotFound {
        failure.hint("install git, or put it on the PATH")
    } else {
        failure
    }
}
