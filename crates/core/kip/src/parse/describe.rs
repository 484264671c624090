//! `DESCRIBE …`.

use super::Result;
use super::cursor::Parser;
use crate::lex::Token;
use crate::tree::{Describe, ElementKind};

impl Parser<'_> {
    pub(super) fn describe(&mut self) -> Result<Describe> {
        self.keyword("DESCRIBE")?;
        let describe = match self.token {
            Token::Word("PRIMER") => {
                self.advance()?;
                Describe::Primer
            }
            Token::Word("DOMAINS") => {
                self.advance()?;
                Describe::Domains
            }
            Token::Word("CONCEPT") => self.describe_types(ElementKind::Concept)?,
            Token::Word("PROPOSITION") => self.describe_types(ElementKind::Proposition)?,
            _ => {
                let words = ["PRIMER", "DOMAINS", "CONCEPT", "PROPOSITION"];
                let hint = "begin with DESCRIBE PRIMER, or DESCRIBE CONCEPT TYPES";
                return Err(self.expected_word_because(&words, hint));
            }
        };
        match &describe {
            Describe::Types { limit, cursor, .. } => {
                self.after_modifiers(&[("LIMIT", limit.is_some()), ("CURSOR", cursor.is_some())])?;
            }
            Describe::Primer | Describe::Domains | Describe::Type { .. } => self.after_modifiers(&[])?,
        }
        Ok(describe)
    }

    /// The rest after `CONCEPT` or `PROPOSITION`, which is next.
    fn describe_types(&mut self, of: ElementKind) -> Result<Describe> {
        self.advance()?;
        if self.eat_word("TYPES")? {
            return Ok(Describe::Types { of, limit: self.limit()?, cursor: self.cursor()? });
        }
        if self.eat_word("TYPE")? {
            return Ok(Describe::Type { of, name: self.string_slot("the name of a type, as a string")? });
        }
        let hint =
            format!("write DESCRIBE {0} TYPES, or DESCRIBE {0} TYPE \"...\" for one of them", of.text());
        Err(self.expected_word_because(&["TYPES", "TYPE"], &hint))
    }
}
