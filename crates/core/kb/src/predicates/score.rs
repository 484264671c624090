//! Scores of predicates for a text.

use std::collections::BTreeSet;

use super::keywords::Words;
use crate::sentence::{Found, Use, find_pattern};

/// Predicates that keywords rank where no exact pattern matches. All others need a pattern, or a rule of their own.
pub(super) const RANKED_BY_KEYWORDS: &[&str] = &[
    "state",
    "transition",
    "guard",
    "state_membership",
    "temporal_order",
    "default_value",
    "has_unsaved_changes",
    "discard_action",
    "uniqueness_constraint",
    "resource_constraint",
    "rate_limit",
    "retention_policy",
    "accessibility_requirement",
    "feature_gate",
    "publishes_event",
    "acceptance_rule",
];

/// The score of a sentence that states a predicate exactly, and the highest one that keywords give.
pub(super) const SCORE_MAX: f64 = 0.98;

/// A score and its reason.
#[derive(Debug)]
pub(super) struct Scored {
    /// Score from 0 to 1.
    pub(super) score: f64,
    /// Reason for the score.
    pub(super) rationale: String,
    /// The pattern that matches a clause.
    pub(super) found: Option<Found>,
}

/// Scores a built-in predicate for a text with these clauses in plain form.
pub(super) fn score(name: &str, keywords: &[&str], clauses: &[String], words: &Words) -> Scored {
    let found = clauses.iter().find_map(|clause| find_pattern(clause, |row| row.predicate == name));
    let exact = found.as_ref().and_then(|found| match found.pattern.used {
        Use::Exact(score) | Use::Suggestion(score) => Some(score),
        Use::Arguments => None,
    });
    if let Some(score) = exact {
        return Scored { score, rationale: "a sentence states it".into(), found };
    }
    if name == "commit_action" {
        let score = if saves(words) { SCORE_MAX } else { 0.0 };
        return Scored { score, rationale: "the text saves something".into(), found };
    }
    if !RANKED_BY_KEYWORDS.contains(&name) {
        return Scored { score: 0.0, rationale: String::new(), found };
    }
    let (score, rationale) = keyword_score(keywords, words);
    Scored { score, rationale, found }
}

/// Scores keywords: the more of them are in the text, the higher. One that is there twice counts once.
pub(super) fn keyword_score(keywords: &[&str], words: &Words) -> (f64, String) {
    let mut seen = BTreeSet::new();
    let words_of =
        |keyword: &str| keyword.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    let keywords: Vec<&str> =
        keywords.iter().copied().filter(|keyword| seen.insert(words_of(keyword))).collect();
    let hits: Vec<&str> = keywords.iter().copied().filter(|keyword| words.has(keyword)).collect();
    if hits.is_empty() {
        return (0.0, String::new());
    }
    let count = |items: usize| f64::from(u32::try_from(items).unwrap_or(u32::MAX));
    let share = count(hits.len()) / (count(keywords.len()) / 2.0).max(3.0);
    let score = (0.24 + 0.5 * share + 0.06 * count(hits.len())).min(SCORE_MAX);
    ((score * 100.0).round() / 100.0, format!("keywords: {}", hits.join(", ")))
}

/// Whether a text saves something, rather than ordering a save or excluding it.
fn saves(words: &Words) -> bool {
    let is_saved =
        words.has_any(&["auto-save", "autosave", "autosaves", "commit", "commits", "persist", "persists"]);
    is_saved || words.has_any(&["save", "saves"]) && !words.has_any(&["without save", "saved before"])
}
