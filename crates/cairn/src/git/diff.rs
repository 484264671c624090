//! Changes that are staged: the index against `HEAD`, or against nothing before the first commit.

use std::collections::HashMap;

use super::Git;
use crate::failure::Failure;
use crate::limits::{GIT_DIFF_BYTES_MAX, GIT_STAGED_FILES_MAX};

/// A file that the next commit adds or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Staged {
    /// Its path below the folder that git runs in, after a rename the new one.
    pub(crate) path: String,
    /// Name of the blob in the index.
    pub(crate) blob: String,
    /// Changed parts, in their order.
    pub(crate) hunks: Vec<Hunk>,
}

/// A changed part of a file: lines of the staged version. Without lines, something between two of them is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The first line; without lines, the line before the place.
    pub(crate) start: u32,
    /// Number of lines.
    pub(crate) lines: u32,
}

impl Git {
    /// Returns the staged files that match one of the pathspecs, ordered by path, and the number of paths that are not
    /// UTF-8. Deleted files, submodules, links and files that only changed their name or mode are not among them.
    pub(crate) fn staged(&self, pathspecs: &[String]) -> Result<(Vec<Staged>, usize), Failure> {
        let mut arguments: Vec<&str> = vec![
            "diff",
            "--cached",
            "--raw",
            "--patch",
            "-z",
            "--no-abbrev",
            "--full-index",
            "--unified=0",
            "--inter-hunk-context=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--find-renames",
            "--relative",
            "--submodule=short",
            "--diff-algorithm=myers",
            "--",
        ];
        arguments.extend(pathspecs.iter().map(String::as_str));
        parse(&self.output(&arguments, GIT_DIFF_BYTES_MAX)?)
    }
}

fn parse(output: &[u8]) -> Result<(Vec<Staged>, usize), Failure> {
    let (entries, patch) = entries(output)?;
    let hunks = hunks(patch);
    let mut staged = Vec::new();
    let mut not_utf8 = 0;
    for Entry { path, old, new } in entries {
        let Ok(path) = std::str::from_utf8(path) else {
            not_utf8 += 1;
            continue;
        };
        let Some(hunks) = hunks.get(&(old, new)).filter(|hunks| !hunks.is_empty()) else { continue };
        staged.push(Staged { path: path.to_owned(), blob: new.to_owned(), hunks: hunks.clone() });
    }
    staged.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((staged, not_utf8))
}

/// A changed regular file.
struct Entry<'a> {
    path: &'a [u8],
    old: &'a str,
    new: &'a str,
}

/// Splits the output into entries and the patch behind them.
///
/// An entry is `:MODE MODE BLOB BLOB STATUS`, a NUL and a path, which is followed by another one after a rename or copy.
fn entries(output: &[u8]) -> Result<(Vec<Entry<'_>>, &[u8]), Failure> {
    let odd = || Failure::new("git diff prints something unknown").hint("update git, or cairn");
    let mut rest = output;
    let mut entries = Vec::new();
    let mut count = 0;
    while rest.first() == Some(&b':') {
        count += 1;
        if count > GIT_STAGED_FILES_MAX {
            return Err(Failure::new(format!("more than {GIT_STAGED_FILES_MAX} files are staged"))
                .hint("commit the changes in several parts"));
        }
        let head = field(&mut rest).and_then(|head| std::str::from_utf8(head).ok()).ok_or_else(odd)?;
        let mut words = head[1..].split(' ');
        let mut word = || words.next().ok_or_else(odd);
        let (_, new_mode, old, new, status) = (word()?, word()?, word()?, word()?, word()?);
        let mut path = field(&mut rest).ok_or_else(odd)?;
        if status.starts_with(['R', 'C']) {
            path = field(&mut rest).ok_or_else(odd)?;
        }
        if new_mode.starts_with("100") {
            // A link that became a file is all new, and its patch has a section for each of both.
            let is_nothing = status.starts_with('T');
            let old = if is_nothing { &ZEROS[..old.len().min(ZEROS.len())] } else { old };
            entries.push(Entry { path, old, new });
        }
    }
    Ok((entries, rest.strip_prefix(b"\0").unwrap_or(rest)))
}

/// The name of no blob, as long as any name is.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Takes the bytes before the next NUL.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == 0)?;
    let field = &rest[..end];
    *rest = &rest[end + 1..];
    Some(field)
}

