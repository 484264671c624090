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
    let foreign = parse(b"\x7fELF\0\0");
    assert!(!foreign.is_document && foreign.problems.is_empty());
    assert_eq!(foreign.refusal.expect("it is no text").message, "there is a NUL byte");
    let text = "---\ntitle: t\n---\n";
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(parse(&wide).refusal.expect("it is UTF-16").message, "the text is not UTF-8");
    assert_eq!(parse(b"# Text\n").refusal, None);
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
    assert_eq!(
        (last.class, last.message.as_str()),
        (ProblemClass::MoreWarnings, "4800 more warnings are not listed")
    );
    assert!(!document.has_errors() && document.entities.len() == 1);
    // Errors are listed before warnings, wherever they are.
    let document = parse(format!("---\n{keys}titel: t\n---\n").as_bytes());
    let errors: Vec<_> = document.problems.iter().filter(|problem| problem.is_error()).collect();
    assert_eq!(document.problems.len(), DOCUMENT_PROBLEMS_MAX + 1);
    assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [Some(2), Some(5_002)]);
    let links: String = (0..5_000).map(|_| "  - type: depends_on\n").collect();
    let document = parse(format!("---\ntitle: t\nlayout: post\nlinks:\n{links}---\n").as_bytes());
    let last = document.problems.last().expect("there are problems");
    assert_eq!(
        (last.class, last.message.as_str()),
        (ProblemClass::More, "4801 more problems are not listed")
    );
}

#[test]
fn keys_that_are_not_read_are_named() {
    let document = parse(b"---\ntitle: t\nlayout: post\nsourceLine: 3\nowner: ann\ndraft-of: x\n---\n");
    assert_eq!(document.ignored, ["draft-of", "layout", "sourceLine"]);
    let symbols = parse_symbols("s.yaml", b"version: 2\nsymbols:\n  - title: run\n    sourceLine: 3\n");
    assert_eq!(symbols.ignored, ["sourceLine", "version"]);
    assert_eq!(parse(b"---\ntitle: t\n---\n").ignored, Vec::<String>::new());
}

#[test]
fn each_relationship_has_its_line() {
    let text = "---\nid: R\ntitle: t\nlinks:\n  - A\n  - https://example.com\n  - type: nothing\n    target: B\n  \
                - type: depends_on\n    target: C\n---\n";
    let document = parse(text.as_bytes());
    let entity = &document.entities[0];
    let to: Vec<_> = entity.input.relationships.iter().map(|one| one.to.as_str()).collect();
    assert_eq!((to, entity.link_lines.as_slice()), (vec!["A", "C"], [5, 9].as_slice()));
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
