//! Permissions of data directories.
//!
//! A user who may write to the directory can replace the configuration, the socket and the files of the store,
//! whatever the modes of the files are.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::failure::Failure;

const WORLD_WRITABLE: u32 = 0o002;
const GROUP_WRITABLE: u32 = 0o020;

/// Refuses a world-writable data directory. Call it before anything in the directory is read, including the
/// configuration.
pub(crate) fn refuse_writable(dir: &Path) -> Result<(), Failure> {
    match mode(dir) {
        Some(mode) if mode & WORLD_WRITABLE != 0 => Err(Failure::usage(format!(
            "the data directory {} is world-writable (its mode is {mode:03o})",
            dir.display()
        ))
        .hint(format!(
            "chmod 700 {}; or name a directory inside it with --data-dir: cairn creates it with mode 700",
            dir.display()
        ))),
        _ => Ok(()),
    }
}

/// Logs a warning about a group-writable data directory.
pub(crate) fn warn_if_shared(dir: &Path) {
    if let Some(mode) = mode(dir).filter(|mode| mode & GROUP_WRITABLE != 0) {
        tracing::warn!(
            "the data directory {0} is group-writable (its mode is {mode:03o}): `chmod 700 {0}`",
            dir.display()
        );
    }
}

/// Permission bits of an existing directory. An error is left to the code that uses the directory.
fn mode(dir: &Path) -> Option<u32> {
    let found = dir.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    Some(found.permissions().mode() & 0o777)
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions};

    use super::*;

    #[test]
    fn only_world_writable_directories_are_refused() {
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
