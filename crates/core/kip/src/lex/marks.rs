//! What the parts of a text are, for editors: of any text, finished or not, right or wrong.

use super::{Lexer, Token};
use crate::Span;
use crate::words::KEYWORDS;

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A word of the language, as it is written there.
    Keyword,
    /// Another word: a key, a field.
    Word,
    /// `?name`.
    Variable,
    /// A string with both its quotes.
    Text,
    /// A string without its closing quote, to the end of its line.
    OpenText,
    /// A number.
    Number,
    /// A bracket, a comma, a comparison.
    Sign,
    /// From `//` to the end of the line.
    Comment,
    /// Nothing that a command can hold.
    Wrong,
}

/// A part of a text, without the white space around it.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Where it is.
    pub span: Span,
}

/// The parts of a text, from its beginning to its end.
pub fn marks(text: &str) -> Vec<Mark> {
    let mut lexer = Lexer::new(text);
    let mut marks = Vec::new();
    loop {
        while let Some(span) = lexer.comment() {
            marks.push(Mark { kind: MarkKind::Comment, span });
        }
        let start = lexer.at;
        let kind = match lexer.token() {
            Ok(Token::End) => return marks,
            Ok(token) => kind_of(&token),
            Err(_) => lexer.pass_wrong(start),
        };
        marks.push(Mark { kind, span: Span::new(start, lexer.at) });
    }
}

impl Lexer<'_> {
    /// Goes on behind what is no token and began at `start`.
    fn pass_wrong(&mut self, start: usize) -> MarkKind {
        if self.at > start {
            return MarkKind::Wrong;
        }
        let is_string = self.rest().starts_with('"');
        let length = match is_string {
            true => self.rest().find(['\n', '\r']).unwrap_or(self.rest().len()),
            false => self.rest().chars().next().map_or(0, char::len_utf8),
        };
        self.at += length;
        if is_string { MarkKind::OpenText } else { MarkKind::Wrong }
    }
}

fn kind_of(token: &Token<'_>) -> MarkKind {
    match token {
        Token::Word(word) if KEYWORDS.contains(word) => MarkKind::Keyword,
        Token::Word(_) => MarkKind::Word,
        Token::Variable(_) => MarkKind::Variable,
        Token::String(_) => MarkKind::Text,
        Token::Number(_) => MarkKind::Number,
        Token::Sign(_) => MarkKind::Sign,
        Token::Odd(_) | Token::Stray(_) | Token::End => MarkKind::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[(MarkKind, &str)]) {
        let found = marks(text);
        let found: Vec<_> = found.iter().map(|mark| (mark.kind, &text[mark.span.range()])).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn every_part_of_a_text_has_its_kind() {
        use MarkKind::*;
        check(
            "FIND(?d.name) // all",
            &[
                (Keyword, "FIND"),
                (Sign, "("),
                (Variable, "?d"),
                (Sign, "."),
                (Word, "name"),
                (Sign, ")"),
                (Comment, "// all"),
            ],
        );
        check(
            "{type: \"Drug\", n: -1.5}",
            &[
                (Sign, "{"),
                (Word, "type"),
                (Sign, ":"),
                (Text, "\"Drug\""),
                (Sign, ","),
                (Word, "n"),
                (Sign, ":"),
                (Number, "-1.5"),
                (Sign, "}"),
            ],
        );
    }

    #[test]
    fn what_is_not_finished_or_wrong_has_a_kind_too() {
        use MarkKind::*;
        check("\"Asp", &[(OpenText, "\"Asp")]);
        check("\"Asp\n?x", &[(OpenText, "\"Asp"), (Variable, "?x")]);
        check("\"Asp\r\n?x", &[(OpenText, "\"Asp"), (Variable, "?x")]);
        check("?", &[(Wrong, "?")]);
        check(
            "\"\\x\" 1e risk-level # find",
            &[(Wrong, "\"\\x\""), (Wrong, "1e"), (Wrong, "risk-level"), (Wrong, "#"), (Word, "find")],
        );
    }

    proptest! {
        #[test]
        fn parts_follow_each_other_and_nothing_is_left_out(text in "[ -~äß漢\n\"?\\\\]{0,60}") {
            let mut end = 0;
            for mark in marks(&text) {
                let range = mark.span.range();
                prop_assert!(range.start >= end && range.end > range.start, "{text:?}: {mark:?}");
                prop_assert!(text[end..range.start].trim().is_empty(), "{text:?}: before {mark:?}");
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty(), "{text:?}: after {end}");
        }
    }
}
