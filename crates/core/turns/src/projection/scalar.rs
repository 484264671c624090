//! Single values as JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

use cairn_base::{Base64, Hex, Token};

use super::options::{BytesRender, Options, WideRender};

/// Integers up to here are exact in JavaScript.
const EXACT_MAX: u64 = 1 << 53;

/// An integer of any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integer {
    Unsigned(u64),
    Negative(i64),
}

impl Integer {
    pub(super) fn of(token: Token<'_>) -> Option<Self> {
        match token {
            Token::Unsigned(value) => Some(Integer::Unsigned(value)),
            Token::Negative(value) => Some(Integer::Negative(value)),
            Token::Nil
            | Token::Bool(_)
            | Token::Float32(_)
            | Token::Float64(_)
            | Token::Text(_)
            | Token::Binary(_)
            | Token::Array(_)
            | Token::Map(_)
            | Token::Extension(..) => None,
        }
    }

    pub(super) fn as_i64(self) -> Option<i64> {
        match self {
            Integer::Unsigned(value) => i64::try_from(value).ok(),
            Integer::Negative(value) => Some(value),
        }
    }

    fn is_exact(self) -> bool {
        match self {
            Integer::Unsigned(value) => value <= EXACT_MAX,
            Integer::Negative(value) => value.unsigned_abs() <= EXACT_MAX,
        }
    }

    pub(super) fn digits(self, out: &mut String) {
        match self {
            Integer::Unsigned(value) => decimal(value, out),
            Integer::Negative(value) => {
                out.push('-');
                decimal(value.unsigned_abs(), out);
            }
        }
    }
}

/// Appends a number in decimal digits, without the detour that formatting takes.
pub fn decimal(mut value: u64, out: &mut String) {
    // As many as 2^64 - 1 has.
    let mut digits = [b'0'; 20];
    let mut from = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(value % 10).unwrap_or(0);
        from -= 1;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[from..]).unwrap_or_default());
}

/// An integer that was declared to have 64 bits: a text, or a number if that is wanted.
pub(super) fn wide(value: Integer, options: &Options, out: &mut String) {
    match options.wide {
        WideRender::Number => value.digits(out),
        WideRender::Text => {
            out.push('"');
            value.digits(out);
            out.push('"');
        }
    }
}

/// Any other integer: a number wherever that is exact.
pub(super) fn integer(value: Integer, options: &Options, out: &mut String) {
    if value.is_exact() { value.digits(out) } else { wide(value, options, out) }
}

/// A float; JSON has no word for what is no number.
pub(super) fn float64(value: f64, out: &mut String) {
    if value.is_finite() {
        let _ = write!(out, "{value:?}");
    } else {
        out.push_str("null");
    }
}

/// The shortest digits that name this one and no other float of its size.
pub(super) fn float32(value: f32, out: &mut String) {
    if value.is_finite() {
        let _ = write!(out, "{value:?}");
    } else {
        out.push_str("null");
    }
}

/// A text; what is not UTF-8 shows as U+FFFD.
pub(super) fn text(bytes: &[u8], out: &mut String) {
    // Looking for what is wrong takes longer than looking whether anything is.
    let text = std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    out.push('"');
    let mut plain = 0;
    while let Some(at) = next_escaped(&text.as_bytes()[plain..]).map(|ahead| plain + ahead) {
        out.push_str(&text[plain..at]);
        plain = at + 1;
        match text.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

/// Where the next byte is that JSON does not take as it is. Most texts have few of them, so eight bytes are
/// looked at at once.
fn next_escaped(bytes: &[u8]) -> Option<usize> {
    let is_escaped = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let words = bytes.chunks_exact(8);
    let tail = bytes.len() - words.remainder().len();
    let with_one =
        words.into_iter().position(|word| may_have_escaped(word.first_chunk().copied().unwrap_or_default()));
    let from = with_one.map_or(tail, |word| 8 * word);
    bytes[from..].iter().position(is_escaped).map(|ahead| from + ahead)
}

/// Whether one of eight bytes is escaped: each test leaves the highest bit of a byte that fits.
fn may_have_escaped(bytes: [u8; 8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(bytes);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let special = below(word, 0x20) | below(word ^ (ONES * 0x22), 1) | below(word ^ (ONES * 0x5c), 1);
    special & (ONES * 0x80) != 0
}

pub(super) fn bytes(bytes: &[u8], options: &Options, out: &mut String) {
    match options.bytes {
        BytesRender::Length => {
            let _ = write!(out, "{}", bytes.len());
        }
        BytesRender::Hex => {
            let _ = write!(out, "\"{}\"", Hex(bytes));
        }
        BytesRender::Base64 => {
            let _ = write!(out, "\"{}\"", Base64(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(write: impl FnOnce(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn texts_are_what_a_json_reader_reads_back() {
        let long = format!("{}\"{}\\{}\u{1}{}", "x".repeat(9), "ä".repeat(20), "y".repeat(7), "z".repeat(16));
        let texts = [
            "",
            &long,
            "12345678",
            "1234567\"",
            "\"2345678",
            "a",
            "\"\\\n\r\t\u{0}\u{1f}\u{7f}",
            "ä€😀",
            "a\"b",
            "\u{2028}",
        ];
        for text_in in texts {
            let json = shown(|out| text(text_in.as_bytes(), out));
            let back = cairn_base::Value::parse_json(json.as_bytes()).unwrap();
            assert_eq!(back.as_str(), Some(text_in), "{json}");
        }
        assert_eq!(shown(|out| text(&[b'a', 0xff, b'b'], out)), "\"a\u{fffd}b\"");
    }

    #[test]
    fn decimal_digits_are_those_of_formatting() {
        let near = |value: u64| [value.saturating_sub(1), value, value.saturating_add(1)];
        let tens = (0..20).map(|power| 10_u64.saturating_pow(power)).flat_map(near);
        for value in tens.chain([0, u64::MAX, 1 << 53]) {
            assert_eq!(shown(|out| decimal(value, out)), value.to_string());
        }
        for value in [i64::MIN, -1, -10, -1_234_567] {
            assert_eq!(shown(|out| Integer::Negative(value).digits(out)), value.to_string());
        }
    }

    #[test]
    fn bytes_in_every_form() {
        let hex = Options { bytes: BytesRender::Hex, ..Options::default() };
        let length = Options { bytes: BytesRender::Length, ..Options::default() };
        let rows: [(&[u8], &str, &str); 5] = [
            (b"", "\"\"", "\"\""),
            (b"f", "\"Zg==\"", "\"66\""),
            (b"fo", "\"Zm8=\"", "\"666f\""),
            (b"foo", "\"Zm9v\"", "\"666f6f\""),
            (&[0xfb, 0xff, 0xbf, 0], "\"+/+/AA==\"", "\"fbffbf00\""),
        ];
        for (plain, base64, digits) in rows {
            assert_eq!(shown(|out| bytes(plain, &Options::default(), out)), base64);
            assert_eq!(shown(|out| bytes(plain, &hex, out)), digits);
            assert_eq!(shown(|out| bytes(plain, &length, out)), plain.len().to_string());
        }
    }
}
