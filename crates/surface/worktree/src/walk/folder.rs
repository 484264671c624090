//! Reading a folder through its descriptor.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, readlinkat, statat};

use super::SkipReason;
use crate::FileProblem;

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) kind: Kind,
}

/// The type of an entry. Symbolic links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Folder,
    File,
    Link,
    /// A pipe, a socket or a device.
    Other,
    /// The file system does not tell in the list.
    Unknown,
}

/// Lists a folder in the order of the bytes of names; `None` if it has more than `entries_max` entries.
pub(super) fn entries(folder: &OwnedFd, entries_max: usize) -> Result<Option<Vec<Entry>>, FileProblem> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        if entries.len() == entries_max {
            return Ok(None);
        }
        entries.push(Entry { name: name.to_owned(), kind: kind(entry.file_type()) });
    }
    entries.sort_unstable();
    Ok(Some(entries))
}

/// The type and size of an entry as it is now.
pub(super) fn stat(folder: &OwnedFd, name: &[u8]) -> Result<(Kind, u64), FileProblem> {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let bytes = u64::try_from(found.st_size).unwrap_or(0);
    Ok((kind(FileType::from_raw_mode(found.st_mode)), bytes))
}

/// The reason to skip a symbolic link in the folder at `path`. Only the text of the link is looked at.
pub(super) fn link(folder: &OwnedFd, path: &str, name: &[u8]) -> SkipReason {
    match readlinkat(folder, name, Vec::new()) {
        Ok(target) if leaves(path, target.to_bytes()) => SkipReason::OutsideWorkspace,
        Ok(_) => SkipReason::NotAFile,
        Err(_) => SkipReason::Unreadable,
    }
}

/// Returns true if a link in the folder `path` leads above the root, as far as its text says.
fn leaves(path: &str, target: &[u8]) -> bool {
    let mut depth = path.split('/').filter(|part| !part.is_empty()).count();
    for part in target.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if depth == 0 => return true,
            b".." => depth -= 1,
            _ => depth += 1,
        }
    }
    target.starts_with(b"/")
}

fn kind(found: FileType) -> Kind {
    match found {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice => Kind::Other,
        FileType::Unknown => Kind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leaves_the_tree_if_its_text_does() {
        let check = |path, target: &str, expected| {
            assert_eq!(leaves(path, target.as_bytes()), expected, "{path}: {target}");
        };
        check("", "a", false);
        check("", "..", true);
        check("a", "..", false);
        check("a", "../..", true);
        check("a/b", "../../c", false);
        check("a/b", "../../../c", true);
        check("a", "./../b/../../..", true);
        check("", "/etc/passwd", true);
    }
}
