//! Identifiers, and what looks like one.

use super::{Lexer, Token, shown};
use crate::{KipCode, KipError, Span};

/// Whether a text is an identifier: a letter or `_`, then letters, digits and `_`, all of them ASCII.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a name, or what looks like one, can begin so.
pub(super) fn begins(first: char) -> bool {
    first.is_alphabetic() || first == '_' || first == '$'
}

/// The bytes of what looks like a name: more than identifiers have, so that whoever writes `risk-level` is
/// told about all of it.
fn length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let goes_on = character.is_alphanumeric() || character == '_' || character == '$';
        let hyphen = character == '-' && characters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !goes_on && !hyphen {
            return at;
        }
    }
    text.len()
}

impl<'a> Lexer<'a> {
    pub(super) fn word(&mut self) -> Token<'a> {
        let word = self.take(length(self.rest()));
        if is_identifier(word) { Token::Word(word) } else { Token::Odd(word) }
    }

    /// `?name`; the lexer stands at the question mark.
    pub(super) fn variable(&mut self) -> Result<Token<'a>, KipError> {
        let start = self.at;
        self.at += 1;
        let name = self.take(length(self.rest()));
        if is_identifier(name) {
            return Ok(Token::Variable(name));
        }
        let span = Span::new(start, self.at);
        let error = if name.is_empty() {
            KipError::new(KipCode::InvalidIdentifier, "a name has to follow the question mark of a variable")
                .hint("write it without a space, like ?drug")
        } else {
            KipError::new(KipCode::InvalidIdentifier, format!("`?{}` is no variable", shown(name))).hint(
                format!(
                    "names of variables are ASCII letters, digits and _, and begin with no digit: ?{}",
                    corrected(name)
                ),
            )
        };
        Err(error.at(span))
    }
}

/// An identifier near a name that is none.
pub(crate) fn corrected(name: &str) -> String {
    let name = shown(name.trim_start_matches('$'));
    let mut corrected: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if !corrected.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        corrected.insert(0, '_');
    }
    corrected
}
