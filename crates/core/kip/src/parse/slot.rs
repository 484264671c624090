//! Strings and counts, or the parameters that will be them.

use super::cursor::Parser;
use super::expect::needs_quotes;
use super::{KipCode, KipError, Result};
use crate::lex::{Sign, Token, is_identifier};
use crate::tree::{Slot, Text};
use crate::{Span, Spanned};

impl Parser<'_> {
    /// A string or a parameter; `what` says what it is for.
    pub(super) fn string_slot(&mut self, what: &str) -> Result<Spanned<Slot<String>>> {
        if self.at(Sign::Colon) {
            return self.parameter_slot();
        }
        let text = self.string(what)?;
        Ok(Spanned::new(Slot::Is(text.node), text.span))
    }

    /// A string.
    pub(super) fn string(&mut self, what: &str) -> Result<Text> {
        let span = self.span;
        match &self.token {
            Token::String(text) => {
                let text = text.clone().into_owned();
                self.advance()?;
                Ok(Spanned::new(text, span))
            }
            Token::Word(word) => Err(self.expected(what).hint(needs_quotes(word))),
            Token::Number(number) => Err(self.expected(what).hint(needs_quotes(&number.to_string()))),
            Token::Variable(name) => {
                let hint = format!("no variable can stand here; compare it in FILTER(?{name} == ...)");
                Err(self.expected(what).hint(hint))
            }
            Token::Sign(_) | Token::Odd(_) | Token::Stray(_) | Token::End => {
                Err(self.expected_because(what, "write it in double quotes"))
            }
        }
    }

    /// A whole number that is not negative, or a parameter; `keyword` is what it follows.
    pub(super) fn count_slot(&mut self, keyword: &str) -> Result<Spanned<Slot<u64>>> {
        if self.at(Sign::Colon) {
            return self.parameter_slot();
        }
        let span = self.span;
        let count = match self.token {
            Token::Number(number) if !number.is_float() => number.as_u64(),
            _ => None,
        };
        let Some(count) = count else {
            let what = format!("a whole number from 0 on after {keyword}");
            return Err(self.expected_because(&what, &format!("as in {keyword} 10, or {keyword} :name")));
        };
        self.advance()?;
        Ok(Spanned::new(Slot::Is(count), span))
    }

    fn parameter_slot<T>(&mut self) -> Result<Spanned<Slot<T>>> {
        let name = self.parameter()?;
        Ok(Spanned::new(Slot::Parameter(name.node), name.span))
    }

    /// `:name`, whose colon is next.
    pub(super) fn parameter(&mut self) -> Result<Text> {
        let colon = self.span;
        self.advance()?;
        let adjacent = self.span.start == colon.end;
        let found = match self.token {
            Token::Word(name) | Token::Odd(name) => Some(name),
            _ => None,
        };
        match found {
            Some(name) if adjacent && is_identifier(name) => {
                self.advance()?;
                Ok(Spanned::new(name.to_owned(), colon.to(self.since(colon))))
            }
            _ => Err(self.malformed_parameter(colon, found.filter(|_| adjacent))),
        }
    }

    fn malformed_parameter(&self, colon: Span, found: Option<&str>) -> KipError {
        let (message, span) = match found {
            Some(name) => (format!("`:{name}` is no parameter"), colon.to(self.span)),
            None => ("a name has to follow the colon of a parameter".to_owned(), colon),
        };
        KipError::new(KipCode::InvalidIdentifier, message)
            .hint("a parameter is a colon and an identifier without a space between, like :name")
            .at(span)
    }
}
