//! The language of queries: what is read, what is refused, and where.

use cairn_turns::limits;
use cairn_turns::query::{Query, QueryErrorKind};
use proptest::prelude::*;

#[test]
fn what_follows_the_grammar_is_read() {
    for text in [
        "tag = \"x\"",
        "tag='x'and title=\"y\"",
        " \n tag\t!= 'x' \r\n",
        "tag ^= 'x' OR title ~= 'x' OR user ^~= 'x' OR service IN ('x') OR host ~= 'X'",
        "host ^~= 'x' aNd NoT host IN ('x', \"y\" ,'z')",
        "label = 'env=prod' AND label != 'b' AND label IN ('c')",
        "trace_id = 'x' OR trace_id != 'x'",
        "id = 18446744073709551615 OR parent = 0 OR root IN (1, 2)",
        "created = 0 OR created > -5 OR created >= '2024-01-30' OR created < '-7d' OR created <= '2024-01-30T00:00:00Z'",
        "depth = 1 AND depth > -1 AND depth <= 9223372036854775807",
        "is_live = true AND is_live = FALSE AND is_live = 'true' AND is_live = 'whatever'",
        "tag = true",
        "NOT NOT NOT tag = 'x'",
        "NOT (tag = 'x' OR (label = 'y'))",
        "((((((tag = 'x'))))))",
        "tag = 'it\\'s' AND tag = \"\\\"\\\\\\n\\t\\r\\q\"",
        "tag = 'ä€😀' AND tag = ''",
    ] {
        if let Err(error) = Query::parse(text, 0) {
            panic!("{text}: {error:?}");
        }
    }
}

#[test]
fn escapes_and_keywords_mean_what_they_say() {
    let same = |one: &str, other: &str| {
        assert_eq!(Query::parse(one, 9).unwrap(), Query::parse(other, 9).unwrap(), "{one}");
    };
    same("tag = 'a\\'b\\\\c\\x'", "tag = \"a'b\\\\cx\"");
    same("tag = 'a\\nb'", "tag = 'a\nb'");
    same("tag = TRUE", "tag = 'true'");
    same("tag='a' or tag='b' and tag='c'", "tag='a' OR (tag='b' AND tag='c')");
    same("not tag='a' and tag='b'", "(NOT tag='a') AND tag='b'");
    same("tag != 'a'", "NOT tag = 'a'");
    same("tag = 'a'", "tag IN ('a')");
    same("created < '-0m'", "created < 9");
}

