//! Files that reports are written to.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::private_file::folder_of;

/// Whether a path stands for standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file, or replaces it, by rename: readers see all of the old one or all of the new one.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::usage(format!("{} is a folder", path.display())).hint("name a file in it"));
    }
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let written = write_durably(&part, content).and_then(|()| fs::rename(&part, path));
    let written = written.and_then(|()| folder_of(path)?.sync_all());
    written.map_err(|error| {
        // The reason is told; what is left of the file says nothing.
        let _ = fs::remove_file(&part);
        Failure::io(format_args!("write {}", path.display()), &error)
    })
}

fn write_durably(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let files = fs::read_dir(dir).expect("a folder").map(|file| file.expect("a file").file_name());
        files.map(|name| name.into_string().expect("a name")).collect()
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("report.html");
        for content in ["one", "another one"] {
            replace(&path, content.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("there"), content);
            assert_eq!(names(dir.path()), ["report.html"]);
        }
        assert!(replace(dir.path(), b"x").is_err());
        assert!(replace(&dir.path().join("none/report.html"), b"x").is_err());
        assert_eq!(names(dir.path()), ["report.html"]);
    }
}
