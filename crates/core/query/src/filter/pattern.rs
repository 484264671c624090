//! Regular expressions, compiled once.

use std::collections::HashMap;

use cairn_kip::{KipCode, KipError};
use regex::{Regex, RegexBuilder};

use crate::{Budget, limits};

/// Bytes of a compiled expression: it is of the first of these sizes that is enough. Some classes of Unicode
/// need tens of thousands of bytes, however short they are written.
const SIZES: [usize; 3] = [16 << 10, 64 << 10, 256 << 10];
/// Bytes that matching may cache.
const CACHED_BYTES_MAX: usize = 512 << 10;
/// Bytes of an expression as it is written: a longer one does not fit into the largest size, or is empty talk.
const WRITTEN_BYTES_MAX: usize = 16 << 10;
/// At worst every byte of a text is tried against every state, and nothing can look at the clock meanwhile. So
/// this bounds the bytes of a text times those of an expression: about a second. The smallest size may be
/// asked of every text that there can be.
const WORK_MAX: usize = SIZES[0] * cairn_graph::limits::ELEMENT_BYTES_MAX;
/// Expressions out of attributes that are kept.
const KEPT_MAX: usize = 64;
/// Steps of a budget that compiling takes: enough for a look at the clock.
const COMPILING_STEPS: u32 = 256;

/// An expression, ready to be asked of texts.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    regex: Regex,
    /// Its bytes, at the most.
    size: usize,
}

impl Pattern {
    /// Compiles an expression. Fails on one that is none, or too large.
    fn compile(text: &str) -> Result<Self, KipError> {
        if text.len() > WRITTEN_BYTES_MAX {
            return Err(too_large());
        }
        for size in SIZES {
            let built = RegexBuilder::new(text).size_limit(size).dfa_size_limit(CACHED_BYTES_MAX).build();
            match built {
                Ok(regex) => return Ok(Pattern { regex, size }),
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => {
                    let message = format!("not a regular expression: {}", one_line(&error.to_string()));
                    return Err(KipError::new(KipCode::InvalidSyntax, message).hint(
                        "look-around and back-references are not supported; backslashes are doubled in a \
                         string",
                    ));
                }
            }
        }
        Err(too_large())
    }

    /// Whether it is found in a text. Fails on a text that is too long for it, and if there is no time left.
    pub(super) fn is_match(&self, text: &str, budget: &mut Budget<'_>) -> Result<bool, KipError> {
        if self.size.saturating_mul(text.len()) > WORK_MAX {
            let message = format!("a text of {} bytes is too long for this regular expression", text.len());
            return Err(KipError::new(KipCode::ResourceExhausted, message).hint(SMALLER));
        }
        let steps = text.len().saturating_mul(self.size / SIZES[0]);
        budget.steps(u32::try_from(steps).unwrap_or(u32::MAX))?;
        Ok(self.regex.is_match(text))
    }
}

const SMALLER: &str = "repeat less often, write [a-z0-9_] instead of \\w, or use CONTAINS, STARTS_WITH or \
                       ENDS_WITH";

fn too_large() -> KipError {
    KipError::new(KipCode::InvalidSyntax, "the regular expression is too large").hint(SMALLER)
}

/// Expressions that stand in one query.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    compiled: HashMap<String, Pattern>,
}

impl Literals {
    /// An expression, compiled if it is new. Fails also if there are too many.
    pub(super) fn get(&mut self, text: &str) -> Result<Pattern, KipError> {
        if let Some(pattern) = self.compiled.get(text) {
            return Ok(pattern.clone());
        }
        if self.compiled.len() >= limits::KIP_EXPRESSIONS_MAX {
            let most = limits::KIP_EXPRESSIONS_MAX;
            let message = format!("the command has more than {most} regular expressions");
            return Err(KipError::new(KipCode::ResourceExhausted, message)
                .hint("join them with | into fewer, or ask in several commands"));
        }
        let pattern = Pattern::compile(text)?;
        self.compiled.insert(text.to_owned(), pattern.clone());
        Ok(pattern)
    }
}

