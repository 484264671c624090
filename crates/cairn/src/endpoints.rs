//! `endpoints.json`: where a running server can be reached, for whoever knows its data directory.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use cairn_base::fs::is_full;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::private_file;

/// The file in the data directory.
const FILE_NAME: &str = "endpoints.json";

/// The file, which goes away with this value.
#[derive(Debug)]
pub(crate) struct EndpointsFile(PathBuf);

/// What stands in the file.
pub(crate) fn describe(http: SocketAddr, binary: SocketAddr, with_tls: bool) -> Value {
    let mut endpoints =
        json!({"http": http.to_string(), "binary": binary.to_string(), "pid": std::process::id()});
    if with_tls {
        endpoints["tls"] = json!(true);
    }
    endpoints
}

impl EndpointsFile {
    /// Writes the file, for its owner alone; readers see all of it or none.
    pub(crate) fn write(data_dir: &Path, endpoints: &Value) -> Result<Self, Failure> {
        let path = data_dir.join(FILE_NAME);
        match private_file::replace(&path, format!("{endpoints}\n").as_bytes()) {
            // Nobody has to read it, and the one of an earlier server would be wrong.
            Err(error) if is_full(&error) => {
                tracing::warn!(file = %path.display(), %error, "the list of endpoints was not written");
                let _ = std::fs::remove_file(&path);
            }
            written => {
                written.map_err(|error| Failure::io(format_args!("write {}", path.display()), &error))?;
            }
        }
        Ok(EndpointsFile(path))
    }
}

impl Drop for EndpointsFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(file = %self.0.display(), %error, "could not remove the list of endpoints");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_replaces_an_old_one_and_goes_away() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join(FILE_NAME);
        std::fs::write(&path, "left behind by a crash").expect("an old file");
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let endpoints = describe(at(9010), at(9009), false);
        let file = EndpointsFile::write(dir.path(), &endpoints).expect("it can be written");
        let read: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("it is there")).expect("it is JSON");
        assert_eq!(
            read,
            json!({"http": "127.0.0.1:9010", "binary": "127.0.0.1:9009", "pid": std::process::id()})
        );
        assert_eq!(describe(at(9010), at(9009), true)["tls"], json!(true));
        drop(file);
        assert_eq!(dir.path().read_dir().expect("the folder").count(), 0);
    }
}
