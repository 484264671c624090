//! Names of branches.

use std::fmt;

use crate::limits::GIT_BRANCH_BYTES_MAX;

/// The name of a branch, without `refs/heads/`: 1 to 255 bytes, no control characters.
///
/// A name that a person gives has plain characters only ([`parse`](Self::parse)). A name that git gives may have all
/// that git allows ([`from_git`](Self::from_git)), such as `fix/#12` or `größe`. Names are compared byte by byte:
/// `main`, `Main` and `master` are three branches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchName(Box<str>);

/// The rule that a branch name breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BranchNameProblem {
    /// It is empty.
    #[error("because it is empty")]
    Empty,
    /// It is too long.
    #[error("because it has more than {GIT_BRANCH_BYTES_MAX} bytes")]
    TooLong,
    /// It is not UTF-8.
    #[error("because it is not UTF-8")]
    NotUtf8,
    /// It has control characters.
    #[error("because it has control characters")]
    Control,
    /// It has a character that is not allowed.
    #[error("because {0:?} is not allowed in it")]
    Character(char),
    /// It starts or ends with something that is not allowed there.
    #[error("because it starts with `/` or `-`, or ends with `/` or `.`")]
    Edge,
    /// It has a sequence that is not allowed.
    #[error("because it has `{0}` in it")]
    Sequence(&'static str),
}

impl BranchName {
    /// Parses a name that a person gives: letters and digits of ASCII and `.`, `_`, `-`, `/`, `+`.
    ///
    /// Fails if it starts with `/` or `-`, ends with `/` or `.`, or has `..` or `//`.
    pub fn parse(text: &str) -> Result<Self, BranchNameProblem> {
        let name = checked(text)?;
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || "._-/+".contains(*c);
        match text.chars().find(|c| !is_plain(c)) {
            Some(other) => Err(BranchNameProblem::Character(other)),
            None => Ok(name),
        }
    }

    /// Checks a name that git gives, by the rules of `git check-ref-format`.
    ///
    /// Fails also if it is not UTF-8, has control characters beyond ASCII or is longer than 255 bytes.
    pub fn from_git(name: &[u8]) -> Result<Self, BranchNameProblem> {
        if name.len() > GIT_BRANCH_BYTES_MAX {
            return Err(BranchNameProblem::TooLong);
        }
        let text = std::str::from_utf8(name).map_err(|_| BranchNameProblem::NotUtf8)?;
        let name = checked(text)?;
        if let Some(other) = text.chars().find(|c| " ~^:?*[\\".contains(*c)) {
            return Err(BranchNameProblem::Character(other));
        }
        if text.contains("@{") {
            return Err(BranchNameProblem::Sequence("@{"));
        }
        if text.split('/').any(|part| part.starts_with('.')) {
            return Err(BranchNameProblem::Sequence("/."));
        }
        if text.split('/').any(|part| part.ends_with(".lock")) {
            return Err(BranchNameProblem::Sequence(".lock"));
        }
        Ok(name)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The rules that both kinds of names keep.
fn checked(text: &str) -> Result<BranchName, BranchNameProblem> {
    if text.is_empty() {
        return Err(BranchNameProblem::Empty);
    }
    if text.len() > GIT_BRANCH_BYTES_MAX {
        return Err(BranchNameProblem::TooLong);
    }
    if text.chars().any(char::is_control) {
        return Err(BranchNameProblem::Control);
    }
    if text.starts_with(['/', '-']) || text.ends_with(['/', '.']) {
        return Err(BranchNameProblem::Edge);
    }
    match ["..", "//"].into_iter().find(|bad| text.contains(bad)) {
        Some(bad) => Err(BranchNameProblem::Sequence(bad)),
        None => Ok(BranchName(text.into())),
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for BranchName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::BranchNameProblem::*;
    use super::*;

    fn check(text: &str, given: Option<BranchNameProblem>, from_git: Option<BranchNameProblem>) {
        assert_eq!(BranchName::parse(text).err(), given, "{text:?} as given");
        assert_eq!(BranchName::from_git(text.as_bytes()).err(), from_git, "{text:?} from git");
    }

    #[test]
    fn plain_names_are_allowed_everywhere() {
        for text in ["main", "master", "feature/x+y_z-1.2", "a", "HEAD", "0", &"a".repeat(255)] {
            check(text, None, None);
        }
    }

    #[test]
    fn names_of_git_may_have_more_characters() {
        for text in ["größe", "fix/#12", "user@host", "a=b", "日本", "(x)", "@", "a'b", "a\"b", "a%2Fb"] {
            let other = text.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '/').unwrap();
            check(text, Some(Character(other)), None);
        }
    }

    #[test]
    fn each_rule_refuses() {
        for (text, problem) in [
            ("", Empty),
            (&*"a".repeat(256), TooLong),
            ("/a", Edge),
            ("a/", Edge),
            ("a.", Edge),
            ("-a", Edge),
            ("a..b", Sequence("..")),
            ("..", Edge),
            ("../x", Sequence("..")),
            ("a//b", Sequence("//")),
            ("a\nb", Control),
            ("a\0b", Control),
            ("a\u{7f}b", Control),
            ("a\u{85}b", Control),
            ("a b", Character(' ')),
            ("a~1", Character('~')),
            ("a^", Character('^')),
            ("a:b", Character(':')),
            ("a?", Character('?')),
            ("a*", Character('*')),
            ("a[b", Character('[')),
            ("a\\b", Character('\\')),
        ] {
            check(text, Some(problem), Some(problem));
        }
        check("a@{b", Some(Character('@')), Some(Sequence("@{")));
        check(".a", None, Some(Sequence("/.")));
        check("a/.b", None, Some(Sequence("/.")));
        check("a.lock", None, Some(Sequence(".lock")));
        check("a.lock/b", None, Some(Sequence(".lock")));
        assert_eq!(BranchName::from_git(b"a\xff"), Err(NotUtf8));
    }
}