/// Expressions that a query reads out of attributes.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    /// Absent for what is none.
    compiled: HashMap<String, Option<Pattern>>,
}

impl Patterns {
    /// Whether an expression is found in a text. One that is none is found nowhere: else a value in the graph
    /// could make a query fail, or not, by the order in which rows are looked at.
    pub(super) fn is_match(
        &mut self,
        pattern: &str,
        text: &str,
        budget: &mut Budget<'_>,
    ) -> Result<bool, KipError> {
        if pattern.len() > WRITTEN_BYTES_MAX {
            return Ok(false);
        }
        if !self.compiled.contains_key(pattern) {
            budget.steps(COMPILING_STEPS)?;
            if self.compiled.len() >= KEPT_MAX {
                self.compiled.clear();
            }
            self.compiled.insert(pattern.to_owned(), Pattern::compile(pattern).ok());
        }
        match &self.compiled[pattern] {
            Some(pattern) => pattern.is_match(text, budget),
            None => Ok(false),
        }
    }
}

/// What is wrong, without the drawing of where.
fn one_line(error: &str) -> &str {
    let last = error.lines().last().unwrap_or(error);
    last.strip_prefix("error: ").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Allowance;
    use cairn_base::ManualClock;
    use std::time::Duration;

    #[test]
    fn what_is_no_expression_or_too_large_is_refused_in_words() {
        for (bad, said) in [
            ("(", "unclosed group"),
            (r"(a)\1", "backreferences"),
            ("a{1000}{1000}{1000}", "too large"),
            ("[01]*1[01]{10000}", "too large"),
            (&"(?:)".repeat(WRITTEN_BYTES_MAX), "too large"),
            (r"(?=x)", "look-around"),
        ] {
            let error = Pattern::compile(bad).unwrap_err();
            assert_eq!(error.code, KipCode::InvalidSyntax);
            assert!(error.message.contains(said), "{said}: {}", error.message);
        }
        assert!(Pattern::compile(r"^[\w.+-]+@\w+\.\w+$").is_ok());
    }

    #[test]
    fn expressions_know_unicode_and_are_kept() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(&clock, Allowance::default());
        let mut patterns = Patterns::default();
        assert!(patterns.is_match(r"^\p{Lu}\w+$", "Übung", &mut budget).unwrap());
        assert!(!patterns.is_match("(", "(", &mut budget).unwrap());
        for at in 0..3 * KEPT_MAX {
            assert!(patterns.is_match(&format!("^{at}$"), &at.to_string(), &mut budget).unwrap());
        }
        assert!(patterns.compiled.len() <= KEPT_MAX);
    }

    #[test]
    fn texts_are_bounded_by_the_size_of_what_is_asked_of_them() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(&clock, Allowance::default());
        let longest = "a".repeat(cairn_graph::limits::ELEMENT_BYTES_MAX);
        assert!(Pattern::compile("^a+$").unwrap().is_match(&longest, &mut budget).unwrap());
        let large = Pattern::compile("[01]*1[01]{1000}x").unwrap();
        let error = large.is_match(&longest, &mut budget).unwrap_err();
        assert_eq!(error.code, KipCode::ResourceExhausted);
        assert!(!large.is_match("aaa", &mut budget).unwrap());
    }

    #[test]
    fn long_texts_and_new_expressions_look_at_the_clock() {
        let clock = ManualClock::new(0);
        let late = || {
            let budget = Budget::new(&clock, Allowance { time: Duration::ZERO, ..Allowance::default() });
            clock.advance(Duration::from_millis(1));
            budget
        };
        let code = |found: Result<bool, KipError>| found.err().map(|error| error.code);
        let pattern = Pattern::compile("b").unwrap();
        assert_eq!(code(pattern.is_match("a", &mut late())), None);
        assert_eq!(code(pattern.is_match(&"a".repeat(300), &mut late())), Some(KipCode::ExecutionTimeout));
        let mut patterns = Patterns::default();
        assert_eq!(code(patterns.is_match("b", "a", &mut late())), Some(KipCode::ExecutionTimeout));
    }
}
