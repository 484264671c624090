//! Keys and strings of JSON, in their order.
//!
//! Content may be cut off anywhere and need not be valid: everything between two quotes counts as a string.

/// Returns every key and every string, one per line, with escapes decoded.
pub(super) fn strings(json: &str) -> String {
    let mut out = String::new();
    let mut rest = json;
    while let Some(at) = rest.find('"') {
        let start = out.len();
        rest = string(&rest[at + 1..], &mut out);
        if out.len() > start {
            out.push('\n');
        }
    }
    out.pop();
    out
}

/// Appends a string whose opening quote was read, and returns what follows it.
fn string<'a>(mut rest: &'a str, out: &mut String) -> &'a str {
    while let Some(at) = rest.find(['"', '\\']) {
        out.push_str(&rest[..at]);
        let is_end = rest[at..].starts_with('"');
        rest = &rest[at + 1..];
        if is_end {
            return rest;
        }
        rest = escape(rest, out);
    }
    out.push_str(rest);
    ""
}

/// Appends the character of an escape whose backslash was read, and returns what follows it.
fn escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let mut characters = rest.chars();
    match characters.next() {
        Some('n' | 'r' | 't' | 'f' | 'b') => out.push(' '),
        Some('u') => return unicode(characters.as_str(), out),
        Some(other) => out.push(other),
        None => {}
    }
    characters.as_str()
}

fn unicode<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some((first, rest)) = unit(rest) else { return rest };
    let second = rest.strip_prefix("\\u").and_then(unit);
    if let Some((second, after)) = second
        && let Some(Ok(character)) = char::decode_utf16([first, second]).next()
        && character.len_utf16() == 2
    {
        out.push(character);
        return after;
    }
    let character = char::from_u32(u32::from(first)).filter(|character| *character != '\0');
    out.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

fn unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten().map(|unit| (unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_strings_come_in_their_order() {
        for (json, expected) in [
            (r#"{"b":{"a":"x y"},"c":[1,true,"z"]}"#, "b\na\nx y\nc\nz"),
            (r#"["a\nb\"c\\d\/e"]"#, "a b\"c\\d/e"),
            (r#"["\u00e4\ud83d\ude80\ud83d x\u0000"]"#, "ä🚀\u{fffd} x\u{fffd}"),
            (r#"["\u00e","\uzzzz""#, "00e\nzzzz"),
            (r#"{"cut":"of"#, "cut\nof"),
            (r#"{"cut":"of\"#, "cut\nof"),
            (r#"["",""]"#, ""),
            ("1", ""),
            ("", ""),
        ] {
            assert_eq!(strings(json), expected, "{json}");
        }
    }
}
