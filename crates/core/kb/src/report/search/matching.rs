//! Matches of a query with what a branch in memory knows of an entity.
//!
//! Each match is evidence with a weight, and the score is the chance that at least one piece is right:
//! `1 - (1 - a)(1 - b)…`. All pieces that are not exact come to at most
//! `1 - 0.4 · 0.5 · 0.7 · 0.8 · 0.6 · 0.5 = 0.9664`, less than an exact id or title alone.

use super::text::Words;
use crate::branch::Node;

const TITLE_EXACT: f64 = 0.98;
const TITLE_PHRASE: f64 = 0.6;
const ID_EXACT: f64 = 0.97;
const ID_PART: f64 = 0.5;
const METADATA: f64 = 0.2;
const TAG: f64 = 0.3;
/// The weight of a title that has every word of the query.
const TITLE_TOKENS: f64 = 0.4;
/// The weight of a full score of the index.
pub(super) const INDEX: f64 = 0.5;

/// A match of one entity.
#[derive(Debug, Default)]
pub(super) struct Match {
    /// From 0 to 1; 0 if nothing matched.
    pub(super) score: f64,
    /// The kinds of matches.
    pub(super) reasons: Vec<&'static str>,
}

impl Match {
    /// Compares an entity with a query.
    pub(super) fn of(words: &Words, node: &Node) -> Self {
        let phrase = words.phrase();
        let has = |text: &str| text.to_lowercase().contains(phrase);
        let (title, id) = (node.title.to_lowercase(), node.id.to_lowercase());
        let mut found = Match::default();
        if title == phrase {
            found.add(TITLE_EXACT, "exact title match");
        } else if title.contains(phrase) {
            found.add(TITLE_PHRASE, "title phrase match");
        }
        if id == phrase {
            found.add(ID_EXACT, "exact ID match");
        } else if id.contains(phrase) {
            found.add(ID_PART, "ID match");
        }
        let free = [&node.owner, &node.priority, &node.severity].into_iter().flatten();
        if has(node.kind.text()) || has(&node.source) || free.into_iter().any(|text| has(text)) {
            found.add(METADATA, "metadata match");
        }
        if node.tags.iter().any(|tag| has(tag)) {
            found.add(TAG, "tag match");
        }
        let tokens = words.tokens_in(&title);
        if tokens > 0 {
            let part = tokens as f64 / words.token_count() as f64;
            found.add(TITLE_TOKENS * part, "title token coverage");
        }
        found
    }

    fn add(&mut self, weight: f64, reason: &'static str) {
        self.score = noisy_or(self.score, weight);
        self.reasons.push(reason);
    }
}

/// The chance that at least one of two independent pieces of evidence is right.
pub(super) fn noisy_or(a: f64, b: f64) -> f64 {
    1.0 - (1.0 - a) * (1.0 - b)
}
