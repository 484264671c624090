//! `DELETE …`.

use super::Result;
use super::cursor::Parser;
use super::pattern::Use;
use crate::lex::{Sign, Token};
use crate::tree::{Delete, Deleted, Text};

const KINDS: &[&str] = &["ATTRIBUTES", "METADATA", "PROPOSITIONS", "CONCEPT"];

impl Parser<'_> {
    pub(super) fn delete(&mut self) -> Result<Delete> {
        self.keyword("DELETE")?;
        let (what, target) = match self.token {
            Token::Word("ATTRIBUTES") => {
                let (keys, target) = self.keys_from()?;
                (Deleted::Attributes(keys), target)
            }
            Token::Word("METADATA") => {
                let (keys, target) = self.keys_from()?;
                (Deleted::Metadata(keys), target)
            }
            Token::Word("PROPOSITIONS") => {
                self.advance()?;
                (Deleted::Propositions, self.variable("the variable of the links to delete")?)
            }
            Token::Word("CONCEPT") => {
                self.advance()?;
                let target = self.variable("the variable of the concepts to delete")?;
                self.detach(&target)?;
                (Deleted::Concept, target)
            }
            _ => {
                let hint = "say what to delete, as in DELETE CONCEPT ?x DETACH or DELETE PROPOSITIONS ?link";
                return Err(self.expected_word_because(KINDS, hint));
            }
        };
        let pattern = self.where_group(Use::Delete)?;
        self.after_modifiers(&[])?;
        Ok(Delete { what, target, pattern })
    }

    fn detach(&mut self, target: &Text) -> Result<()> {
        if self.eat_word("DETACH")? {
            return Ok(());
        }
        let hint = format!(
            "all links of a concept go with it, and DETACH says so: DELETE CONCEPT ?{} DETACH",
            target.node
        );
        Err(self.expected_word_because(&["DETACH"], &hint))
    }

    /// `ATTRIBUTES {"key", …} FROM ?v`, whose first word is next.
    fn keys_from(&mut self) -> Result<(Vec<Text>, Text)> {
        self.advance()?;
        let start = self.span;
        self.open(Sign::OpenBrace, "keys stand in braces: {\"key\", \"key\"}")?;
        let mut keys = Vec::new();
        while !self.at(Sign::CloseBrace) {
            keys.push(self.string("a key, as a string")?);
            if !self.eat(Sign::Comma)? {
                break;
            }
        }
        self.close("`,` or `}`")?;
        if keys.is_empty() {
            return Err(self
                .refused("no key is named")
                .hint("name the keys to delete: {\"key\"}")
                .at(self.since(start)));
        }
        self.keyword_because("FROM", "say from what: FROM ?x")?;
        Ok((keys, self.variable("the variable to delete from")?))
    }
}