/// The hunks of a patch by the names of the blobs before and after. Files of equal names have equal hunks.
fn hunks(patch: &[u8]) -> HashMap<(&str, &str), Vec<Hunk>> {
    let mut hunks: HashMap<(&str, &str), Vec<Hunk>> = HashMap::new();
    let mut blobs = None;
    let mut is_new = false;
    // Lines of a hunk begin with `+`, `-` or a backslash, so these words are those of heads.
    for line in patch.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            blobs = None;
        } else if let Some(line) = line.strip_prefix(b"index ") {
            let line = std::str::from_utf8(line).ok().and_then(|line| line.split(' ').next());
            blobs = line.and_then(|line| line.split_once(".."));
            is_new = blobs.is_some_and(|blobs| !hunks.contains_key(&blobs));
        } else if let (Some(line), Some(blobs), true) = (line.strip_prefix(b"@@ "), blobs, is_new) {
            let line = String::from_utf8_lossy(line);
            hunks.entry(blobs).or_default().extend(hunk(&line));
        }
    }
    hunks
}

/// Parses `-START,LINES +START,LINES @@`.
fn hunk(line: &str) -> Option<Hunk> {
    let new = line.split(' ').find_map(|word| word.strip_prefix('+'))?;
    let (start, lines) = new.split_once(',').unwrap_or((new, "1"));
    Some(Hunk { start: start.parse().ok()?, lines: lines.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn check(output: &str, expected: &[(&str, &[(u32, u32)])], not_utf8: usize) {
        let (staged, skipped) = parse(output.as_bytes()).expect("it is of git");
        let found: Vec<(&str, Vec<(u32, u32)>)> = staged
            .iter()
            .map(|file| {
                let hunks = file.hunks.iter().map(|hunk| (hunk.start, hunk.lines)).collect();
                (file.path.as_str(), hunks)
            })
            .collect();
        let expected: Vec<(&str, Vec<(u32, u32)>)> =
            expected.iter().map(|(path, hunks)| (*path, hunks.to_vec())).collect();
        assert_eq!((found, skipped), (expected, not_utf8), "{output:?}");
    }

    #[test]
    fn entries_have_the_hunks_of_their_blobs() {
        let zero = &ZEROS[..40];
        let patch = format!(
            "diff --git a/b c.ts b/b c.ts\nindex {A}..{B} 100644\n--- a/b c.ts\n+++ b/b c.ts\n\
             @@ -1 +1,2 @@ fn x\n-a\n+b\n+index 1..2\n@@ -9,2 +9,0 @@\n-c\n-@@ -1 +1 @@\n\
             diff --git a/new.ts b/new.ts\nnew file mode 100644\nindex {zero}..{A}\n--- /dev/null\n\
             +++ b/new.ts\n@@ -0,0 +1,3 @@\n+1\n+2\n+3\n"
        );
        check(
            &format!(
                ":100644 100644 {A} {B} M\0b c.ts\0:000000 100644 {zero} {A} A\0new.ts\0\
                 :100644 000000 {A} {zero} D\0gone.ts\0:160000 160000 {A} {B} M\0module\0\
                 :100644 100644 {A} {A} R100\0old.ts\0moved.ts\0:100644 120000 {A} {B} T\0link.ts\0\
                 :120000 100644 {B} {A} T\0file.ts\0\0{patch}"
            ),
            &[("b c.ts", &[(1, 2), (9, 0)]), ("file.ts", &[(1, 3)]), ("new.ts", &[(1, 3)])],
            0,
        );
        check("", &[], 0);
        check(
            &format!(
                ":100644 100644 {A} {B} M\0a.bin\0\0diff --git a/a.bin b/a.bin\nindex {A}..{B} 100644\nBinary files differ\n"
            ),
            &[],
            0,
        );
    }

    #[test]
    fn what_git_never_prints_is_refused() {
        for output in [":", ":100644", ":100644 100644 a b M\0", ":100644 100644 a b R100\0x\0"] {
            assert!(parse(output.as_bytes()).is_err(), "{output:?}");
        }
        let (staged, skipped) =
            parse(b":100644 100644 a b M\0\xff.ts\0\0index a..b 1\n@@ -1 +1 @@\n").expect("of git");
        assert_eq!((staged.len(), skipped), (0, 1));
    }
}
