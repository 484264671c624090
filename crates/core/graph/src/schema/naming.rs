//! How types and predicates are called.

use crate::{GraphError, Meta, Result};

/// Whether a type may have this name: UpperCamelCase.
pub fn check_type_name(name: &str) -> Result<()> {
    check(Meta::Types, name)
}

/// Whether a predicate may have this name: snake_case.
pub fn check_predicate_name(name: &str) -> Result<()> {
    check(Meta::Predicates, name)
}

pub(super) fn check(meta: Meta, name: &str) -> Result<()> {
    if is_right(meta, name) {
        return Ok(());
    }
    let corrected = corrected(meta, name).filter(|corrected| is_right(meta, corrected));
    Err(GraphError::BadName { meta, name: name.to_owned(), corrected })
}

fn is_right(meta: Meta, name: &str) -> bool {
    match meta {
        Meta::Types => {
            name.starts_with(|first: char| first.is_ascii_uppercase())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        Meta::Predicates => {
            let is_word = |word: &str| {
                !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('_').all(is_word)
        }
    }
}

fn corrected(meta: Meta, name: &str) -> Option<String> {
    // Letters that are not ASCII have no place in such a name, and leaving them out gives another word.
    let can_be_said = name.chars().all(|letter| letter.is_ascii() || !letter.is_alphanumeric());
    let words = words(name);
    can_be_said.then(|| match meta {
        Meta::Types => words.iter().map(|word| capitalised(word)).collect(),
        Meta::Predicates => words.join("_").to_ascii_lowercase(),
    })
}

/// The words that a name is made of, whatever style it is in: `has-sideEffect` has three of them.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let starts_word = letter.is_ascii_uppercase()
            && (before.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit())
                // The last capital of `DNATest` belongs to what follows.
                || before.is_some_and(char::is_ascii_uppercase)
                    && letters.get(at + 1).is_some_and(char::is_ascii_lowercase));
        if starts_word || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(*letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_row(meta: Meta, name: &str, expected: Option<Option<&str>>) {
        match (check(meta, name), expected) {
            (Ok(()), None) => {}
            (Err(GraphError::BadName { corrected, .. }), Some(expected)) => {
                assert_eq!(corrected.as_deref(), expected, "{name}");
            }
            (other, expected) => panic!("{name}: {other:?}, not {expected:?}"),
        }
    }

    #[test]
    fn types_are_upper_camel_case_and_others_are_corrected() {
        for right in ["Drug", "ClinicalTrial", "NSAID", "X", "Phase2Trial", "H2O"] {
            check_row(Meta::Types, right, None);
        }
        for (wrong, corrected) in [
            ("drug", Some("Drug")),
            ("clinical_trial", Some("ClinicalTrial")),
            ("clinical trial", Some("ClinicalTrial")),
            ("Drug_Class", Some("DrugClass")),
            ("drugClass", Some("DrugClass")),
            ("$Drug", Some("Drug")),
            ("DNA-test", Some("DNATest")),
            ("2ndTrial", None),
            ("Ärzte", None),
            ("薬", None),
            ("", None),
            ("___", None),
        ] {
            check_row(Meta::Types, wrong, Some(corrected));
        }
    }

    #[test]
    fn predicates_are_snake_case_and_others_are_corrected() {
        for right in ["treats", "has_side_effect", "is_a", "p", "phase_2", "a1_2b"] {
            check_row(Meta::Predicates, right, None);
        }
        for (wrong, corrected) in [
            ("Treats", Some("treats")),
            ("hasSideEffect", Some("has_side_effect")),
            ("HAS_SIDE_EFFECT", Some("has_side_effect")),
            ("has side-effect", Some("has_side_effect")),
            ("_treats", Some("treats")),
            ("treats_", Some("treats")),
            ("a__b", Some("a_b")),
            ("hasDNATest", Some("has_dna_test")),
            ("2nd", None),
            ("behandelt_mit_ö", None),
            ("", None),
        ] {
            check_row(Meta::Predicates, wrong, Some(corrected));
        }
    }
}
