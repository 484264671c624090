//! Texts as people write them, roughly: few words often, many seldom.
//!
//! 100,000 words of one to three syllables, the shorter ones the more frequent; the word of rank r is drawn
//! with a chance of 1/r. A text has 20 to 80 of them, 50 on average. None is a stop word in any language:
//! every word counts, so texts are harder on the index than prose, in which two of five do not.

use std::collections::HashSet;

use cairn_base::MsgpackWriter;
use cairn_search::text::{Language, Settings, analyze};

use crate::random::{Random, mix};

const WORDS: usize = 100_000;
const WORDS_MIN: u64 = 20;
const WORDS_MAX: u64 = 80;
/// Ranks from which on words have two and three syllables.
const TWO_SYLLABLES: usize = 60;
const THREE_SYLLABLES: usize = 3000;

/// All words, by rank.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// The chance of each word and all before it, growing to 1.
    chances: Vec<f64>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(7);
        let mut known = HashSet::new();
        let mut words = Vec::with_capacity(WORDS);
        while words.len() < WORDS {
            let syllables =
                1 + usize::from(words.len() >= TWO_SYLLABLES) + usize::from(words.len() >= THREE_SYLLABLES);
            let word: String = (0..syllables).map(|_| syllable(&mut random)).collect();
            if !is_stop_word(&word) && known.insert(word.clone()) {
                words.push(word);
            }
        }
        let sum: f64 = (1..=WORDS).map(|rank| 1.0 / rank as f64).sum();
        let mut so_far = 0.0;
        let chances = (1..=WORDS)
            .map(|rank| {
                so_far += 1.0 / rank as f64 / sum;
                so_far
            })
            .collect();
        Vocabulary { words, chances }
    }

    /// The next word, the frequent ones more often.
    pub(crate) fn draw(&self, random: &mut Random) -> &str {
        let at = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = self.chances.partition_point(|chance| *chance < at);
        &self.words[rank.min(WORDS - 1)]
    }

    /// The text with a number.
    pub(crate) fn text(&self, number: u64) -> String {
        let mut random = Random::new(mix(number));
        let count = WORDS_MIN + random.below(WORDS_MAX - WORDS_MIN + 1);
        self.words_of(&mut random, count)
    }

    /// A text of so many words.
    pub(crate) fn words_of(&self, random: &mut Random, count: u64) -> String {
        let mut text = String::with_capacity(512);
        for _ in 0..count {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.draw(random));
        }
        text
    }

    /// Two different words that a document can hold, drawn as the words of texts are.
    pub(crate) fn two(&self, random: &mut Random) -> [String; 2] {
        loop {
            let two = [self.draw(random).to_owned(), self.draw(random).to_owned()];
            if stem(&two[0]) != stem(&two[1]) {
                return two;
            }
        }
    }
}

/// A word as the index keeps it.
pub(crate) fn stem(word: &str) -> String {
    let mut stem = String::new();
    analyze(word, Settings::default(), &mut |token| token.text.clone_into(&mut stem));
    stem
}

/// A payload that says a text.
pub(crate) fn payload(text: &str) -> Vec<u8> {
    let mut payload = MsgpackWriter::new();
    payload.map(1);
    payload.unsigned(1);
    payload.text(text);
    payload.into_bytes()
}

fn syllable(random: &mut Random) -> String {
    const BEGIN: [&str; 14] = ["b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "t", "v", "z"];
    const MIDDLE: [&str; 5] = ["a", "e", "i", "o", "u"];
    const END: [&str; 6] = ["", "", "", "", "n", "r"];
    let mut pick = |of: &[&'static str]| of[random.below(of.len() as u64) as usize];
    [pick(&BEGIN), pick(&MIDDLE), pick(&END)].concat()
}

fn is_stop_word(word: &str) -> bool {
    Language::all().any(|language| {
        let mut is_kept = false;
        analyze(word, Settings { language, keep_stop_words: false }, &mut |_| is_kept = true);
        !is_kept
    })
}
