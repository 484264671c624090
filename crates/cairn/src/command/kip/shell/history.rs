//! Where what was typed is kept.

use std::ffi::OsString;
use std::fs::{DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Commands that are kept; older ones go.
pub(super) const ENTRIES_MAX: usize = 1_000;
/// Longer ones are not: nobody wants to leaf through a capsule.
pub(super) const ENTRY_BYTES_MAX: usize = 16 << 10;

/// The file of the user who runs this, if there is a place for it.
pub(super) fn path() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    path_in(var("XDG_STATE_HOME"), var("HOME"))
}

fn path_in(state_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // The XDG rules ignore a relative one.
    let state = state_home.map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| home.map(|home| Path::new(&home).join(".local/state")))?;
    Some(state.join("cairn/kip-history"))
}

/// Makes its folder, and makes sure that nobody else may read a file that is there.
pub(super) fn prepare(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match path.metadata() {
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            std::fs::set_permissions(path, Permissions::from_mode(0o600))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_in_the_folder_for_state() {
        for (state, home, expected) in [
            (Some("/state"), Some("/nobody"), Some("/state/cairn/kip-history")),
            (Some("relative"), Some("/nobody"), Some("/nobody/.local/state/cairn/kip-history")),
            (None, Some("/nobody"), Some("/nobody/.local/state/cairn/kip-history")),
            (None, None, None),
        ] {
            let found = path_in(state.map(OsString::from), home.map(OsString::from));
            assert_eq!(found.as_deref(), expected.map(Path::new));
        }
    }

    #[test]
    fn nobody_else_may_read_it() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("cairn/kip-history");
        prepare(&path).expect("its folder is made");
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(path.parent().expect("a folder")), 0o700);
        std::fs::write(&path, "kept").expect("mine");
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("mine");
        prepare(&path).expect("there already");
        assert_eq!((mode(&path), std::fs::read_to_string(&path).expect("text").as_str()), (0o600, "kept"));
    }
}
