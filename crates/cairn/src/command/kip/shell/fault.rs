//! Mistakes in commands, with a mark under their place.

use cairn_kip::{KipCode, KipError, Span, marks};
use cairn_wire::kip::KipResponse;

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
pub(super) fn told(answer: &KipResponse, text: &str) -> Option<KipError> {
    let error = answer.error.as_ref()?;
    let code = KipCode::ALL.iter().find(|code| code.text() == error.code)?;
    let (place, message) = error.message.split_once(": ")?;
    let (line, column) = place.strip_prefix("line ")?.split_once(", column ")?;
    let span = span_at(text, line.parse().ok()?, column.parse().ok()?)?;
    let told = KipError::new(*code, message).at(span);
    Some(match &error.hint {
        Some(hint) => told.hint(hint.as_str()),
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
    use cairn_wire::kip::KipFault;

    use super::*;

    fn failed(code: &str, message: &str, hint: Option<&str>) -> KipResponse {
        let error = KipFault {
            code: code.to_owned(),
            hint: hint.map(str::to_owned),
            message: message.to_owned(),
            name: String::new(),
        };
        KipResponse { error: Some(error), ..KipResponse::default() }
    }

    #[test]
    fn what_the_memory_says_is_shown_at_its_place() {
        let text = "FIND(?x) WHERE {\n  ?x {type: \"Dug\"}\n}";
        let message = "line 2, column 13: no type \"Dug\"";
        let answer = failed("KIP_2001", message, Some("did you mean Drug?"));
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
            KipResponse::default(),
            failed("KIP_3002", "gone", None),
            failed("KIP_9999", "line 1, column 1: gone", None),
            failed("KIP_3002", "line x, column 1: gone", None),
            failed("KIP_3002", "line 0, column 0: gone", None),
        ] {
            assert!(told(&answer, "FIND").is_none(), "{answer:?}");
        }
        let far = failed("KIP_3002", "line 9, column 9: gone", None);
        assert!(told(&far, "FIND").is_some(), "a place beyond the end is its end");
    }
}
