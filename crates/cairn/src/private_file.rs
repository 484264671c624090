//! Files that only their owner may read: creating them, and refusing files with wider permissions.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::Mode;

use crate::failure::Failure;

/// Replaces the umask that the process was started with, so that everything it creates from here on is private
/// to its owner, including files that libraries create.
pub(crate) fn ignore_umask() {
    let umask = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let _ = UMASK.set(umask.bits());
}

/// The umask that the process was started with.
static UMASK: OnceLock<u32> = OnceLock::new();

/// The mode of a new file that is not private: what the user asks of other programs.
pub(crate) fn public_mode() -> u32 {
    0o666 & !UMASK.get().copied().unwrap_or(0o022)
}

/// Replaces a file by rename, so that readers see all of it or none. It is not made durable.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".new");
    // A file that a crash left behind may have other permissions.
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    create_new(Path::new(&unfinished))?.write_all(content)?;
    fs::rename(&unfinished, path)
}

/// Writes a file that was not there, and makes it durable. The hint is for whoever named one that was.
pub(crate) fn write_new(path: &Path, content: &[u8], hint: &str) -> Result<(), Failure> {
    let mut file = match create_new(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Failure::usage(format!("{} is there already; nothing was changed", path.display()))
                .hint(hint));
        }
        Err(error) => return Err(Failure::io(format_args!("make {}", path.display()), &error)),
    };
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let named = written.and_then(|()| folder_of(path).and_then(|folder| folder.sync_all()));
    named.map_err(|error| {
        // Half a file is of no use, and its name would be taken.
        let _ = fs::remove_file(path);
        Failure::io(format_args!("write {}", path.display()), &error)
    })
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// The refusal of a key file that other users may read, worded as that of TLS keys.
pub(crate) fn exposed(what: &str, path: &Path, mode: u32) -> Failure {
    Failure::usage(format!("others may read the {what} {} (its mode is {mode:03o})", path.display()))
        .hint(format!("chmod 600 {}", path.display()))
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))
}
