//! Writing values so that this crate and other readers of YAML read the same back.

use cairn_base::Value;

use super::scalar::{Form, Scalar};

/// Longest text that is written without quotes.
const PLAIN_BYTES_MAX: usize = 200;

/// Writes a text as the value of a key or an item, and the end of its line. `indent` are the spaces before lines of a
/// block below it.
pub(crate) fn write_text(out: &mut String, text: &str, indent: usize) {
    if is_plain(text) {
        out.push_str(text);
    } else if is_block(text) {
        out.push_str("|-");
        for line in text.split('\n') {
            out.push('\n');
            if !line.is_empty() {
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(line);
            }
        }
    } else {
        write_quoted(out, text);
    }
    out.push('\n');
}

/// Writes a value that is no list and no mapping, and the end of its line. Null is written for those.
pub(crate) fn write_scalar(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(text) => return write_text(out, text, indent),
        Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_json()),
        Value::Null | Value::Array(_) | Value::Object(_) => out.push_str("null"),
    }
    out.push('\n');
}

/// Whether a text needs no quotes: no version of YAML takes it for anything but this text.
fn is_plain(text: &str) -> bool {
    let starts_well = text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '/'));
    if !starts_well || text.len() > PLAIN_BYTES_MAX || text.ends_with([' ', ':']) || text.contains(": ") {
        return false;
    }
    let is_harmless = |letter: char| letter.is_alphanumeric() || " _-./()+,'=@%;:<>".contains(letter);
    if !text.chars().all(|letter| is_harmless(letter) && is_printable(letter)) {
        return false;
    }
    // Words that YAML 1.1 reads as truth values.
    let is_word = ["y", "n", "yes", "no", "on", "off"].iter().any(|word| text.eq_ignore_ascii_case(word));
    let scalar = Scalar { text: text.to_owned(), form: Form::Plain };
    !is_word && matches!(scalar.value(), Ok(Value::String(_)))
}

/// Whether a text can be a literal block: several lines of printable characters, none of which ends with a space.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with('\n')
        && text.split('\n').all(|line| {
            !line.ends_with([' ', '\t']) && !line.starts_with('\t') && line.chars().all(is_printable)
        })
}

fn write_quoted(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    for letter in text.chars() {
        // Writing to a text does not fail.
        let _ = match letter {
            '"' => out.write_str("\\\""),
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\t' => out.write_str("\\t"),
            '\r' => out.write_str("\\r"),
            letter if is_printable(letter) => out.write_char(letter),
            letter => match u32::from(letter) {
                code @ ..=0xff => write!(out, "\\x{code:02x}"),
                code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                code => write!(out, "\\U{code:08x}"),
            },
        };
    }
    out.push('"');
}

/// Whether a character can be seen, and stands for itself in every reader of YAML.
pub(super) fn is_printable(letter: char) -> bool {
    match u32::from(letter) {
        0x20..=0x7e => true,
        ..=0x9f | 0xad => false,
        // Zero width, direction marks, line and paragraph separators, the byte order mark.
        0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff0..=0xffff => false,
        0xe000..=0xf8ff => false,
        code => code < 0xe0000 && code & 0xfffe != 0xfffe,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::Reader;

    fn written(text: &str) -> String {
        let mut out = String::new();
        write_text(&mut out, text, 2);
        out
    }

    fn read_back(text: &str) -> Option<String> {
        let yaml = format!("key: {}", written(text));
        let node = Reader::read_all(&yaml, 0).expect(&yaml)?;
        let crate::yaml::NodeKind::Map(entries) = node.kind else { return None };
        entries.first()?.value.text().map(str::to_owned)
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(written(text), format!("{expected}\n"));
        assert_eq!(read_back(text).as_deref(), Some(text));
    }

    #[test]
    fn text_is_quoted_where_a_reader_could_take_it_for_something_else() {
        check("Sessions end when idle", "Sessions end when idle");
        check("mcp://cairn/upsert", "mcp://cairn/upsert");
        check("tests/test_auth.py::test_login", "tests/test_auth.py::test_login");
        check("", "\"\"");
        check("yes", "\"yes\"");
        check("NO", "\"NO\"");
        check("null", "\"null\"");
        check("True", "\"True\"");
        check("1e3", "\"1e3\"");
        check("2026-05-01T10:00:00Z", "\"2026-05-01T10:00:00Z\"");
        check("a: b", "\"a: b\"");
        check("a #b", "\"a #b\"");
        check("ends:", "\"ends:\"");
        check(" leading", "\" leading\"");
        check("- item", "\"- item\"");
        check("---", "\"---\"");
        check("say \"hi\" \\ there", "\"say \\\"hi\\\" \\\\ there\"");
        check("tab\there", "\"tab\\there\"");
        check("nul\0", "\"nul\\x00\"");
        check("\u{feff}bom", "\"\\ufeffbom\"");
        check("\u{2028}\u{10ffff}", "\"\\u2028\\U0010ffff\"");
        check("größer 日本", "größer 日本");
    }

    #[test]
    fn lines_of_prose_are_a_block() {
        check("one\n\n  two: x\n---\n# three", "|-\n  one\n\n    two: x\n  ---\n  # three");
        check("one\ntwo\n", "\"one\\ntwo\\n\"");
        check("one \ntwo", "\"one \\ntwo\"");
        check("one\r\ntwo", "\"one\\r\\ntwo\"");
        check("\none", "\"\\none\"");
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text in "(?s).{0,60}") {
            prop_assert_eq!(read_back(&text), Some(text));
        }

        #[test]
        fn text_that_looks_like_yaml_is_read_back(text in "[-:#|>&*!%@`'\"\\[\\]{},?~ \n\t\rae01._]{0,40}") {
            prop_assert_eq!(read_back(&text), Some(text));
        }
    }
}
