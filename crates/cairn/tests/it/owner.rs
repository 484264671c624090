//! An owner played by the test: it holds the lock of a data directory, and answers as the test wishes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::program::{run, stderr, within};

pub(crate) struct PlayedOwner {
    data: PathBuf,
    lock: File,
    listener: Option<UnixListener>,
}

impl PlayedOwner {
    /// Makes a data directory in `dir` and holds its lock; there is no socket yet.
    pub(crate) fn new(dir: &Path) -> PlayedOwner {
        let made = run(dir, &["--data-dir", "data", "init"]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        let data = dir.join("data");
        let lock = File::options().read(true).write(true).open(data.join("LOCK")).expect("it is there");
        lock.try_lock().expect("nobody else has it");
        PlayedOwner { data, lock, listener: None }
    }

    /// Makes the socket.
    pub(crate) fn listen(&mut self) {
        self.listener = Some(UnixListener::bind(self.data.join("cairn.sock")).expect("a socket"));
    }

    /// Takes the socket away.
    pub(crate) fn stop_listening(&mut self) {
        self.listener = None;
        std::fs::remove_file(self.data.join("cairn.sock")).expect("it was there");
    }

    /// Waits for a caller and reads its request. Whoever asks whether anybody is there is told so.
    pub(crate) fn accept(&self) -> (UnixStream, String) {
        loop {
            let (mut stream, request) = self.accept_anybody();
            if !request.is_empty() && !request.starts_with("GET /healthz ") {
                return (stream, request);
            }
            // It may have what it wanted and be gone.
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
    }

    fn accept_anybody(&self) -> (UnixStream, String) {
        let listener = self.listener.as_ref().expect("it listens").try_clone().expect("a handle");
        within("a request", move || {
            let (stream, _) = listener.accept().expect("somebody comes");
            let mut reader = BufReader::new(stream);
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") {
                if reader.read_line(&mut request).expect("text") == 0 {
                    assert_eq!(request, "", "it was cut");
                    return (reader.into_inner(), request);
                }
            }
            let length = request.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
            reader.read_exact(&mut body).expect("the body");
            request.push_str(&String::from_utf8(body).expect("text"));
            (reader.into_inner(), request)
        })
    }

    /// Answers one caller with a whole answer, and yields the request.
    pub(crate) fn answer(&self, status: &str, body: &str) -> String {
        let (mut stream, request) = self.accept();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).expect("it reads");
        request
    }

    /// Lets go of socket and lock.
    pub(crate) fn leave(self) {
        let PlayedOwner { data, lock, listener } = self;
        drop(listener);
        let _ = std::fs::remove_file(data.join("cairn.sock"));
        drop(lock);
    }
}
