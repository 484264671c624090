//! One line of the input, as it comes in.

use cairn_kip::limits;
use serde_json::Value;

use crate::id_scan::IdScan;

/// A line that is being read. Bytes over the limit are not kept, only scanned for the id of the message.
#[derive(Default)]
pub(crate) struct Line {
    bytes: Vec<u8>,
    /// The scan of a line that is too long.
    passing: Option<IdScan>,
}

/// A complete line.
pub(crate) enum Whole {
    /// Its bytes without the newline.
    Text(Vec<u8>),
    /// A line over the limit, with the id of its message.
    TooLong(Option<Value>),
}

impl Line {
    /// Consumes bytes up to the end of the line. Returns how many it consumed, and the line if it is complete.
    pub(crate) fn take(&mut self, available: &[u8]) -> (usize, Option<Whole>) {
        let end = available.iter().position(|byte| *byte == b'\n');
        self.add(&available[..end.unwrap_or(available.len())]);
        match end {
            Some(end) => (end + 1, Some(self.finish())),
            None => (available.len(), None),
        }
    }

    /// Returns the last line at the end of the input, or `None` if it is empty.
    pub(crate) fn last(&mut self) -> Option<Whole> {
        (self.passing.is_some() || !self.bytes.is_empty()).then(|| self.finish())
    }

    fn add(&mut self, part: &[u8]) {
        if let Some(scan) = &mut self.passing {
            return scan.feed(part);
        }
        self.bytes.extend_from_slice(part);
        if self.bytes.len() > limits::KIP_BODY_BYTES_MAX {
            let mut scan = IdScan::default();
            scan.feed(&std::mem::take(&mut self.bytes));
            self.passing = Some(scan);
        }
    }

    fn finish(&mut self) -> Whole {
        let bytes = std::mem::take(&mut self.bytes);
        match self.passing.take() {
            Some(scan) => Whole::TooLong(scan.id()),
            None => Whole::Text(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What comes of bytes that come in pieces of this size.
    fn read(bytes: &[u8], piece: usize) -> Vec<Result<Vec<u8>, Option<Value>>> {
        let (mut line, mut lines) = (Line::default(), Vec::new());
        let told = |whole| match whole {
            Whole::Text(text) => Ok(text),
            Whole::TooLong(id) => Err(id),
        };
        for mut piece in bytes.chunks(piece) {
            while !piece.is_empty() {
                let (taken, whole) = line.take(piece);
                lines.extend(whole.map(told));
                piece = &piece[taken..];
            }
        }
        lines.extend(line.last().map(told));
        lines
    }

    #[test]
    fn lines_end_where_they_end_however_they_come() {
        for piece in [1, 2, 3, 100] {
            let lines = read(b"one\n\ntwo\r\nthree", piece);
            let expected: [&[u8]; 4] = [b"one", b"", b"two\r", b"three"];
            assert_eq!(lines, expected.map(|line| Ok(line.to_vec())), "{piece}");
        }
        assert!(read(b"", 1).is_empty());
    }

    #[test]
    fn the_limit_is_the_last_length_that_is_kept() {
        let message = |text: usize| format!(r#"{{"id":7,"text":"{}"}}"#, "x".repeat(text));
        let rest = limits::KIP_BODY_BYTES_MAX - message(0).len();
        for piece in [8 << 10, 64 << 20] {
            let input = format!("{}\n{}\n{}", message(rest), message(rest + 1), message(rest + 9));
            let lines = read(input.as_bytes(), piece);
            assert_eq!(lines[0].as_ref().map(Vec::len), Ok(limits::KIP_BODY_BYTES_MAX));
            assert_eq!(lines[1..], [Err(Some(json!(7))), Err(Some(json!(7)))]);
        }
    }
}
