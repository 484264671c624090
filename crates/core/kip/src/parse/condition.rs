//! What a FILTER asks.

use cairn_base::nearest;

use super::cursor::Parser;
use super::{KipError, Result};
use crate::lex::{Sign, Token, shown};
use crate::one_of::one_of;
use crate::tree::{Condition, Json, JsonNode, Operand};
use crate::words::{COMPARISONS, TESTS, TEXT_TESTS, named};

const OPERAND: &str = "a variable, a value or a parameter";

impl Parser<'_> {
    /// `a || b || …`
    pub(super) fn condition(&mut self) -> Result<Condition> {
        let first = self.all()?;
        if !self.at(Sign::Or) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Sign::Or)? {
            parts.push(self.all()?);
        }
        Ok(Condition::Or(parts))
    }

    /// `a && b && …`
    fn all(&mut self) -> Result<Condition> {
        let first = self.negation()?;
        if !self.at(Sign::And) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Sign::And)? {
            parts.push(self.negation()?);
        }
        Ok(Condition::And(parts))
    }

    /// `!a`. Parentheses right after it are of its level, so that writing them makes nothing deeper.
    fn negation(&mut self) -> Result<Condition> {
        if self.at(Sign::OpenParenthesis) {
            self.open(Sign::OpenParenthesis, "")?;
            return self.parenthesised();
        }
        if !self.at(Sign::Not) {
            return self.test();
        }
        self.descend()?;
        self.advance()?;
        let negated = if self.at(Sign::OpenParenthesis) {
            self.rise();
            self.open_here(Sign::OpenParenthesis)?;
            self.parenthesised()?
        } else {
            let negated = self.negation()?;
            self.rise();
            negated
        };
        Ok(Condition::Not(Box::new(negated)))
    }

    /// The rest of `(a)`.
    fn parenthesised(&mut self) -> Result<Condition> {
        let condition = self.condition()?;
        self.close_condition()?;
        Ok(condition)
    }

    /// The closing parenthesis of a condition.
    pub(super) fn close_condition(&mut self) -> Result<()> {
        let what = "`&&`, `||` or `)`";
        match self.token {
            Token::Sign(Sign::Bar) => Err(self.expected(what).hint("write || for \"or\"")),
            Token::Sign(sign) if named(COMPARISONS, &sign).is_some() => {
                Err(self.expected(what).hint("join comparisons with &&, as in 1 < ?x.name && ?x.name < 3"))
            }
            _ => self.close(what),
        }
    }

    fn test(&mut self) -> Result<Condition> {
        if let Token::Word(word) = self.token {
            if TESTS.contains(&word) {
                return self.function(word);
            }
            if word.eq_ignore_ascii_case("NOT") {
                let hint = "write ! for NOT, as in !IS_NULL(?x.name); for a pattern that must not match, write \
                            NOT { ... } outside of FILTER";
                return Err(self.expected("a condition").hint(hint));
            }
            if word.eq_ignore_ascii_case("EXISTS") {
                let hint = "write IS_NOT_NULL(?x.name) for a value; a pattern alone asks for existence, outside of \
                            FILTER, and NOT { ... } for its absence";
                return Err(self.expected("a condition").hint(hint));
            }
            if self.second() == Token::Sign(Sign::OpenParenthesis) {
                return Err(self.unknown_function(word));
            }
        }
        let left = self.operand()?;
        let sign = if let Token::Sign(sign) = self.token { named(COMPARISONS, &sign) } else { None };
        let Some(sign) = sign else { return Err(self.no_comparison()) };
        self.advance()?;
        if matches!(self.token, Token::Sign(Sign::Greater | Sign::Less) | Token::Stray('=')) {
            return Err(self.expected(OPERAND).hint("the comparisons are == != < <= > >="));
        }
        let right = self.operand()?;
        Ok(Condition::Compare { left, sign, right })
    }

    /// `CONTAINS(a, b)` and the like; the name is next.
    fn function(&mut self, name: &str) -> Result<Condition> {
        let arguments = match name {
            "IS_NULL" | "IS_NOT_NULL" => "?x.name",
            "IN" => "?x.name, [\"...\", \"...\"]",
            _ => "?x.name, \"...\"",
        };
        let hint = format!("it is written {name}({arguments})");
        self.advance()?;
        self.open(Sign::OpenParenthesis, &hint)?;
        let operand = self.operand()?;
        if name == "IS_NULL" || name == "IS_NOT_NULL" {
            self.close("`)`")?;
            return Ok(Condition::IsNull { operand, negated: name == "IS_NOT_NULL" });
        }
        self.sign(Sign::Comma, &hint)?;
        let condition = match named(TEXT_TESTS, &name) {
            Some(test) => Condition::Text { test, subject: operand, pattern: self.operand()? },
            None => Condition::In { operand, list: self.list()? },
        };
        self.close("`)`")?;
        Ok(condition)
    }

    /// The list of an IN, or a parameter that will be one.
    fn list(&mut self) -> Result<Operand> {
        if self.at(Sign::Colon) || self.at(Sign::OpenBracket) {
            return self.operand();
        }
        let hint = "IN looks for a value in a list of values: IN(?x.name, [\"a\", \"b\"])";
        Err(self.expected("a list or a parameter").hint(hint))
    }

    fn operand(&mut self) -> Result<Operand> {
        let start = self.span;
        match self.token {
            Token::Variable(_) => self.path(OPERAND).map(Operand::Path),
            Token::Sign(Sign::OpenBracket) => {
                let items =
                    self.array(|parser| parser.filter_scalar("a string, a number, true, false or null"))?;
                Ok(Operand::Value(Json { node: JsonNode::Array(items), span: self.since(start) }))
            }
            Token::Word(word) if self.second() == Token::Sign(Sign::OpenParenthesis) => {
                Err(self.unknown_function(word))
            }
            _ => self.filter_scalar(OPERAND).map(Operand::Value),
        }
    }

    fn filter_scalar(&mut self, what: &str) -> Result<Json> {
        match self.token {
            Token::Sign(Sign::OpenBrace | Sign::OpenBracket) => {
                Err(self.expected(what).hint("FILTER compares strings, numbers, true, false and null only"))
            }
            _ => self.scalar(what),
        }
    }

    fn unknown_function(&self, name: &str) -> KipError {
        let known = nearest(name, TESTS.iter().copied());
        let shown = shown(name);
        if known == Some(name) {
            let hint = format!("{shown} answers by itself: FILTER({shown}(...)), or !{shown}(...)");
            return self.refused(format!("the function {shown} cannot be compared")).hint(hint);
        }
        let error = self.refused(format!("there is no function `{shown}` in FILTER"));
        match known {
            Some(known) => error.hint(format!("did you mean {known}?")),
            None => error.hint(format!("use {}", one_of(TESTS))),
        }
    }

    fn no_comparison(&self) -> KipError {
        let signs: Vec<&str> = COMPARISONS.iter().map(|(sign, _)| sign.text()).collect();
        let error = self.expected(&format!("a comparison ({})", signs.join(" ")));
        match self.token {
            Token::Word("IN" | "CONTAINS" | "STARTS_WITH" | "ENDS_WITH" | "REGEX") => {
                error.hint(format!("functions stand first: {}(?x.name, ...)", self.word()))
            }
            Token::Stray('=') => error.hint("compare with =="),
            Token::Sign(Sign::CloseParenthesis | Sign::And | Sign::Or) => {
                error.hint("say what to compare with, as in == true, or use IS_NOT_NULL(...)")
            }
            _ => error,
        }
    }

    fn word(&self) -> &str {
        if let Token::Word(word) = self.token { word } else { "" }
    }
}
