//! Who else may write to a data directory.
//!
//! Whoever may write to it can put a configuration, a socket or files of a store of their own in the place of
//! ours, whatever the modes of the files are.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::failure::Failure;

const EVERYBODY_WRITES: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;

/// Refuses a data directory that every user of the machine may write to. To be asked before anything in it
/// is read, the configuration included.
pub(crate) fn refuse_writable(dir: &Path) -> Result<(), Failure> {
    match mode(dir) {
        Some(mode) if mode & EVERYBODY_WRITES != 0 => Err(Failure::usage(format!(
            "everybody may write to the data directory {} (its mode is {mode:03o})",
            dir.display()
        ))
        .hint(format!(
            "chmod 700 {}; or name a directory inside it with --data-dir, which cairn makes for its owner alone",
            dir.display()
        ))),
        _ => Ok(()),
    }
}

/// Warns about a data directory that a group may write to.
pub(crate) fn warn_if_shared(dir: &Path) {
    if let Some(mode) = mode(dir).filter(|mode| mode & GROUP_WRITES != 0) {
        tracing::warn!(
            "its group may write to the data directory {0} (its mode is {mode:03o}): `chmod 700 {0}`",
            dir.display()
        );
    }
}

/// The permissions of a directory that is there; whatever keeps us from seeing them is reported by whoever
/// uses it.
fn mode(dir: &Path) -> Option<u32> {
    let found = dir.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    Some(found.permissions().mode() & 0o777)
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions};

    use super::*;

    #[test]
    fn only_directories_that_everybody_may_write_to_are_refused() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for (mode, fine) in [
            (0o700, true),
            (0o755, true),
            (0o750, true),
            (0o770, true),
            (0o775, true),
            (0o777, false),
            (0o1777, false),
            (0o702, false),
            (0o733, false),
        ] {
            set_permissions(dir.path(), Permissions::from_mode(mode)).expect("it is ours");
            assert_eq!(refuse_writable(dir.path()).is_ok(), fine, "{mode:o}");
        }
        set_permissions(dir.path(), Permissions::from_mode(0o700)).expect("it is ours");
        assert!(refuse_writable(&dir.path().join("nothing")).is_ok(), "there is nothing to refuse");
        std::fs::write(dir.path().join("file"), "").expect("a file");
        set_permissions(dir.path().join("file"), Permissions::from_mode(0o666)).expect("it is ours");
        assert!(refuse_writable(&dir.path().join("file")).is_ok(), "it is no directory");
    }
}
