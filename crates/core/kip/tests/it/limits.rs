//! What is too much.

use cairn_base::Value;
use cairn_kip::limits::{KIP_BOUND_BYTES_MAX, KIP_CAPSULE_BYTES_MAX, KIP_LEVELS_MAX, KIP_TEXT_BYTES_MAX};
use cairn_kip::{KipCode, bind, format, format_text, parse};

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

/// A way to nest: what stands before, what opens a level, what is inside of all, what closes a level, what
/// stands after; and how many levels stand around.
struct Nesting(&'static str, &'static str, &'static str, &'static str, &'static str, usize);

impl Nesting {
    fn text(&self, levels: usize) -> String {
        let Nesting(before, open, inside, close, after, _) = self;
        format!("{before}{}{inside}{}{after}", open.repeat(levels), close.repeat(levels))
    }
}

const NESTINGS: &[Nesting] = &[
    Nesting("UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: ", "[", "1", "]", "} } }", 3),
    Nesting("UPSERT { CONCEPT { {id: \"C:1\"} SET ATTRIBUTES { a: ", "{a: ", "1", "}", "} } }", 3),
    Nesting("FIND(?x) WHERE { FILTER(", "(", "1 == 1", ")", ") }", 2),
    Nesting("FIND(?x) WHERE { FILTER(", "!", "1 == 1", "", ") }", 2),
    Nesting("FIND(?x) WHERE { FILTER(", "!(", "1 == 1", ")", ") }", 2),
    Nesting("FIND(?x) WHERE { FILTER(", "!(!", "1 == 1", ")", ") }", 2),
    Nesting("FIND(?x) WHERE { ", "OPTIONAL {", "(?x, \"p\", ?y)", "}", "}", 2),
    Nesting("FIND(?x) WHERE { ", "(?x, \"p\", ", "?y", ")", "}", 1),
    Nesting("FIND(?x) WHERE { ", "(", "?x", ", \"p\", ?y)", "}", 1),
    Nesting("FIND(?x) WHERE { ", "(", "{id: \"C:1\"}", ", \"p\", ?y)", "}", 2),
];

#[test]
fn nesting_ends_at_the_limit() {
    for nesting in NESTINGS {
        let per_level = if nesting.1 == "!(!" { 2 } else { 1 };
        let fits = (KIP_LEVELS_MAX - nesting.5) / per_level;
        let tree = parse(&nesting.text(fits)).unwrap_or_else(|error| panic!("{}: {error:?}", nesting.1));
        assert_eq!(parse(&format(&tree)), Ok(tree), "{}", nesting.1);
        for levels in [fits + 1, 300, 5_000, 60_000] {
            refused(&nesting.text(levels));
        }
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

#[test]
fn values_that_are_used_many_times() {
    let long = Value::String("a".repeat(KIP_BOUND_BYTES_MAX / 4));
    let parameters = [("long".to_owned(), long)].into();
    let bound = |times: usize| {
        let text = format!(
            "UPSERT {{ CONCEPT {{ {{id: \"C:1\"}} SET ATTRIBUTES {{ a: [{}] }} }} }}",
            ":long,".repeat(times)
        );
        bind(parse(&text).expect("KIP"), &parameters)
    };
    assert!(bound(3).is_ok());
    let error = bound(4).expect_err("too much");
    assert_eq!(error.code, KipCode::ResourceExhausted);
    assert!(bound(100_000).is_err());
}

/// Looking at all of it anew for each of its parts would take hours.
#[test]
fn a_date_that_never_ends() {
    let text = format!(
        "UPSERT {{ CONCEPT {{ {{id: \"C:1\"}} SET ATTRIBUTES {{ a: {}-1{} }} }} }}",
        "1".repeat(7 << 20),
        ":1".repeat(4 << 20)
    );
    assert!(parse(&text).is_err());
}
