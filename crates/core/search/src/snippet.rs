//! Snippets: the piece of a text that says best why it was found.

use std::ops::Range;

use crate::limits::SNIPPET_TEXT_BYTES_MAX;

use crate::matcher::{Hit, Matcher};
use crate::text::{Class, Language, class_of};

/// A piece of a text, on one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// The piece, with one space for any white space and control characters.
    pub text: String,
    /// What was found, in bytes of the piece: in order, none touches another.
    pub highlights: Vec<Range<usize>>,
    /// The text has more before it.
    pub truncated_before: bool,
    /// The text has more behind it.
    pub truncated_after: bool,
}

/// Cuts the piece of at most `max_chars` characters out of a text in which most of what was asked for is
/// found: most different things, then most places, then the earliest. Of long texts only the beginning
/// is looked at.
pub fn snippet(text: &str, language: Language, matcher: &Matcher, max_chars: usize) -> Snippet {
    let looked_at = &text[..text.floor_char_boundary(SNIPPET_TEXT_BYTES_MAX)];
    let line = on_one_line(looked_at);
    let hits = matcher.hits(&line, language);
    let chosen = best_window(&line, &hits, max_chars);
    let window = around(&line, chosen, max_chars);
    Snippet {
        highlights: highlights(&hits, &window),
        truncated_before: window.start > 0,
        truncated_after: window.end < line.len() || looked_at.len() < text.len(),
        text: line[window].to_owned(),
    }
}

fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// From the beginning of the first to the end of the last hit of the best window; the beginning of the
/// text if there is none.
fn best_window(line: &str, hits: &[Hit], max_chars: usize) -> Range<usize> {
    let ends = char_offsets(line, hits);
    let mut counts = vec![0_u32; hits.iter().map(|hit| hit.clause + 1).max().unwrap_or(0)];
    let (mut distinct, mut next) = (0, 0);
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    for (first, hit) in hits.iter().enumerate() {
        // A hit that is longer than the window is in it alone.
        while next < hits.len() && (next <= first || ends[next].end - ends[first].start <= max_chars) {
            distinct += usize::from(counts[hits[next].clause] == 0);
            counts[hits[next].clause] += 1;
            next += 1;
        }
        let score = (distinct, next - first);
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, hit.span.start..hits[next - 1].span.end.max(hit.span.end)));
        }
        counts[hit.clause] -= 1;
        distinct -= usize::from(counts[hit.clause] == 0);
    }
    best.map_or(0..0, |(_, window)| window)
}

/// Where the hits stand, in characters.
fn char_offsets(line: &str, hits: &[Hit]) -> Vec<Range<usize>> {
    let (mut at, mut chars) = (0, 0);
    let mut offsets = Vec::with_capacity(hits.len());
    for hit in hits {
        chars += line[at..hit.span.start].chars().count();
        at = hit.span.start;
        offsets.push(chars..chars + line[hit.span.clone()].chars().count());
    }
    offsets
}

/// The window around what was chosen: as much before it as behind it, if there is as much.
fn around(line: &str, chosen: Range<usize>, max_chars: usize) -> Range<usize> {
    let chosen = chosen.start..chosen.end.min(forward(line, chosen.start, max_chars));
    let room = max_chars - line[chosen.clone()].chars().count();
    let behind = line[chosen.end..].chars().take(room).count();
    let before = room - behind.min(room.div_ceil(2));
    let start = begin_of_word(line, back(line, chosen.start, before), chosen.start);
    let start = start + usize::from(line[start..chosen.start].starts_with(' '));
    let used = line[start..chosen.end].chars().count();
    let end = end_of_word(line, chosen.end, forward(line, chosen.end, max_chars - used));
    let end = if end == start { whole_character(line, start, forward(line, start, max_chars)) } else { end };
    without_spaces(line, start..end)
}

