//! What was found, as JSON.

use cairn_base::to_iso;
use cairn_engine::{SearchHit, SearchIn, SearchPage, Snippet};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of what was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SearchFound)]
pub(super) struct FoundPage {
    /// What was looked for.
    #[schema(example = "\"sealed segment\" recovery")]
    query: String,
    /// What the hits are: `turns`, `windows` or `contexts`.
    #[serde(rename = "in")]
    #[schema(example = "turns")]
    searched: &'static str,
    /// How many hits there are in all, of which the first 1,000 can be followed.
    total: u64,
    /// The best, the best first.
    hits: Vec<HitObject>,
    /// Words that were not looked for, because they say nothing by themselves.
    #[schema(example = json!(["the"]))]
    ignored: Vec<String>,
    /// When little was found: what may have been meant, with names that are written almost so.
    #[schema(example = json!(["kingfisher"]))]
    suggestions: Vec<String>,
    /// Whether something that was committed before may be missing.
    behind: bool,
    /// Whether the index is made anew, and this is what it has so far.
    rebuilding: bool,
    /// What to pass as `cursor` for the next page; null if this is the last.
    next_cursor: Option<String>,
}

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SearchHit)]
struct HitObject {
    /// `turn`, `window` or `context`.
    #[schema(example = "turn")]
    kind: &'static str,
    /// The context it is in, in decimal digits.
    #[schema(example = "1")]
    context_id: String,
    /// What the context is called; null if it says nothing of that.
    title: Option<String>,
    /// The turn, or the best of several; null if only what is said about the context fits.
    #[schema(example = "42")]
    turn_id: Option<String>,
    /// The best turns of a window or context, the best first.
    #[schema(example = json!(["42"]))]
    turn_ids: Vec<String>,
    /// How many turns of it were found.
    turns_found: u64,
    /// When the turn was appended, or the context made.
    #[schema(example = "2026-01-30T11:43:20.123+00:00")]
    time: Option<String>,
    /// The same in Unix milliseconds.
    time_unix_ms: u64,
    /// How well it fits, from 0 to 1.
    #[schema(example = 0.8312)]
    score: f64,
    /// Why it was found.
    reasons: Vec<ReasonObject>,
    /// The part of its text that fits best; null if it has none.
    snippet: Option<SnippetObject>,
}

/// One of the reasons for which something was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SearchReason)]
struct ReasonObject {
    /// Where: `text`, `title`, `label` or `about`.
    #[schema(example = "text")]
    field: String,
    /// The part of the query; empty for `neighbour`.
    #[schema(example = "recovery")]
    term: String,
    /// How: `name`, `phrase`, `word`, `part`, `prefix`, `near`, or `neighbour` when a turn beside it fits.
    #[schema(example = "word")]
    rule: &'static str,
}

/// A part of a text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SearchSnippet)]
struct SnippetObject {
    /// The text, on one line.
    #[schema(example = "after recovery the segment is whole")]
    text: String,
    /// Where in it something of the query stands.
    highlights: Vec<Highlight>,
}

/// A range of a text, counted in characters (Unicode code points) from 0.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SearchHighlight)]
struct Highlight {
    /// Its first character.
    #[schema(example = 6)]
    start: usize,
    /// The one after its last.
    #[schema(example = 14)]
    end: usize,
}

impl FoundPage {
    pub(super) fn to_wire(query: String, page: SearchPage, next_cursor: Option<String>) -> Self {
        let kind = match page.search_in {
            SearchIn::Turns | SearchIn::Auto => "turn",
            SearchIn::Windows => "window",
            SearchIn::Contexts => "context",
        };
        FoundPage {
            query,
            searched: page.search_in.name(),
            total: page.total,
            hits: page.hits.into_iter().map(|hit| HitObject::to_wire(kind, hit)).collect(),
            ignored: page.ignored,
            suggestions: page.suggestions,
            behind: page.behind,
            rebuilding: page.rebuilding,
            next_cursor,
        }
    }
}

impl HitObject {
    fn to_wire(kind: &'static str, hit: SearchHit) -> Self {
        let reason = |reason: cairn_engine::SearchReason| ReasonObject {
            field: reason.field.to_owned(),
            term: reason.term,
            rule: reason.rule.name(),
        };
        HitObject {
            kind,
            context_id: hit.context.to_string(),
            title: hit.title,
            turn_id: hit.turn.map(|turn| turn.to_string()),
            turn_ids: hit.turns.iter().map(ToString::to_string).collect(),
            turns_found: hit.count,
            time: i64::try_from(hit.time_ms).ok().and_then(to_iso),
            time_unix_ms: hit.time_ms,
            score: (hit.score * 1e4).round() / 1e4,
            reasons: hit.reasons.into_iter().map(reason).collect(),
            snippet: hit.snippet.map(SnippetObject::from),
        }
    }
}

impl From<Snippet> for SnippetObject {
    fn from(snippet: Snippet) -> Self {
        let highlights = in_characters(&snippet.text, &snippet.highlights);
        SnippetObject { text: snippet.text, highlights }
    }
}

/// Ranges of bytes, in their order, as ranges of characters.
fn in_characters(text: &str, ranges: &[(usize, usize)]) -> Vec<Highlight> {
    let characters = |bytes: usize| text.get(..bytes).map_or(0, |part| part.chars().count());
    ranges.iter().map(|(start, end)| Highlight { start: characters(*start), end: characters(*end) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlights_are_counted_in_characters() {
        let text = "größe 🪨 stone";
        let (stone, rock) = (text.find("stone").expect("it"), text.find('🪨').expect("it"));
        let found = in_characters(text, &[(0, 7), (rock, rock + 4), (stone, text.len())]);
        let shown = |highlight: &Highlight| {
            text.chars().skip(highlight.start).take(highlight.end - highlight.start).collect::<String>()
        };
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), ["größe", "🪨", "stone"]);
    }
}
