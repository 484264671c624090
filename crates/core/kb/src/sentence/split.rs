//! Splitting a text into sentences, and sentences into clauses that each make a claim.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::regex;
use crate::limits;

/// Clauses of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Clauses<'a> {
    /// The clauses, in order.
    pub(crate) list: Vec<&'a str>,
    /// Whether some were left out: the text has too many, or one that is too long.
    pub(crate) is_cut: bool,
}

/// Words without which a clause makes no claim of its own.
static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"{B}(?:must|shall|should|expires?|defaults?|transitions?|states?\s+are|cannot|can't){B}")
});

/// A conjunction between clauses.
static AND: LazyLock<Regex> = LazyLock::new(|| regex(r"\s*,?\s+and\s+"));

/// Sentences whose parts belong together although "and" stands between them.
static WHOLE: LazyLock<Regex> = LazyLock::new(|| regex(r"{B}mutually\s+exclusive{B}"));

/// Returns the clauses of a text: its sentences, split at "and" where a claim stands on either side of it. Questions
/// make no claim.
pub(crate) fn clauses(text: &str) -> Clauses<'_> {
    let mut found = Clauses::default();
    for sentence in sentences(text).filter(|sentence| !is_question(sentence)) {
        if sentence.len() > limits::SENTENCE_BYTES_MAX {
            found.is_cut = true;
            continue;
        }
        for clause in split_at_and(sentence) {
            if found.list.len() == limits::CLAUSES_MAX {
                found.is_cut = true;
                return found;
            }
            found.list.push(clause);
        }
    }
    found
}

/// Returns the first sentence of a text.
pub(crate) fn first_sentence(text: &str) -> &str {
    sentences(text).next().unwrap_or_default()
}

/// Whether a sentence asks.
pub(crate) fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches([')', '"', '\'', '*', '_', ' ']).ends_with('?')
}

fn split_at_and(sentence: &str) -> Vec<&str> {
    if WHOLE.is_match(sentence) {
        return vec![sentence];
    }
    let claims: Vec<usize> = CLAIM.find_iter(sentence).map(|claim| claim.start()).collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for and in AND.find_iter(sentence) {
        let before = claims.partition_point(|at| *at < start)..claims.partition_point(|at| *at < and.start());
        let is_followed = claims.last().is_some_and(|last| *last >= and.end());
        if !before.is_empty() && is_followed && has_own_claim(sentence, &claims, and.end()) {
            parts.push(&sentence[start..and.start()]);
            start = and.end();
        }
    }
    parts.push(&sentence[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Whether the first claim behind a place is reached before a comma.
fn has_own_claim(sentence: &str, claims: &[usize], from: usize) -> bool {
    let Some(claim) = claims.get(claims.partition_point(|at| *at < from)) else { return false };
    !sentence[from..*claim].contains(',')
}

/// Sentences end with `.`, `!`, `?` or `;` before white space, and with a line that is empty or begins a list item.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let (end, next) = sentence_end(rest);
            let sentence = rest[..end].trim();
            rest = &rest[next..];
            if sentence.chars().any(char::is_alphanumeric) {
                return Some(sentence);
            }
        }
    })
}

/// Returns the end of the first sentence, and the start of what follows.
fn sentence_end(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_before_blank = bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        match byte {
            b'.' if is_before_blank && !is_abbreviation(&text[..at]) => return (at + 1, at + 1),
            b'!' | b'?' | b';' if is_before_blank => return (at + 1, at + 1),
            b'\n' if begins_block(&text[at + 1..]) => return (at, at + 1),
            _ => {}
        }
    }
    (text.len(), text.len())
}

/// Whether a line is empty or begins a list item, a heading or a row of a table.
fn begins_block(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim_start();
    let digits = line.len() - line.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    line.is_empty()
        || ["- ", "* ", "+ ", "#", "|", "> "].iter().any(|start| line.starts_with(start))
        || (digits > 0 && line[digits..].starts_with(['.', ')']))
}

/// Whether a dot behind this text belongs to an abbreviation or to the number of a list item.
fn is_abbreviation(before: &str) -> bool {
    let word =
        before.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or_default();
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_item = is_number && word.len() == before.trim_start().len();
    is_item
        || ["e.g", "i.e", "etc", "vs", "cf", "approx", "no"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
            && !matches!(word, "no" | "etc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(clauses(text).list, expected, "{text:?}");
    }

    #[test]
    fn a_text_is_split_at_sentences() {
        check("A must x. B must y.", &["A must x.", "B must y."]);
        check("Should A x? B must y. (Or must B z?)", &["B must y."]);
        check("A must x; B must y", &["A must x;", "B must y"]);
        check("- A must x\n- B must\n  y\n\n2. C must z", &["- A must x", "- B must\n  y", "2. C must z"]);
        check("Version 1.2 must x.", &["Version 1.2 must x."]);
        check("Use it, e.g. here. Then stop!", &["Use it, e.g. here.", "Then stop!"]);
        check("", &[]);
        check(" . ; \n\n - ", &[]);
    }

    #[test]
    fn a_sentence_is_split_at_and_where_both_sides_make_a_claim() {
        check(
            "Sessions expire after 30 minutes and data must be retained for 7 years.",
            &["Sessions expire after 30 minutes", "data must be retained for 7 years."],
        );
        check("A must x, and B must y and C must z", &["A must x", "B must y", "C must z"]);
        check(
            "The editor must save the draft and return to idle mode.",
            &["The editor must save the draft and return to idle mode."],
        );
        check("Names and emails must be unique.", &["Names and emails must be unique."]);
        check(
            "Modes a and b must be mutually exclusive and c must d.",
            &["Modes a and b must be mutually exclusive and c must d."],
        );
        check(
            "A must x and, if B fails and C waits, D must y",
            &["A must x and, if B fails and C waits, D must y"],
        );
    }

    #[test]
    fn clauses_are_bounded_in_number_and_length() {
        let many = "A must x and ".repeat(10_000);
        let found = clauses(&many);
        assert!(found.list.is_empty() && found.is_cut);
        let many = "A must x. ".repeat(limits::CLAUSES_MAX);
        assert_eq!((clauses(&many).list.len(), clauses(&many).is_cut), (limits::CLAUSES_MAX, false));
        let many = "A must x. ".repeat(limits::CLAUSES_MAX + 1);
        assert_eq!((clauses(&many).list.len(), clauses(&many).is_cut), (limits::CLAUSES_MAX, true));
        for (more, expected) in [(0, 1), (1, 0)] {
            let long = "x".repeat(limits::SENTENCE_BYTES_MAX + more);
            assert_eq!((clauses(&long).list.len(), clauses(&long).is_cut), (expected, more > 0));
        }
    }
}
