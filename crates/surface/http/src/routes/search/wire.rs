//! What was found, as JSON.

use cairn_base::to_iso;
use cairn_engine::{FoundEverywhere, SearchHit, SearchIn, Snippet};
use cairn_wire::search::{FoundPage, Highlight, HitObject, ReasonObject, SnippetObject};

use crate::IntoWire;

/// A page of what was found.
pub(super) fn to_wire(query: String, found: FoundEverywhere, next_cursor: Option<String>) -> FoundPage {
    let FoundEverywhere { page, artifacts, artifacts_total } = found;
    let kind = match page.search_in {
        SearchIn::Turns | SearchIn::Auto => "turn",
        SearchIn::Windows => "window",
        SearchIn::Contexts => "context",
        SearchIn::Artifacts => "artifact",
    };
    FoundPage {
        query,
        searched: page.search_in.name().to_owned(),
        total: page.total,
        hits: page.hits.into_iter().map(|found| hit(kind, found)).collect(),
        artifacts: artifacts.into_iter().map(IntoWire::into_wire).collect(),
        artifacts_total,
        ignored: page.ignored,
        suggestions: page.suggestions,
        behind: page.behind,
        rebuilding: page.rebuilding,
        next_cursor,
    }
}

fn hit(kind: &str, hit: SearchHit) -> HitObject {
    let reason = |reason: cairn_engine::SearchReason| ReasonObject {
        field: reason.field.to_owned(),
        term: reason.term,
        rule: reason.rule.name().to_owned(),
    };
    HitObject {
        kind: kind.to_owned(),
        context_id: hit.context,
        title: hit.title,
        turn_id: hit.turn,
        turn_ids: hit.turns,
        turns_found: hit.count,
        time: i64::try_from(hit.time_ms).ok().and_then(to_iso),
        time_unix_ms: hit.time_ms,
        score: (hit.score * 1e4).round() / 1e4,
        reasons: hit.reasons.into_iter().map(reason).collect(),
        snippet: hit.snippet.map(snippet),
    }
}

fn snippet(snippet: Snippet) -> SnippetObject {
    let highlights = in_characters(&snippet.text, &snippet.highlights);
    SnippetObject { text: snippet.text, highlights }
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
