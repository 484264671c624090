//! What queries mean, row by row, and what holds for all of them.

use crate::limits::{PHRASE_WORDS_MAX, WORDS_QUERY_BYTES_MAX};
use proptest::prelude::*;

use super::*;
use crate::text::{Language, Settings, TokenKind, analyze};

const FIELDS: [&str; 2] = ["title", "body"];

#[test]
fn what_queries_mean() {
    for (query, expected) in [
        // Words and sentences.
        ("memory", "memory"),
        ("Memory memory MEMORY", "memory"),
        ("what is (x", "what is x"),
        ("what's the plan?", "what the plan"),
        ("a and b or not c", "a and b or not c"),
        ("(a OR b) AND c", "a or b and c"),
        ("rate-limiting", "[rate-limiting: rate limiting]"),
        ("C++ is C#", "[c++: c] is [c#: c]"),
        (".NET", "[.net: net]"),
        ("foo(bar)", "foo bar"),
        ("fn main() { x: [1, 2] }", "fn main x 1 2"),
        ("C:\\x ^~!/&&|| y", "[c:\\x: c x] y"),
        ("<script>alert(1)</script>", "script alert 1"),
        ("one\0two", "one two"),
        // Must and not.
        ("+must -not", "+must -not"),
        ("-not", "-not"),
        ("a - b + c", "a b c"),
        ("--flag -- x", "flag x"),
        ("++x x++", "x [x++: x]"),
        ("a-b a+b", "[a-b: a b] [a+b: a b]"),
        ("(-foo)", "foo"),
        ("+rate-limiting", "+[rate-limiting: rate limiting]"),
        ("+.net -.NET", "+[.net: net] -[.net: net]"),
        ("exit code -1, +49 -5% -1.5", "exit code 1 49 5 [1.5: 1 5]"),
        ("-foo(bar)", "-\"foo bar\""),
        ("+foo(bar)", "+foo +bar"),
        ("foo -\"bar baz\" +\"x y\"", "foo -\"bar baz\" +\"x y\""),
        ("-=foo +", "foo"),
        // Phrases.
        ("\"Hello World\"", "\"hello world\""),
        ("\u{201c}curly quotes\u{201d} x", "\"curly quotes\" x"),
        ("\u{201e}deutsche Zeichen\u{201c}", "\"deutsche zeichen\""),
        ("\"rate-limiting works\"", "\"rate limiting works\""),
        ("\"unbalanced phrase", "unbalanced phrase"),
        ("\"one two\" \"three", "\"one two\" three"),
        ("5\" and 6\"", "5 and 6"),
        ("x \"\" \" \" y", "x y"),
        ("(\"in brackets\")", "\"in brackets\""),
        ("\"a b\"\"c d\"", "\"a b\" \"c d\""),
        ("\"a b\"-c", "\"a b\" c"),
        ("\"a b\" \"A  B\"", "\"a b\""),
        // Fields.
        ("title:word", "0:word"),
        ("TITLE:word Body:\"a b\"", "0:word 1:\"a b\""),
        ("+title:word -body:\"a b\"", "+0:word -1:\"a b\""),
        ("title: word", "title word"),
        ("title:", "title"),
        ("title:-word", "[title:-word: title word]"),
        ("title::word", "[title::word: title word]"),
        ("other:word", "[other:word: other word]"),
        ("http://x", "[http://x: http x]"),
        ("12:30", "[12:30: 12 30]"),
        ("std::fs", "[std::fs: std fs]"),
        ("title:12:30", "0:[12:30: 12 30]"),
        ("title:word word", "0:word word"),
        ("subtitle:word", "[subtitle:word: subtitle word]"),
        // Prefixes.
        ("pre*", "pre*"),
        ("Préfix*", "prefix*"),
        ("a* b**  *", "a b"),
        ("*emphasis* **strong**", "emphasis strong"),
        ("(pre*), x", "pre* x"),
        ("pre*fix", "pre fix"),
        ("rate-lim* HTTPSer*", "rate-lim* httpser*"),
        ("+title:pre*", "+0:pre*"),
        ("2 * 3", "2 3"),
        // Scripts without spaces.
        ("東京タワー", "東京 京タ タワ ワー"),
        ("+東京都 -東", "+\"東京 京都\" -東"),
        ("React入門", "react 入門"),
        ("東京*", "東京"),
    ] {
        let parsed = parse(query, &FIELDS).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(parsed.to_string(), expected, "{query}");
        for clause in &parsed.clauses {
            assert_eq!(query[clause.span.clone()], clause.text, "{query}");
        }
    }
}

