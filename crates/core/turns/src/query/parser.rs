//! From tokens to what they mean.
//!
//! Every level of parentheses and every `NOT` takes one of a few levels, so that no text, however long,
//! exhausts the stack.

use super::error::{Place, QueryError, QueryErrorKind};
use super::expression::{Compare, Expression, Test, TextTest};
use super::field::{FIELDS, Field, Known};
use super::lexer::{Lexer, Operator, Token};
use super::time::parse_time;
use crate::limits;

/// Reads a whole query.
pub(super) fn parse(text: &str, now_ms: u64) -> Result<Expression, QueryError> {
    let lexer = Lexer::new(text);
    if text.len() > limits::QUERY_BYTES_MAX {
        let message = format!("a query has at most {} bytes", limits::QUERY_BYTES_MAX);
        return Err(lexer.wrong(limits::QUERY_BYTES_MAX, message));
    }
    let mut parser = Parser { text, lexer, next: (Token::End, 0), now_ms, values: 0 };
    parser.advance()?;
    let expression = parser.any(limits::QUERY_LEVELS_MAX)?;
    if parser.next.0 != Token::End {
        return Err(parser.expected("AND, OR or the end of the query"));
    }
    Ok(expression)
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The token that was not taken yet, and where it starts.
    next: (Token<'a>, usize),
    now_ms: u64,
    values: usize,
}

/// What a field is compared with, and where that stands.
struct Value<'a> {
    content: Content<'a>,
    at: usize,
}

enum Content<'a> {
    Text(String),
    Number(&'a str),
}

impl<'a> Parser<'a> {
    fn any(&mut self, levels: usize) -> Result<Expression, QueryError> {
        let first = self.all(levels)?;
        let mut parts = vec![first];
        while self.takes_keyword("OR")? {
            parts.push(self.all(levels)?);
        }
        Ok(one_or(parts, Expression::Any))
    }

    fn all(&mut self, levels: usize) -> Result<Expression, QueryError> {
        let first = self.unary(levels)?;
        let mut parts = vec![first];
        while self.takes_keyword("AND")? {
            parts.push(self.unary(levels)?);
        }
        Ok(one_or(parts, Expression::All))
    }

    fn unary(&mut self, levels: usize) -> Result<Expression, QueryError> {
        let at = self.next.1;
        let inside = || {
            let message = format!("a query is at most {} levels deep", limits::QUERY_LEVELS_MAX);
            levels.checked_sub(1).ok_or_else(|| self.lexer.wrong(at, message))
        };
        if self.is_keyword("NOT") {
            let levels = inside()?;
            self.advance()?;
            return Ok(not(self.unary(levels)?));
        }
        if self.next.0 != Token::Open {
            return self.comparison();
        }
        let levels = inside()?;
        self.advance()?;
        let expression = self.any(levels)?;
        self.take(&Token::Close, "AND, OR or a closing parenthesis")?;
        Ok(expression)
    }

    fn comparison(&mut self) -> Result<Expression, QueryError> {
        let (Token::Word(name), at) = self.next else { return Err(self.expected("a field")) };
        if KEYWORDS.iter().any(|keyword| name.eq_ignore_ascii_case(keyword)) {
            return Err(self.expected("a field"));
        }
        let Some(known) = FIELDS.iter().find(|known| known.name == name) else {
            let names: Vec<_> = FIELDS.iter().map(|known| known.name).collect();
            let message = format!("there is no field `{name}`; there are {}", names.join(", "));
            return Err(self.about(QueryErrorKind::UnknownField, name, at, message));
        };
        self.advance()?;
        let operator = self.operator(known)?;
        let values = if operator == Operator::In { self.list()? } else { vec![self.value()?] };
        self.test(known, operator, &values)
    }

    fn operator(&mut self, known: &Known) -> Result<Operator, QueryError> {
        let operator = if let Token::Operator(operator) = self.next.0 {
            operator
        } else if self.is_keyword("IN") {
            Operator::In
        } else {
            return Err(self.expected("an operator"));
        };
        if !known.operators.contains(&operator) {
            let symbols: Vec<_> = known.operators.iter().map(|operator| operator.symbol()).collect();
            let message = format!(
                "`{}` is compared with {}, not with {}",
                known.name,
                symbols.join(" "),
                operator.symbol()
            );
            return Err(self.about(QueryErrorKind::InvalidOperator, known.name, self.next.1, message));
        }
        self.advance()?;
        Ok(operator)
    }

