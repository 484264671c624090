//! Languages whose words are brought to their stems.

use frostem::{Algorithm, Stemmer};

/// A language with a stemmer and a list of stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Language {
    /// English, which is taken for granted where nothing else is said or seen.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
    /// Danish.
    Danish,
    /// Swedish.
    Swedish,
    /// Norwegian.
    Norwegian,
    /// Finnish.
    Finnish,
    /// Russian.
    Russian,
    /// Hungarian.
    Hungarian,
    /// Romanian.
    Romanian,
    /// Turkish.
    Turkish,
}

/// One row per language: its number, its code, its stemmer. Numbers are stored and never reused.
const TABLE: [(Language, u8, &str, Algorithm); Language::COUNT] = [
    (Language::English, 0, "en", Algorithm::English),
    (Language::German, 1, "de", Algorithm::German),
    (Language::French, 2, "fr", Algorithm::French),
    (Language::Spanish, 3, "es", Algorithm::Spanish),
    (Language::Portuguese, 4, "pt", Algorithm::Portuguese),
    (Language::Italian, 5, "it", Algorithm::Italian),
    (Language::Dutch, 6, "nl", Algorithm::Dutch),
    (Language::Danish, 7, "da", Algorithm::Danish),
    (Language::Swedish, 8, "sv", Algorithm::Swedish),
    (Language::Norwegian, 9, "no", Algorithm::Norwegian),
    (Language::Finnish, 10, "fi", Algorithm::Finnish),
    (Language::Russian, 11, "ru", Algorithm::Russian),
    (Language::Hungarian, 12, "hu", Algorithm::Hungarian),
    (Language::Romanian, 13, "ro", Algorithm::Romanian),
    (Language::Turkish, 14, "tr", Algorithm::Turkish),
];

impl Language {
    /// How many languages there are.
    pub const COUNT: usize = 15;

    /// All of them, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The number by which it is stored.
    pub fn number(self) -> u8 {
        self.row().1
    }

    /// The language of this number.
    pub fn from_number(number: u8) -> Option<Self> {
        TABLE.get(usize::from(number)).map(|row| row.0)
    }

    /// The two letters of ISO 639-1.
    pub fn code(self) -> &'static str {
        self.row().2
    }

    /// The language of this code; letters may be large or small, and a region after them (`en-US`) is
    /// of no matter.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.split(['-', '_']).next().unwrap_or_default();
        // Both written forms of Norwegian have codes of their own.
        let code = if ["nb", "nn"].iter().any(|form| code.eq_ignore_ascii_case(form)) { "no" } else { code };
        TABLE.iter().find(|row| row.2.eq_ignore_ascii_case(code)).map(|row| row.0)
    }

    pub(crate) fn stemmer(self) -> Stemmer {
        Stemmer::new(self.row().3)
    }

    fn row(self) -> &'static (Language, u8, &'static str, Algorithm) {
        // The rows stand in the order of the variants, as a test says.
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_found_by_its_number_and_its_code() {
        for (place, (language, number, code, _)) in TABLE.into_iter().enumerate() {
            assert_eq!(language as usize, place, "{language:?}");
            assert_eq!(usize::from(number), place, "{language:?}");
            assert_eq!(Language::from_number(language.number()), Some(language));
            assert_eq!(Language::from_code(language.code()), Some(language));
            assert_eq!(Language::from_code(&code.to_uppercase()), Some(language));
            assert_eq!(Language::from_code(&format!("{code}-XX")), Some(language));
        }
        assert_eq!(Language::from_code("nb"), Some(Language::Norwegian));
        assert_eq!(Language::from_code("xx"), None);
        assert_eq!(Language::from_code(""), None);
        assert_eq!(Language::from_number(15), None);
    }
}
