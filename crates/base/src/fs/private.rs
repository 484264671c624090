//! Permissions of files that hold secrets.

use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;

/// Permission bits of the group and of other users.
const OTHERS: u32 = 0o077;

/// Returns the permission bits of a regular file that users other than its owner may access, and `None` if it is
/// private.
///
/// Anything but a regular file is private: a pipe (`<(pass show key)`) or a terminal belongs to the processes
/// that have it open.
pub fn exposed_mode(found: &Metadata) -> Option<u32> {
    let mode = found.permissions().mode() & 0o777;
    (found.is_file() && mode & OTHERS != 0).then_some(mode)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn a_file_is_private_when_its_owner_alone_may_do_anything_with_it() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("key");
        fs::write(&path, "secret").expect("a file");
        for (mode, exposed) in [
            (0o600, None),
            (0o400, None),
            (0o700, None),
            (0o640, Some(0o640)),
            (0o604, Some(0o604)),
            (0o620, Some(0o620)),
            (0o601, Some(0o601)),
            (0o4644, Some(0o644)),
        ] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
            assert_eq!(exposed_mode(&fs::metadata(&path).expect("it is there")), exposed, "{mode:o}");
        }
        assert_eq!(exposed_mode(&fs::metadata("/dev/null").expect("it is there")), None);
    }
}
