//! `cairn.sock`: where the owner of a data directory answers whoever else works on it.
//!
//! Only the holder of the lock makes or removes the socket. It is closed to other users from its first
//! moment: nobody can connect before it listens, and it listens after its mode is set.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use cairn_base::fs::is_full;
use cairn_base::{Entropy, SystemEntropy};
use tokio::net::{UnixListener, UnixSocket, UnixStream};

use crate::failure::Failure;

/// The socket in the data directory.
const FILE_NAME: &str = "cairn.sock";

/// Connections that wait to be accepted; as many as the system gives is enough.
const BACKLOG: u32 = 128;

/// Longest path that fits into the address of a socket everywhere. Linux has room for 107 bytes, others
/// for 103.
const PATH_BYTES_MAX: usize = 103;

/// The socket's name, which goes away with this value.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

/// Makes the socket, in place of one that a crash left behind. The caller holds the lock of the
/// directory, and is inside a runtime. On a disk without room for a name there is none.
pub(crate) fn listen(dir: &Path) -> Result<Option<(UnixListener, SocketFile)>, Failure> {
    let path = dir.join(FILE_NAME);
    remove_stale(&path)?;
    match bind(dir, path.clone()) {
        Err(error) if is_full(&error) => {
            let path = path.display();
            tracing::warn!(socket = %path, %error, "no local socket: commands reach this server over TCP alone");
            Ok(None)
        }
        bound => bound
            .map(Some)
            .map_err(|error| Failure::io(format_args!("make the socket {}", path.display()), &error)),
    }
}

/// Connects to the owner's socket.
pub(crate) async fn connect(dir: &Path) -> io::Result<UnixStream> {
    let way = Way::to(dir)?;
    UnixStream::connect(&way.socket).await
}

fn bind(dir: &Path, path: PathBuf) -> io::Result<(UnixListener, SocketFile)> {
    let way = Way::to(dir)?;
    let socket = UnixSocket::new_stream()?;
    socket.bind(&way.socket)?;
    let file = SocketFile(path);
    fs::set_permissions(&file.0, Permissions::from_mode(0o600))?;
    Ok((socket.listen(BACKLOG)?, file))
}

fn remove_stale(path: &Path) -> Result<(), Failure> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::io(format_args!("look at {}", path.display()), &error)),
    };
    if !found.file_type().is_socket() {
        return Err(Failure::new(format!("{} is in the way and is no socket", path.display()))
            .hint("move it away: cairn needs the name for itself"));
    }
    fs::remove_file(path).map_err(|error| Failure::io(format_args!("remove {}", path.display()), &error))
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!(file = %self.0.display(), %error, "could not remove the socket");
        }
    }
}

/// A path to the socket that fits into an address: its own, or one over a link that is gone right after.
#[derive(Debug)]
struct Way {
    socket: PathBuf,
    /// A folder of ours with the link in it.
    folder: Option<PathBuf>,
}

const LINK: &str = "d";

impl Way {
    fn to(dir: &Path) -> io::Result<Way> {
        let socket = dir.join(FILE_NAME);
        if socket.as_os_str().len() <= PATH_BYTES_MAX {
            return Ok(Way { socket, folder: None });
        }
        // Nobody else may look into the folder, and a name that is taken is an error, not used.
        let folder = short_temporary_folder().join(format!(
            "cairn-{}-{:016x}",
            std::process::id(),
            SystemEntropy.next_u64()
        ));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let link = folder.join(LINK);
        let way = Way { socket: link.join(FILE_NAME), folder: Some(folder) };
        symlink(dir, &link)?;
        Ok(way)
    }
}

/// Room for the folder, the link and the socket below it must be left.
fn short_temporary_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().len() <= 40 { folder } else { PathBuf::from("/tmp") }
}

impl Drop for Way {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // An empty folder that stays behind harms nobody.
            let _ = fs::remove_file(folder.join(LINK));
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder whose path is longer than any address of a socket.
    fn deep(dir: &Path) -> PathBuf {
        let path = dir.join("long".repeat(30)).join("longer".repeat(20));
        fs::create_dir_all(&path).expect("folders");
        path
    }

    #[tokio::test]
    async fn only_the_owner_may_connect_and_nothing_stays_behind() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for dir in [dir.path().to_path_buf(), deep(dir.path())] {
            let (listener, file) = listen(&dir).expect("a socket").expect("there is room");
            let mode = fs::symlink_metadata(dir.join(FILE_NAME)).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let (accepted, connected) = tokio::join!(listener.accept(), connect(&dir));
            accepted.expect("somebody came");
            connected.expect("it connects");
            drop(file);
            assert!(fs::symlink_metadata(dir.join(FILE_NAME)).is_err());
            let gone = connect(&dir).await.expect_err("it is gone");
            assert_eq!(gone.kind(), io::ErrorKind::NotFound);
        }
    }

    #[tokio::test]
    async fn a_socket_left_by_a_crash_is_replaced_and_another_file_is_not() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join(FILE_NAME);
        drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket"));
        let stale = connect(dir.path()).await.expect_err("nobody listens");
        assert_eq!(stale.kind(), io::ErrorKind::ConnectionRefused);
        drop(listen(dir.path()).expect("in its place"));

        fs::write(&path, "a letter").expect("a file");
        listen(dir.path()).expect_err("it is somebody's");
        assert_eq!(fs::read_to_string(&path).expect("it stays"), "a letter");
    }
}
