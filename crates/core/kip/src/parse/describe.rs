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
            _ => return Err(self.expected_word(&["PRIMER", "DOMAINS", "CONCEPT", "PROPOSITION"])),
        };
        let allowed: &[&str] =
            if matches!(describe, Describe::Types { .. }) { &["LIMIT", "CURSOR"] } else { &[] };
        self.after_modifiers(allowed)?;
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
        let error = self.expected_word(&["TYPES", "TYPE"]);
        let hint =
            format!("write DESCRIBE {0} TYPES, or DESCRIBE {0} TYPE \"...\" for one of them", of.text());
        Err(if error.hint.is_some() { error } else { error.hint(hint) })
    }
}
