//! Regular expressions, compiled once.

use std::collections::HashMap;

use cairn_kip::{KipCode, KipError};
use regex::{Regex, RegexBuilder};

/// Bytes of a compiled expression, and of what matching it may cache. Matching takes linear time, so this is
/// all that an expression can use up.
const COMPILED_BYTES_MAX: usize = 1 << 20;
/// Expressions that are kept; more can only come out of attributes.
const KEPT_MAX: usize = 64;

/// Expressions of one query.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    compiled: HashMap<String, Regex>,
}

impl Patterns {
    /// An expression, compiled if it is new.
    pub(super) fn get(&mut self, pattern: &str) -> Result<&Regex, KipError> {
        if !self.compiled.contains_key(pattern) {
            let regex = compile(pattern)?;
            if self.compiled.len() >= KEPT_MAX {
                self.compiled.clear();
            }
            self.compiled.insert(pattern.to_owned(), regex);
        }
        Ok(&self.compiled[pattern])
    }
}

/// Compiles an expression. Fails on one that is none, or too large.
pub(super) fn compile(pattern: &str) -> Result<Regex, KipError> {
    let built =
        RegexBuilder::new(pattern).size_limit(COMPILED_BYTES_MAX).dfa_size_limit(COMPILED_BYTES_MAX).build();
    built.map_err(|error| {
        let message = if let regex::Error::CompiledTooBig(_) = error {
            "the regular expression is too large".to_owned()
        } else {
            format!("not a regular expression: {}", one_line(&error.to_string()))
        };
        KipError::new(KipCode::InvalidSyntax, message)
            .hint("look-around and back-references are not supported; backslashes are doubled in a string")
    })
}

/// What is wrong, without the drawing of where.
fn one_line(error: &str) -> &str {
    let last = error.lines().last().unwrap_or(error);
    last.strip_prefix("error: ").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_expression_or_too_large_is_refused_in_words() {
        for (bad, said) in [
            ("(", "unclosed group"),
            (r"(a)\1", "backreferences"),
            ("a{1000}{1000}{1000}", "too large"),
            (r"(?=x)", "look-around"),
        ] {
            let error = compile(bad).unwrap_err();
            assert_eq!(error.code, KipCode::InvalidSyntax);
            assert!(error.message.contains(said), "{bad}: {}", error.message);
        }
    }

    #[test]
    fn expressions_know_unicode_and_are_kept() {
        let mut patterns = Patterns::default();
        assert!(patterns.get(r"^\p{Lu}\w+$").unwrap().is_match("Übung"));
        for at in 0..3 * KEPT_MAX {
            assert!(patterns.get(&format!("^{at}$")).unwrap().is_match(&at.to_string()));
        }
        assert!(patterns.compiled.len() <= KEPT_MAX);
    }
}
