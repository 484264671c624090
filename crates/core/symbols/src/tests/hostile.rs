use proptest::prelude::*;

use super::parse;
use crate::limits::{SOURCE_BYTES_MAX, SOURCE_DIRECTIVES_MAX, SOURCE_SYMBOLS_MAX};
use crate::{Language, SymbolError};

/// Pieces that parsers find hard, repeated up to the limit of a file.
const PIECES: [&str; 35] = [
    "(",
    "[",
    "{",
    "<",
    "((((",
    ")",
    "}",
    "\"",
    "'",
    "`",
    "`${",
    "/*",
    "/",
    "\\",
    "\0",
    "@",
    "#",
    "a",
    " ",
    "\n",
    "\t",
    "if (a) ",
    "a.b(",
    "x=>",
    "class A{",
    "def a():\n ",
    "r#\"",
    "<a>",
    "0x",
    "ä",
    "'a ",
    "/**/",
    "^*",
    "]->",
    "/*x",
];

/// Enough to take minutes and gigabytes where the parser is not bounded.
const BYTES: usize = SOURCE_BYTES_MAX / 64;

#[test]
fn repetition_neither_panics_nor_overflows_the_stack() {
    for language in Language::ALL {
        for piece in PIECES {
            let source = piece.repeat(BYTES / piece.len());
            match parse(language, &source) {
                Ok(_) | Err(SymbolError::TooComplex) => {}
                Err(error) => panic!("{language} {piece:?}: {error}"),
            }
        }
    }
}

#[test]
fn files_of_the_longest_length_have_a_stack() {
    for (language, piece) in
        [(Language::Tsx, "("), (Language::Rust, "["), (Language::Python, "\0"), (Language::Java, "x=>")]
    {
        let parsed = parse(language, &piece.repeat(SOURCE_BYTES_MAX / piece.len()));
        assert!(matches!(parsed, Ok(_) | Err(SymbolError::TooComplex)), "{language} {piece}");
    }
}

#[test]
fn deep_nesting_leaves_out_what_is_deep() {
    let deep = 100_000;
    for (language, open, close) in [
        (Language::TypeScript, "[", "]"),
        (Language::Tsx, "(", ")"),
        (Language::Rust, "{", "}"),
        (Language::Python, "(", ")"),
        (Language::Java, "(", ")"),
        (Language::Go, "(", ")"),
    ] {
        let nested = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        let source = match language {
            Language::TypeScript | Language::Tsx | Language::JavaScript => {
                format!("const a = {nested};\nfunction after() {{}}")
            }
            Language::Rust => format!("fn a() {{ {nested} }}\nfn after() {{}}"),
            Language::Python => format!("a = {nested}\ndef after(): pass\n"),
            Language::Java => format!("class A {{ int a = {nested}; void after() {{}} }}"),
            Language::Go => format!("package a\nvar a = {nested}\nfunc after() {{}}\n"),
        };
        // Without directives nothing inside of values is looked at; with one, all of it is.
        for end in ["", "// implements REQ-1", "# implements REQ-1"] {
            let found = parse(language, &format!("{source}\n{end}\n")).expect("linear");
            let names: Vec<&str> = found.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            assert!(names.contains(&"after"), "{language}: {names:?}");
        }
    }
}

#[test]
fn a_file_may_have_the_limit_and_not_a_byte_more() {
    let source = |bytes: usize| format!("{}{}", "fn a() {}\n", " ".repeat(bytes - 10));
    assert_eq!(parse(Language::Rust, &source(SOURCE_BYTES_MAX)).expect("at the limit").symbols.len(), 1);
    let bytes = SOURCE_BYTES_MAX + 1;
    assert_eq!(parse(Language::Rust, &source(bytes)), Err(SymbolError::TooLong { bytes }));
}

#[test]
fn symbols_are_bounded() {
    for (count, is_truncated) in [(SOURCE_SYMBOLS_MAX, false), (SOURCE_SYMBOLS_MAX + 1, true)] {
        let found = parse(Language::Rust, &"fn a() {}\n".repeat(count)).expect("linear");
        assert_eq!((found.symbols.len(), found.is_truncated), (SOURCE_SYMBOLS_MAX, is_truncated));
    }
}

#[test]
fn directives_are_bounded() {
    for (count, is_truncated) in [(SOURCE_DIRECTIVES_MAX, false), (SOURCE_DIRECTIVES_MAX + 1, true)] {
        let found = parse(Language::Go, &"// implements REQ-1\n".repeat(count)).expect("linear");
        assert_eq!((found.directives.len(), found.is_truncated), (SOURCE_DIRECTIVES_MAX, is_truncated));
    }
}

#[test]
fn names_are_bounded() {
    let found =
        parse(Language::Rust, &format!("fn {}() {{}}\nfn b() {{}}", "a".repeat(2_000))).expect("linear");
    assert_eq!((found.symbols.len(), found.is_truncated), (1, true));
    let nested = format!("{}{}", "mod a { ".repeat(600), "}".repeat(600));
    assert!(parse(Language::Rust, &nested).expect("linear").is_truncated);
}

#[test]
fn a_file_leaves_nothing_behind_for_the_next_one() {
    for language in Language::ALL {
        let before = parse(language, "class A {}");
        let _ = parse(language, &"(".repeat(BYTES));
        assert_eq!(parse(language, "class A {}"), before);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_parsed_twice_the_same(source in "\\PC{0,200}", language in 0..Language::ALL.len()) {
        let parsed = parse(Language::ALL[language], &source);
        prop_assert!(parsed.is_ok());
        prop_assert_eq!(parsed, parse(Language::ALL[language], &source));
    }

    #[test]
    fn pieces_in_any_order_are_parsed(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..80),
        language in 0..Language::ALL.len(),
    ) {
        let source = pieces.concat();
        let found = parse(Language::ALL[language], &source).expect("short");
        for symbol in &found.symbols {
            prop_assert!(symbol.line >= 1 && symbol.end_line >= symbol.line);
        }
    }
}
