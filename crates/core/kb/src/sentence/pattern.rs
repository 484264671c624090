//! A sentence pattern: a regular expression over the plain form of a clause, and the arguments that it captures.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::table::PATTERNS;
use super::{plain_value, quantity, slug, subject_fault, subject_key, token, unit, without_article};
use crate::model::Polarity;

/// A sentence pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The predicate that such sentences state.
    pub(crate) predicate: &'static str,
    /// The tools that use the pattern.
    pub(crate) used: Use,
    /// Texts in lower case; a clause that contains none of them is not compared.
    pub(crate) cues: &'static [&'static str],
    /// Words, one of which has to be in the clause, in singular or plural; empty for no condition.
    pub(crate) needs: &'static [&'static str],
    /// Captures, and words that they must not contain.
    pub(crate) veto: &'static [(&'static str, &'static [&'static str])],
    /// The whole clause, with the abbreviations of [`regex`]; blanks are single ones.
    pub(crate) form: &'static str,
    /// The arguments of the predicate, in order.
    pub(crate) args: &'static [Arg],
    /// Whether the sentence asserts or denies the predicate.
    pub(crate) polarity: Polarity,
    /// Sentences that match, and their arguments.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples of the table are run by tests"))]
    pub(crate) matches: &'static [(&'static str, &'static [&'static str])],
    /// Sentences that do not match, close to those that do.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples of the table are run by tests"))]
    pub(crate) rejects: &'static [&'static str],
}

/// The tools that use a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Use {
    /// The advisor; a suggestion has this score where the pattern matches.
    Exact(f64),
    /// The advisor; a suggestion takes arguments from the pattern, and its score from keywords.
    Arguments,
    /// Suggestions, with this score.
    Suggestion(f64),
}

