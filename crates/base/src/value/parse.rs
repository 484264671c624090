//! Reading JSON.
//!
//! Our own reader rather than serde's, which rounds integers over 64 bits without a word and some
//! floats to the second nearest. Takes any bytes: it never panics and never goes deeper than the
//! limit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::error::{line_column, shown};
use super::{Number, Value, ValueError};
use crate::limits::JSON_DEPTH_MAX;

pub(super) fn parse(json: &[u8]) -> Result<Value, ValueError> {
    let text = std::str::from_utf8(json).map_err(|error| {
        let (line, column) = line_column(json, error.valid_up_to());
        ValueError::NotUtf8 { line, column }
    })?;
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip_space();
    let value = parser.value()?;
    parser.skip_space();
    if parser.at == text.len() { Ok(value) } else { Err(parser.expected("the end")) }
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte to look at; always the start of a character.
    at: usize,
    /// How many arrays and objects are open.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self) -> Result<Value, ValueError> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b'n') => self.word("null", Value::Null),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            _ => Err(self.expected("a value")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, ValueError> {
        if !self.rest().starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Reads an array or object, whose opening bracket is next.
    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, ValueError>) -> Result<Value, ValueError> {
        if self.depth == JSON_DEPTH_MAX {
            let (line, column) = self.line_column(self.at);
            return Err(ValueError::TooDeep { line, column });
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, ValueError> {
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(items.into());
        }
        loop {
            items.push(self.value()?);
            if self.end_of_list(b']', "a comma or the end of the array")? {
                return Ok(items.into());
            }
        }
    }

    fn object(&mut self) -> Result<Value, ValueError> {
        let mut entries = BTreeMap::new();
        if self.eat(b'}') {
            return Ok(entries.into());
        }
        loop {
            let key_at = self.at;
            let key = self.key()?;
            match entries.entry(key) {
                Entry::Vacant(entry) => entry.insert(self.value()?),
                Entry::Occupied(entry) => {
                    let (line, column) = self.line_column(key_at);
                    return Err(ValueError::DuplicateKey { key: shown(entry.key()), line, column });
                }
            };
            if self.end_of_list(b'}', "a comma or the end of the object")? {
                return Ok(entries.into());
            }
        }
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

    fn string(&mut self) -> Result<String, ValueError> {
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

    fn number(&mut self) -> Result<Number, ValueError> {
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
        let text = &self.text[start..self.at];
        let number = if self.at == integer_end { exact_integer(text) } else { float(text) };
        number.ok_or_else(|| {
            let (line, column) = self.line_column(start);
            ValueError::NumberOutOfRange { text: shown(text), line, column }
        })
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

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn expected(&self, expected: &'static str) -> ValueError {
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

/// A number written as an integer, unless it would have to be rounded.
fn exact_integer(text: &str) -> Option<Number> {
    if let Some(number) = text.parse().ok().and_then(Number::from_i128) {
        return Some(number);
    }
    // Without decimals, all digits of a float are written out: the same digits, the same number.
    let number = float(text)?;
    (format!("{:.0}", number.to_f64()) == text).then_some(number)
}

/// The nearest float, unless that is infinity.
fn float(text: &str) -> Option<Number> {
    Number::from_f64(text.parse().ok()?)
}
