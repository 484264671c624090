//! `SEARCH …`.

use super::Result;
use super::cursor::Parser;
use crate::lex::Token;
use crate::tree::{ElementKind, Search};

impl Parser<'_> {
    pub(super) fn search(&mut self) -> Result<Search> {
        self.keyword("SEARCH")?;
        let of = match self.token {
            Token::Word("CONCEPT") => ElementKind::Concept,
            Token::Word("PROPOSITION") => ElementKind::Proposition,
            Token::String(_) => {
                let hint = "say what to search for: SEARCH CONCEPT \"...\" or SEARCH PROPOSITION \"...\"";
                return Err(self.expected_word(&["CONCEPT", "PROPOSITION"]).hint(hint));
            }
            _ => {
                let hint = "write SEARCH CONCEPT \"...\" or SEARCH PROPOSITION \"...\"";
                return Err(self.expected_word_because(&["CONCEPT", "PROPOSITION"], hint));
            }
        };
        self.advance()?;
        let term = self.string_slot("the words to search for, as a string or a parameter")?;
        let kind = if self.eat_word("WITH")? {
            self.keyword("TYPE")?;
            Some(self.string_slot("the name of a type, as a string or a parameter")?)
        } else {
            None
        };
        let limit = self.limit()?;
        if self.at_word("WITH") {
            return Err(self
                .refused("WITH TYPE stands too late or twice")
                .hint("WITH TYPE comes before LIMIT, once"));
        }
        if self.at_word("TYPE") {
            return Err(self.expected("the end of the command").hint("write WITH TYPE \"...\""));
        }
        self.after_modifiers(&[("LIMIT", limit.is_some())])?;
        Ok(Search { of, term, kind, limit })
    }
}
