//! Files, or standard input, on their way to whoever owns the data directory.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};

use cairn_http::Bytes;
use tokio::sync::mpsc;

use crate::failure::Failure;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Bytes of a file; 0 for standard input. Fails if it cannot be read, before anything is begun.
pub(super) fn length_of(path: &Path) -> Result<u64, Failure> {
    if is_stdin(path) { Ok(0) } else { Ok(open(path)?.1) }
}

/// Whether a path means standard input.
pub(super) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

fn open(path: &Path) -> Result<(Box<dyn Read + Send>, u64), Failure> {
    if is_stdin(path) {
        return Ok((Box::new(std::io::stdin()), 0));
    }
    let failed = |error: std::io::Error| Failure::io(format!("read {}", path.display()), &error);
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    Ok((Box::new(file), length))
}

/// Reads on a thread of its own, as fast as pieces are taken; says what went wrong.
pub(super) fn feed(path: PathBuf, pieces: mpsc::Sender<Bytes>, sent: Arc<AtomicU64>) -> Receiver<Failure> {
    let (failed, failures) = channel();
    std::thread::spawn(move || {
        let name = path.display().to_string();
        let done = open(&path).and_then(|(mut input, _)| read_all(&mut *input, &name, &pieces, &sent));
        if let Err(failure) = done {
            let _ = failed.send(failure);
        }
    });
    failures
}

/// The same from something that is open already; `name` is for people.
pub(super) fn feed_from(
    mut input: impl Read + Send + 'static,
    name: String,
    pieces: mpsc::Sender<Bytes>,
    sent: Arc<AtomicU64>,
) -> Receiver<Failure> {
    let (failed, failures) = channel();
    std::thread::spawn(move || {
        if let Err(failure) = read_all(&mut input, &name, &pieces, &sent) {
            let _ = failed.send(failure);
        }
    });
    failures
}

fn read_all(
    input: &mut dyn Read,
    name: &str,
    pieces: &mpsc::Sender<Bytes>,
    sent: &AtomicU64,
) -> Result<(), Failure> {
    loop {
        let mut piece = vec![0; PIECE_BYTES];
        let bytes = input.read(&mut piece);
        let bytes = bytes.map_err(|error| Failure::io(format!("read {name}"), &error))?;
        piece.truncate(bytes);
        // Nobody takes more when the import has failed.
        if bytes == 0 || pieces.blocking_send(piece.into()).is_err() {
            return Ok(());
        }
        sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
