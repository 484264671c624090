//! Text from elsewhere, for a terminal.

use std::fmt;

/// Text in which nothing can move the cursor, change colours or turn the direction of reading: such
/// characters are shown as `\u{1b}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Harmless<'a>(pub &'a str);

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_harmful) {
            f.write_str(&rest[..at])?;
            let character = rest[at..].chars().next().ok_or(fmt::Error)?;
            write!(f, "\\u{{{:x}}}", u32::from(character))?;
            rest = &rest[at + character.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// Whether a character does something to a terminal, or to how text around it reads.
pub(crate) fn is_harmful(character: char) -> bool {
    // Controls of both sets, separators of lines, and marks that hide or turn text.
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_is_shown_instead() {
        for (text, expected) in [
            ("plain ä 漢 🪨", "plain ä 漢 🪨"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\r\nb\tc\u{7}", "a\\u{d}\\u{a}b\\u{9}c\\u{7}"),
            ("\u{9b}2J\u{7f}", "\\u{9b}2J\\u{7f}"),
            ("abc\u{202e}txt.exe", "abc\\u{202e}txt.exe"),
            ("", ""),
        ] {
            assert_eq!(Harmless(text).to_string(), expected, "{text:?}");
        }
    }
}