#[test]
fn clauses_say_where_they_stand() {
    let texts = |query: &str| {
        let parsed = parse(query, &FIELDS).unwrap();
        parsed.clauses.into_iter().map(|clause| clause.text).collect::<Vec<_>>().join("|")
    };
    assert_eq!(
        texts("+Rate-Limiting, -title:\u{201c}a b\u{201d} (pre*)"),
        "Rate-Limiting|\u{201c}a b\u{201d}|pre*"
    );
    assert_eq!(texts("-foo(bar) John’s 東京都"), "foo(bar|John’s|東京|京都");
}

#[test]
fn the_name_is_the_text_without_operators() {
    for (query, name) in [
        ("Rate   Limiting", "rate limiting"),
        ("\"Rate Limiting\"", "rate limiting"),
        ("+Rate -not title:Limiting*", "rate limiting"),
        ("*Rate* 2*3", "*rate* 2*3"),
        ("Foo - Bar", "foo - bar"),
        ("foo(bar)", "foo(bar)"),
        ("\"unbalanced", "unbalanced"),
        ("The Café", "the cafe"),
        ("-not", ""),
        ("C++", "c++"),
    ] {
        assert_eq!(parse(query, &FIELDS).unwrap().name, name, "{query}");
    }
}

#[test]
fn nothing_is_an_error_of_its_own() {
    for query in ["", " \n\t", "...", "-", "+ - \"\"", "\"", "*", "()", "\0\u{1}", "title:\"\""] {
        assert_eq!(parse(query, &FIELDS), Err(QueryError::Empty), "{query}");
    }
}

#[test]
fn long_queries_are_refused() {
    let longest = "x".repeat(WORDS_QUERY_BYTES_MAX);
    assert!(parse(&longest, &FIELDS).is_ok());
    assert_eq!(
        parse(&format!("{longest}x"), &FIELDS),
        Err(QueryError::TooLong { bytes: WORDS_QUERY_BYTES_MAX + 1, max: WORDS_QUERY_BYTES_MAX })
    );
}

#[test]
fn a_thousand_words_are_fine() {
    let words: Vec<String> = (100..1100).map(|number| format!("w{}x", number).replace('1', "q")).collect();
    let parsed = parse(&words.join(" "), &FIELDS).unwrap();
    assert!(parsed.clauses.len() <= 64 && !parsed.ignored.is_empty());

    let letters = |n: u32| char::from_u32(u32::from('a') + n).unwrap();
    let words: Vec<String> = (0..65).map(|n| format!("w{}{}", letters(n / 26), letters(n % 26))).collect();
    let parsed = parse(&words[..64].join(" "), &FIELDS).unwrap();
    assert_eq!((parsed.clauses.len(), parsed.ignored.len()), (64, 0));
    let parsed = parse(&format!("{} {}", words.join(" "), words[64]), &FIELDS).unwrap();
    assert_eq!((parsed.clauses.len(), parsed.ignored), (64, vec![words[64].clone()]));
}

#[test]
fn costly_clauses_are_limited() {
    for clause in ["+w", "-w", "\"a w\""] {
        let all = |count: usize| {
            let clauses = (0..count).map(|n| {
                let letter = char::from_u32(u32::from('a') + n as u32).unwrap();
                clause.replace('w', &letter.to_string().repeat(2))
            });
            clauses.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parse(&all(24), &FIELDS).unwrap().clauses.len(), 24);
        assert_eq!(parse(&all(25), &FIELDS), Err(QueryError::TooManyClauses { max: 24 }));
    }
}

