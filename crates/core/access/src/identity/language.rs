//! In which language a recovery phrase is.

use std::fmt;

/// A list of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// The English list.
    English,
    /// The Portuguese list.
    Portuguese,
}

impl Language {
    /// All of them, in the order in which they are tried when nobody says which.
    pub const ALL: [Language; 2] = [Language::English, Language::Portuguese];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "english",
            Language::Portuguese => "portuguese",
        }
    }

    /// What files call it.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Portuguese => "pt",
        }
    }

    /// Reads a name or code.
    pub fn parse(text: &str) -> Option<Self> {
        Language::ALL.into_iter().find(|language| [language.name(), language.code()].contains(&text))
    }

    pub(super) fn list(self) -> bip39::Language {
        match self {
            Language::English => bip39::Language::English,
            Language::Portuguese => bip39::Language::Portuguese,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
