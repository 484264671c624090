//! What was found, for people.

use cairn_base::Harmless;
use serde_json::Value;

use crate::command::answer::{items, number, text};
use crate::terminal::Look;
use crate::when;

/// Snippets stand below what they are of, this far in.
const INDENT: &str = "    ";

/// A block for each hit, and how many there are.
pub(super) fn page(page: &Value, now_ms: u64, look: Look) -> String {
    let hits = items(page, "hits");
    let mut out: String = hits.iter().map(|hit| block(hit, now_ms, look) + "\n").collect();
    out += &sum(page, hits.len() as u64);
    for (is_so, note) in [
        ("rebuilding", "the index is being made: not everything can be found yet"),
        ("behind", "what was said last may not be found yet; ask again"),
    ] {
        // One that is being made is behind as well; one note is enough.
        if page[is_so] == true {
            out += &format!("note: {note}\n");
            break;
        }
    }
    if let Some(cursor) = page["next_cursor"].as_str() {
        out += &look.dim(&format!("more: the same with --cursor {}", Harmless(cursor)));
        out.push('\n');
    }
    out
}

fn sum(page: &Value, shown: u64) -> String {
    let total = number(page, "total");
    let ignored: Vec<_> = items(page, "ignored").iter().filter_map(Value::as_str).collect();
    let ignored = Harmless(&ignored.join(", ")).to_string();
    let mut out = match (shown, total) {
        (0, 0) => "nothing was found\n".to_owned(),
        (0, _) => format!("no more of {}\n", counted(total)),
        (shown, total) if shown < total => format!("{shown} of {}\n", counted(total)),
        (_, total) => format!("{}\n", counted(total)),
    };
    if !ignored.is_empty() {
        out += &format!("not looked for, because it says too little: {ignored}\n");
    }
    for meant in items(page, "suggestions").iter().filter_map(Value::as_str) {
        out += &format!("did you mean: {}\n", Harmless(meant));
    }
    if total == 0 {
        out += "hint: try fewer or other words, or the beginning of one: word*\n";
    }
    out
}

fn counted(hits: u64) -> String {
    format!("{hits} hit{}", if hits == 1 { "" } else { "s" })
}

/// What it is, and the part of its text that fits best.
fn block(hit: &Value, now_ms: u64, look: Look) -> String {
    let context = text(hit, "context_id");
    let name = match hit["turn_id"].as_str() {
        Some(turn) => format!("turn {} in context {context}", Harmless(turn)),
        None => format!("context {context}"),
    };
    let name = if text(hit, "kind") == "context" { format!("context {context}") } else { name };
    let mut facts = Vec::new();
    if let Some(title) = hit["title"].as_str() {
        facts.push(format!("{:?}", Harmless(title).to_string()));
    }
    let found = number(hit, "turns_found");
    if text(hit, "kind") != "turn" && found > 0 {
        facts.push(format!("{found} turn{}", if found == 1 { "" } else { "s" }));
    }
    facts.push(when::relative(number(hit, "time_unix_ms"), now_ms));
    facts.push(format!("score {:.4}", hit["score"].as_f64().unwrap_or(0.0)));
    let snippet = snippet(&hit["snippet"], look);
    format!("{}  {}\n{snippet}", look.bold(&name), look.dim(&facts.join("  ")))
}

/// The snippet in lines that fit, with what was looked for in bold.
fn snippet(snippet: &Value, look: Look) -> String {
    let Some(text) = snippet["text"].as_str() else { return String::new() };
    let ranges: Vec<_> = items(snippet, "highlights")
        .iter()
        .map(|range| (number(range, "start"), number(range, "end")))
        .collect();
    let is_found = |at: u64| ranges.iter().any(|(start, end)| (*start..*end).contains(&at));
    let characters: Vec<_> = (0..).zip(text.chars()).collect();
    let width = look.width.map_or(usize::MAX, |width| width.saturating_sub(INDENT.len()).max(20));
    let mut out = String::new();
    let mut used = 0;
    for word in characters.split(|(_, character)| character.is_whitespace()).filter(|word| !word.is_empty()) {
        if used > 0 && used + 1 + word.len() > width {
            out.push('\n');
            used = 0;
        }
        out.push_str(if used == 0 { INDENT } else { " " });
        used += word.len() + usize::from(used > 0);
        for part in word.chunk_by(|(left, _), (right, _)| is_found(*left) == is_found(*right)) {
            let shown: String = part.iter().map(|(_, character)| character).collect();
            let shown = Harmless(&shown).to_string();
            let is_found = part.first().is_some_and(|(at, _)| is_found(*at));
            out += &if is_found { look.bold(&shown) } else { shown };
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLAIN: Look = Look { colour: false, width: None };

    fn example() -> Value {
        json!({
            "query": "größe the", "in": "turns", "total": 12, "ignored": ["the"], "behind": false,
            "rebuilding": false, "next_cursor": "AQAB",
            "hits": [{
                "kind": "turn", "context_id": "7", "title": "A \u{1b}[31mplan", "turn_id": "42",
                "turn_ids": ["42"], "turns_found": 1, "time_unix_ms": 1_700_000_000_000_u64, "score": 0.5,
                "snippet": {"text": "die\n größe des \u{7}steins", "highlights": [{"start": 5, "end": 10}]},
            }],
        })
    }

    #[test]
    fn a_hit_is_a_block_without_harm() {
        assert_eq!(
            page(&example(), 1_700_000_120_000, PLAIN),
            "turn 42 in context 7  \"A \\\\u{1b}[31mplan\"  2 minutes ago  score 0.5000\n    \
             die größe des \\u{7}steins\n\n1 of 12 hits\n\
             not looked for, because it says too little: the\nmore: the same with --cursor AQAB\n"
        );
    }

    #[test]
    fn what_was_looked_for_stands_out_where_colours_are_and_lines_fit() {
        let look = Look { colour: true, width: Some(24) };
        let shown = page(&example(), 0, look);
        assert!(shown.contains("\n    die \u{1b}[1mgröße\u{1b}[0m des\n    \\u{7}steins\n"), "{shown:?}");
    }

    #[test]
    fn nothing_found_says_why_and_what_to_try() {
        let none =
            json!({"total": 0, "hits": [], "ignored": ["of", "the"], "behind": true, "rebuilding": true});
        assert_eq!(
            page(&none, 0, PLAIN),
            "nothing was found\nnot looked for, because it says too little: of, the\n\
             hint: try fewer or other words, or the beginning of one: word*\n\
             note: the index is being made: not everything can be found yet\n"
        );
    }

    #[test]
    fn what_may_have_been_meant_is_said() {
        let page_of =
            |suggestions: Value| page(&json!({"total": 0, "hits": [], "suggestions": suggestions}), 0, PLAIN);
        let said = page_of(json!(["plan of \u{7}release", "plan"]));
        assert!(
            said.contains("\ndid you mean: plan of \\u{7}release\ndid you mean: plan\nhint: "),
            "{said:?}"
        );
        assert!(!page_of(json!([])).contains("mean"));
    }

    #[test]
    fn a_context_is_named_by_itself() {
        let hit = json!({"kind": "context", "context_id": "7", "title": null, "turn_id": "42", "turns_found": 3,
            "time_unix_ms": 0, "score": 1.0, "snippet": null});
        assert_eq!(block(&hit, 0, PLAIN), "context 7  3 turns  just now  score 1.0000\n");
        let window =
            json!({"kind": "window", "context_id": "7", "turn_id": "42", "turns_found": 1, "score": 1.0});
        assert!(block(&window, 0, PLAIN).starts_with("turn 42 in context 7  1 turn  "));
    }
}
