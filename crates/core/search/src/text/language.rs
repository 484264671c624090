//! Languages whose words are brought to their stems.

/// A language with a stemmer and a list of stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English, which is taken for granted where nothing else is said or seen.
    English,
}
