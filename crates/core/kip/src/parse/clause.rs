//! `WHERE {…}` and its clauses.

use cairn_base::nearest;

use super::Result;
use super::cursor::Parser;
use super::pattern::Use;
use crate::Spanned;
use crate::lex::{Sign, Token};
use crate::tree::{Clause, Group};
use crate::words::{CLAUSES, foreign_clause_hint};

const BEGINNINGS: &str = "a clause begins with ?variable, (, FILTER, OPTIONAL, NOT or UNION";

impl Parser<'_> {
    /// `WHERE {…}`.
    pub(super) fn where_group(&mut self, used: Use) -> Result<Group> {
        self.keyword_because("WHERE", "say what to look for: WHERE { ?x {type: \"...\"} }")?;
        self.group(used, "WHERE")
    }

    /// Clauses in braces; `keyword` is what stands before.
    fn group(&mut self, used: Use, keyword: &str) -> Result<Group> {
        let start = self.span;
        let hint = format!("clauses stand in braces: {keyword} {{ ... }}");
        if self.at(Sign::OpenParenthesis) {
            return Err(self.expected("`{`").hint(hint));
        }
        self.open(Sign::OpenBrace, &hint)?;
        let mut clauses = Vec::new();
        while !self.at(Sign::CloseBrace) {
            clauses.push(self.clause(used)?);
        }
        self.close("a clause or `}`")?;
        if clauses.is_empty() {
            let message = format!("{keyword} has no clause");
            let hint = format!("say what to look for: {keyword} {{ ?x {{type: \"...\"}} }}");
            return Err(self.refused(message).hint(hint).at(self.since(start)));
        }
        Ok(Group { clauses })
    }

    fn clause(&mut self, used: Use) -> Result<Spanned<Clause>> {
        let start = self.span;
        let clause = match self.token {
            Token::Word("FILTER") => self.filter()?,
            Token::Word("OPTIONAL") => Clause::Optional(self.nested(used, "OPTIONAL")?),
            Token::Word("NOT") => Clause::Not(self.nested(used, "NOT")?),
            Token::Word("UNION") => Clause::Union(self.nested(used, "UNION")?),
            Token::Variable(_) | Token::Sign(Sign::OpenParenthesis) => self.pattern(used)?,
            _ => return Err(self.no_clause()),
        };
        Ok(Spanned::new(clause, self.since(start)))
    }

    fn nested(&mut self, used: Use, keyword: &'static str) -> Result<Group> {
        self.keyword(keyword)?;
        self.group(used, keyword)
    }

    fn filter(&mut self) -> Result<Clause> {
        self.keyword("FILTER")?;
        if matches!(self.token, Token::Word(word) if ["NOT", "EXISTS"].iter().any(|known| known.eq_ignore_ascii_case(word)))
        {
            let hint = "patterns stand outside of FILTER: write NOT { ... } alone for what must not match";
            return Err(self.expected("`(`").hint(hint));
        }
        self.open(Sign::OpenParenthesis, "a condition stands in parentheses: FILTER(?x.name == \"...\")")?;
        let condition = self.condition()?;
        self.close_condition()?;
        Ok(Clause::Filter(condition))
    }

    fn pattern(&mut self, used: Use) -> Result<Clause> {
        let variable = self.eat_variable()?;
        if self.at(Sign::OpenParenthesis) {
            return Ok(Clause::Proposition { variable, matcher: self.proposition_match(used)? });
        }
        match variable {
            Some(variable) if self.at(Sign::OpenBrace) => {
                Ok(Clause::Concept { variable, matcher: self.concept_match(used)? })
            }
            Some(variable) => {
                let name = &variable.node;
                let hint =
                    format!("a clause is ?{name} {{type: \"...\"}} or ?{name} (?a, \"predicate\", ?b)");
                let hint =
                    if self.at(Sign::Dot) { "comparisons stand in FILTER(...)".to_owned() } else { hint };
                Err(self.expected_because(&format!("`{{` or `(` after ?{name}"), &hint))
            }
            None => Err(self.no_clause()),
        }
    }

    fn no_clause(&self) -> super::KipError {
        let what = "a clause or `}`";
        match self.token {
            Token::Sign(Sign::Comma) => {
                self.expected(what).hint("leave the comma out: clauses follow each other without one")
            }
            Token::Sign(Sign::OpenBrace) => self.expected(what).hint("say what it binds: ?x {type: \"...\"}"),
            Token::Word(word) if foreign_clause_hint(word).is_some() => {
                self.expected(what).hint(foreign_clause_hint(word).unwrap_or_default())
            }
            Token::Word(word) if self.second() == Token::Sign(Sign::OpenBrace) && !is_near_clause(word) => {
                self.expected_variable(what)
            }
            Token::Word(_) => self.expected_word_because(CLAUSES, BEGINNINGS),
            _ => self.expected_because(what, BEGINNINGS),
        }
    }
}

fn is_near_clause(word: &str) -> bool {
    nearest(word, CLAUSES.iter().copied()).is_some()
}
