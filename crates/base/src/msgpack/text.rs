//! MessagePack for people: one line that reads like JSON.
//!
//! Keys that are numbers stay numbers, bytes are shown as `h'0102'`, types of applications as
//! `ext(5, h'01')`. Nothing in it can do anything to a terminal.

use std::fmt::Write;

use super::{MsgpackError, MsgpackReader, Token};
use crate::base64::Hex;
use crate::harmless::is_harmful;

/// Deepest nesting that is shown.
const LEVELS_MAX: usize = 64;

/// Writes one whole value as text, of at most `chars_max` characters: what is longer ends with `…`.
///
/// Fails when the bytes are not one value, as far as was looked.
pub fn msgpack_text(bytes: &[u8], chars_max: usize) -> Result<String, MsgpackError> {
    let mut text = Text { out: String::new(), room: chars_max };
    let mut reader = MsgpackReader::new(bytes);
    match text.value(&mut reader, LEVELS_MAX) {
        Ok(()) if reader.rest().is_empty() => Ok(text.out),
        Ok(()) => Err(MsgpackError::Trailing),
        Err(Stop::Full) => {
            text.out.pop();
            text.out.push('…');
            Ok(text.out)
        }
        Err(Stop::Bad(error)) => Err(error),
    }
}

enum Stop {
    Full,
    Bad(MsgpackError),
}

impl From<MsgpackError> for Stop {
    fn from(error: MsgpackError) -> Self {
        Stop::Bad(error)
    }
}

struct Text {
    out: String,
    /// Characters that still fit.
    room: usize,
}

impl Text {
    fn value(&mut self, reader: &mut MsgpackReader<'_>, levels: usize) -> Result<(), Stop> {
        match reader.token()? {
            Token::Nil => self.put("null"),
            Token::Bool(value) => self.put(if value { "true" } else { "false" }),
            Token::Unsigned(value) => self.show(value),
            Token::Negative(value) => self.show(value),
            Token::Float32(value) => self.show_debug(value),
            Token::Float64(value) => self.show_debug(value),
            Token::Text(bytes) => self.text(bytes),
            Token::Binary(bytes) => self.bytes(bytes),
            Token::Extension(kind, bytes) => {
                self.put("ext(")?;
                self.show(kind)?;
                self.put(", ")?;
                self.bytes(bytes)?;
                self.put(")")
            }
            Token::Array(count) => {
                let levels = levels.checked_sub(1).ok_or(MsgpackError::TooDeep)?;
                self.put("[")?;
                for at in 0..count {
                    self.put(if at == 0 { "" } else { ", " })?;
                    self.value(reader, levels)?;
                }
                self.put("]")
            }
            Token::Map(count) => {
                let levels = levels.checked_sub(1).ok_or(MsgpackError::TooDeep)?;
                self.put("{")?;
                for at in 0..count {
                    self.put(if at == 0 { "" } else { ", " })?;
                    self.value(reader, levels)?;
                    self.put(": ")?;
                    self.value(reader, levels)?;
                }
                self.put("}")
            }
        }
    }

    fn text(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let Ok(text) = std::str::from_utf8(bytes) else { return self.bytes(bytes) };
        self.put("\"")?;
        for character in text.chars() {
            match character {
                '"' => self.put("\\\"")?,
                '\\' => self.put("\\\\")?,
                '\n' => self.put("\\n")?,
                '\r' => self.put("\\r")?,
                '\t' => self.put("\\t")?,
                _ if is_harmful(character) => self.show(format_args!("\\u{{{:x}}}", u32::from(character)))?,
                _ => self.push(character)?,
            }
        }
        self.put("\"")
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.put("h'")?;
        // No more than fits: there may be millions.
        for piece in bytes.chunks(512) {
            self.show(Hex(piece))?;
        }
        self.put("'")
    }

    fn show(&mut self, value: impl std::fmt::Display) -> Result<(), Stop> {
        let mut text = String::new();
        write!(text, "{value}").map_err(|_| Stop::Full)?;
        self.put(&text)
    }

    /// Floats keep their point: 1.0 is not 1.
    fn show_debug(&mut self, value: impl std::fmt::Debug) -> Result<(), Stop> {
        self.show(format_args!("{value:?}"))
    }

    fn put(&mut self, text: &str) -> Result<(), Stop> {
        text.chars().try_for_each(|character| self.push(character))
    }

    fn push(&mut self, character: char) -> Result<(), Stop> {
        self.room = self.room.checked_sub(1).ok_or(Stop::Full)?;
        self.out.push(character);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_value_reads_well() {
        let rows: &[(&[u8], &str)] = &[
            (&[0xc0], "null"),
            (&[0xc3], "true"),
            (&[0xcd, 1, 0], "256"),
            (&[0xe0], "-32"),
            (&[0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], "1.0"),
            (&[0xca, 0x7f, 0xc0, 0, 0], "NaN"),
            (b"\xa5a\"b\\\n", r#""a\"b\\\n""#),
            (b"\xa4\x1b[0m", r#""\u{1b}[0m""#),
            (&[0xa2, 0xff, 0xfe], "h'fffe'"),
            (&[0xc4, 2, 1, 0xab], "h'01ab'"),
            (&[0xd4, 5, 7], "ext(5, h'07')"),
            (&[0x93, 1, 0x90, 0x80], "[1, [], {}]"),
            (b"\x82\x01\xa2hi\xa1a\xc2", r#"{1: "hi", "a": false}"#),
        ];
        for (bytes, expected) in rows {
            assert_eq!(msgpack_text(bytes, 1000).as_deref(), Ok(*expected), "{bytes:x?}");
            let length = expected.chars().count();
            assert_eq!(msgpack_text(bytes, length).as_deref(), Ok(*expected), "it just fits");
            let cut = msgpack_text(bytes, length - 1).unwrap();
            assert_eq!((cut.chars().count(), cut.ends_with('…')), (length - 1, true), "{cut}");
        }
    }

    #[test]
    fn what_is_no_value_is_none() {
        for (bytes, error) in [
            (&[][..], MsgpackError::Cut),
            (&[0xc1], MsgpackError::Unknown),
            (&[1, 2], MsgpackError::Trailing),
            (&[0xdd, 255, 255, 255, 255, 1], MsgpackError::Cut),
            (&[0x91; 100], MsgpackError::TooDeep),
        ] {
            assert_eq!(msgpack_text(bytes, 1000), Err(error), "{bytes:x?}");
        }
        assert!(msgpack_text(&[0x91; 100_000], 10).is_ok_and(|text| text == "[[[[[[[[[…"));
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_bounded_line_or_none(bytes: Vec<u8>, chars_max in 0_usize..100) {
            if let Ok(text) = msgpack_text(&bytes, chars_max) {
                prop_assert!(text.chars().count() <= chars_max.max(1));
                prop_assert!(!text.contains(is_harmful));
            }
        }
    }
}
