//! The words of the language.

use std::borrow::Cow;
use std::fmt;

use cairn_base::{Harmless, Number};

use crate::Span;

/// A token and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lexeme<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) span: Span,
}

/// A word of the language.
///
/// What cannot be part of a command is a token too ([`Odd`](Token::Odd), [`Stray`](Token::Stray)): only who
/// knows what should stand there can say what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// An identifier: a keyword, a key, a field. Keywords are none of their own, for they may be keys.
    Word(&'a str),
    /// `?name`, without its question mark.
    Variable(&'a str),
    /// A string, without its quotes.
    String(Cow<'a, str>),
    /// A number.
    Number(Number),
    /// A sign.
    Sign(Sign),
    /// What looks like a name and is none: `risk-level`, `$self`, `1st`, `2025-01-01`.
    Odd(&'a str),
    /// A character that means nothing.
    Stray(char),
    /// The end of the text.
    End,
}

macro_rules! signs {
    ($($(#[$doc:meta])* $sign:ident = $text:literal,)*) => {
        /// A sign of the language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Sign {
            $($(#[$doc])* $sign,)*
        }

        impl Sign {
            /// Every sign, longer ones before those they begin with.
            pub(crate) const ALL: &[Sign] = &[$(Sign::$sign,)*];

            /// How it is written.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Sign::$sign => $text,)* }
            }
        }
    };
}

signs! {
    /// Equal.
    Equal = "==",
    /// Not equal.
    NotEqual = "!=",
    /// Less or equal.
    LessOrEqual = "<=",
    /// Greater or equal.
    GreaterOrEqual = ">=",
    /// Both.
    And = "&&",
    /// One of both.
    Or = "||",
    /// Less.
    Less = "<",
    /// Greater.
    Greater = ">",
    /// Not.
    Not = "!",
    /// Between alternatives.
    Bar = "|",
    /// Begins arguments, triples, conditions.
    OpenParenthesis = "(",
    /// Ends them.
    CloseParenthesis = ")",
    /// Begins groups, matchers, objects, hops.
    OpenBrace = "{",
    /// Ends them.
    CloseBrace = "}",
    /// Begins arrays.
    OpenBracket = "[",
    /// Ends them.
    CloseBracket = "]",
    /// Between things of a list.
    Comma = ",",
    /// After a key, and before the name of a parameter.
    Colon = ":",
    /// Between a variable and its fields.
    Dot = ".",
}

impl Sign {
    /// What closes what this sign opens.
    pub(crate) fn closing(self) -> Sign {
        if self == Sign::OpenParenthesis {
            Sign::CloseParenthesis
        } else if self == Sign::OpenBrace {
            Sign::CloseBrace
        } else {
            Sign::CloseBracket
        }
    }

    /// Whether it opens something.
    pub(crate) fn opens(self) -> bool {
        [Sign::OpenParenthesis, Sign::OpenBrace, Sign::OpenBracket].contains(&self)
    }

    /// Whether it closes something.
    pub(crate) fn closes(self) -> bool {
        [Sign::CloseParenthesis, Sign::CloseBrace, Sign::CloseBracket].contains(&self)
    }
}

/// Longest piece of a text that an error shows.
const SHOWN_CHARS_MAX: usize = 40;

impl fmt::Display for Token<'_> {
    /// As an error calls it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) | Token::Odd(word) => write!(f, "`{}`", shown(word)),
            Token::Variable(name) => write!(f, "`?{}`", shown(name)),
            Token::String(text) => write!(f, "the string \"{}\"", shown(text)),
            Token::Number(number) => write!(f, "the number {number}"),
            Token::Sign(sign) => write!(f, "`{}`", sign.text()),
            Token::Stray(character) => write!(f, "`{}`", Harmless(character.encode_utf8(&mut [0; 4]))),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// Enough of a piece of text to recognise it: it may be a megabyte.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