#[test]
fn what_does_not_is_refused_where_it_goes_wrong() {
    use QueryErrorKind::{InvalidOperator, InvalidValue, Syntax, UnknownField};
    let rows: &[(&str, QueryErrorKind, usize, Option<&str>)] = &[
        ("", Syntax, 0, None),
        ("   ", Syntax, 3, None),
        ("tag", Syntax, 3, None),
        ("tag =", Syntax, 5, None),
        ("tag = x", Syntax, 6, None),
        ("tag = 'x' tag = 'y'", Syntax, 10, None),
        ("tag = 'x' AND", Syntax, 13, None),
        ("AND tag = 'x'", Syntax, 0, None),
        ("NOT", Syntax, 3, None),
        ("(tag = 'x'", Syntax, 10, None),
        ("tag = 'x')", Syntax, 9, None),
        ("()", Syntax, 1, None),
        ("tag = 'x", Syntax, 6, None),
        ("tag = 'x\\'", Syntax, 6, None),
        ("tag = 'x\\", Syntax, 6, None),
        ("tag IN ()", Syntax, 8, None),
        ("tag IN 'x'", Syntax, 7, None),
        ("tag IN ('x'", Syntax, 11, None),
        ("tag IN ('x',)", Syntax, 12, None),
        ("tag ! 'x'", Syntax, 4, None),
        ("tag ^ 'x'", Syntax, 4, None),
        ("tag & 'x'", Syntax, 4, None),
        ("ä = 'x'", Syntax, 0, None),
        ("depth = -", Syntax, 8, None),
        ("depth = 5x", Syntax, 9, None),
        ("Tag = 'x'", UnknownField, 0, Some("Tag")),
        ("tag = 'x' OR nothing = 1", UnknownField, 13, Some("nothing")),
        ("label ^= 'x'", InvalidOperator, 6, Some("label")),
        ("trace_id IN ('x')", InvalidOperator, 9, Some("trace_id")),
        ("id > 5", InvalidOperator, 3, Some("id")),
        ("tag > 'x'", InvalidOperator, 4, Some("tag")),
        ("created IN (1)", InvalidOperator, 8, Some("created")),
        ("depth ~= 1", InvalidOperator, 6, Some("depth")),
        ("is_live != true", InvalidOperator, 8, Some("is_live")),
        ("tag = 5", InvalidValue, 6, Some("tag")),
        ("tag IN ('x', 5)", InvalidValue, 13, Some("tag")),
        ("id = '5'", InvalidValue, 5, Some("id")),
        ("id = -1", InvalidValue, 5, Some("id")),
        ("id = 1.5", InvalidValue, 5, Some("id")),
        ("id = 18446744073709551616", InvalidValue, 5, Some("id")),
        ("parent IN (1, true)", InvalidValue, 14, Some("parent")),
        ("depth > 'x'", InvalidValue, 8, Some("depth")),
        ("depth > 1.5", InvalidValue, 8, Some("depth")),
        ("created > 'yesterday'", InvalidValue, 10, Some("created")),
        ("created > '-99999999999999999d'", InvalidValue, 10, Some("created")),
        ("created > 99999999999999999999", InvalidValue, 10, Some("created")),
        ("is_live = 1", InvalidValue, 10, Some("is_live")),
    ];
    for (text, kind, offset, field) in rows {
        let error = Query::parse(text, 0).expect_err(text);
        assert_eq!(
            (error.kind, error.at.offset, error.field.as_deref()),
            (*kind, *offset, *field),
            "{text}: {error:?}"
        );
        assert!(!error.message.is_empty());
    }
    let error = Query::parse("tag = 'ä'\n  AND tag = 'ö' AND x = 1", 0).expect_err("no field");
    assert_eq!((error.at.line, error.at.column, error.at.offset), (2, 21, 32));
}

#[test]
fn depth_length_and_number_of_values_are_bounded() {
    let max = limits::QUERY_LEVELS_MAX;
    let nested = |levels: usize| format!("{}tag = 'x'{}", "(".repeat(levels), ")".repeat(levels));
    assert!(Query::parse(&nested(max), 0).is_ok());
    for text in [
        nested(max + 1),
        "(".repeat(20_000),
        "NOT ".repeat(16_000),
        format!("{}tag = 'x'", "NOT ".repeat(max + 1)),
    ] {
        let error = Query::parse(&text, 0).expect_err("too deep");
        assert_eq!(error.kind, QueryErrorKind::Syntax);
        assert!(error.message.contains("levels"), "{error:?}");
    }
    let values = |count: usize| format!("id IN ({}0)", "1,".repeat(count - 1));
    assert!(Query::parse(&values(limits::QUERY_VALUES_MAX), 0).is_ok());
    assert!(Query::parse(&values(limits::QUERY_VALUES_MAX + 1), 0).is_err());
    let long = |bytes: usize| format!("tag = '{}'", "x".repeat(bytes - 8));
    assert!(Query::parse(&long(limits::QUERY_BYTES_MAX), 0).is_ok());
    assert!(Query::parse(&long(limits::QUERY_BYTES_MAX + 1), 0).is_err());
}

proptest! {
    #[test]
    fn no_text_panics(
        any in "\\PC{0,60}",
        close in "((tag|depth|created|id|NOT|AND|OR|IN|is_live|x) ?|[=!^~<>(),]{1,3} ?|'[a\\\\]?'? ?|-?[0-9.]{1,4} ?){0,12}",
    ) {
        for text in [any, close] {
            if let Err(error) = Query::parse(&text, 5) {
                prop_assert!(error.at.offset <= text.len() && text.is_char_boundary(error.at.offset));
            }
        }
    }
}
