//! A word that is looked for, in all the forms that it has in documents.

use crate::text::{Language, TokenKind, is_stop_word, stem};

/// A token of a query, before a language is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct QueryToken {
    /// What it is.
    pub kind: TokenKind,
    /// Its folded form.
    pub surface: String,
}

impl QueryToken {
    /// The different texts of tokens that this one finds in documents of these languages.
    ///
    /// First what the word becomes in each language, then the word itself unless it is there already: a
    /// `camelCase` is stored as the whole `camelcase`, not stemmed, and who types the one finds the other.
    /// Wholes with joiners, pairs of characters and numbers have one form only.
    pub fn stems(&self, languages: &[Language]) -> Vec<String> {
        let mut stems = Vec::with_capacity(languages.len() + 1);
        let mut add = |text: &str| {
            if !stems.iter().any(|known| known == text) {
                stems.push(text.to_owned());
            }
        };
        if self.kind != TokenKind::Cjk {
            languages.iter().for_each(|language| add(&stem(&self.surface, language.stemmer())));
        }
        add(&self.surface);
        stems
    }

    /// Whether prose of all these languages leaves it out. Parts of compounds are never left out.
    pub fn is_stop_word(&self, languages: &[Language]) -> bool {
        self.kind == TokenKind::Word
            && !languages.is_empty()
            && languages.iter().all(|language| is_stop_word(&self.surface, *language))
    }
}
