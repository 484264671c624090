//! What is too much.

use cairn_base::limits::{KIP_CAPSULE_BYTES_MAX, KIP_LEVELS_MAX, KIP_TEXT_BYTES_MAX};
use cairn_kip::{KipCode, format, format_text, parse};

fn refused(text: &str) {
    let error = parse(text).expect_err("too much");
    assert_eq!(error.code, KipCode::ResourceExhausted, "{error:?}");
    assert!(error.hint.is_some(), "{error:?}");
}

/// A text of so many bytes.
fn filled(command: &str, bytes: usize) -> String {
    let mut text = command.to_owned();
    text.extend(std::iter::repeat_n(' ', bytes - command.len()));
    text
}

#[test]
fn long_texts() {
    let find = "FIND(?x) WHERE { ?x {type: \"Drug\"} }";
    assert!(parse(&filled(find, KIP_TEXT_BYTES_MAX)).is_ok());
    refused(&filled(find, KIP_TEXT_BYTES_MAX + 1));
    refused(&filled(find, 10 << 20));
    let upsert = "UPSERT { CONCEPT { {id: \"C:1\"} } }";
    assert!(parse(&filled(upsert, KIP_CAPSULE_BYTES_MAX)).is_ok());
    refused(&filled(upsert, KIP_CAPSULE_BYTES_MAX + 1));
}

#[test]
fn a_long_capsule_is_read() {
    let block = "CONCEPT { {type: \"Drug\", name: \"Aspirin\"} SET ATTRIBUTES { a: [1, 2, 3] } }\n";
    let text = format!("UPSERT {{ {} }}", block.repeat(20_000));
    assert!(text.len() > KIP_TEXT_BYTES_MAX);
    assert!(parse(&text).is_ok());
}

/// Ways to nest, each with the levels that stand around what is nested.
fn nestings() -> Vec<(usize, Box<dyn Fn(usize) -> String>)> {
    let around = |before: &'static str,
                  open: &'static str,
                  inner: &'static str,
                  close: &'static str,
                  after: &'static str| {
        Box::new(move |levels: usize| {
            format!("{before}{}{inner}{}{after}", open.repeat(levels), close.repeat(levels))
        })
    };
    let upsert = "UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: ";
    vec![
        (3, around(upsert, "[", "1", "]", "} } }") as Box<dyn Fn(usize) -> String>),
        (3, around(upsert, "{a: ", "1", "}", "} } }")),
        (2, around("FIND(?x) WHERE { FILTER(", "(", "1 == 1", ")", ") }")),
        (2, around("FIND(?x) WHERE { FILTER(", "!", "1 == 1", "", ") }")),
        (2, around("FIND(?x) WHERE { FILTER(", "!(", "1 == 1", ")", ") }")),
        (2, around("FIND(?x) WHERE { ?x {id: \"C:1\"} ", "OPTIONAL {", "?x {id: \"C:1\"}", "}", "}")),
        (2, around("FIND(?x) WHERE { ", "(?x, \"p\", ", "?y", ")", " ?x {id: \"C:1\"} }")),
        (1, around("FIND(?x) WHERE { ", "(", "?x", ", \"p\", ?y)", " ?x {id: \"C:1\"} }")),
    ]
}

#[test]
fn nesting_ends_at_the_limit() {
    for (number, (outside, nested)) in nestings().into_iter().enumerate() {
        // What stands around counts; the innermost of some ways stands beside it.
        let fits =
            (1..=KIP_LEVELS_MAX).rev().find(|levels| parse(&nested(*levels)).is_ok()).unwrap_or_default();
        assert!(
            (KIP_LEVELS_MAX - outside..=KIP_LEVELS_MAX - outside + 1).contains(&fits),
            "{number}: {fits}"
        );
        refused(&nested(fits + 1));
        for levels in [300, 5_000, 60_000] {
            refused(&nested(levels));
        }
        let tree = parse(&nested(fits)).expect("it fits");
        assert_eq!(parse(&format(&tree)), Ok(tree), "{number}");
    }
}

#[test]
fn what_is_long_takes_no_longer_than_it_is_long() {
    let keys = vec!["COUNT(?x)"; 60_000].join(", ");
    let tests = vec!["IS_NULL(?x)"; 60_000].join(" && ");
    for text in [
        format!("FIND(?x) WHERE {{ ?x {{id: \"C:1\"}} }} ORDER BY {keys}"),
        format!("FIND(?x) WHERE {{ FILTER(1 == 2 || {tests}) }}"),
        format!("FIND({keys}) WHERE {{ ?x {{id: \"C:1\"}} }}"),
        format!("FIND(?x) WHERE {{ ?x {{id: \"{}\"}} }}", "\\n".repeat(500_000)),
        format!("FIND(?x) WHERE {{ ?x {{id: \"C:1\"}} }} {}", "// x\n".repeat(200_000)),
    ] {
        let laid_out = format_text(&text).expect("a command");
        assert!(laid_out.len() >= text.len() / 2);
    }
}
