//! `ORDER BY`, `LIMIT` and `CURSOR`.

use cairn_base::nearest;

use super::cursor::Parser;
use super::{KipError, Result};
use crate::Spanned;
use crate::lex::{Sign, Token};
use crate::one_of::one_of;
use crate::tree::{Slot, SortKey};
use crate::words::COMMANDS;

/// What follows a command here and there.
const MODIFIERS: &[&str] = &["WHERE", "ORDER BY", "LIMIT", "CURSOR"];

impl Parser<'_> {
    /// `ORDER BY key, key …`, if it is there.
    pub(super) fn order_by(&mut self) -> Result<Vec<SortKey>> {
        let mut keys = Vec::new();
        if !self.eat_word("ORDER")? {
            return Ok(keys);
        }
        self.keyword("BY")?;
        loop {
            let by = self.column("a variable or an aggregate to sort by")?;
            let descending = self.eat_word("DESC")?;
            if !descending {
                self.eat_word("ASC")?;
            }
            keys.push(SortKey { by, descending });
            if !self.eat(Sign::Comma)? {
                return Ok(keys);
            }
        }
    }

    /// `LIMIT n`, if it is there.
    pub(super) fn limit(&mut self) -> Result<Option<Spanned<Slot<u64>>>> {
        if self.eat_word("LIMIT")? { self.count_slot("LIMIT").map(Some) } else { Ok(None) }
    }

    /// `CURSOR "…"`, if it is there.
    pub(super) fn cursor(&mut self) -> Result<Option<Spanned<Slot<String>>>> {
        if !self.eat_word("CURSOR")? {
            return Ok(None);
        }
        self.string_slot("the next_cursor of the last answer, as a string or a parameter").map(Some)
    }

    /// Nothing but the end may follow; `modifiers` are those of this command in their order, and whether they
    /// were there.
    pub(super) fn after_modifiers(&self, modifiers: &[(&str, bool)]) -> Result<()> {
        let Token::Word(word) = self.token else { return Ok(()) };
        let known = if word == "ORDER" { "ORDER BY" } else { word };
        if MODIFIERS.contains(&known) {
            return Err(self.misplaced(known, modifiers));
        }
        let error = self.expected("the end of the command");
        if error.hint.is_some() || COMMANDS.contains(&word) {
            return Ok(()); // Nothing of ours: `finish` tells about it.
        }
        match nearest(word, ["ORDER", "ORDER BY", "LIMIT", "CURSOR", "ASC", "DESC"]) {
            Some(known) if known.eq_ignore_ascii_case(word) => {
                Err(error.hint(format!("keywords are upper case: {known}")))
            }
            Some(known) => Err(error.hint(format!("did you mean {known}?"))),
            None => Ok(()),
        }
    }

    /// A modifier stands too late, or twice, or in a command that has none of its kind.
    fn misplaced(&self, word: &str, modifiers: &[(&str, bool)]) -> KipError {
        let order: Vec<&str> = modifiers.iter().map(|(known, _)| *known).collect();
        let Some(place) = order.iter().position(|known| *known == word) else {
            let hint = match order.as_slice() {
                [] => "leave it out".to_owned(),
                order => format!("only {} may stand here", one_of(order)),
            };
            return self.refused(format!("{word} cannot stand in this command")).hint(hint);
        };
        let later = modifiers[place + 1..].iter().find(|(_, given)| *given);
        let message = match later {
            Some((later, _)) if !modifiers[place].1 => format!("{word} comes before {later}"),
            _ => format!("{word} stands twice"),
        };
        self.refused(message).hint(format!("the order is {}, each once", order.join(", then ")))
    }
}
