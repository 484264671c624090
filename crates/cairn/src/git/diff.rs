//! Changes that are staged: the index against `HEAD`, or against nothing before the first commit.
//!
//! During a merge, what is as in the other parent is no change.

use std::collections::HashMap;
use std::io::ErrorKind;

use super::Git;
use crate::failure::Failure;
use crate::limits::{GIT_DIFF_BYTES_MAX, GIT_STAGED_FILES_MAX};

/// The changes of the next commit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StagedChanges {
    /// Files that it adds or changes, ordered by path.
    pub(crate) files: Vec<Staged>,
    /// Files that are no regular files any more, with the blobs that they were: deleted ones, and renamed ones by their old
    /// names.
    pub(crate) gone: Vec<(String, String)>,
    /// The number of paths that are not UTF-8.
    pub(crate) skipped_paths: usize,
}

/// A file that the next commit adds or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Staged {
    /// Its path below the folder that git runs in, after a rename the new one.
    pub(crate) path: String,
    /// Name of the blob in the index.
    pub(crate) blob: String,
    /// Name of the blob that is replaced under the same path.
    pub(crate) before: Option<String>,
    /// Changed parts, in their order; none if only the name or the mode changes, or a merge takes it from the other side.
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
    /// Returns the staged files that match one of the pathspecs. Submodules and links are not among them.
    pub(crate) fn staged(&self, pathspecs: &[String]) -> Result<StagedChanges, Failure> {
        let mut staged = self.staged_against(None, pathspecs)?;
        for parent in self.merge_heads()? {
            let other = self.staged_against(Some(&parent), pathspecs)?;
            let other: HashMap<&str, &[Hunk]> =
                other.files.iter().map(|file| (file.path.as_str(), file.hunks.as_slice())).collect();
            for file in &mut staged.files {
                let theirs = other.get(file.path.as_str()).copied().unwrap_or_default();
                file.hunks = common(&file.hunks, theirs);
            }
        }
        Ok(staged)
    }

    /// The commits that are being merged.
    fn merge_heads(&self) -> Result<Vec<String>, Failure> {
        let path = self.folder.join(self.line(&["rev-parse", "--git-path", "MERGE_HEAD"])?);
        match std::fs::read_to_string(&path) {
            Ok(heads) => Ok(heads.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Failure::io(format_args!("read {}", path.display()), &error)),
        }
    }

    /// The index against a commit, by default `HEAD`.
    fn staged_against(&self, commit: Option<&str>, pathspecs: &[String]) -> Result<StagedChanges, Failure> {
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
            "--text",
            "--find-renames",
            "--relative",
            "--submodule=short",
            "--diff-algorithm=myers",
        ];
        arguments.extend(commit);
        arguments.push("--");
        arguments.extend(pathspecs.iter().map(String::as_str));
        parse(&self.output(&arguments, GIT_DIFF_BYTES_MAX)?)
    }
}

fn parse(output: &[u8]) -> Result<StagedChanges, Failure> {
    let (entries, patch) = entries(output)?;
    let hunks = hunks(patch);
    let mut staged = StagedChanges::default();
    for Entry { path, gone, before, old, new } in entries {
        let is_gone = gone.is_some();
        let gone = gone.and_then(|gone| std::str::from_utf8(gone).ok());
        staged.gone.extend(gone.map(|gone| (gone.to_owned(), before.to_owned())));
        match path.map(std::str::from_utf8) {
            None => {}
            Some(Err(_)) => staged.skipped_paths += 1,
            Some(Ok(path)) => {
                let hunks = hunks.get(&(old, new)).cloned().unwrap_or_default();
                let before =
                    (!is_gone && !before.bytes().all(|digit| digit == b'0')).then(|| before.to_owned());
                staged.files.push(Staged { path: path.to_owned(), blob: new.to_owned(), before, hunks });
            }
        }
    }
    staged.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(staged)
}

/// A change of a regular file, or to something that is not one.
struct Entry<'a> {
    path: Option<&'a [u8]>,
    /// A regular file that is no longer there.
    gone: Option<&'a [u8]>,
    /// The blob before.
    before: &'a str,
    /// The same, as the patch names it.
    old: &'a str,
    new: &'a str,
}