#[test]
fn phrases_are_cut() {
    for (words, kept) in [(32, 32), (33, PHRASE_WORDS_MAX), (1000, PHRASE_WORDS_MAX)] {
        let parsed = parse(&format!("\"{}\"", "w ".repeat(words)), &FIELDS).unwrap();
        assert_eq!(parsed.clauses[0].what.tokens().len(), kept);
    }
}

#[test]
fn tokens_have_the_stems_of_all_languages() {
    let stems = |query: &str, languages: &[Language]| {
        let parsed = parse(query, &FIELDS).unwrap();
        let tokens = parsed.clauses[0].what.tokens();
        tokens.iter().map(|token| token.stems(languages).join("|")).collect::<Vec<_>>().join(" ")
    };
    let both = [Language::English, Language::German];
    assert_eq!(stems("memories", &[Language::English]), "memori|memories");
    assert_eq!(stems("memories", &both), "memori|memories");
    assert_eq!(stems("Häuser", &both), "hauser|haus");
    assert_eq!(stems("rate-limiting", &both), "rate-limiting rate|rat limit|limiting");
    assert_eq!(stems("camelCases", &[Language::English]), "camelcas|camelcases camel case|cases");
    assert_eq!(stems("12", &both), "12");
    assert_eq!(stems("\"東京\"", &both), "東京");
    assert_eq!(stems("anything", &[]), "anything");
}

#[test]
fn stop_words_are_those_of_all_languages() {
    let places =
        |query: &str, languages: &[Language]| parse(query, &FIELDS).unwrap().only_stop_words(languages);
    let (english, german) = (Language::English, Language::German);
    assert_eq!(places("the limits of \"to be\" and/or +the", &[english]), [0, 2, 3]);
    assert_eq!(places("die was the", &[english]), [1, 2]);
    assert_eq!(places("die was the", &[english, german]), [1]);
    assert_eq!(places("die was the", &[]), [0; 0]);
}

/// Queries with much of what the rules are about, and anything else.
fn queries() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,8}",
        2 => " ",
        2 => "[-+*:\".'’“”„/#@]{1,2}",
        1 => "title:|body:| -| \\+",
        1 => "[0-9,.]{1,5}",
        1 => "[東京タワé½😀\0\u{301}]{1,3}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_query_is_read(query in queries()) {
        match parse(&query, &FIELDS) {
            Ok(parsed) => {
                prop_assert!(!parsed.clauses.is_empty());
                for clause in &parsed.clauses {
                    prop_assert_eq!(query.get(clause.span.clone()), Some(clause.text.as_str()));
                    let phrase = matches!(clause.what, What::Phrase(_));
                    let whole = clause.what.tokens().iter().any(|token| token.kind == TokenKind::Whole);
                    prop_assert!(!(phrase && whole));
                }
            }
            Err(QueryError::Empty | QueryError::TooManyClauses { .. }) => {}
            Err(QueryError::TooLong { bytes, max }) => prop_assert!(bytes > max),
        }
    }

    #[test]
    fn words_of_a_document_find_it(text in queries(), number in 0..Language::COUNT as u8) {
        let language = Language::from_number(number).unwrap();
        let mut stored = Vec::new();
        analyze(&text, Settings { language, keep_stop_words: true }, &mut |token| {
            stored.push((text[token.span].to_owned(), token.text.to_owned()));
        });
        for (word, stored) in stored {
            let parsed = parse(&word, &[]).unwrap();
            let tokens = parsed.clauses.iter().flat_map(|clause| clause.what.tokens());
            let found = tokens.flat_map(|token| token.stems(&[language])).any(|stem| stem == stored);
            prop_assert!(found || !parsed.ignored.is_empty(), "{word} does not find {stored}");
        }
    }
}
