//! Mistakes in commands, with a mark under their place.

use cairn_kip::{KipCode, KipError, Span, marks};
use serde_json::Value;

use crate::command::kip::caret;
use crate::command::kip::source::Source;
use crate::failure::Failure;

/// Where a command stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// What it is called in messages.
    pub(super) name: &'a str,
    /// The line it begins on, from 1.
    pub(super) line: usize,
}

/// What is wrong with a command, at its place.
pub(super) fn failure(text: &str, place: &Place, error: KipError) -> Failure {
    // As many lines above it as there are, so that its own have their numbers.
    let above = place.line.saturating_sub(1);
    let moved = |span: Span| Span::new(span.start as usize + above, span.end as usize + above);
    let span = error.span.map(moved);
    let source = Source { name: place.name.to_owned(), text: "\n".repeat(above) + text };
    caret::failure(&source, &KipError { span, ..error })
}

/// What the memory says is wrong with a command, if it says where.
pub(super) fn told(answer: &Value, text: &str) -> Option<KipError> {
    let error = answer.get("error")?;
    let code = KipCode::ALL.iter().find(|code| Some(code.text()) == error["code"].as_str())?;
    let (place, message) = error["message"].as_str()?.split_once(": ")?;
    let (line, column) = place.strip_prefix("line ")?.split_once(", column ")?;
    let span = span_at(text, line.parse().ok()?, column.parse().ok()?)?;
    let told = KipError::new(*code, message).at(span);
    Some(match error["hint"].as_str() {
        Some(hint) => told.hint(hint),
        None => told,
    })
}

/// The part of a text that begins at a line and a column, both from 1.
fn span_at(text: &str, line: usize, column: usize) -> Option<Span> {
    let before: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(before..)?;
    let start = before + rest.char_indices().nth(column.checked_sub(1)?).map_or(rest.len(), |(at, _)| at);
    let of_part = marks(text).into_iter().map(|mark| mark.span).find(|span| span.start as usize == start);
    Some(of_part.unwrap_or_else(|| Span::new(start, start + 1)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_memory_says_is_shown_at_its_place() {
        let text = "FIND(?x) WHERE {\n  ?x {type: \"Dug\"}\n}";
        let answer = json!({"error": {
            "code": "KIP_2001", "message": "line 2, column 13: no type \"Dug\"", "hint": "did you mean Drug?"
        }});
        let error = told(&answer, text).expect("a mistake with a place");
        let (message, hint) = failure(text, &Place { name: "a.kip", line: 5 }, error).into_words();
        assert_eq!(
            message,
            "KIP_2001 TypeMismatch: no type \"Dug\"\n --> a.kip:6:13\n  |\n6 |   ?x {type: \"Dug\"}\n  |             ^^^^^"
        );
        assert_eq!(hint.as_deref(), Some("did you mean Drug?"));
    }

    #[test]
    fn what_has_no_place_is_told_as_it_is() {
        for answer in [
            json!({"result": []}),
            json!({"error": {"code": "KIP_3002", "message": "gone"}}),
            json!({"error": {"code": "KIP_9999", "message": "line 1, column 1: gone"}}),
            json!({"error": {"code": "KIP_3002", "message": "line x, column 1: gone"}}),
            json!({"error": {"code": "KIP_3002", "message": "line 0, column 0: gone"}}),
        ] {
            assert!(told(&answer, "FIND").is_none(), "{answer}");
        }
        let far = json!({"error": {"code": "KIP_3002", "message": "line 9, column 9: gone"}});
        assert!(told(&far, "FIND").is_some(), "a place beyond the end is its end");
    }
}
