//! The beginning of a text.

use crate::limits::PREVIEW_CHARS_MAX;

/// Returns the first [`PREVIEW_CHARS_MAX`] characters of a text, with white space collapsed into single spaces
/// and control characters left out.
pub fn preview(text: &str) -> String {
    let mut out = String::new();
    let mut chars = 0;
    let mut is_space_due = false;
    for character in text.chars() {
        if character.is_whitespace() {
            is_space_due = chars > 0;
            continue;
        }
        if character.is_control() {
            continue;
        }
        if is_space_due {
            // A space is of use only in front of another character.
            if chars + 2 > PREVIEW_CHARS_MAX {
                break;
            }
            out.push(' ');
            chars += 1;
            is_space_due = false;
        }
        if chars == PREVIEW_CHARS_MAX {
            break;
        }
        out.push(character);
        chars += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previews_are_short_and_on_one_line() {
        let long = "ä".repeat(PREVIEW_CHARS_MAX + 1);
        let edge = format!("{} b", "a".repeat(PREVIEW_CHARS_MAX - 1));
        for (text, expected) in [
            ("", ""),
            (" \n\t ", ""),
            ("  a \r\n\u{a0} b\u{1b}c ", "a bc"),
            (&long, &long[..2 * PREVIEW_CHARS_MAX]),
            (&edge, &edge[..PREVIEW_CHARS_MAX - 1]),
        ] {
            assert_eq!(preview(text), expected, "{text:?}");
        }
    }
}
