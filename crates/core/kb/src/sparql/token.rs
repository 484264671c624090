//! Tokens of SPARQL, as far as telling a SELECT from another form needs them.
//!
//! Strings, comments, IRIs, variables and language tags are passed over as wholes, so that words inside them are not
//! taken for keywords. Where servers could read a text differently, more words come out rather than fewer.

use super::SparqlError;

/// A piece of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name without a colon: a keyword, the name of a function, a number.
    Word(&'a str),
    /// A name with a prefix, such as `wdt:P31` or `wdt:`.
    Name,
    /// An IRI in angle brackets.
    Iri,
    /// Anything else: a string, a variable, a sign.
    Other,
}

/// The tokens of a query, in order.
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(query: &'a str) -> Self {
        Tokens { rest: query }
    }

    /// Takes the next token, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, SparqlError> {
        self.skip_blank();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let token = match first {
            '"' | '\'' => {
                self.skip_string(first)?;
                Token::Other
            }
            '<' => self.iri(),
            // The name of a variable, and a language tag, end before a point.
            '?' | '$' | '@' => {
                let length = 1 + run(&self.rest[1..], |c| is_name(c) || (first == '@' && c == '-'));
                self.take(length);
                Token::Other
            }
            _ if is_name(first) || matches!(first, ':' | '%' | '\\') => self.word(),
            _ => {
                self.take(first.len_utf8());
                Token::Other
            }
        };
        Ok(Some(token))
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
            if !self.rest.starts_with('#') {
                return;
            }
            self.take(self.rest.find(['\r', '\n']).unwrap_or(self.rest.len()));
        }
    }

    /// Passes over a string: long if it begins with three quotes, else to the same quote in its line.
    fn skip_string(&mut self, quote: char) -> Result<(), SparqlError> {
        let long: String = [quote; 3].iter().collect();
        let is_long = self.rest.starts_with(&long);
        let end = if is_long { long.as_str() } else { &long[..1] };
        let mut at = end.len();
        loop {
            let rest = &self.rest[at..];
            if rest.starts_with(end) {
                self.take(at + end.len());
                return Ok(());
            }
            at += match rest.chars().next() {
                Some('\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                Some('\n' | '\r') if !is_long => return Err(unterminated()),
                Some(other) => other.len_utf8(),
                None => return Err(unterminated()),
            };
        }
    }

    /// An IRI, or the sign `<` if what follows is none.
    fn iri(&mut self) -> Token<'a> {
        let inside = run(&self.rest[1..], |c| c > ' ' && !"<>\"{}|^`\\".contains(c));
        if self.rest[1 + inside..].starts_with('>') {
            self.take(inside + 2);
            return Token::Iri;
        }
        self.take(1);
        Token::Other
    }

    /// A run of everything that names are made of.
    fn word(&mut self) -> Token<'a> {
        let mut length = 0;
        while let Some(next) = self.rest[length..].chars().next() {
            if next == '\\' {
                let escaped = self.rest[length + 1..].chars().next().map_or(0, char::len_utf8);
                length += 1 + escaped;
            } else if is_name(next) || matches!(next, ':' | '%' | '-' | '.') {
                length += next.len_utf8();
            } else {
                break;
            }
        }
        let taken = self.take(length);
        if is_prefixed(taken) { Token::Name } else { Token::Word(taken) }
    }
}

/// Whether a run is one name with a prefix, however it is cut.
fn is_prefixed(text: &str) -> bool {
    let Some((prefix, local)) = text.split_once(':') else { return false };
    let starts = !prefix.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '%' | '\\'));
    starts && !prefix.ends_with('.') && !prefix.contains('\\') && !local.starts_with(['-', '.'])
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || !character.is_ascii()
}

/// Bytes of the longest start of `text` that consists of such characters.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|character| !is_part(character)).unwrap_or(text.len())
}

fn unterminated() -> SparqlError {
    SparqlError::Query { reason: "a string has no end; close its quotes".to_owned() }
}
