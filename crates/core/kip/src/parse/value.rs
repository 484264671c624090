//! JSON values, with parameters in them.

use super::cursor::Parser;
use super::expect::needs_quotes;
use super::{KipCode, KipError, Result};
use crate::Spanned;
use crate::lex::{Sign, Token};
use crate::tree::{Json, JsonNode, Object, Text};

impl<'a> Parser<'a> {
    /// Any value.
    pub(super) fn json(&mut self) -> Result<Json> {
        let start = self.span;
        let node = match self.token {
            Token::Sign(Sign::OpenBrace) => JsonNode::Object(self.object("an object")?.entries),
            Token::Sign(Sign::OpenBracket) => JsonNode::Array(self.array(Parser::json)?),
            _ => return self.scalar("a value"),
        };
        Ok(Json { node, span: self.since(start) })
    }

    /// A string, a number, `true`, `false`, `null` or a parameter.
    pub(super) fn scalar(&mut self, what: &str) -> Result<Json> {
        let span = self.span;
        let node = match &self.token {
            Token::Sign(Sign::Colon) => {
                let name = self.parameter()?;
                return Ok(Json { node: JsonNode::Parameter(name.node), span: name.span });
            }
            Token::String(text) => JsonNode::String(text.clone().into_owned()),
            Token::Number(number) => JsonNode::Number(*number),
            Token::Word("true") => JsonNode::Bool(true),
            Token::Word("false") => JsonNode::Bool(false),
            Token::Word("null") => JsonNode::Null,
            Token::Word(_)
            | Token::Variable(_)
            | Token::Sign(_)
            | Token::Odd(_)
            | Token::Stray(_)
            | Token::End => {
                return Err(self.no_value(what));
            }
        };
        self.advance()?;
        Ok(Json { node, span })
    }

    /// Items between `[` and `]`, with or without a comma after the last.
    pub(super) fn array<T>(&mut self, mut item: impl FnMut(&mut Parser<'a>) -> Result<T>) -> Result<Vec<T>> {
        self.open(Sign::OpenBracket, "a list stands in [ and ]")?;
        let mut items = Vec::new();
        while !self.at(Sign::CloseBracket) {
            items.push(item(self)?);
            if !self.eat(Sign::Comma)? {
                break;
            }
        }
        self.close("`,` or `]`")?;
        Ok(items)
    }

    /// `{key: value, …}`, with or without a comma after the last; `what` says what it is for.
    pub(super) fn object(&mut self, what: &str) -> Result<Object> {
        let start = self.span;
        self.open(Sign::OpenBrace, &format!("{what} is written {{ key: value, ... }}"))?;
        let mut entries = Vec::new();
        while !self.at(Sign::CloseBrace) {
            let key = self.key()?;
            self.sign(Sign::Colon, "a key is followed by a colon and its value")?;
            entries.push((key, self.json()?));
            if !self.eat(Sign::Comma)? {
                break;
            }
        }
        self.close("`,` or `}`")?;
        Ok(Object { entries, span: self.since(start) })
    }

    /// The key of an object: an identifier, or any string.
    pub(super) fn key(&mut self) -> Result<Text> {
        let span = self.span;
        let key = match &self.token {
            Token::Word(word) => (*word).to_owned(),
            Token::String(text) => text.clone().into_owned(),
            Token::Odd(text) => return Err(malformed(&self.token, text).at(span)),
            Token::Number(number) => return Err(malformed(&self.token, &number.to_string()).at(span)),
            Token::Variable(name) => return Err(malformed(&self.token, name).at(span)),
            Token::Sign(_) | Token::Stray(_) | Token::End => return Err(self.expected("a key or `}`")),
        };
        self.advance()?;
        Ok(Spanned::new(key, span))
    }

    /// No value stands where one should.
    fn no_value(&self, what: &str) -> KipError {
        let error = self.expected(what);
        match self.token {
            Token::Word(word) if self.second() == Token::Sign(Sign::Dot) => {
                error.hint(format!("a variable needs a question mark: ?{word}"))
            }
            Token::Word(word) => {
                let lower = word.to_ascii_lowercase();
                if ["true", "false", "null"].contains(&lower.as_str()) {
                    return error.hint(format!("write {lower} in lower case"));
                }
                if error.hint.is_some() { error } else { error.hint(needs_quotes(word)) }
            }
            Token::Sign(sign) if sign.closes() || sign == Sign::Comma => {
                error.hint("write a value here, or null if there is none")
            }
            Token::Sign(Sign::Dot) => error.hint("a number begins with a digit: write 0.5, not .5"),
            Token::Variable(name) => {
                error.hint(format!("a variable has no value here; write a string, a number or :{name}"))
            }
            _ => error,
        }
    }
}

fn malformed(token: &Token<'_>, key: &str) -> KipError {
    let message = format!("{token} is no key");
    let hint = format!("put it in quotes: \"{}\"", crate::lex::shown(key));
    KipError::new(KipCode::InvalidIdentifier, message).hint(hint)
}
