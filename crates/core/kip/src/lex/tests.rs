//! Tokens, and what is none.

use super::*;
use crate::KipCode;

/// The tokens of a text, written as errors call them.
fn tokens(text: &str) -> Result<Vec<String>, KipError> {
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?.token;
        if token == Token::End {
            return Ok(tokens);
        }
        tokens.push(token.to_string());
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(tokens(text).map(|tokens| tokens.join(" ")), Ok(expected.to_owned()), "{text:?}");
}

fn refused(text: &str, code: KipCode, at: std::ops::Range<usize>, hint: &str) {
    let error = tokens(text).expect_err(text);
    assert_eq!((error.code, error.span.map(Span::range)), (code, Some(at)), "{text:?}: {error:?}");
    assert!(error.advice().contains(hint), "{text:?}: {error:?}");
}

#[test]
fn words_signs_and_white_space() {
    check("FIND(?drug.name)", "`FIND` `(` `?drug` `.` `name` `)`");
    check("a\u{a0}b\u{3000}c\u{2003}d\u{85}e\tf\r\ng", "`a` `b` `c` `d` `e` `f` `g`");
    check("a // b ?c\n// d\nd// \"e\"", "`a` `d`");
    check("\u{feff}a", "`a`");
    check("{name::name}", "`{` `name` `:` `:` `name` `}`");
    check(
        "a==b!=c<=d>=e<f>g&&h||i!j|k",
        "`a` `==` `b` `!=` `c` `<=` `d` `>=` `e` `<` `f` `>` `g` `&&` `h` `||` `i` `!` `j` `|` `k`",
    );
    check("= & ; ' #", "`=` `&` `;` `'` `#`");
    check("", "");
}

#[test]
fn names_that_are_none_are_taken_whole() {
    check(
        "risk-level $self größe 1st 2025-01-01T10:00:00Z x",
        "`risk-level` `$self` `größe` `1st` `2025-01-01T10:00:00Z` `x`",
    );
    check("a- b", "`a` `-` `b`");
    for (text, at) in
        [("? x", 0..1), ("?1st", 0..4), ("?my-var", 0..7), ("?größe", 0..8), ("?", 0..1), ("?$x", 0..3)]
    {
        refused(text, KipCode::InvalidIdentifier, at, "?");
    }
}

#[test]
fn numbers_are_those_of_json() {
    check(
        "0 -1 1.5 -0.0 1e3 1E-7",
        "the number 0 the number -1 the number 1.5 the number -0.0 the number 1000.0 the number 1e-7",
    );
    check(
        "9223372036854775807 18446744073709551615",
        "the number 9223372036854775807 the number 18446744073709551615",
    );
    check("18446744073709551616", "the number 1.8446744073709552e19");
    for (text, hint) in [
        ("01", "write 1"),
        ("-007", "write -7"),
        ("1.", "write 1.0"),
        ("1e", "1.5e3"),
        ("2.e5", "1.5e3"),
        ("00.5", "write 0.5"),
    ] {
        refused(text, KipCode::InvalidSyntax, 0..text.len(), hint);
    }
    refused("123456789012345678901", KipCode::InvalidSyntax, 0..21, "quotes");
    refused("1e400", KipCode::InvalidSyntax, 0..5, "quotes");
    check("+1 .5", "`+` the number 1 `.` the number 5");
}

#[test]
fn strings_are_those_of_json() {
    let string = |text: &str| match Lexer::new(text).next().map(|lexeme| lexeme.token) {
        Ok(Token::String(text)) => text.into_owned(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(string(r#""plain 漢 🪨""#), "plain 漢 🪨");
    assert_eq!(string(r#""\" \\ \/ \b\f\n\r\t \u00e9 \ud83d\ude80""#), "\" \\ / \u{8}\u{c}\n\r\t é 🚀");
    assert_eq!(string("\"\""), "");
    assert_eq!(string("\"a // b\""), "a // b");
    let refused = |text, at, hint| refused(text, KipCode::InvalidSyntax, at, hint);
    refused(r#""a\ud83d""#, 2..4, "as two");
    refused(r#""ä\ude80 b""#, 3..5, "as two");
    refused(r#""\ud83dx""#, 1..3, "as two");
    refused(r#""\x41""#, 1..3, "escapes are");
    refused(r#""\u12g4""#, 1..3, "four hexadecimal");
    refused("\"a\tb\"", 2..3, "\\t");
    refused("\"a\u{1}b\"", 2..3, "\\u0001");
    refused("\"a\nb\"", 0..2, "\\n");
    refused("x \"abc", 2..3, "double quote");
    refused("\"abc\\", 0..1, "double quote");
    refused("\"abc\\\"", 0..1, "double quote");
    refused("\"a\\\nb\"", 2..4, "escapes are");
}
