//! Strings and floats as canonical JSON has them.

use std::fmt::Write;

/// Floats with a first digit at these powers of ten are written without an exponent.
const WITHOUT_EXPONENT: std::ops::Range<i32> = -4..16;

/// Writes a string in quotes: printable ASCII as it is, everything else escaped.
pub(super) fn string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|character| !is_plain(character)) {
        out.push_str(&rest[..at]);
        let mut characters = rest[at..].chars();
        if let Some(character) = characters.next() {
            escape(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn is_plain(character: char) -> bool {
    matches!(character, ' '..='~') && !matches!(character, '"' | '\\')
}

fn escape(out: &mut String, character: char) {
    let short = match character {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{8}' => "\\b",
        '\t' => "\\t",
        '\n' => "\\n",
        '\u{c}' => "\\f",
        '\r' => "\\r",
        other => {
            // Beyond the first plane two halves, as UTF-16 has them.
            for unit in other.encode_utf16(&mut [0; 2]) {
                push(out, format_args!("\\u{unit:04x}"));
            }
            return;
        }
    };
    out.push_str(short);
}

/// Writes a finite float: the fewest digits that read back, and always a point or an exponent.
pub(super) fn float(out: &mut String, value: f64) {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').expect("it is asked for with an exponent");
    let exponent: i32 = exponent.parse().expect("exponents of floats are small integers");
    if !WITHOUT_EXPONENT.contains(&exponent) {
        return push(out, format_args!("{digits}e{exponent:+03}"));
    }
    let start = out.len();
    push(out, format_args!("{value}"));
    if !out[start..].contains('.') {
        out.push_str(".0");
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes everything");
}
