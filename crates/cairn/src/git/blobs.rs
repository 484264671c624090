//! Contents of blobs, by one process.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use super::Git;
use crate::failure::Failure;

/// The content of a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Blob {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It is longer than it may be.
    TooLong,
    /// It is missing, or no blob.
    Missing,
}

impl Git {
    /// Reads blobs one after another and hands each to `take`, in their order. Those of more than `bytes_max` bytes are
    /// skipped.
    pub(crate) fn blobs(
        &self,
        names: &[&str],
        bytes_max: usize,
        mut take: impl FnMut(usize, Blob),
    ) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::io("read from git cat-file", &error);
        if names.is_empty() {
            return Ok(());
        }
        let mut command = self.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| super::cannot_run(&error))?;
        let mut stdin = child.stdin.take().expect("it is piped");
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let wanted: String = names.iter().map(|name| format!("{name}\n")).collect();
        // It writes while it reads. One that ends early closes the pipe, and the reader sees it.
        let writer = std::thread::spawn(move || drop(stdin.write_all(wanted.as_bytes())));
        let read = (|| {
            for at in 0..names.len() {
                let blob = next(&mut stdout, bytes_max)?;
                take(at, blob);
            }
            Ok(())
        })();
        if read.is_err() {
            let _ = child.kill();
        }
        let ended = child.wait();
        drop(writer.join());
        read.map_err(failed)?;
        ended.map_err(failed).map(drop)
    }
}

/// Reads `NAME blob BYTES`, a line feed, the bytes and a line feed; or `NAME missing`.
fn next(stdout: &mut impl BufRead, bytes_max: usize) -> std::io::Result<Blob> {
    let mut head = Vec::new();
    stdout.by_ref().take(HEAD_BYTES_MAX).read_until(b'\n', &mut head)?;
    let odd = || std::io::Error::new(std::io::ErrorKind::InvalidData, "it prints something unknown");
    let head = std::str::from_utf8(&head).map_err(|_| odd())?;
    let Some(head) = head.strip_suffix('\n') else { return Err(odd()) };
    let mut words = head.rsplit(' ');
    let Some(bytes) = words.next().and_then(|bytes| bytes.parse::<u64>().ok()) else {
        return Ok(Blob::Missing);
    };
    let is_blob = words.next() == Some("blob");
    let mut content = stdout.by_ref().take(bytes);
    let blob = if is_blob && bytes <= bytes_max as u64 {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        Blob::Bytes(bytes)
    } else {
        std::io::copy(&mut content, &mut std::io::sink())?;
        if is_blob { Blob::TooLong } else { Blob::Missing }
    };
    let mut end = [0];
    stdout.read_exact(&mut end)?;
    Ok(blob)
}

/// Bytes of the line before a blob.
const HEAD_BYTES_MAX: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_follow_each_other() {
        let output = b"a1 blob 3\nx\ny\na2 missing\na3 blob 4\nlong\na4 tree 2\n..\na5 blob 0\n\n";
        let mut stdout = &output[..];
        let mut blobs = Vec::new();
        for _ in 0..5 {
            blobs.push(next(&mut stdout, 3).expect("it is of git"));
        }
        let bytes = |text: &str| Blob::Bytes(text.as_bytes().to_vec());
        assert_eq!(blobs, [bytes("x\ny"), Blob::Missing, Blob::TooLong, Blob::Missing, bytes("")]);
        assert!(next(&mut stdout, 3).is_err());
    }
}
