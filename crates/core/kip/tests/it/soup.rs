//! Whatever comes in: an answer or a mistake with its place, and no panic.

use cairn_kip::arbitrary::command;
use cairn_kip::{format, format_text, line_column, parse, report};
use proptest::prelude::*;

use crate::kit::EXAMPLES;

/// Reads it, whatever it is.
fn read(text: &str) {
    match parse(text) {
        Ok(tree) => {
            let formatted = format(&tree);
            assert_eq!(parse(&formatted).as_ref(), Ok(&tree), "{formatted}");
            let laid_out = format_text(text).expect(text);
            assert_eq!(parse(&laid_out), Ok(tree), "{laid_out}");
            assert_eq!(format_text(&laid_out).as_ref(), Ok(&laid_out), "{text}");
        }
        Err(error) => {
            let span = error.span.unwrap_or_default();
            assert!(span.start <= span.end && span.range().end <= text.len(), "{error:?}");
            assert!(text.get(span.range()).is_some(), "{error:?}");
            assert!(line_column(text, span).0 >= 1);
            assert!(report(&error, text, None).contains("hint: "));
        }
    }
}

const WORDS: &[&str] = &[
    "FIND",
    "WHERE",
    "FILTER",
    "OPTIONAL",
    "NOT",
    "UNION",
    "ORDER",
    "BY",
    "ASC",
    "DESC",
    "LIMIT",
    "CURSOR",
    "UPSERT",
    "CONCEPT",
    "PROPOSITION",
    "SET",
    "ATTRIBUTES",
    "PROPOSITIONS",
    "WITH",
    "METADATA",
    "EXPECT",
    "VERSION",
    "DELETE",
    "FROM",
    "DETACH",
    "DESCRIBE",
    "PRIMER",
    "TYPES",
    "TYPE",
    "SEARCH",
    "EXPLAIN",
    "COUNT",
    "DISTINCT",
    "IN",
    "IS_NULL",
    "CONTAINS",
    "?x",
    "?y",
    ":p",
    "\"a\"",
    "\"b\"",
    "1",
    "-2.5",
    "true",
    "null",
    "id",
    "type",
    "name",
    "x",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ".",
    "|",
    "||",
    "&&",
    "!",
    "==",
    "<",
    "=",
    "'",
    "$self",
    "risk-level",
    "?",
    "\"",
    "\\",
    "//c\n",
    "\n",
    "漢",
    "\u{0}",
    "01",
    "é",
    ";",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..30), spaced in any::<bool>()) {
        read(&words.join(if spaced { " " } else { "" }));
    }

    #[test]
    fn commands_with_a_few_changes(
        tree in command(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(WORDS.to_vec()), 0..3u8), 1..4),
    ) {
        let mut text = format(&tree);
        change(&mut text, &changes);
        read(&text);
    }

    #[test]
    fn examples_with_a_few_changes(
        example in prop::sample::select(EXAMPLES.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(WORDS.to_vec()), 0..3u8), 1..4),
    ) {
        let mut text = example.to_owned();
        change(&mut text, &changes);
        read(&text);
    }
}

/// Puts words in, takes characters out, or cuts the end off.
fn change(text: &mut String, changes: &[(prop::sample::Index, &str, u8)]) {
    for (place, word, kind) in changes {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        if places.is_empty() {
            return;
        }
        let at = places[place.index(places.len())];
        match kind {
            0 => text.insert_str(at, word),
            1 => drop(text.remove(at)),
            _ => text.truncate(at),
        }
    }
}
