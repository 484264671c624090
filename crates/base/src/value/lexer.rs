//! The pieces of JSON text: strings, numbers as they are written, and lists of things.
//!
//! Whoever reads JSON says what becomes of the pieces: a [`Value`](super::Value), or canonical text.
//! Takes any bytes: it never panics and never goes deeper than the limit.

use super::ValueError;
use super::error::{line_column, shown};
use crate::limits::JSON_DEPTH_MAX;

/// Stands somewhere in a text that is hoped to be JSON.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// The next byte to look at; always the start of a character.
    at: usize,
    /// How many arrays and objects are open.
    depth: usize,
}

/// A number as it is written.
pub(crate) struct NumberText<'a> {
    pub(crate) text: &'a str,
    /// Whether it has neither a point nor an exponent.
    pub(crate) is_integer: bool,
    start: usize,
}

impl<'a> Lexer<'a> {
    /// Reads all of `json` as the one thing that `read` reads.
    pub(crate) fn read_all<T>(
        json: &'a [u8],
        read: impl FnOnce(&mut Self) -> Result<T, ValueError>,
    ) -> Result<T, ValueError> {
        let text = std::str::from_utf8(json).map_err(|error| {
            let (line, column) = line_column(json, error.valid_up_to());
            ValueError::NotUtf8 { line, column }
        })?;
        let mut lexer = Lexer { text, at: 0, depth: 0 };
        lexer.skip_space();
        let read = read(&mut lexer)?;
        lexer.skip_space();
        if lexer.at == text.len() { Ok(read) } else { Err(lexer.expected("the end")) }
    }

    /// The byte that says what comes next.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// `null`, `true` or `false`, whose first byte is next.
    pub(crate) fn word<T>(&mut self, word: &str, value: T) -> Result<T, ValueError> {
        if !self.rest().starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// An array, whose opening bracket is next; `item` reads one of its items.
    pub(crate) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        self.open()?;
        let mut ended = self.eat(b']');
        while !ended {
            item(self)?;
            ended = self.end_of_list(b']', "a comma or the end of the array")?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// An object, whose opening bracket is next; `entry` gets a key and where it stands, and reads the value.
    pub(crate) fn object(
        &mut self,
        mut entry: impl FnMut(&mut Self, String, usize) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        self.open()?;
        let mut ended = self.eat(b'}');
        while !ended {
            let key_at = self.at;
            let key = self.key()?;
            entry(self, key, key_at)?;
            ended = self.end_of_list(b'}', "a comma or the end of the object")?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Goes into an array or object.
    fn open(&mut self) -> Result<(), ValueError> {
        if self.depth == JSON_DEPTH_MAX {
            let (line, column) = self.line_column(self.at);
            return Err(ValueError::TooDeep { line, column });
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// A key, its colon, and the space up to the value.
    fn key(&mut self) -> Result<String, ValueError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key in double quotes"));
        }
        let key = self.string()?;
        self.skip_space();
        if !self.eat(b':') {
            return Err(self.expected("a colon"));
        }
        self.skip_space();
        Ok(key)
    }

    /// What follows an item: the end of the list, or a comma and the next item.
    fn end_of_list(&mut self, end: u8, expected: &'static str) -> Result<bool, ValueError> {
        self.skip_space();
        if self.eat(end) {
            return Ok(true);
        }
        if !self.eat(b',') {
            return Err(self.expected(expected));
        }
        self.skip_space();
        Ok(false)
    }

    /// A string, whose opening quote is next.
    pub(crate) fn string(&mut self) -> Result<String, ValueError> {
        self.at += 1; // The opening quote.
        let mut out = String::new();
        loop {
            let run = self.rest().bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
            let Some(run) = run else {
                self.at = self.text.len();
                return Err(self.expected("the end of the string"));
            };
            out.push_str(&self.rest()[..run]);
            self.at += run;
            if self.eat(b'"') {
                return Ok(out);
            }
            if self.peek() != Some(b'\\') {
                return Err(self.expected("control characters in a string to be escaped"));
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, ValueError> {
        let start = self.at;
        self.at += 1; // The backslash.
        let char = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.expected_at(start, "an escape that JSON knows")),
        };
        self.at += 1;
        Ok(char)
    }

    /// `\uXXXX`, or two of them that make one character; the parser stands at the first `u`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, ValueError> {
        let mut units = vec![self.hex_unit(start)?];
        // Half a character: the other half has to follow.
        if matches!(units[0], 0xd800..=0xdbff) && self.rest().starts_with("\\u") {
            self.at += 1;
            units.push(self.hex_unit(start)?);
        }
        let mut chars = char::decode_utf16(units);
        match (chars.next(), chars.next()) {
            (Some(Ok(char)), None) => Ok(char),
            _ => Err(self.expected_at(start, "both halves of a surrogate pair")),
        }
    }

    /// `uXXXX`.
    fn hex_unit(&mut self, start: usize) -> Result<u16, ValueError> {
        let digits =
            self.rest().get(1..5).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.expected_at(start, "four hexadecimal digits after \\u"))?;
        self.at += 5;
        Ok(unit)
    }

    /// A number, whose first byte is next.
    pub(crate) fn number(&mut self) -> Result<NumberText<'a>, ValueError> {
        let start = self.at;
        self.eat(b'-');
        // A zero stands alone, so that nobody reads 010 as eight.
        if !self.eat(b'0') {
            self.digits()?;
        }
        let integer_end = self.at;
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(NumberText { text: &self.text[start..self.at], is_integer: self.at == integer_end, start })
    }

    /// A number that cannot be kept.
    pub(crate) fn out_of_range(&self, number: &NumberText<'_>) -> ValueError {
        let (line, column) = self.line_column(number.start);
        ValueError::NumberOutOfRange { text: shown(number.text), line, column }
    }

    /// A key that was there before.
    pub(crate) fn duplicate(&self, key: &str, key_at: usize) -> ValueError {
        let (line, column) = self.line_column(key_at);
        ValueError::DuplicateKey { key: shown(key), line, column }
    }

    fn digits(&mut self) -> Result<(), ValueError> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        if count == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn skip_space(&mut self) {
        let space = self.rest().bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.at += space.count();
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Something else should stand here.
    pub(crate) fn expected(&self, expected: &'static str) -> ValueError {
        self.expected_at(self.at, expected)
    }

    fn expected_at(&self, at: usize, expected: &'static str) -> ValueError {
        let (line, column) = self.line_column(at);
        ValueError::Syntax { expected, line, column }
    }

    fn line_column(&self, at: usize) -> (usize, usize) {
        line_column(self.text.as_bytes(), at)
    }
}
