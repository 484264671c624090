//! From text to tokens, one after the other.
//!
//! Nothing is kept but a place in the text, so that a text of megabytes costs no more than its tree.

mod marks;
mod name;
mod number;
mod stray;
mod string;
mod token;

use crate::{KipError, Span};

pub use marks::{Mark, MarkKind, marks};
pub use name::is_identifier;
pub(crate) use stray::stray_hint;
pub(crate) use token::{Lexeme, Sign, Token, shown};

/// Whether the first token of a text is this word; comments in front of it are passed over.
pub fn begins_with(text: &str, word: &str) -> bool {
    Lexer::new(text).next().is_ok_and(|first| matches!(first.token, Token::Word(found) if found == word))
}

/// Stands somewhere in a text, between two tokens.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Stands at the beginning. A byte order mark, as some editors put it there, is no part of the text.
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    /// The next token; comments are passed over.
    pub(crate) fn next(&mut self) -> Result<Lexeme<'a>, KipError> {
        while self.comment().is_some() {}
        let start = self.at;
        let token = self.token()?;
        Ok(Lexeme { token, span: Span::new(start, self.at) })
    }

    /// Passes over white space, and over the comment after it if there is one. Says where that is.
    pub(crate) fn comment(&mut self) -> Option<Span> {
        self.at = self.text.len() - self.rest().trim_start().len();
        let start = self.at;
        self.rest().starts_with("//").then(|| {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            Span::new(start, self.at)
        })
    }

    fn token(&mut self) -> Result<Token<'a>, KipError> {
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        match first {
            '"' => self.string(),
            '?' => self.variable(),
            '0'..='9' => self.number(),
            '-' if self.rest()[1..].starts_with(|next: char| next.is_ascii_digit()) => self.number(),
            _ if name::begins(first) => Ok(self.word()),
            _ => Ok(self.sign(first)),
        }
    }

    fn sign(&mut self, first: char) -> Token<'a> {
        let sign = Sign::ALL.iter().find(|sign| self.rest().starts_with(sign.text()));
        self.at += sign.map_or(first.len_utf8(), |sign| sign.text().len());
        sign.map_or(Token::Stray(first), |sign| Token::Sign(*sign))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes so many bytes of the text.
    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }
}

#[cfg(test)]
mod tests;
