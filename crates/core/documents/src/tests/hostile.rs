//! Input that is made to hurt: it is refused with a line, or read, in linear time and without a panic.

use proptest::prelude::*;

use crate::limits::{DOCUMENT_PROBLEMS_MAX, MARKDOWN_BYTES_MAX, YAML_SCALAR_BYTES_MAX};
use crate::{Document, Problem, ProblemClass, parse_markdown, parse_symbols};

fn parse(bytes: &[u8]) -> Document {
    parse_markdown("requirements/r.md", bytes, None)
}

/// The first problem of front matter: its line and message.
#[track_caller]
fn check(front: &str, line: Option<u32>, message: &str) {
    let document = parse(format!("---\ntitle: t\n{front}\n---\n").as_bytes());
    let first = document.problems.first().expect("there is a problem");
    assert_eq!((first.line, first.message.as_str()), (line, message));
    assert!(document.entities.is_empty() && document.has_errors());
}

#[test]
fn nesting_and_bombs_are_refused() {
    let deep = "lists and mappings are more than 32 deep";
    check(&format!("tags: {}", "[".repeat(1_000_000)), Some(3), deep);
    check(&format!("tags: {}", "{a: ".repeat(300_000)), Some(3), deep);
    check(&format!("tags:\n{}", "- ".repeat(1_000_000)), Some(4), deep);
    let steps: String = (0..10_000).map(|step| format!("{}a:\n", " ".repeat(step % 200))).collect();
    assert!(parse(format!("---\n{steps}---\n").as_bytes()).has_errors());
    let anchors = "anchors and aliases are not supported";
    check("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", Some(3), anchors);
    check("a: *b", Some(3), "while parsing node, found unknown anchor");
    check("<<: {title: u}\ntags: &x []", Some(4), anchors);
}

#[test]
fn too_much_is_refused() {
    let huge = format!("---\ntitle: t\ntext_ref: \"{}\"\n---\n", "x".repeat(10 << 20));
    let document = parse(huge.as_bytes());
    assert_eq!(document.problems[0].class, ProblemClass::Unreadable);
    assert!(document.is_document);
    let text = "x".repeat(YAML_SCALAR_BYTES_MAX + 1);
    check(&format!("text_ref: {text}"), Some(3), "the value has more than 262144 bytes");
    check(&format!("tags: [{}]", "1,".repeat(60_000)), Some(3), "there are more than 50000 values");
    // A file without front matter may be as large as it likes.
    assert!(!parse(&vec![b'x'; MARKDOWN_BYTES_MAX + 1]).is_document);
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_line() {
    let first =
        |bytes: &[u8]| -> Problem { parse(bytes).problems.into_iter().next().expect("there is a problem") };
    let problem = first(b"---\ntitle: t\nowner: \xff\n---\n");
    assert_eq!((problem.line, problem.message.as_str()), (Some(3), "the text is not UTF-8"));
    let problem = first(b"---\ntitle: t\0\n---\n");
    assert_eq!((problem.line, problem.message.as_str()), (Some(2), "there is a NUL byte"));
    assert!(!parse(b"\x7fELF\0\0").is_document);
    let symbols = parse_symbols("s.yaml", b"symbols:\n  - title: \xff\n");
    assert_eq!(symbols.problems[0].line, Some(2));
}

#[test]
fn tabs_are_named() {
    let document = parse(b"---\ntitle: t\ntags:\n\t- a\n---\n");
    assert_eq!(document.problems[0].hint.as_deref(), Some("indent with spaces instead of tabs"));
    assert_eq!(document.problems[0].line, Some(4));
}

#[test]
fn problems_are_listed_up_to_the_limit() {
    let keys: String = (0..5_000).map(|index| format!("zz{index}xx: 1\n")).collect();
    let document = parse(format!("---\ntitle: t\n{keys}---\n").as_bytes());
    assert_eq!(document.problems.len(), DOCUMENT_PROBLEMS_MAX + 1);
    let last = document.problems.last().expect("there are problems");
    assert_eq!(last.message, "4800 more problems are not listed");
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let front = [b"---\n", bytes.as_slice(), b"\n---\n"].concat();
        parse(&front);
        parse(&bytes);
        parse_symbols("s.yaml", &bytes);
    }

    #[test]
    fn text_that_looks_like_yaml_does_no_harm(
        text in "([-?:,\\[\\]{}#&*!|>'\"%@`~ \t\r\n]|---|\\.\\.\\.|title|links|a|é|1|\\\\u|\\\\){0,80}",
    ) {
        parse(format!("---\ntitle: t\n{text}\n---\n").as_bytes());
        parse_symbols("s.yaml", format!("symbols:\n  - {text}").as_bytes());
    }
}
