//! `kb_search`: entities by their words.
//!
//! The search index finds candidates and scores their whole text; this module blends those scores with matches of
//! ids, titles, tags and metadata, so that an exact id or title always comes first. The candidates are the same for
//! every page, so pages of any size are parts of one ranking.

mod body;
mod matching;
mod text;

use std::cmp::Ordering;
use std::collections::HashMap;

pub use body::body_match;
use matching::{Match, noisy_or};
use text::Words;

use super::page::Page;
use crate::branch::{Branch, Node, NodeKey};
use crate::limits::{KB_SEARCH_PAGE_DEFAULT, SEARCH_QUERY_BYTES_MAX, SEARCH_RESULTS_MAX, SEARCH_TITLES_MAX};
use crate::tools::SearchInput;
use crate::{KbError, Result};

/// Hits of the index that take part in a ranking.
pub const SEARCH_CANDIDATES: usize = 1_000;

/// A page of a ranking.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranked {
    /// Entities of the page, best first.
    pub page: Vec<RankedHit>,
    /// Entities of all pages.
    pub count: u64,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// The entity.
    pub key: NodeKey,
    /// From 0 to 1.
    pub score: f64,
    /// Reasons why it matched; those of its body are not among them.
    pub reasons: Vec<&'static str>,
}

/// Ranks the best hits of the search index, with scores from 0 to 1, and the entities whose id or title is the query.
///
/// `candidates` are the first [`SEARCH_CANDIDATES`] hits whatever the page is, and `total` is the number of all hits.
pub fn rank(
    branch: &Branch,
    input: &SearchInput,
    candidates: &[(NodeKey, f64)],
    total: u64,
) -> Result<Ranked> {
    let request = Request::parse(input)?;
    let candidates = &candidates[..candidates.len().min(SEARCH_CANDIDATES)];
    let mut scores: HashMap<NodeKey, f64> = HashMap::new();
    for (key, score) in candidates {
        let score = if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 };
        let best = scores.entry(*key).or_default();
        *best = best.max(score);
    }
    for key in request.words.exact(branch) {
        scores.entry(key).or_default();
    }
    let hits = scores.into_iter().filter_map(|(key, score)| {
        let node = branch.node(key).filter(|node| request.wants(node))?;
        let found = Match::of(&request.words, node);
        Some(Hit { key, node, score: noisy_or(found.score, matching::INDEX * score), reasons: found.reasons })
    });
    let mut ranked = request.ranked(hits.collect());
    ranked.count += total.saturating_sub(candidates.len() as u64);
    Ok(ranked)
}

/// Ranks all entities by their ids, titles, tags and metadata alone: a search without an index.
pub fn search_in_memory(branch: &Branch, input: &SearchInput) -> Result<Ranked> {
    let request = Request::parse(input)?;
    let hits = branch.nodes().filter(|(_, node)| request.wants(node)).filter_map(|(key, node)| {
        let found = Match::of(&request.words, node);
        (found.score > 0.0).then_some(Hit { key, node, score: found.score, reasons: found.reasons })
    });
    Ok(request.ranked(hits.collect()))
}

struct Request<'a> {
    input: &'a SearchInput,
    words: Words,
    page: Page,
}

impl<'a> Request<'a> {
    fn parse(input: &'a SearchInput) -> Result<Self> {
        let bytes = input.query.len();
        if bytes > SEARCH_QUERY_BYTES_MAX {
            let message =
                format!("{bytes} bytes are more than the {SEARCH_QUERY_BYTES_MAX} allowed; use fewer words");
            return Err(KbError::argument("query", message));
        }
        let words = Words::of(&input.query);
        if words.is_blank() {
            return Err(KbError::argument("query", "the query is blank; give words, an id or a title"));
        }
        let page = Page::parse(input.limit, input.offset, KB_SEARCH_PAGE_DEFAULT)?;
        if page.offset() >= SEARCH_RESULTS_MAX {
            let message = format!(
                "{} is not among the first {SEARCH_RESULTS_MAX} results; narrow the query",
                page.offset()
            );
            return Err(KbError::argument("offset", message));
        }
        Ok(Request { input, words, page })
    }

    fn wants(&self, node: &Node) -> bool {
        self.input.kind.is_none_or(|kind| kind == node.kind)
    }

    /// Orders hits and returns the page of them.
    fn ranked(&self, mut hits: Vec<Hit<'_>>) -> Ranked {
        let count = hits.len() as u64;
        hits.sort_unstable_by(Hit::compare);
        hits.truncate(SEARCH_RESULTS_MAX as usize);
        let (page, _) = self.page.of(hits.into_iter());
        let page = page.into_iter().map(|Hit { key, score, reasons, .. }| RankedHit { key, score, reasons });
        Ranked { page: page.collect(), count }
    }
}

struct Hit<'a> {
    key: NodeKey,
    node: &'a Node,
    score: f64,
    reasons: Vec<&'static str>,
}

impl Hit<'_> {
    /// The better one first, then by type and id.
    fn compare(&self, other: &Self) -> Ordering {
        let place = |hit: &Self| (hit.node.kind.text(), hit.node.id.clone());
        other.score.total_cmp(&self.score).then_with(|| place(self).cmp(&place(other)))
    }
}

impl Words {
    /// Entities whose id or title is the query.
    fn exact(&self, branch: &Branch) -> Vec<NodeKey> {
        let spellings = [self.typed(), self.phrase(), &self.typed().to_uppercase()];
        let mut keys: Vec<NodeKey> = spellings.iter().filter_map(|id| Some(branch.find(id)?.0)).collect();
        if branch.len() <= SEARCH_TITLES_MAX {
            // A title of another length is another title, but for a few letters whose cases differ in length.
            let titled = branch.nodes().filter(|(_, node)| {
                node.title.len() == self.typed().len() && node.title.to_lowercase() == self.phrase()
            });
            keys.extend(titled.map(|(key, _)| key));
        }
        keys
    }
}
