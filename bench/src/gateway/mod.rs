//! `gateway`: the figures of turns over HTTP.

pub(crate) mod bare;
mod listing;
mod moving;
mod typed;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("typed", "64 turns as their types have them, flat out and at 1,000 requests/s", typed::run),
    row("listing", "20 of 100,000 contexts with a filter", listing::run),
    row("moving", "import and export of turns", moving::run),
];

/// A GET request.
fn get(path: &str, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
}

/// A request with a body.
pub(crate) fn send(line: &str, media_type: &str, body: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let head = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(body);
}

/// The body of an answer, if it is a success.
pub(crate) fn body(answer: &[u8]) -> anyhow::Result<&[u8]> {
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    let is_success = answer.starts_with(b"HTTP/1.1 2");
    anyhow::ensure!(is_success, "an error: {}", String::from_utf8_lossy(&answer[..answer.len().min(2000)]));
    Ok(&answer[head..])
}
