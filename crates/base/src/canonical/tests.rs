//! Texts and their canonical form, and what holds for all of them.

use proptest::prelude::*;

use super::*;
use crate::limits::JSON_DEPTH_MAX;

fn check(json: &str, expected: &str) {
    let canonical = canonical_json(json.as_bytes()).unwrap_or_else(|error| panic!("{error} in {json}"));
    assert_eq!(canonical, expected, "{json}");
    assert_eq!(canonical_json(canonical.as_bytes()).as_deref(), Ok(expected));
}

#[test]
fn objects_are_sorted_by_code_point_and_have_no_spaces() {
    check(" { \"b\" : [ 1 , { } ] , \"a\" : [ ] } ", r#"{"a":[],"b":[1,{}]}"#);
    check(
        r#"{"z":{"d":1,"c":[{"b":null,"a":true}]},"A":false}"#,
        r#"{"A":false,"z":{"c":[{"a":true,"b":null}],"d":1}}"#,
    );
    // UTF-16 would have the second one first.
    check(r#"{"😀":1,"\uffee":2,"z":3,"Z":4,"":5}"#, r#"{"":5,"Z":4,"z":3,"\uffee":2,"\ud83d\ude00":1}"#);
    check(
        r#"{"tags":[],"team":null,"summary":"","acl":{}}"#,
        r#"{"acl":{},"summary":"","tags":[],"team":null}"#,
    );
    // Two spellings of the same letter are two keys.
    check("{\"e\u{301}\":1,\"\u{e9}\":2}", r#"{"e\u0301":1,"\u00e9":2}"#);
}

#[test]
fn strings_are_ascii() {
    check(r#""\u0041\/é\uD83D\uDE80\u007f""#, r#""A/\u00e9\ud83d\ude80\u007f""#);
    check("\"<>&'/ ~\u{2028}\"", r#""<>&'/ ~\u2028""#);
    check(r#""\u0000\u0001\b\t\n\u000b\f\r\u001f\"\\""#, r#""\u0000\u0001\b\t\n\u000b\f\r\u001f\"\\""#);
    check("\"\u{7f}\u{80}\u{ff}\"", r#""\u007f\u0080\u00ff""#);
}

#[test]
fn integers_keep_every_digit_and_floats_have_one_spelling() {
    for integer in ["0", "1", "-1", "9007199254740993", "18446744073709551616", "-123456789012345680000"] {
        check(integer, integer);
    }
    check("-0", "0");
    check(&"7".repeat(5000), &"7".repeat(5000));
    for (json, expected) in [
        ("1.0", "1.0"),
        ("1.00", "1.0"),
        ("1e5", "100000.0"),
        ("1E+5", "100000.0"),
        ("1.10", "1.1"),
        ("-0.0", "-0.0"),
        ("0e0", "0.0"),
        ("0.0001", "0.0001"),
        ("0.00012345", "0.00012345"),
        ("0.00001", "1e-05"),
        ("1.5e-7", "1.5e-07"),
        ("1e-7", "1e-07"),
        ("1e15", "1000000000000000.0"),
        ("9999999999999998.0", "9999999999999998.0"),
        ("1e16", "1e+16"),
        ("12345678901234567890.0", "1.2345678901234567e+19"),
        ("1e100", "1e+100"),
        ("-1.7976931348623157e308", "-1.7976931348623157e+308"),
        ("5e-324", "5e-324"),
        ("1e-400", "0.0"),
        ("-1e-400", "-0.0"),
        ("0.1", "0.1"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("2.5", "2.5"),
    ] {
        check(json, expected);
    }
}

#[test]
fn what_two_readers_may_understand_in_two_ways_is_refused() {
    for bad in [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "-1e400",
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"[{"b":{"a":1,"a":1}}]"#,
        r#""\ud800""#,
        r#""\udc00\ud800""#,
        r#""\ud800x""#,
        "01",
        "1.",
        ".5",
        "+1",
        "[1,]",
        "{\"a\":1,}",
        "'a'",
        "",
        "1 2",
        "\"\n\"",
        "\u{feff}1",
    ] {
        let refused = canonical_json(bad.as_bytes());
        assert!(matches!(refused, Err(CanonicalError::Json(_))), "{bad}: {refused:?}");
    }
    assert!(canonical_json(b"\"\xff\"").is_err());
}

#[test]
fn depth_and_length_have_limits() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    check(&deep(JSON_DEPTH_MAX), &deep(JSON_DEPTH_MAX));
    let refused = canonical_json(deep(JSON_DEPTH_MAX + 1).as_bytes());
    assert!(matches!(refused, Err(CanonicalError::Json(ValueError::TooDeep { .. }))), "{refused:?}");

    let long = |bytes: usize| format!("\"{}\"", "a".repeat(bytes - 2)).into_bytes();
    assert!(canonical_json(&long(CANONICAL_JSON_BYTES_MAX)).is_ok());
    let too_long = long(CANONICAL_JSON_BYTES_MAX + 1);
    assert_eq!(canonical_json(&too_long), Err(CanonicalError::TooLong { bytes: too_long.len() }));
    assert!(matches!(CanonicalObject::parse(&too_long), Err(CanonicalError::TooLong { .. })));
}

#[test]
fn objects_leave_keys_out() {
    let object = CanonicalObject::parse(br#"{"signature":"x","b":{"z":1,"a":"\u00e9"},"_a":2,"\u00e9":1.0}"#)
        .expect("an object");
    assert_eq!(object.keys().collect::<Vec<_>>(), ["_a", "b", "signature", "é"]);
    assert_eq!(object.get("b"), Some(r#"{"a":"\u00e9","z":1}"#));
    assert_eq!(object.get_str("signature").as_deref(), Some("x"));
    assert_eq!((object.get_str("_a"), object.get_str("no")), (None, None));
    assert_eq!(object.to_json(|key| key != "signature"), r#"{"_a":2,"b":{"a":"\u00e9","z":1},"\u00e9":1.0}"#);
    assert_eq!(object.to_json(|_| false), "{}");
    for (bad, expected) in
        [("[]", true), ("1", true), ("{\"a\":1,\"a\":2}", false), ("x", false), ("", false)]
    {
        let refused = CanonicalObject::parse(bad.as_bytes()).expect_err(bad);
        assert_eq!(refused == CanonicalError::NotAnObject, expected, "{bad}");
    }
}

proptest! {
    #[test]
    fn canonical_text_means_the_same_and_stays_as_it_is(value in crate::value::any_value()) {
        let canonical = value.to_canonical_json().expect("it is neither deep nor long");
        prop_assert!(canonical.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        prop_assert_eq!(canonical_json(canonical.as_bytes()), Ok(canonical.clone()));
        let back = Value::parse_json(canonical.as_bytes()).expect("it is JSON");
        prop_assert_eq!(back.to_json(), value.to_json());
        if value.as_object().is_some() {
            let object = CanonicalObject::parse(value.to_json().as_bytes()).expect("an object");
            prop_assert_eq!(object.to_json(|_| true), canonical);
        }
    }

    #[test]
    fn any_bytes_are_refused_exactly_when_the_reader_of_values_refuses_them(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            "[\\[\\]{}:,\"a\\\\u0-9eE.+ -]{0,30}".prop_map(String::into_bytes),
        ]
    ) {
        let canonical = canonical_json(&bytes);
        match Value::parse_json(&bytes) {
            Ok(value) => prop_assert!(canonical.is_ok(), "{value:?}"),
            // Integers of any size have a canonical form; not all of them have a value.
            Err(ValueError::NumberOutOfRange { .. }) => {}
            Err(error) => prop_assert_eq!(canonical, Err(error.into())),
        }
    }

    #[test]
    fn floats_are_read_back_to_the_bit(bits: u64) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite());
        let mut out = String::new();
        write::float(&mut out, float);
        prop_assert_eq!(out.parse::<f64>().expect("a float").to_bits(), bits, "{}", out);
        prop_assert!(out.contains(['.', 'e']), "{}", out);
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
        prop_assert!(digits(out.split('e').next().expect("a part")) <= 21, "{}", out);
    }
}
