//! Strings, exactly as JSON has them.

use cairn_base::{Value, ValueError};

use super::{Lexer, Token};
use crate::{KipCode, KipError, Span};

impl<'a> Lexer<'a> {
    /// A string, whose opening quote is next.
    pub(super) fn string(&mut self) -> Result<Token<'a>, KipError> {
        let start = self.at;
        let length = self.string_length()?;
        let quoted = self.take(length);
        let inside = &quoted[1..length - 1];
        if !inside.contains('\\') {
            return Ok(Token::String(inside.into()));
        }
        match Value::parse_json(quoted.as_bytes()) {
            Ok(Value::String(text)) => Ok(Token::String(text.into())),
            Ok(_) => Ok(Token::String(inside.into())),
            Err(error) => Err(bad_escape(&error, quoted, start)),
        }
    }

    /// The bytes from the opening quote to the closing one, both included.
    fn string_length(&self) -> Result<usize, KipError> {
        let bytes = self.rest().as_bytes();
        let mut at = 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => return Ok(at + 1),
                b'\\' => at += 2,
                0..=0x1f => return Err(self.control(at, *byte)),
                _ => at += 1,
            }
        }
        let opening = Span::new(self.at, self.at + 1);
        Err(wrong("this string has no end").hint("close it with a double quote").at(opening))
    }

    /// A control character stands in a string.
    fn control(&self, at: usize, byte: u8) -> KipError {
        if matches!(byte, b'\n' | b'\r') {
            // More likely than a string of two lines: a quote was forgotten on the first.
            return wrong("this string does not end on its line")
                .hint("close it with a double quote; write \\n for a line break inside it")
                .at(Span::new(self.at, self.at + at));
        }
        let place = self.at + at;
        let escape = if byte == b'\t' { "\\t".to_owned() } else { format!("\\u{byte:04x}") };
        wrong("a control character stands in a string")
            .hint(format!("write {escape} instead"))
            .at(Span::new(place, place + 1))
    }
}

/// An escape that JSON does not know; its place is that of its backslash.
fn bad_escape(error: &ValueError, quoted: &str, start: usize) -> KipError {
    // Nothing before it ends a line, so that columns, which count characters, are enough.
    let (_, column) = error.line_column();
    let at = quoted.char_indices().nth(column - 1).map_or(quoted.len(), |(at, _)| at);
    let length = quoted[at..].chars().take(2).map(char::len_utf8).sum::<usize>();
    let expected =
        if let ValueError::Syntax { expected, .. } = error { expected } else { "a string of JSON" };
    let hint = if expected.contains("surrogate") {
        "a character beyond \\uffff is written as two, as in \\ud83d\\ude80, or simply as itself"
    } else {
        "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits; a backslash is \\\\"
    };
    wrong(format!("expected {expected}")).hint(hint).at(Span::new(start + at, start + at + length))
}

fn wrong(message: impl Into<String>) -> KipError {
    KipError::new(KipCode::InvalidSyntax, message)
}
