//! Lines and columns.

use crate::{KipError, Span};

/// Line and column of where a part of a text begins, both from 1. Columns count characters.
pub fn line_column(text: &str, span: Span) -> (usize, usize) {
    let before = before(text, span.start as usize);
    let in_line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, in_line.chars().count() + 1)
}

/// The text before a byte, or before the character which that byte is a part of.
pub(crate) fn before(text: &str, byte: usize) -> &str {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl KipError {
    /// The message with its place in front, for who has no other way to see that: `line 2, column 7: …`.
    ///
    /// `text` is the command that it is about.
    pub fn message_in(&self, text: &str) -> String {
        match self.span {
            Some(span) => {
                let (line, column) = line_column(text, span);
                format!("line {line}, column {column}: {}", self.message)
            }
            None => self.message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a\n\tü漢x\r\n\n";
        for (byte, expected) in [
            (0, (1, 1)),
            (1, (1, 2)),
            (2, (2, 1)),
            (3, (2, 2)),
            (5, (2, 3)),
            (6, (2, 3)),
            (8, (2, 4)),
            (11, (3, 1)),
            (12, (4, 1)),
            (99, (4, 1)),
        ] {
            assert_eq!(line_column(text, Span::new(byte, byte)), expected, "{byte}");
        }
    }

    #[test]
    fn a_message_says_where() {
        let error = KipError::new(crate::KipCode::NotFound, "it is gone");
        assert_eq!(error.message_in("a\nb"), "it is gone");
        assert_eq!(error.at(Span::new(2, 3)).message_in("a\nb"), "line 2, column 1: it is gone");
    }
}
