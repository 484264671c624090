//! Words of a query, as titles and bodies are compared with them.

use crate::limits::SEARCH_TOKENS_MAX;

/// A query without regard to case.
#[derive(Debug)]
pub(super) struct Words {
    typed: String,
    phrase: String,
    tokens: Vec<String>,
}

impl Words {
    /// Reads a query.
    pub(super) fn of(query: &str) -> Self {
        let typed = joined(query);
        let phrase = typed.to_lowercase();
        let mut tokens: Vec<String> = Vec::new();
        for token in phrase.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty()) {
            if tokens.len() == SEARCH_TOKENS_MAX {
                break;
            }
            if !tokens.iter().any(|known| known == token) {
                tokens.push(token.to_owned());
            }
        }
        Words { typed, phrase, tokens }
    }

    /// Whether there is nothing to look for.
    pub(super) fn is_blank(&self) -> bool {
        self.phrase.is_empty()
    }

    /// The query as it was typed, with single spaces.
    pub(super) fn typed(&self) -> &str {
        &self.typed
    }

    /// The whole query in lower case, with single spaces.
    pub(super) fn phrase(&self) -> &str {
        &self.phrase
    }

    /// The number of distinct words.
    pub(super) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Returns how many of the words a text has, which is in lower case.
    pub(super) fn tokens_in(&self, lower: &str) -> usize {
        self.tokens.iter().filter(|token| lower.contains(token.as_str())).count()
    }
}

/// Returns a text with single spaces between its words.
pub(super) fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}
