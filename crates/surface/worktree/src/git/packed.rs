//! `packed-refs`: many refs in one file, a line each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use rustix::fs::Mode;

use super::Commit;
use crate::file::{Links, read_flags};
use crate::limits::{GIT_LINE_FILE_BYTES_MAX, GIT_PACKED_REFS_BYTES_MAX};
use crate::{BranchName, FileProblem, WorktreeError};

const BRANCHES: &[u8] = b"refs/heads/";

/// Calls back with each packed branch and its commit, in the order of the file. There may be no such file.
///
/// Fails if a line is not what git writes: an incomplete list would lose branches.
pub(crate) fn packed_branches(
    common: &Path,
    visit: &mut dyn FnMut(BranchName, Commit),
) -> Result<(), WorktreeError> {
    let path = common.join("packed-refs");
    let refused = |problem| WorktreeError::git(&path, problem);
    let file = match rustix::fs::open(&path, read_flags(Links::Follow), Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(()),
        Err(error) => return Err(refused(error.into())),
    };
    let found = file.metadata().map_err(|error| refused(error.into()))?;
    if !found.is_file() {
        return Err(refused(FileProblem::NotAFile));
    }
    let mut limited = BufReader::with_capacity(64 << 10, file.take(GIT_PACKED_REFS_BYTES_MAX as u64 + 1));
    read_lines(&mut limited, visit).map_err(|problem| {
        let is_cut = limited.get_ref().limit() == 0;
        refused(if is_cut { FileProblem::TooLong { bytes_max: GIT_PACKED_REFS_BYTES_MAX } } else { problem })
    })
}

fn read_lines(from: &mut impl BufRead, visit: &mut dyn FnMut(BranchName, Commit)) -> Result<(), FileProblem> {
    let mut line = Vec::new();
    let mut is_sorted = false;
    let mut is_first = true;
    while next_line(from, &mut line)? {
        if let Some(header) = line.strip_prefix(b"#") {
            let traits = header.strip_prefix(b" pack-refs with:").filter(|_| is_first).unwrap_or(b"");
            is_sorted |= traits.split(|byte| *byte == b' ').any(|name| name == b"sorted");
        } else if let Some(peeled) = line.strip_prefix(b"^") {
            Commit::parse(peeled).ok_or(FileProblem::Content("a line has `^` and no commit"))?;
        } else {
            let (commit, name) =
                entry(&line).ok_or(FileProblem::Content("a line is not a commit and a ref"))?;
            match name.strip_prefix(BRANCHES) {
                // Names that cairn cannot use have no KB.
                Some(branch) => {
                    BranchName::from_git(branch).into_iter().for_each(|name| visit(name, commit.clone()))
                }
                None if is_sorted && name > BRANCHES => return Ok(()),
                None => {}
            }
        }
        is_first = false;
    }
    Ok(())
}

fn entry(line: &[u8]) -> Option<(Commit, &[u8])> {
    let space = line.iter().position(|byte| *byte == b' ')?;
    let (commit, name) = (Commit::parse(&line[..space])?, &line[space + 1..]);
    name.starts_with(b"refs/").then_some((commit, name))
}

/// Reads a line without its break; false at the end of the file.
fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, FileProblem> {
    line.clear();
    let read: io::Result<usize> = from.take(GIT_LINE_FILE_BYTES_MAX as u64).read_until(b'\n', line);
    if read? == 0 {
        return Ok(false);
    }
    match line.pop() {
        Some(b'\n') => Ok(true),
        Some(_) | None => Err(FileProblem::Content("a line does not end")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn read(content: &[u8]) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        read_lines(&mut { content }, &mut |name, commit| {
            names.push(format!("{name}={}", &commit.to_string()[..2]))
        })
        .map(|()| names)
        .map_err(|problem| problem.to_string())
    }

    fn check(content: &str, expected: Result<&[&str], &str>) {
        let content = content.replace("A ", &format!("{} ", "aa".repeat(20)));
        let content = content.replace("B ", &format!("{} ", "bb".repeat(32)));
        let names = read(content.as_bytes());
        match expected {
            Ok(expected) => assert_eq!(names.unwrap(), expected, "{content}"),
            Err(expected) => assert_eq!(names, Err(format!("is damaged: {expected}")), "{content}"),
        }
    }

    #[test]
    fn branches_are_read_and_other_refs_left_out() {
        check("", Ok(&[]));
        check("# pack-refs with: peeled fully-peeled sorted \n", Ok(&[]));
        check("A refs/heads/a/b\nB refs/heads/c\nA refs/tags/t\n", Ok(&["a/b=aa", "c=bb"]));
        check("A refs/tags/t\n^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nA refs/heads/m\n", Ok(&["m=aa"]));
        check("A refs/heads/.bad\nA refs/heads/\nA refs/heads/ok\n", Ok(&["ok=aa"]));
    }

    #[test]
    fn a_sorted_file_is_read_up_to_its_last_branch() {
        let rest = "A refs/bisect/x\nA refs/heads/a\nA refs/tags/t\nnonsense";
        check(&format!("# pack-refs with: peeled sorted \n{rest}"), Ok(&["a=aa"]));
        check(&format!("# pack-refs with: peeled unsorted \n{rest}"), Err("a line does not end"));
        check(
            &format!("A refs/a\n# pack-refs with: sorted \n{rest}\n"),
            Err("a line is not a commit and a ref"),
        );
    }

    #[test]
    fn lines_that_git_does_not_write_are_refused() {
        for bad in ["nonsense\n", "\n", "A\n", "A \n", "A heads/x\n", "aa refs/heads/x\n"] {
            check(bad, Err("a line is not a commit and a ref"));
        }
        check("^aa\n", Err("a line has `^` and no commit"));
        check("A refs/heads/x", Err("a line does not end"));
        check(&format!("A refs/heads/{}\n", "x".repeat(9000)), Err("a line does not end"));
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_names_or_an_error(content in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&content);
        }

        #[test]
        fn mutated_files_end_in_names_or_an_error(
            at in 0_usize..200, byte in any::<u8>(), cut in 0_usize..200,
        ) {
            let mut content = format!("# pack-refs with: peeled fully-peeled sorted \n{a} refs/heads/a\n{a} refs/tags/t\n^{a}\n", a = "aa".repeat(20)).into_bytes();
            let (at, cut) = (at % content.len(), cut % content.len());
            content[at] = byte;
            let _ = read(&content);
            let _ = read(&content[..cut]);
        }

        #[test]
        fn branches_come_back(
            refs in prop::collection::btree_map("(heads|tags|remotes/o)/[a-z]{1,3}(/[a-z]{1,3})?", 0_u8..=255, 0..20),
            sorted in any::<bool>(),
        ) {
            let mut content = if sorted { "# pack-refs with: peeled sorted \n".to_owned() } else { String::new() };
            for (name, byte) in &refs {
                content += &format!("{} refs/{name}\n", format!("{byte:02x}").repeat(20));
            }
            let expected: BTreeMap<_, _> =
                refs.iter().filter_map(|(name, byte)| Some((name.strip_prefix("heads/")?, byte))).collect();
            let expected: Vec<String> = expected.iter().map(|(name, byte)| format!("{name}={byte:02x}")).collect();
            prop_assert_eq!(read(content.as_bytes()), Ok(expected));
        }
    }
}
