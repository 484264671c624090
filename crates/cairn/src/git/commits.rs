//! Files that commits change, by asking git.

use cairn_base::Harmless;

use super::Git;
use crate::failure::Failure;
use crate::limits::KB_GIT_BYTES_MAX;

/// One commit, or two ends of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Commits {
    /// The changes of one commit.
    One(String),
    /// `A..B`: between two commits.
    Between(String, String),
    /// `A...B`: from their merge base to the second one.
    FromBase(String, String),
}

impl Commits {
    /// Reads `A..B` and `A...B`; an end that is missing is `HEAD`. `None` if it is no range.
    pub(crate) fn range(text: &str) -> Option<Self> {
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

    /// Paths of the files that they change, relative to the folder of `git`, sorted. Files outside of it are left out.
    ///
    /// # Errors
    ///
    /// Fails if git cannot be run, or does not know the commits.
    pub(crate) fn changed_files(&self, git: &Git) -> Result<Vec<String>, Failure> {
        let (from, to) = match self {
            Commits::One(commit) => {
                let commit = resolved(git, commit)?;
                match found(git, &format!("{commit}^1"))? {
                    Some(parent) => (Some(parent), commit),
                    None if has_parent(git, &commit)? => return Err(shallow(&commit)),
                    None => (None, commit),
                }
            }
            Commits::Between(from, to) => (Some(resolved(git, from)?), resolved(git, to)?),
            Commits::FromBase(from, to) => {
                let (from, to) = (resolved(git, from)?, resolved(git, to)?);
                let base = answer(git, &["merge-base", &from, &to])?;
                let Some(base) = base else {
                    let none = Failure::usage("the commits have no common ancestor");
                    let hint = "the clone is shallow: fetch more of it, such as with `git fetch --unshallow`";
                    return Err(if is_shallow(git)? { none.hint(hint) } else { none });
                };
                (Some(line(&base)), to)
            }
        };
        let flags = ["--no-ext-diff", "--no-renames", "--name-only", "--relative", "-z"];
        let listed = match &from {
            Some(from) => answer(git, &[&["diff"], &flags[..], &[from, &to, "--"]].concat())?,
            None => {
                let command = ["diff-tree", "-r", "--root", "--no-commit-id"];
                answer(git, &[&command, &flags[..], &[&to, "--"]].concat())?
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
fn has_parent(git: &Git, commit: &str) -> Result<bool, Failure> {
    let said = answer(git, &["cat-file", "commit", commit])?.unwrap_or_default();
    let head = said.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    Ok(head.into_iter().any(|line| line.starts_with(b"parent ")))
}

fn shallow(commit: &str) -> Failure {
    Failure::usage(format!("the parent of {commit} is missing, because the clone is shallow"))
        .hint("fetch it, with `git fetch --deepen 1`, or clone with `--depth 2`")
}

fn is_shallow(git: &Git) -> Result<bool, Failure> {
    let said = answer(git, &["rev-parse", "--is-shallow-repository"])?;
    Ok(said.is_some_and(|said| line(&said) == "true"))
}

/// Returns the commit of a name. Fails if no commit has it.
fn resolved(git: &Git, name: &str) -> Result<String, Failure> {
    found(git, name)?.ok_or_else(|| Failure::usage(format!("git knows no commit {}", Harmless(name))))
}

/// The commit of a name, if there is one.
pub(crate) fn found(git: &Git, name: &str) -> Result<Option<String>, Failure> {
    if name.starts_with('-') {
        return Err(Failure::usage(format!("{} is no name of a commit", Harmless(name))));
    }
    let commit = format!("{name}^{{commit}}");
    let said = answer(git, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    let said = said.map(|said| line(&said));
    Ok(said.filter(|said| said.len() >= 40 && said.bytes().all(|byte| byte.is_ascii_hexdigit())))
}

/// Output of git; `None` if it fails.
fn answer(git: &Git, arguments: &[&str]) -> Result<Option<Vec<u8>>, Failure> {
    let ran = git.run(arguments, KB_GIT_BYTES_MAX)?;
    Ok(ran.status.success().then_some(ran.output))
}

fn line(said: &[u8]) -> String {
    String::from_utf8_lossy(said).trim().to_owned()
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
            let refused = found(&Git::at(dir.path()), name).expect_err(name);
            assert!(format!("{refused:?}").contains("is no name of a commit"), "{refused:?}");
        }
    }
}
