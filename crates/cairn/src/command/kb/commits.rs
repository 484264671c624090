//! Files that commits change, by asking git.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use cairn_base::Harmless;

use crate::failure::Failure;
use crate::limits::KB_GIT_BYTES_MAX;

/// One commit, or two ends of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Commits {
    /// The changes of one commit.
    One(String),
    /// `A..B`: between two commits.
    Between(String, String),
    /// `A...B`: from their merge base to the second one.
    FromBase(String, String),
}

impl Commits {
    /// Reads `A..B` and `A...B`; an end that is missing is `HEAD`. `None` if it is no range.
    pub(super) fn range(text: &str) -> Option<Self> {
        let end = |text: &str| if text.is_empty() { "HEAD".to_owned() } else { text.to_owned() };
        let is_path = text.split('/').any(|part| matches!(part, "." | ".."));
        if is_path {
            return None;
        }
        if let Some((from, to)) = text.split_once("...") {
            return Some(Commits::FromBase(end(from), end(to)));
        }
        let (from, to) = text.split_once("..")?;
        Some(Commits::Between(end(from), end(to)))
    }

    /// Paths of the files that they change, relative to `root`, sorted. Files outside of it are left out.
    ///
    /// # Errors
    ///
    /// Fails if git cannot be run, or does not know the commits.
    pub(super) fn changed_files(&self, root: &Path) -> Result<Vec<String>, Failure> {
        let (from, to) = match self {
            Commits::One(commit) => {
                let commit = resolved(root, commit)?;
                match found(root, &format!("{commit}^1"))? {
                    Some(parent) => (Some(parent), commit),
                    None if has_parent(root, &commit)? => return Err(shallow(&commit)),
                    None => (None, commit),
                }
            }
            Commits::Between(from, to) => (Some(resolved(root, from)?), resolved(root, to)?),
            Commits::FromBase(from, to) => {
                let (from, to) = (resolved(root, from)?, resolved(root, to)?);
                let base = git(root, &["merge-base", &from, &to])?;
                let Some(base) = base else {
                    let none = Failure::usage("the commits have no common ancestor");
                    let hint = "the clone is shallow: fetch more of it, such as with `git fetch --unshallow`";
                    return Err(if is_shallow(root)? { none.hint(hint) } else { none });
                };
                (Some(line(&base)), to)
            }
        };
        let flags = ["--no-ext-diff", "--no-renames", "--name-only", "--relative", "-z"];
        let listed = match &from {
            Some(from) => git(root, &[&["diff"], &flags[..], &[from, &to, "--"]].concat())?,
            None => {
                let command = ["diff-tree", "-r", "--root", "--no-commit-id"];
                git(root, &[&command, &flags[..], &[&to, "--"]].concat())?
            }
        };
        let listed = listed.ok_or_else(|| Failure::new("git cannot compare the commits"))?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        // An entity is never about a path that is no text.
        let mut names: Vec<String> = names.filter_map(|name| String::from_utf8(name.to_vec()).ok()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}

/// Whether a commit names a parent, which may be missing in a shallow clone.
fn has_parent(root: &Path, commit: &str) -> Result<bool, Failure> {
    let said = git(root, &["cat-file", "commit", commit])?.unwrap_or_default();
    let head = said.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    Ok(head.into_iter().any(|line| line.starts_with(b"parent ")))
}

fn shallow(commit: &str) -> Failure {
    Failure::usage(format!("the parent of {commit} is missing, because the clone is shallow"))
        .hint("fetch it, with `git fetch --deepen 1`, or clone with `--depth 2`")
}

fn is_shallow(root: &Path) -> Result<bool, Failure> {
    let said = git(root, &["rev-parse", "--is-shallow-repository"])?;
    Ok(said.is_some_and(|said| line(&said) == "true"))
}

/// The commit of a name; fails if there is none.
fn resolved(root: &Path, name: &str) -> Result<String, Failure> {
    found(root, name)?.ok_or_else(|| Failure::usage(format!("git knows no commit {}", Harmless(name))))
}

/// The commit of a name, if there is one.
pub(super) fn found(root: &Path, name: &str) -> Result<Option<String>, Failure> {
    if name.starts_with('-') {
        return Err(Failure::usage(format!("{} is no name of a commit", Harmless(name))));
    }
    let commit = format!("{name}^{{commit}}");
    let said = git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    let said = said.map(|said| line(&said));
    Ok(said.filter(|said| said.len() >= 40 && said.bytes().all(|byte| byte.is_ascii_hexdigit())))
}

fn line(said: &[u8]) -> String {
    String::from_utf8_lossy(said).trim().to_owned()
}

/// Output of git; `None` if it fails. Nothing of it is a name of a file or of an option unless we say so.
fn git(root: &Path, arguments: &[&str]) -> Result<Option<Vec<u8>>, Failure> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(["--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false"]);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped());
    let failed = |error| Failure::io("run git", &error).hint("install git, or name files instead of commits");
    let mut child = command.spawn().map_err(failed)?;
    let mut said = Vec::new();
    let read = match child.stdout.take() {
        Some(out) => out.take(KB_GIT_BYTES_MAX as u64 + 1).read_to_end(&mut said),
        None => Ok(0),
    };
    if said.len() > KB_GIT_BYTES_MAX {
        // It may be waiting for somebody to read the rest.
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    read.map_err(failed)?;
    if said.len() > KB_GIT_BYTES_MAX {
        return Err(
            Failure::new(format!("git says more than {KB_GIT_BYTES_MAX} bytes")).hint("name fewer commits")
        );
    }
    Ok(status.success().then_some(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_two_dots_or_three() {
        let between = |from: &str, to: &str| Some(Commits::Between(from.into(), to.into()));
        let from_base = |from: &str, to: &str| Some(Commits::FromBase(from.into(), to.into()));
        for (text, expected) in [
            ("main..HEAD", between("main", "HEAD")),
            ("main...feature/x", from_base("main", "feature/x")),
            ("v1.0..", between("v1.0", "HEAD")),
            ("..v1.0", between("HEAD", "v1.0")),
            ("HEAD", None),
            ("../src/a.rs", None),
            ("src/../a.rs", None),
            ("REQ-1", None),
        ] {
            assert_eq!(Commits::range(text), expected, "{text}");
        }
    }

    #[test]
    fn options_are_no_commits() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["-x", "--output=x", "--help"] {
            let refused = found(dir.path(), name).expect_err(name);
            assert!(format!("{refused:?}").contains("is no name of a commit"), "{refused:?}");
        }
    }
}