/// An argument of a predicate. Names are those of captures; the first one that took part in the match counts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arg {
    /// A name in lower case, without leading articles.
    Slug(&'static [&'static str]),
    /// Words with their case, without articles.
    Token(&'static [&'static str]),
    /// The key of a subject.
    Key(&'static str),
    /// Names of a list, joined by commas.
    List(&'static str),
    /// A number.
    Number(&'static str),
    /// A unit of time.
    Unit(&'static str),
    /// A name, or this text if it did not take part.
    Or(&'static str, &'static str),
    /// A text, the words of a capture, and another text.
    Around(&'static str, &'static str, &'static str),
    /// This text.
    Fixed(&'static str),
}

/// A pattern that matches a clause.
#[derive(Debug)]
pub(crate) struct Found {
    /// The pattern.
    pub(crate) pattern: &'static Pattern,
    /// The arguments of its predicate.
    pub(crate) args: Vec<String>,
}

/// The regular expressions of the table, in its order.
static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PATTERNS.iter().map(|pattern| regex(&format!("^(?:{})$", pattern.form))).collect());

/// Compiles a regular expression that ignores case, with abbreviations: `{B}` a border of a word, `{M}` a modal verb,
/// `{N}` a number, `{T}` a unit of time, `{V}` a verb and the word `be` in front of it.
pub(crate) fn regex(form: &str) -> Regex {
    let number = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,9})?|zero|one|two|three|four|five|six|seven|eight|nine|ten";
    let time = "ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?";
    let form = form
        .replace("{B}", r"(?-u:\b)")
        .replace("{M}", "(?:must|shall|should)(?: always| also)?")
        .replace("{N}", &format!("(?:{number})"))
        .replace("{T}", &format!("(?:{time})"))
        .replace("{V}", r"(?:be )?[a-z]\S*");
    Regex::new(&format!("(?i){form}"))
        .expect("the forms of the tables are valid and small; tests compile them all")
}

/// Returns the first pattern of the table that is accepted and matches the plain form of a clause.
pub(crate) fn find_pattern(clause: &str, accepts: impl Fn(&Pattern) -> bool) -> Option<Found> {
    let lower = clause.to_ascii_lowercase();
    let candidates = PATTERNS.iter().zip(COMPILED.iter()).filter(|(pattern, _)| accepts(pattern));
    candidates.into_iter().find_map(|(pattern, compiled)| {
        let args = pattern.arguments(compiled, clause, &lower)?;
        Some(Found { pattern, args })
    })
}

impl Pattern {
    /// Returns the arguments if the clause matches.
    fn arguments(&self, compiled: &Regex, clause: &str, lower: &str) -> Option<Vec<String>> {
        let has_cue = self.cues.iter().any(|cue| lower.contains(cue));
        if !has_cue || !(self.needs.is_empty() || self.needs.iter().any(|word| has_word(lower, word))) {
            return None;
        }
        let captures = compiled.captures(clause)?;
        // The words that the clause begins with, and those behind its "only" or "no".
        let actors = captures.iter().flatten().skip(1).filter(|taken| taken.start() == 0);
        let mut actors = actors.chain(captures.name("a"));
        if actors.any(|actor| subject_fault(actor.as_str()).is_some()) {
            return None;
        }
        let is_vetoed = self.veto.iter().any(|(name, words)| {
            let taken = captures.name(name).map(|taken| taken.as_str().to_ascii_lowercase());
            taken.is_some_and(|taken| taken.split(' ').any(|part| words.contains(&part)))
        });
        if is_vetoed {
            return None;
        }
        let args: Vec<String> = self.args.iter().map(|arg| arg.read(&captures)).collect();
        args.iter().all(|arg| !arg.is_empty()).then_some(args)
    }
}

impl Arg {
    fn read(&self, captures: &Captures<'_>) -> String {
        let one = |name: &str| captures.name(name).map(|taken| taken.as_str());
        let first = |names: &[&str]| names.iter().find_map(|name| one(name)).unwrap_or_default();
        match *self {
            Arg::Slug(names) => slug(without_article(first(names))),
            Arg::Token(names) => token(first(names)),
            Arg::Key(name) => subject_key(first(&[name])),
            Arg::List(name) => list(first(&[name])),
            Arg::Number(name) => quantity(first(&[name])).map(|number| number.text()).unwrap_or_default(),
            Arg::Unit(name) => unit(first(&[name])),
            Arg::Or(name, text) => match one(name).map(|taken| slug(without_article(taken))) {
                Some(taken) if !taken.is_empty() => taken,
                _ => text.to_owned(),
            },
            Arg::Around(before, name, after) => match token(first(&[name])) {
                taken if taken.is_empty() => taken,
                taken => format!("{before}{taken}{after}"),
            },
            Arg::Fixed(text) => text.to_owned(),
        }
    }
}

/// Separators of lists.
static SEPARATOR: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\s*(?:,\s*(?:and|or|then)\s|,|>|→|\s(?:and|or|then|per)\s)\s*"));

/// Returns the items of a list.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    SEPARATOR.split(text).filter(|item| !item.trim().is_empty())
}

fn list(text: &str) -> String {
    items(text)
        .map(|item| slug(without_article(item)))
        .filter(|item| !item.is_empty())
        .collect::<Vec<_>>()
        .join(",")
}

/// Returns the members of a set of values, joined by `|`.
pub(crate) fn value_set(text: &str) -> String {
    items(text).map(plain_value).filter(|item| !item.is_empty()).collect::<Vec<_>>().join("|")
}

/// Whether a text in lower case has a word or a phrase, in singular or plural.
fn has_word(lower: &str, word: &str) -> bool {
    let is_border =
        |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    lower.match_indices(word).any(|(at, _)| {
        let behind = &lower[at + word.len()..];
        let behind = behind.strip_prefix('s').filter(|rest| is_border(rest.chars().next())).unwrap_or(behind);
        is_border(lower[..at].chars().next_back()) && is_border(behind.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicates::built_in;
    use crate::sentence::prepare;

    #[test]
    fn every_example_of_the_table_matches_its_row_with_its_arguments() {
        for pattern in PATTERNS {
            assert!(!pattern.matches.is_empty() && !pattern.rejects.is_empty(), "{}", pattern.form);
            for (sentence, expected) in pattern.matches {
                let found = find_pattern(&prepare(sentence), |row| std::ptr::eq(row, pattern));
                let args = found.map(|found| found.args).unwrap_or_default();
                assert_eq!(args, *expected, "{sentence:?} of {}: {:?}", pattern.predicate, prepare(sentence));
            }
            for sentence in pattern.rejects {
                let found = find_pattern(&prepare(sentence), |row| std::ptr::eq(row, pattern));
                assert!(found.is_none(), "{sentence:?} of {}: {found:?}", pattern.predicate);
            }
        }
    }

    #[test]
    fn an_example_of_a_row_is_not_taken_by_an_earlier_row_of_another_predicate() {
        for pattern in PATTERNS.iter().filter(|pattern| !matches!(pattern.used, Use::Suggestion(_))) {
            let Some((sentence, _)) = pattern.matches.first() else { continue };
            let first = find_pattern(&prepare(sentence), |row| !matches!(row.used, Use::Suggestion(_)));
            assert_eq!(first.unwrap().pattern.predicate, pattern.predicate, "{sentence}");
        }
    }

    #[test]
    fn arguments_are_those_of_the_signature() {
        for pattern in PATTERNS {
            let row = built_in(pattern.predicate).unwrap_or_else(|| panic!("{}", pattern.predicate));
            assert_eq!(pattern.args.len(), row.arguments.len(), "{}", pattern.predicate);
            assert!(pattern.cues.iter().all(|cue| *cue == cue.to_ascii_lowercase()), "{}", pattern.form);
        }
    }

    #[test]
    fn a_needed_word_is_a_whole_word() {
        for (text, word, expected) in [
            ("use the api", "api", true),
            ("use apis only", "api", true),
            ("rapid use", "api", false),
            ("use apish", "api", false),
            ("the app store", "app store", true),
            ("search_path", "search", false),
        ] {
            assert_eq!(has_word(text, word), expected, "{text} {word}");
        }
    }

    #[test]
    fn lists_have_many_separators() {
        assert_eq!(list("a, b and c"), "a,b,c");
        assert_eq!(list("the web, iOS, and Android"), "web,ios,android");
        assert_eq!(list("cache, mirror > origin"), "cache,mirror,origin");
        assert_eq!(list("tenant per region"), "tenant,region");
        assert_eq!(value_set("a, B or in review"), "a|b|in_review");
    }
}
