//! What goes on, what is whole and what is wrong.

use cairn_kip::{is_unfinished, parse};

/// Commands of every family, whole.
const WHOLE: &[&str] = &[
    "FIND(?d.name, COUNT(?s)) WHERE { ?d {type: \"Drug\"} (?d, \"treats\", ?s) FILTER(?d.name != \"x\") }",
    "EXPLAIN ANALYZE FIND(?d) WHERE { NOT { (?d, \"a\" | \"b\", {name: \"x\"}) } }",
    "UPSERT { CONCEPT ?x { {type: \"Drug\", name: \"x\"} SET ATTRIBUTES { a: [1, {b: null}] } } }",
    "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"Drug\"} }",
    "DESCRIBE PROPOSITION TYPE \"treats\"",
    "SEARCH CONCEPT \"words\"",
];

/// A text without what cannot stand at its end: half a word, or half a string.
fn whole_words(text: &str, end: usize) -> bool {
    let quotes = text[..end].matches('"').count();
    let is_word = |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let cuts_word = is_word(text[..end].chars().next_back()) && is_word(text[end..].chars().next());
    let cuts_sign = ["?", "&", "="].iter().any(|sign| text[..end].ends_with(sign))
        || (text[..end].ends_with('!') && text[end..].starts_with('='));
    quotes.is_multiple_of(2) && !cuts_word && !cuts_sign
}

#[test]
fn a_command_goes_on_until_it_is_whole() {
    for text in WHOLE {
        assert!(parse(text).is_ok() && !is_unfinished(text), "{text}");
        for end in (0..text.len()).filter(|end| whole_words(text, *end)) {
            let beginning = &text[..end];
            if parse(beginning).is_err() {
                assert!(is_unfinished(beginning), "{beginning}");
                assert!(is_unfinished(&format!("{beginning}\n// and so on\n")), "{beginning}");
            }
        }
    }
}

#[test]
fn what_is_wrong_does_not_go_on() {
    for text in [
        "FIND(?d WHERE",
        "FIND(?d)) WHERE {",
        "FIND(?d) WHRE {",
        "SELECT * FROM",
        "FIND(?d) WHERE { ?d {type: \"Drug }",
        "FIND(?d) WHERE { ?d {type: \"Drug\"} } }",
        "FIND(?d) WHERE { ?d {colour: \"red\"} }",
        "find(?d",
        "FIND(?d) WHERE { ?d {type: \"Drug\"} } LIMIT 1.5",
        "FIND(?d-e",
    ] {
        assert!(parse(text).is_err() && !is_unfinished(text), "{text}");
    }
}