    fn list(&mut self) -> Result<Vec<Value<'a>>, QueryError> {
        self.take(&Token::Open, "an opening parenthesis")?;
        let mut values = vec![self.value()?];
        while self.next.0 == Token::Comma {
            self.advance()?;
            values.push(self.value()?);
        }
        self.take(&Token::Close, "a comma or a closing parenthesis")?;
        Ok(values)
    }

    fn value(&mut self) -> Result<Value<'a>, QueryError> {
        let at = self.next.1;
        self.values += 1;
        if self.values > limits::QUERY_VALUES_MAX {
            let message = format!("a query compares with at most {} values", limits::QUERY_VALUES_MAX);
            return Err(self.lexer.wrong(at, message));
        }
        let word = ["true", "false"].into_iter().find(|word| self.is_keyword(word));
        let content = if let Some(word) = word {
            Content::Text(word.to_owned())
        } else if let Token::Text(text) = &self.next.0 {
            Content::Text(text.clone())
        } else if let Token::Number(digits) = self.next.0 {
            Content::Number(digits)
        } else {
            return Err(self.expected("a text in quotes or a number"));
        };
        self.advance()?;
        Ok(Value { content, at })
    }

    fn test(
        &self,
        known: &Known,
        operator: Operator,
        values: &[Value<'_>],
    ) -> Result<Expression, QueryError> {
        let test = match known.field {
            Field::Text(field) => {
                let mut texts = values.iter().map(|value| self.text_of(known, value));
                let mut first = || texts.next().unwrap_or_else(|| Ok(String::new()));
                let test = match operator {
                    Operator::Prefix => TextTest::Prefix(first()?),
                    Operator::SameLetters => TextTest::SameLetters(first()?),
                    Operator::PrefixOfLetters => TextTest::PrefixOfLetters(first()?),
                    Operator::Equal
                    | Operator::NotEqual
                    | Operator::In
                    | Operator::Less
                    | Operator::LessOrEqual
                    | Operator::Greater
                    | Operator::GreaterOrEqual => TextTest::AnyOf(texts.collect::<Result<_, _>>()?),
                };
                Test::Text(field, test)
            }
            Field::Context(field) => Test::Context(field, self.ids_of(known, values)?),
            Field::Id => Test::id(self.ids_of(known, values)?),
            Field::Created => Test::Created(compare(operator), self.one(known, values, Parser::time_of)?),
            Field::Depth => Test::Depth(compare(operator), self.one(known, values, Parser::depth_of)?),
            Field::IsLive => Test::IsLive(self.one(known, values, Parser::text_of)? == "true"),
        };
        let test = Expression::Test(test);
        Ok(if operator == Operator::NotEqual { not(test) } else { test })
    }

    /// The only value there is.
    fn one<T>(
        &self,
        known: &Known,
        values: &[Value<'_>],
        read: fn(&Self, &Known, &Value<'_>) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let value = values.first().ok_or_else(|| self.expected("a value"))?;
        read(self, known, value)
    }

    fn text_of(&self, known: &Known, value: &Value<'_>) -> Result<String, QueryError> {
        match &value.content {
            Content::Text(text) => Ok(text.clone()),
            Content::Number(_) => Err(self.unfit(known, value, "a text in quotes")),
        }
    }

    fn ids_of(&self, known: &Known, values: &[Value<'_>]) -> Result<Vec<u64>, QueryError> {
        let read = |value: &Value<'_>| match &value.content {
            Content::Number(digits) => digits.parse().ok(),
            Content::Text(_) => None,
        };
        let read = |value| read(value).ok_or_else(|| self.unfit(known, value, "a whole number below 2^64"));
        values.iter().map(read).collect()
    }

    fn depth_of(&self, known: &Known, value: &Value<'_>) -> Result<i64, QueryError> {
        let depth = match &value.content {
            Content::Number(digits) => digits.parse().ok(),
            Content::Text(_) => None,
        };
        depth.ok_or_else(|| self.unfit(known, value, "a whole number"))
    }

    fn time_of(&self, known: &Known, value: &Value<'_>) -> Result<i64, QueryError> {
        let time = match &value.content {
            Content::Number(digits) => digits.parse().ok(),
            Content::Text(text) => parse_time(text, self.now_ms),
        };
        let expected = "Unix milliseconds, a time as in \"2026-01-31T12:00:00Z\", a day, or one of \"-7d\", \"-24h\" and \"-30m\"";
        time.ok_or_else(|| self.unfit(known, value, expected))
    }

    fn unfit(&self, known: &Known, value: &Value<'_>, expected: &str) -> QueryError {
        let message = format!("`{}` is compared with {expected}", known.name);
        self.about(QueryErrorKind::InvalidValue, known.name, value.at, message)
    }

    fn about(&self, kind: QueryErrorKind, field: &str, at: usize, message: String) -> QueryError {
        QueryError { kind, message, at: Place::of(self.text, at), field: Some(field.to_owned()) }
    }

    fn expected(&self, what: &str) -> QueryError {
        let found = match &self.next.0 {
            Token::End => "the query ends".to_owned(),
            Token::Open => "there is an opening parenthesis".to_owned(),
            Token::Close => "there is a closing parenthesis".to_owned(),
            Token::Comma => "there is a comma".to_owned(),
            Token::Operator(operator) => format!("there is {}", operator.symbol()),
            Token::Word(word) => format!("there is `{word}`"),
            Token::Text(_) => "there is a text".to_owned(),
            Token::Number(digits) => format!("there is {digits}"),
        };
        self.lexer.wrong(self.next.1, format!("{what} is expected, and {found}"))
    }

    fn advance(&mut self) -> Result<(), QueryError> {
        self.next = self.lexer.next()?;
        Ok(())
    }

    fn take(&mut self, token: &Token<'_>, what: &str) -> Result<(), QueryError> {
        if self.next.0 != *token {
            return Err(self.expected(what));
        }
        self.advance()
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(&self.next.0, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    fn takes_keyword(&mut self, keyword: &str) -> Result<bool, QueryError> {
        let is_there = self.is_keyword(keyword);
        if is_there {
            self.advance()?;
        }
        Ok(is_there)
    }
}

const KEYWORDS: &[&str] = &["AND", "OR", "NOT", "IN"];

fn one_or(mut parts: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            many(parts)
        }
    }
}

fn not(expression: Expression) -> Expression {
    Expression::Not(Box::new(expression))
}

fn compare(operator: Operator) -> Compare {
    match operator {
        Operator::Less => Compare::Less,
        Operator::LessOrEqual => Compare::LessOrEqual,
        Operator::Greater => Compare::Greater,
        Operator::GreaterOrEqual => Compare::GreaterOrEqual,
        // `!=` is the complement of `=`; the others are not for what is ordered.
        Operator::Equal
        | Operator::NotEqual
        | Operator::Prefix
        | Operator::SameLetters
        | Operator::PrefixOfLetters
        | Operator::In => Compare::Equal,
    }
}
