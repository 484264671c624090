//! Answers that come line by line.

use axum::body::Bytes;

use super::error::{ClientError, not_understood};
use crate::limits;

/// Bytes as they come, cut into lines.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    pub(super) fn add(&mut self, bytes: Bytes) -> Result<(), ClientError> {
        if self.0.len() + bytes.len() > limits::ADMIN_ANSWER_BYTES_MAX {
            return Err(not_understood(&"a line is too long"));
        }
        self.0.extend_from_slice(&bytes);
        Ok(())
    }

    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let rest = self.0.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.0, rest);
        line.pop();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_wherever_the_network_cut_them() {
        let mut lines = Lines::default();
        lines.add(Bytes::from_static(b"{\"a\":1}\n{\"b")).expect("short");
        assert_eq!(lines.next().as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(lines.next(), None);
        lines.add(Bytes::from_static(b"\":2}\n\n")).expect("short");
        assert_eq!(lines.next().as_deref(), Some(&b"{\"b\":2}"[..]));
        assert_eq!(lines.next().as_deref(), Some(&b""[..]));
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let mut lines = Lines(vec![0; limits::ADMIN_ANSWER_BYTES_MAX]);
        assert!(lines.add(Bytes::new()).is_ok());
        assert!(lines.add(Bytes::from_static(b"x")).is_err());
    }
}
