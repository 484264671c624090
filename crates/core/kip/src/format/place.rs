//! What a bracket is for, and where lines begin in it.

use cairn_base::Value;

use super::pieces::{Piece, Statement};
use crate::lex::Sign;

/// What stands in a bracket; the text itself counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The text of a question or a deletion.
    Question,
    /// The text of a capsule.
    Capsule,
    /// A text that is one line.
    Line,
    /// Clauses.
    Group,
    /// Blocks of an UPSERT.
    Blocks,
    /// What is said in a block.
    Block,
    /// Links of SET PROPOSITIONS.
    Links,
    /// `{1,3}`
    Hops,
    /// A condition in parentheses.
    Condition,
    /// Attributes or metadata.
    Settings,
    /// Anything else with commas.
    List,
}

impl Place {
    /// That of a whole text, from its first word.
    pub(super) fn of_text(first: &str) -> Place {
        match first {
            "FIND" | "EXPLAIN" | "DELETE" => Place::Question,
            "UPSERT" => Place::Capsule,
            _ => Place::Line,
        }
    }

    /// That of a bracket, from what stands before it.
    pub(super) fn of_bracket(self, sign: Sign, before: &Statement) -> Place {
        let mut before = before.pieces.iter().rev();
        let last = before.next();
        let word = last.and_then(Piece::word);
        if sign == Sign::OpenParenthesis {
            let calls = word.is_some_and(|word| word != "FILTER");
            let is_condition = word == Some("FILTER") || (self == Place::Condition && !calls);
            return if is_condition { Place::Condition } else { Place::List };
        }
        if sign == Sign::OpenBracket {
            return Place::List;
        }
        match word {
            _ if self == Place::Blocks && !matches!(last, Some(Piece::Word(word)) if word == "METADATA") => {
                Place::Block
            }
            _ if self == Place::List => {
                if matches!(last, Some(Piece::String(_) | Piece::Parameter(_))) {
                    Place::Hops
                } else {
                    Place::List
                }
            }
            Some("WHERE" | "OPTIONAL" | "NOT" | "UNION") => Place::Group,
            Some("UPSERT") => Place::Blocks,
            Some("PROPOSITIONS") => Place::Links,
            Some("ATTRIBUTES" | "METADATA") if before.next().and_then(Piece::word) != Some("DELETE") => {
                Place::Settings
            }
            _ => Place::List,
        }
    }

    /// Whether commas part what stands in it, and a word before a colon is a key.
    pub(super) fn has_commas(self) -> bool {
        matches!(self, Place::Settings | Place::List)
    }

    /// Whether a piece begins a line of its own after what stands before it.
    pub(super) fn parts(self, before: &Statement, next: &Piece) -> bool {
        let after_bracket = matches!(before.pieces.last(), Some(Piece::Bracket(_)));
        let word = next.word();
        match self {
            Place::Question => matches!(word, Some("WHERE" | "ORDER" | "LIMIT" | "CURSOR")),
            Place::Capsule => matches!(word, Some("UPSERT" | "WITH")),
            Place::Group | Place::Blocks => after_bracket,
            Place::Block => word == Some("SET") || (after_bracket && word != Some("EXPECT")),
            Place::Links => after_bracket && word != Some("WITH"),
            Place::Line | Place::Hops | Place::Condition | Place::Settings | Place::List => false,
        }
    }

    /// Whether there is a space inside its brackets, in one line.
    pub(super) fn is_padded(self) -> bool {
        matches!(self, Place::Group | Place::Links | Place::Settings)
    }

    /// Whether it holds statements of its own.
    pub(super) fn is_block(self) -> bool {
        matches!(self, Place::Group | Place::Blocks | Place::Block | Place::Links)
    }
}

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_json()
}
