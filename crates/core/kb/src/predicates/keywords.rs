//! Keywords in a text.

use std::collections::HashSet;

/// A text in lower case with single blanks, in which keywords are found.
#[derive(Debug)]
pub(super) struct Words {
    lower: String,
    words: HashSet<String>,
}

impl Words {
    /// Prepares a text.
    pub(super) fn of(text: &str) -> Self {
        let lower = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        let words = lower.split(is_between).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Words { lower, words }
    }

    /// Whether the text has a keyword: whole words, or any text if the keyword has other characters than letters,
    /// digits, `_` and blanks.
    pub(super) fn has(&self, keyword: &str) -> bool {
        let keyword = keyword.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        if keyword.is_empty() {
            return false;
        }
        if keyword.contains(|letter| is_between(letter) && letter != ' ') {
            return self.lower.contains(&keyword);
        }
        if !keyword.split(' ').all(|word| self.words.contains(word)) {
            return false;
        }
        !keyword.contains(' ') || self.has_phrase(&keyword)
    }

    /// Whether any of these is in the text.
    pub(super) fn has_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.has(keyword))
    }

    /// Whether the text contains these letters, also within words.
    pub(super) fn contains(&self, letters: &str) -> bool {
        self.lower.contains(letters)
    }

    fn has_phrase(&self, phrase: &str) -> bool {
        self.lower.match_indices(phrase).any(|(at, _)| {
            let before = self.lower[..at].chars().next_back();
            let behind = self.lower[at + phrase.len()..].chars().next();
            before.is_none_or(is_between) && behind.is_none_or(is_between)
        })
    }
}

fn is_between(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_whole_words_with_flexible_blanks() {
        let words = Words::of("A Rate\n  limit, auto-saves; idle_mode and screen   reader.");
        for (keyword, expected) in [
            ("rate limit", true),
            ("Rate  Limit", true),
            ("rate", true),
            ("limits", false),
            ("idle", false),
            ("idle_mode", true),
            ("auto-save", true),
            ("auto save", false),
            ("reader", true),
            ("screen reader", true),
            ("limit auto", false),
            ("", false),
        ] {
            assert_eq!(words.has(keyword), expected, "{keyword}");
        }
    }
}
