//! What was found, for people.

use cairn_base::Harmless;
use cairn_wire::search::{FoundPage, HitObject, SnippetObject};

use crate::command::answer::{joined, text};
use crate::command::artifact;
use crate::terminal::Look;
use crate::when;

/// Snippets stand below what they are of, this far in.
const INDENT: &str = "    ";

/// A block for each hit, and how many there are.
pub(super) fn page(page: &FoundPage, now_ms: u64, look: Look) -> String {
    let mut out: String = page.hits.iter().map(|hit| block(hit, now_ms, look) + "\n").collect();
    out.extend(page.artifacts.iter().map(|artifact| artifact::block(artifact, look) + "\n"));
    out += &sum(page);
    // One that is being made is behind as well; one note is enough.
    if page.rebuilding {
        out += "note: the index is being made: not everything can be found yet\n";
    } else if page.behind {
        out += "note: what was said last may not be found yet; ask again\n";
    }
    if let Some(cursor) = &page.next_cursor {
        out += &look.dim(&format!("more: the same with --cursor {}", Harmless(cursor)));
        out.push('\n');
    }
    out
}

fn sum(page: &FoundPage) -> String {
    let is_artifacts = page.searched == "artifacts";
    let beside = if is_artifacts { 0 } else { page.artifacts_total };
    let shown = if is_artifacts { page.artifacts.len() } else { page.hits.len() } as u64;
    let mut out = match (shown, page.total) {
        (0, 0) if beside > 0 => String::new(),
        (0, 0) => "nothing was found\n".to_owned(),
        (0, total) => format!("no more of {}\n", counted(total)),
        (shown, total) if shown < total => format!("{shown} of {}\n", counted(total)),
        (_, total) => format!("{}\n", counted(total)),
    };
    if beside > 0 {
        let plural = if beside == 1 { "" } else { "s" };
        out += &format!("{beside} artifact{plural}; --in artifacts shows all\n");
    }
    if !page.ignored.is_empty() {
        out += &format!("not looked for, because it says too little: {}\n", joined(&page.ignored));
    }
    for meant in &page.suggestions {
        out += &format!("did you mean: {}\n", Harmless(meant));
    }
    if page.total == 0 && beside == 0 {
        out += "hint: try fewer or other words, or the beginning of one: word*\n";
    }
    out
}

fn counted(hits: u64) -> String {
    format!("{hits} hit{}", if hits == 1 { "" } else { "s" })
}

/// What it is, and the part of its text that fits best.
fn block(hit: &HitObject, now_ms: u64, look: Look) -> String {
    let context = hit.context_id;
    let name = match hit.turn_id.filter(|_| hit.kind != "context") {
        Some(turn) => format!("turn {turn} in context {context}"),
        None => format!("context {context}"),
    };
    let mut facts = Vec::new();
    if let Some(title) = &hit.title {
        facts.push(format!("{:?}", text(title)));
    }
    let found = hit.turns_found;
    if hit.kind != "turn" && found > 0 {
        facts.push(format!("{found} turn{}", if found == 1 { "" } else { "s" }));
    }
    facts.push(when::relative(hit.time_unix_ms, now_ms));
    facts.push(format!("score {:.4}", hit.score));
    let snippet = hit.snippet.as_ref().map(|found| snippet(found, look)).unwrap_or_default();
    format!("{}  {}\n{snippet}", look.bold(&name), look.dim(&facts.join("  ")))
}

/// The snippet in lines that fit, with what was looked for in bold.
fn snippet(snippet: &SnippetObject, look: Look) -> String {
    let is_found = |at: usize| snippet.highlights.iter().any(|range| (range.start..range.end).contains(&at));
    let characters: Vec<_> = snippet.text.chars().enumerate().collect();
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
    use cairn_base::{ContextId, TurnId};
    use cairn_wire::search::Highlight;

    use super::*;

    const PLAIN: Look = Look { colour: false, width: None };

    fn hit(kind: &str) -> HitObject {
        HitObject {
            kind: kind.to_owned(),
            context_id: ContextId(7),
            title: None,
            turn_id: Some(TurnId(42)),
            turn_ids: vec![TurnId(42)],
            turns_found: 1,
            time: None,
            time_unix_ms: 0,
            score: 1.0,
            reasons: Vec::new(),
            snippet: None,
        }
    }

    fn nothing() -> FoundPage {
        FoundPage {
            query: "größe the".to_owned(),
            searched: "turns".to_owned(),
            total: 0,
            hits: Vec::new(),
            artifacts: Vec::new(),
            artifacts_total: 0,
            ignored: Vec::new(),
            suggestions: Vec::new(),
            behind: false,
            rebuilding: false,
            next_cursor: None,
        }
    }

    fn example() -> FoundPage {
        let snippet = SnippetObject {
            text: "die\n größe des \u{7}steins".to_owned(),
            highlights: vec![Highlight { start: 5, end: 10 }],
        };
        let hit = HitObject {
            title: Some("A \u{1b}[31mplan".to_owned()),
            time_unix_ms: 1_700_000_000_000,
            score: 0.5,
            snippet: Some(snippet),
            ..hit("turn")
        };
        let ignored = vec!["the".to_owned()];
        FoundPage { total: 12, hits: vec![hit], ignored, next_cursor: Some("AQAB".to_owned()), ..nothing() }
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
        let ignored = vec!["of".to_owned(), "the".to_owned()];
        assert_eq!(
            page(&FoundPage { ignored, behind: true, rebuilding: true, ..nothing() }, 0, PLAIN),
            "nothing was found\nnot looked for, because it says too little: of, the\n\
             hint: try fewer or other words, or the beginning of one: word*\n\
             note: the index is being made: not everything can be found yet\n"
        );
    }

    #[test]
    fn what_may_have_been_meant_is_said() {
        let suggestions = vec!["plan of \u{7}release".to_owned(), "plan".to_owned()];
        let said = page(&FoundPage { suggestions, ..nothing() }, 0, PLAIN);
        assert!(
            said.contains("\ndid you mean: plan of \\u{7}release\ndid you mean: plan\nhint: "),
            "{said:?}"
        );
        assert!(!page(&nothing(), 0, PLAIN).contains("mean"));
    }

    #[test]
    fn a_context_is_named_by_itself() {
        let context = HitObject { turns_found: 3, ..hit("context") };
        assert_eq!(block(&context, 0, PLAIN), "context 7  3 turns  just now  score 1.0000\n");
        assert!(block(&hit("window"), 0, PLAIN).starts_with("turn 42 in context 7  1 turn  "));
    }
}
