//! Queries that were perhaps meant.

use super::near::NearName;
use crate::query::Parsed;

/// How many queries are suggested.
const SUGGESTIONS_MAX: usize = 3;

/// The query with near names in place of words that nothing holds: first all of the nearest, then the next
/// ones. Words are given by the places of their clauses.
pub(crate) fn suggestions(query: &Parsed, words: &[(usize, Vec<NearName>)]) -> Vec<String> {
    let mut words: Vec<_> = words.iter().filter(|(_, names)| !names.is_empty()).collect();
    words.sort_by_key(|(at, _)| query.clauses.get(*at).map(|clause| std::cmp::Reverse(clause.span.start)));
    let count = words.iter().map(|(_, names)| names.len()).max().unwrap_or(0).min(SUGGESTIONS_MAX);
    let mut suggested = Vec::with_capacity(count);
    for turn in 0..count {
        let mut text = query.text.clone();
        // From the last to the first: what stands before stays where it is.
        for (at, names) in &words {
            let span = query.clauses.get(*at).map(|clause| clause.span.clone());
            let name = names.get(turn).or(names.first());
            if let (Some(span), Some(name)) = (span, name)
                && text.get(span.clone()).is_some()
            {
                text.replace_range(span, &name.text);
            }
        }
        suggested.push(text);
    }
    suggested
}
