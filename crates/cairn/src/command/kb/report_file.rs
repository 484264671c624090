//! Files that reports are written to.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::private_file::{folder_of, public_mode};

/// Whether a path stands for standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout"].iter().any(|known| path == Path::new(known))
}

/// Writes a file, or replaces it, by rename: readers see all of the old one or all of the new one. The new one has the
/// permissions of the old one. Links are followed; pipes and devices are written to.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let written = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(Failure::usage(format!("{} is a folder", path.display())).hint("name a file in it"));
        }
        Ok(found) if found.is_file() => {
            fs::canonicalize(path).and_then(|file| rename(&file, content, found.permissions()))
        }
        Ok(_) => OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(content)),
        Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => create(path, content),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            rename(path, content, Permissions::from_mode(public_mode()))
        }
        Err(error) => Err(error),
    };
    written.map_err(|error| Failure::io(format_args!("write {}", path.display()), &error))
}

/// Writes the file that a link leads to, and that is not there yet.
fn create(link: &Path, content: &[u8]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(link)?;
    write_durably(file, content, Permissions::from_mode(public_mode()))
}

fn rename(path: &Path, content: &[u8], permissions: Permissions) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part);
    let written = created.and_then(|file| write_durably(file, content, permissions));
    let written = written.and_then(|()| fs::rename(&part, path));
    written.and_then(|()| folder_of(path)?.sync_all()).inspect_err(|_| {
        // The reason is told; what is left of the file says nothing.
        let _ = fs::remove_file(&part);
    })
}

fn write_durably(mut file: File, content: &[u8], permissions: Permissions) -> io::Result<()> {
    file.write_all(content)?;
    file.set_permissions(permissions)?;
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

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o7777
    }

    #[test]
    fn a_file_keeps_its_permissions_and_a_new_one_has_those_of_the_user() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("report.html");
        replace(&path, b"one").expect("written");
        assert_eq!(mode(&path), public_mode());
        for kept in [0o644, 0o600, 0o664] {
            fs::set_permissions(&path, Permissions::from_mode(kept)).expect("changed");
            replace(&path, b"another one").expect("written");
            assert_eq!(mode(&path), kept);
        }
    }

    #[test]
    fn links_stay_links() {
        let dir = tempfile::tempdir().expect("a folder");
        let (file, link) = (dir.path().join("there.html"), dir.path().join("link.html"));
        std::os::unix::fs::symlink("there.html", &link).expect("a link");
        for content in ["one", "another one"] {
            replace(&link, content.as_bytes()).expect("written");
            assert!(link.is_symlink());
            assert_eq!(fs::read_to_string(&file).expect("there"), content);
            assert_eq!(mode(&file), public_mode());
        }
    }

    #[test]
    fn pipes_and_devices_are_written_to() {
        use std::os::unix::fs::FileTypeExt;
        let dir = tempfile::tempdir().expect("a folder");
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .expect("a pipe");
        let reading = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).expect("read")
        });
        replace(&pipe, b"one").expect("written");
        assert_eq!(reading.join().expect("it ends"), "one");
        assert!(fs::symlink_metadata(&pipe).expect("there").file_type().is_fifo());
        replace(Path::new("/dev/null"), b"one").expect("written");
        assert_eq!(names(dir.path()), ["pipe"]);
    }
}
