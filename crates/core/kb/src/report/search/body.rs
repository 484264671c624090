//! Matches of a query with the body of an entity, and the line that shows them.

use super::text::{Words, joined};
use crate::entity::Entity;
use crate::limits::SNIPPET_CHARS_MAX;

/// Returns the reasons why the body or the prose of an entity matches, and its line that matches best.
///
/// That is the first line with the whole query, else the first of those with most of its words, else the first line.
/// Front matter at the top of a body is skipped.
pub fn body_match(query: &str, entity: &Entity) -> (Vec<&'static str>, Option<String>) {
    let words = Words::of(query);
    let texts = [without_front_matter(entity.text("body")), entity.text("text_ref")];
    let lower = texts.map(|text| joined(text).to_lowercase());
    let reason = if words.is_blank() {
        None
    } else if lower.iter().any(|text| text.contains(words.phrase())) {
        Some("markdown body match")
    } else if lower.iter().any(|text| words.tokens_in(text) > 0) {
        Some("markdown body token coverage")
    } else {
        None
    };
    let lines = || texts.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty());
    let best = if reason.is_some() { best_line(&words, lines()) } else { lines().next() };
    (reason.into_iter().collect(), best.map(cut))
}

/// The first line with the whole query, else the first one with most of its words.
fn best_line<'a>(words: &Words, lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(&str, usize)> = None;
    for line in lines {
        let lower = joined(line).to_lowercase();
        if lower.contains(words.phrase()) {
            return Some(line);
        }
        let tokens = words.tokens_in(&lower);
        if best.is_none_or(|(_, most)| tokens > most) {
            best = Some((line, tokens));
        }
    }
    best.map(|(line, _)| line)
}

/// The body after the block between two lines of `---` at its top.
fn without_front_matter(body: &str) -> &str {
    let mut lines = body.split_inclusive('\n');
    let mut end = match lines.next() {
        Some(first) if first.trim_start_matches('\u{feff}').trim_end() == "---" => first.len(),
        _ => return body,
    };
    for line in lines {
        end += line.len();
        if line.trim_end() == "---" {
            return &body[end..];
        }
    }
    body
}

/// Cuts a line to the length of a snippet.
fn cut(line: &str) -> String {
    const DOTS: &str = "...";
    if line.chars().nth(SNIPPET_CHARS_MAX).is_none() {
        return line.to_owned();
    }
    let kept: String = line.chars().take(SNIPPET_CHARS_MAX - DOTS.len()).collect();
    kept + DOTS
}
