//! The one line of `HEAD` or of a loose ref: a commit, or the name of another ref.

use std::fmt;

/// The content of a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pointer {
    Commit(Commit),
    /// The full name of another ref. It is not checked.
    Ref(Vec<u8>),
}

impl Pointer {
    /// Parses the content of a file; `None` if it is neither.
    pub(crate) fn parse(content: &[u8]) -> Option<Pointer> {
        let line = content.trim_ascii_end();
        if let Some(name) = line.strip_prefix(b"ref:") {
            let name = name.trim_ascii_start();
            let is_name = !name.is_empty() && !name.iter().any(|byte| byte.is_ascii_control());
            return is_name.then(|| Pointer::Ref(name.to_vec()));
        }
        Commit::parse(line).map(Pointer::Commit)
    }
}

/// The name of a commit: 40 hexadecimal digits (SHA-1) or 64 (SHA-256), in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Commit(Box<str>);

impl Commit {
    pub(crate) fn parse(digits: &[u8]) -> Option<Commit> {
        let is_commit = matches!(digits.len(), 40 | 64) && digits.iter().all(u8::is_ascii_hexdigit);
        let text = is_commit.then(|| std::str::from_utf8(digits).ok())??;
        Some(Commit(text.to_ascii_lowercase().into()))
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], expected: Option<&str>) {
        let text = Pointer::parse(content).map(|pointer| match pointer {
            Pointer::Commit(commit) => commit.to_string(),
            Pointer::Ref(name) => String::from_utf8(name).unwrap(),
        });
        assert_eq!(text.as_deref(), expected, "{:?}", content.escape_ascii().to_string());
    }

    #[test]
    fn a_ref_is_a_commit_or_the_name_of_another_ref() {
        let (sha1, sha256) = ("0123456789abcdef0123456789abcdef01234567", "ab".repeat(32));
        check(b"ref: refs/heads/main\n", Some("refs/heads/main"));
        check(b"ref:refs/heads/main", Some("refs/heads/main"));
        check(b"ref: \t refs/heads/a b  \r\n", Some("refs/heads/a b"));
        check(format!("{sha1}\n").as_bytes(), Some(sha1));
        check(sha256.to_ascii_uppercase().as_bytes(), Some(&sha256));
        for bad in
            [&b""[..], b"\n", b"ref:", b"ref: \n", b"refs/heads/main", b"ref: a\nref: b\n", b"ref: a\0b"]
        {
            check(bad, None);
        }
        check(&sha1.as_bytes()[1..], None);
        check(b"0123456789abcdef0123456789abcdef0123456g", None);
    }
}
