//! Words that are written almost so: letters that are missing, too many, wrong, or in the wrong order.

use std::sync::LazyLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::Automaton;

/// Shorter words are near too many others.
const CHARACTERS_MIN: usize = 4;
/// Words from here on may differ in two letters.
const CHARACTERS_OF_TWO: usize = 6;
/// Longer words are no names that somebody types; the automaton of one this long takes a few megabytes.
const CHARACTERS_MAX: usize = 32;

/// Two neighbours that changed places are one difference.
static ONE: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true));
static TWO: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true));

/// Keys that begin with something fixed and end with a word that is written almost so.
pub(crate) struct Spelling {
    prefix: Vec<u8>,
    word: DFA,
}

impl Spelling {
    /// Whether there are words that are near to this one.
    pub(crate) fn has_near(word: &str) -> bool {
        // Another number is another thing, however near it is.
        (CHARACTERS_MIN..=CHARACTERS_MAX).contains(&word.chars().count())
            && word.chars().any(char::is_alphabetic)
    }

    pub(crate) fn new(prefix: Vec<u8>, word: &str) -> Self {
        let builder = if word.chars().count() < CHARACTERS_OF_TWO { &*ONE } else { &*TWO };
        Spelling { prefix, word: builder.build_dfa(word) }
    }

    pub(crate) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// How far the word of a key is from this one: nothing if it is the same, or too far.
    pub(crate) fn distance(&self, key: &[u8]) -> Option<u8> {
        match self.word.eval(key.strip_prefix(self.prefix.as_slice())?) {
            Distance::Exact(distance) => Some(distance).filter(|distance| *distance > 0),
            Distance::AtLeast(_) => None,
        }
    }
}

/// How much of a key was read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Read {
    /// This many bytes of the prefix.
    Prefix(usize),
    /// The prefix, and some of the word.
    Word(u32),
    /// Something else.
    Other,
}

impl Automaton for Spelling {
    type State = Read;

    fn start(&self) -> Read {
        if self.prefix.is_empty() { Read::Word(self.word.initial_state()) } else { Read::Prefix(0) }
    }

    fn is_match(&self, state: &Read) -> bool {
        match state {
            Read::Word(state) => matches!(self.word.distance(*state), Distance::Exact(_)),
            Read::Prefix(_) | Read::Other => false,
        }
    }

    fn can_match(&self, state: &Read) -> bool {
        match state {
            Read::Prefix(_) => true,
            Read::Word(state) => *state != SINK_STATE,
            Read::Other => false,
        }
    }

    fn accept(&self, state: &Read, byte: u8) -> Read {
        match state {
            Read::Prefix(read) if self.prefix.get(*read) != Some(&byte) => Read::Other,
            Read::Prefix(read) if read + 1 == self.prefix.len() => Read::Word(self.word.initial_state()),
            Read::Prefix(read) => Read::Prefix(read + 1),
            Read::Word(state) => Read::Word(self.word.transition(*state, byte)),
            Read::Other => Read::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_by_their_letters() {
        for (word, other, distance) in [
            ("rust", "rusts", Some(1)),
            ("rust", "rsut", Some(1)),
            ("rust", "rest", Some(1)),
            ("rust", "ruts", Some(1)),
            ("rust", "rust", None),
            ("rust", "raft", None),
            ("stone", "stonnes", None),
            ("metopolol", "metoprolol", Some(1)),
            ("metorpolol", "metoprolol", Some(1)),
            ("metropolol", "metoprolol", Some(2)),
            ("mtprolol", "metoprolol", Some(2)),
            ("mtprll", "metoprolol", None),
            ("größer", "großes", Some(2)),
            ("łódź", "łódz", Some(1)),
        ] {
            let spelling = Spelling::new(b"s1".to_vec(), word);
            assert_eq!(spelling.distance(format!("s1{other}").as_bytes()), distance, "{word} {other}");
            assert_eq!(spelling.distance(format!("s2{other}").as_bytes()), None, "{word} {other}");
        }
    }

    #[test]
    fn the_automaton_accepts_what_is_near_or_the_same() {
        let spelling = Spelling::new(b"s1".to_vec(), "stone");
        for (key, accepted, can_go_on) in [
            ("s1stone", true, true),
            ("s1stome", true, true),
            ("s1stom", false, true),
            ("s1", false, true),
            ("s", false, true),
            ("s2stone", false, false),
            ("stone", false, false),
            ("s1river", false, false),
        ] {
            let state = key.bytes().fold(spelling.start(), |state, byte| spelling.accept(&state, byte));
            assert_eq!(
                (spelling.is_match(&state), spelling.can_match(&state)),
                (accepted, can_go_on),
                "{key}"
            );
        }
    }

    #[test]
    fn short_words_numbers_and_very_long_ones_have_no_near_ones() {
        let longest = "ä".repeat(CHARACTERS_MAX);
        for (word, has) in [
            ("abc", false),
            ("äbcd", true),
            ("2024", false),
            ("v202", true),
            (longest.as_str(), true),
            (&format!("{longest}a"), false),
        ] {
            assert_eq!(Spelling::has_near(word), has, "{word}");
        }
    }
}
