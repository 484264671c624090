//! From text to tokens.

use super::error::{Place, QueryError, QueryErrorKind};

/// A word of the language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    Comma,
    Operator(Operator),
    /// A keyword or the name of a field.
    Word(&'a str),
    /// A text without its quotes.
    Text(String),
    /// Digits, perhaps with a sign and a fraction.
    Number(&'a str),
    End,
}

/// How a field is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Prefix,
    SameLetters,
    PrefixOfLetters,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

/// Symbols, the longer ones first.
const SYMBOLS: &[(&str, Operator)] = &[
    ("^~=", Operator::PrefixOfLetters),
    ("^=", Operator::Prefix),
    ("~=", Operator::SameLetters),
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("=", Operator::Equal),
];

impl Operator {
    /// How it is written.
    pub(super) fn symbol(self) -> &'static str {
        SYMBOLS.iter().find(|(_, known)| *known == self).map_or("IN", |(symbol, _)| symbol)
    }
}

/// Reads one token after the other.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { text, at: 0 }
    }

    /// The next token, and where it starts.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), QueryError> {
        self.at = self.text.len() - self.rest().trim_start().len();
        let (start, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return Ok((Token::End, start)) };
        let token = match first {
            '(' => self.take(1, Token::Open),
            ')' => self.take(1, Token::Close),
            ',' => self.take(1, Token::Comma),
            '"' | '\'' => self.quoted(first)?,
            '-' | '0'..='9' => self.number()?,
            'a'..='z' | 'A'..='Z' | '_' => {
                let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let word = &rest[..length_while(rest, is_part)];
                self.take(word.len(), Token::Word(word))
            }
            _ => {
                let found = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
                let Some((symbol, operator)) = found else {
                    return Err(self.wrong(start, format!("{first:?} means nothing here")));
                };
                self.take(symbol.len(), Token::Operator(*operator))
            }
        };
        Ok((token, start))
    }

    /// A mistake in the syntax.
    pub(super) fn wrong(&self, offset: usize, message: impl Into<String>) -> QueryError {
        QueryError {
            kind: QueryErrorKind::Syntax,
            message: message.into(),
            at: Place::of(self.text, offset),
            field: None,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, bytes: usize, token: Token<'a>) -> Token<'a> {
        self.at += bytes;
        token
    }

    fn number(&mut self) -> Result<Token<'a>, QueryError> {
        let rest = self.rest();
        let is_digit = |letter: char| letter.is_ascii_digit();
        let sign = usize::from(rest.starts_with('-'));
        let digits = length_while(&rest[sign..], is_digit);
        if digits == 0 {
            return Err(self.wrong(self.at, "digits are missing after the minus sign"));
        }
        let whole = sign + digits;
        let fraction = rest[whole..].strip_prefix('.').map_or(0, |fraction| length_while(fraction, is_digit));
        let end = if fraction > 0 { whole + 1 + fraction } else { whole };
        Ok(self.take(end, Token::Number(&rest[..end])))
    }

    fn quoted(&mut self, quote: char) -> Result<Token<'a>, QueryError> {
        let (start, mut text) = (self.at, String::new());
        let mut letters = self.rest().char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                return Ok(self.take(at + 1, Token::Text(text)));
            }
            text.push(match letter {
                '\\' => match letters.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 't')) => '\t',
                    Some((_, 'r')) => '\r',
                    Some((_, other)) => other,
                    None => break,
                },
                _ => letter,
            });
        }
        Err(self.wrong(start, "this text has no closing quote"))
    }
}

fn length_while(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}