fn without_spaces(line: &str, window: Range<usize>) -> Range<usize> {
    let piece = &line[window.clone()];
    let start = window.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

fn forward(line: &str, from: usize, chars: usize) -> usize {
    line[from..].char_indices().nth(chars).map_or(line.len(), |(offset, _)| from + offset)
}

fn back(line: &str, from: usize, chars: usize) -> usize {
    match chars.checked_sub(1) {
        None => from,
        Some(before) => line[..from].char_indices().nth_back(before).map_or(0, |(offset, _)| offset),
    }
}

/// The first place from `at` to `latest` where a piece can begin.
fn begin_of_word(line: &str, at: usize, latest: usize) -> usize {
    let mut places = line[at..latest].char_indices().map(|(offset, _)| at + offset);
    places.find(|place| can_cut(line, *place)).unwrap_or(latest)
}

/// The last place from `earliest` to `at` where a piece can end.
fn end_of_word(line: &str, earliest: usize, at: usize) -> usize {
    if at == line.len() {
        return at;
    }
    let mut places = line[earliest..at].char_indices().map(|(offset, c)| earliest + offset + c.len_utf8());
    places.rfind(|place| can_cut(line, *place)).unwrap_or(earliest)
}

/// The last place up to `at` that leaves no mark without its letter, if there is one.
fn whole_character(line: &str, earliest: usize, at: usize) -> usize {
    let continues = |place: usize| line[place..].chars().next().is_some_and(|c| class_of(c).continues());
    let mut places = line[earliest..at].char_indices().map(|(offset, c)| earliest + offset + c.len_utf8());
    places.rfind(|place| !continues(*place)).unwrap_or(at)
}

/// Whether a word ends here or begins, or characters stand here that form words without spaces.
fn can_cut(line: &str, place: usize) -> bool {
    let before = line[..place].chars().next_back();
    let after = line[place..].chars().next();
    let (Some(before), Some(after)) = (before, after) else { return true };
    let unspaced = |c| class_of(c) == Class::Unspaced;
    before == ' ' || after == ' ' || (!class_of(after).continues() && (unspaced(before) || unspaced(after)))
}

fn highlights(hits: &[Hit], window: &Range<usize>) -> Vec<Range<usize>> {
    let mut highlights: Vec<Range<usize>> = Vec::new();
    let inside = |hit: &&Hit| hit.span.start >= window.start && hit.span.start < window.end;
    for hit in hits.iter().filter(inside) {
        let whole = hit.span.end <= window.end;
        let long = hit.span.start == window.start;
        if !whole && !long {
            continue;
        }
        let span = hit.span.start - window.start..hit.span.end.min(window.end) - window.start;
        match highlights.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => highlights.push(span),
        }
    }
    highlights
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::query::parse;

    const ENGLISH: [Language; 1] = [Language::English];

    fn cut(text: &str, query: &str, max_chars: usize) -> Snippet {
        let matcher = Matcher::new(&parse(query, &["title"]).unwrap(), &ENGLISH);
        snippet(text, Language::English, &matcher, max_chars)
    }

    /// The snippet with brackets around what was found, and dots where the text goes on.
    fn shown(text: &str, query: &str, max_chars: usize) -> String {
        let snippet = cut(text, query, max_chars);
        let mut shown = if snippet.truncated_before { "…" } else { "" }.to_owned();
        let mut at = 0;
        for highlight in snippet.highlights {
            shown += &format!("{}[{}]", &snippet.text[at..highlight.start], &snippet.text[highlight.clone()]);
            at = highlight.end;
        }
        shown + &snippet.text[at..] + if snippet.truncated_after { "…" } else { "" }
    }

    #[test]
    fn what_was_found_is_shown() {
        let long = "one two three four five six seven eight nine ten";
        for (text, query, max_chars, expected) in [
            ("The limits of it", "limit", 100, "The [limits] of it"),
            ("a\n\n b\t\u{0}c\u{7} ", "b", 100, "a [b] c"),
            ("", "x", 10, ""),
            ("nothing here", "x", 100, "nothing here"),
            (long, "x", 14, "one two three…"),
            (long, "x", 12, "one two…"),
            (long, "one", 12, "[one] two…"),
            (long, "ten", 12, "…nine [ten]"),
            (long, "five", 15, "…four [five] six…"),
            (long, "two nine ten", 15, "…eight [nine] [ten]"),
            (long, "two three nine ten seven", 10, "…[two] [three]…"),
            ("a x a y a x y a", "x y", 5, "…[x] a [y]…"),
            ("x x x a a a x y", "x y", 5, "…a [x] [y]"),
            ("y a a a x x a x a", "x", 5, "…[x] [x] a…"),
            ("Rate-limiting works", "rate-limiting", 100, "[Rate-limiting] works"),
            ("Rate-limiting works", "limits", 100, "Rate-[limiting] works"),
            ("limits limits", "limit", 100, "[limits] [limits]"),
            ("東京タワーに行く", "東京タワー", 100, "[東京タワー]に行く"),
            ("私は東京タワーに行きました", "東京", 6, "私は[東京]タワ…"),
            ("HTTPServer2 and http", "http*", 100, "[HTTPServer2] and [http]"),
            (
                "a state of the art of state",
                "\"state of the art\"",
                100,
                "a [state] [of] [the] [art] of state",
            ),
            ("big cat, big dog", "\"big dog\"", 100, "big cat, [big] [dog]"),
            ("the cat and the dog", "the dog", 100, "the cat and the [dog]"),
            ("The Who", "the", 100, "[The] Who"),
            ("cat dog", "cat -dog", 100, "[cat] dog"),
            ("Café", "cafe", 100, "[Café]"),
            ("xxxxxxxxxxxxxxxxxxxx", "y", 5, "xxxxx…"),
            ("xxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxx", 5, "[xxxxx]…"),
            ("anything", "any*", 0, "…"),
        ] {
            assert_eq!(shown(text, query, max_chars), expected, "{query} in {text}");
        }
    }

    #[test]
    fn long_texts_are_looked_at_from_the_beginning() {
        let text = format!("{} needle", "hay ".repeat(SNIPPET_TEXT_BYTES_MAX / 4));
        let snippet = cut(&text, "needle", 7);
        assert_eq!((snippet.text.as_str(), snippet.highlights.len()), ("hay hay", 0));
        assert!(snippet.truncated_after && !snippet.truncated_before);
        let snippet = cut(&text, "needle", usize::MAX);
        assert!(snippet.truncated_after && snippet.text.ends_with("hay"));
        let text = format!("{} needle", "hay ".repeat(SNIPPET_TEXT_BYTES_MAX / 4 - 10));
        assert_eq!(shown(&text, "needle", 10), "…hay [needle]");
    }

    #[test]
    fn fields_have_their_own_highlights() {
        let parsed = parse("title:cat dog", &["title", "body"]).unwrap();
        let found = |field| {
            let matcher = Matcher::of_field(&parsed, &ENGLISH, field);
            snippet("cat dog", Language::English, &matcher, 100).highlights
        };
        assert_eq!(found(0), [0..3, 4..7]);
        assert_eq!(found(1), vec![4..7; 1]);
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            6 => "(cat|dog|Cats|cat-dog|catDog|the|東京|é\u{301}) ?",
            1 => any::<String>(),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn snippets_are_pieces_with_their_highlights_inside(
            text in texts(),
            query in prop_oneof![texts(), Just("cat \"cat dog\" do* 東京".to_owned())],
            max_chars in 0_usize..60,
        ) {
            let Ok(parsed) = parse(&query, &["title"]) else { return Ok(()) };
            let matcher = Matcher::new(&parsed, &[Language::English, Language::German]);
            let snippet = snippet(&text, Language::English, &matcher, max_chars);
            prop_assert!(snippet.text.chars().count() <= max_chars);
            let line = on_one_line(&text);
            prop_assert!(line.contains(&snippet.text));
            prop_assert_eq!(snippet.text.trim(), &snippet.text);
            if line.chars().count() <= max_chars {
                prop_assert_eq!(&line, &snippet.text);
                prop_assert!(!snippet.truncated_before && !snippet.truncated_after);
            }
            let mut last = None;
            for highlight in &snippet.highlights {
                prop_assert!(snippet.text.get(highlight.clone()).is_some_and(|found| !found.is_empty()));
                prop_assert!(last.is_none_or(|last| last < highlight.start));
                last = Some(highlight.end);
            }
            let again = super::snippet(&text, Language::English, &matcher, max_chars);
            prop_assert_eq!(again, snippet);
        }
    }
}
