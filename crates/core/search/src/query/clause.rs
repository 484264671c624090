//! What a query consists of.

use std::borrow::Cow;
use std::ops::Range;

use super::QueryToken;
use crate::document::Field;
use crate::text::{Language, TokenKind};

/// A query that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    /// What is looked for, in the order of the text.
    pub clauses: Vec<Clause>,
    /// As it was written.
    pub text: String,
    /// The text without operators in the form in which whole names are compared.
    pub name: String,
    /// Words, as written, that are beyond the limits and not looked for.
    pub ignored: Vec<String>,
    /// The names of fields that it was read with.
    pub fields: Vec<String>,
}

/// One thing that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Whether it has to be there.
    pub occur: Occur,
    /// In which field only: its place among those that [`parse`](super::parse) was given.
    pub field: Option<usize>,
    /// What is looked for.
    pub what: What,
    /// Where it stands in the query, in bytes: quotation marks and the star included, operator and field not.
    pub span: Range<usize>,
    /// The same as written.
    pub text: String,
}

/// Whether something has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Occur {
    /// It is good if it is there.
    Should,
    /// Documents without it are not found.
    Must,
    /// Documents with it are not found.
    MustNot,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum What {
    /// A word: one token. A compound: its whole, then its parts.
    Word(Vec<QueryToken>),
    /// Words in this order, each with its distance from the first; there are no wholes among them.
    Phrase(Vec<(u32, QueryToken)>),
    /// The folded beginning of a word or whole.
    Prefix(String),
}

impl What {
    /// All of its tokens; a prefix has none.
    pub fn tokens(&self) -> Vec<&QueryToken> {
        match self {
            Self::Word(tokens) => tokens.iter().collect(),
            Self::Phrase(tokens) => tokens.iter().map(|(_, token)| token).collect(),
            Self::Prefix(_) => Vec::new(),
        }
    }

    /// How many words that is: wholes are no words of their own.
    pub(super) fn word_count(&self) -> usize {
        match self {
            Self::Word(tokens) => tokens.iter().filter(|token| token.kind != TokenKind::Whole).count(),
            Self::Phrase(tokens) => tokens.len(),
            Self::Prefix(_) => 1,
        }
    }
}

impl Clause {
    /// Whether prose of all these languages leaves out everything that it looks for.
    pub fn has_only_stop_words(&self, languages: &[Language]) -> bool {
        let tokens = self.what.tokens();
        !tokens.is_empty() && tokens.iter().all(|token| token.is_stop_word(languages))
    }
}

impl Parsed {
    /// The query for documents that have these fields: what is looked for in a field of another name is in
    /// none of them.
    pub(crate) fn among(&self, fields: &[Field]) -> Cow<'_, Parsed> {
        let is_there = |place: usize| match (fields.get(place), self.fields.get(place)) {
            (Some(field), Some(name)) => field.name.eq_ignore_ascii_case(name),
            _ => false,
        };
        if self.clauses.iter().filter_map(|clause| clause.field).all(is_there) {
            return Cow::Borrowed(self);
        }
        let mut query = self.clone();
        for clause in &mut query.clauses {
            clause.field = clause.field.map(|place| if is_there(place) { place } else { usize::MAX });
        }
        Cow::Owned(query)
    }

    /// The places of the clauses that need not match and consist of stop words of all these languages.
    /// Prose has none of them; names have.
    pub fn only_stop_words(&self, languages: &[Language]) -> Vec<usize> {
        let clauses = self.clauses.iter().enumerate();
        let idle = clauses.filter(|(_, c)| c.occur == Occur::Should && c.has_only_stop_words(languages));
        idle.map(|(place, _)| place).collect()
    }
}