/// Lines that are changed in both of two lists of hunks of the same file.
fn common(ours: &[Hunk], theirs: &[Hunk]) -> Vec<Hunk> {
    // Lines have even places, and what is between them odd ones.
    let place = |hunk: &Hunk| {
        let (start, lines) = (u64::from(hunk.start), u64::from(hunk.lines));
        if lines == 0 { (2 * start + 1, 2 * start + 1) } else { (2 * start, 2 * (start + lines - 1)) }
    };
    let (mut ours, mut theirs) = (ours.iter().map(place).peekable(), theirs.iter().map(place).peekable());
    let mut common = Vec::new();
    while let (Some(a), Some(b)) = (ours.peek().copied(), theirs.peek().copied()) {
        let (first, last) = (a.0.max(b.0), a.1.min(b.1));
        if first <= last {
            let start = u32::try_from(first / 2).unwrap_or(u32::MAX);
            let lines =
                if first % 2 == 1 { 0 } else { u32::try_from((last - first) / 2 + 1).unwrap_or(u32::MAX) };
            common.push(Hunk { start, lines });
        }
        if a.1 <= b.1 {
            ours.next();
        } else {
            theirs.next();
        }
    }
    common
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
        let (old_mode, new_mode, old, new, status) = (word()?, word()?, word()?, word()?, word()?);
        let first = field(&mut rest).ok_or_else(odd)?;
        let path = if status.starts_with(['R', 'C']) { field(&mut rest).ok_or_else(odd)? } else { first };
        let is_file = new_mode.starts_with("100");
        let is_gone = old_mode.starts_with("100") && (status.starts_with('R') || !is_file);
        let gone = is_gone.then_some(first);
        if is_file {
            // A link that became a file is all new, and its patch has a section for each of both.
            let is_nothing = status.starts_with('T');
            let before = old;
            let old = if is_nothing { &ZEROS[..old.len().min(ZEROS.len())] } else { old };
            entries.push(Entry { path: Some(path), gone, before, old, new });
        } else if gone.is_some() {
            entries.push(Entry { path: None, gone, before: old, old, new });
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
        let staged = parse(output.as_bytes()).expect("it is of git");
        let (files, skipped) = (&staged.files, staged.skipped_paths);
        let found: Vec<(&str, Vec<(u32, u32)>)> = files
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
            &[
                ("b c.ts", &[(1, 2), (9, 0)]),
                ("file.ts", &[(1, 3)]),
                ("moved.ts", &[]),
                ("new.ts", &[(1, 3)]),
            ],
            0,
        );
        check("", &[], 0);
        check(
            &format!(
                ":100644 100644 {A} {B} M\0a.bin\0\0diff --git a/a.bin b/a.bin\nindex {A}..{B} 100644\nBinary files differ\n"
            ),
            &[("a.bin", &[])],
            0,
        );
        let staged = parse(
            format!(
                ":100644 000000 {A} {zero} D\0gone.ts\0:100644 100644 {A} {B} R90\0old.ts\0new.ts\0\
                 :100644 120000 {A} {B} T\0link.ts\0:120000 000000 {A} {zero} D\0was-link.ts\0"
            )
            .as_bytes(),
        );
        let gone = ["gone.ts", "old.ts", "link.ts"].map(|path| (path.to_owned(), A.to_owned()));
        assert_eq!(staged.expect("it is of git").gone, gone);
    }

    #[test]
    fn a_merge_changes_what_is_in_no_parent() {
        let hunks = |rows: &[(u32, u32)]| -> Vec<Hunk> {
            rows.iter().map(|(start, lines)| Hunk { start: *start, lines: *lines }).collect()
        };
        for (ours, theirs, expected) in [
            (&[(1, 4)][..], &[(3, 4)][..], &[(3, 2)][..]),
            (&[(1, 2)], &[(3, 2)], &[]),
            (&[(1, 9)], &[(2, 1), (4, 0), (7, 5)], &[(2, 1), (4, 0), (7, 3)]),
            (&[(4, 0), (6, 1)], &[(4, 0), (6, 0)], &[(4, 0)]),
            (&[(4, 0)], &[(1, 4)], &[]),
            (&[(1, 1)], &[], &[]),
        ] {
            assert_eq!(common(&hunks(ours), &hunks(theirs)), hunks(expected), "{ours:?} {theirs:?}");
            assert_eq!(common(&hunks(theirs), &hunks(ours)), hunks(expected), "{ours:?} {theirs:?}");
        }
    }

    #[test]
    fn what_git_never_prints_is_refused() {
        for output in [":", ":100644", ":100644 100644 a b M\0", ":100644 100644 a b R100\0x\0"] {
            assert!(parse(output.as_bytes()).is_err(), "{output:?}");
        }
        let staged = parse(b":100644 100644 a b M\0\xff.ts\0\0index a..b 1\n@@ -1 +1 @@\n").expect("of git");
        assert_eq!((staged.files.len(), staged.skipped_paths), (0, 1));
    }
}
