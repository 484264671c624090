//! `FIND(…) WHERE {…}`.

use cairn_base::nearest;

use super::cursor::Parser;
use super::pattern::Use;
use super::{KipError, Result};
use crate::Spanned;
use crate::lex::{Sign, Token, shown};
use crate::one_of::one_of;
use crate::tree::{Aggregate, Column, Find};
use crate::words::{FUNCTIONS, named};

impl Parser<'_> {
    pub(super) fn find(&mut self) -> Result<Find> {
        self.keyword("FIND")?;
        self.open(Sign::OpenParenthesis, "what is asked for stands in parentheses: FIND(?x, ?y.name)")?;
        if self.at(Sign::CloseParenthesis) {
            return Err(self.expected("a variable or an aggregate").hint("say what to answer: FIND(?x)"));
        }
        let mut columns = vec![self.column("a variable or an aggregate")?];
        while self.eat(Sign::Comma)? {
            if self.at(Sign::CloseParenthesis) {
                return Err(self.expected("a variable or an aggregate").hint("remove the comma before `)`"));
            }
            columns.push(self.column("a variable or an aggregate")?);
        }
        self.close("`,` or `)`")?;
        let pattern = self.where_group(Use::Read)?;
        let order_by = self.order_by()?;
        let limit = self.limit()?;
        let cursor = self.cursor()?;
        let given = [true, !order_by.is_empty(), limit.is_some(), cursor.is_some()];
        self.after_modifiers(&[
            ("WHERE", given[0]),
            ("ORDER BY", given[1]),
            ("LIMIT", given[2]),
            ("CURSOR", given[3]),
        ])?;
        Ok(Find { columns, pattern, order_by, limit, cursor })
    }

    /// `?v.name` or `COUNT(DISTINCT ?v)`.
    pub(super) fn column(&mut self, what: &str) -> Result<Spanned<Column>> {
        let start = self.span;
        let column = match self.token {
            Token::Word(word) => Column::Aggregate(self.aggregate(word, what)?),
            _ => Column::Path(self.path(what)?),
        };
        Ok(Spanned::new(column, self.since(start)))
    }

    fn aggregate(&mut self, name: &str, what: &str) -> Result<Aggregate> {
        let Some(function) = named(FUNCTIONS, &name) else { return Err(self.no_aggregate(name, what)) };
        self.advance()?;
        self.open(Sign::OpenParenthesis, &format!("it is written {name}(?x)"))?;
        let distinct = self.eat_word("DISTINCT")?;
        let path = self.path("a variable")?;
        self.close("`)`")?;
        Ok(Aggregate { function, distinct, path })
    }

    fn no_aggregate(&self, name: &str, what: &str) -> KipError {
        if name.eq_ignore_ascii_case("DISTINCT") {
            let hint =
                "leave it out: rows are distinct by themselves; COUNT(DISTINCT ?x) counts different values";
            return self.expected(what).hint(hint);
        }
        if self.second() != Token::Sign(Sign::OpenParenthesis) {
            return self.expected_variable(what);
        }
        let known: Vec<&str> = FUNCTIONS.iter().map(|(known, _)| *known).collect();
        let error = self.refused(format!("there is no aggregate `{}`", shown(name)));
        match nearest(name, known.iter().copied()) {
            Some(near) if near.eq_ignore_ascii_case(name) => {
                error.hint(format!("functions are upper case: {near}"))
            }
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error.hint(format!("use {}", one_of(&known))),
        }
    }
}
