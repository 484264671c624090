//! Reading, writing and comparing.

use std::hash::{BuildHasher, RandomState};

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::limits::JSON_DEPTH_MAX;

fn any_number() -> impl Strategy<Value = Number> {
    let near_i64 = prop_oneof![any::<i64>(), -2..3_i64, Just(i64::MIN), Just((1 << 53) + 1)];
    let near_u64 = prop_oneof![any::<u64>(), Just(u64::MAX), Just(u64::MAX - 2047), Just(1 << 63)];
    let near_f64 = prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        any::<i64>().prop_map(|value| value as f64),
        any::<i32>().prop_map(|value| f64::from(value) / 2.0),
        select(vec![0.0, -0.0, 1.0, 2_f64.powi(53), 2_f64.powi(64), -2_f64.powi(63), f64::MAX, 5e-324]),
    ];
    prop_oneof![
        near_i64.prop_map(Number::from),
        near_u64.prop_map(Number::from),
        near_f64.prop_filter_map("finite", Number::from_f64),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    let chars =
        prop_oneof![any::<char>(), select(vec!['"', '\\', '\n', '\0', '\u{7f}', '\u{2028}', 'é', '𝄞'])];
    vec(chars, 0..6).prop_map(String::from_iter)
}

pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any_number().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |value| {
        prop_oneof![
            vec(value.clone(), 0..6).prop_map(Value::from),
            btree_map(any_text(), value, 0..6).prop_map(Value::from),
        ]
    })
}

/// What mathematics says: 1100 digits after the point write out any float, the smallest included.
fn exact_order(a: Number, b: Number) -> std::cmp::Ordering {
    fn digits(number: Number) -> (bool, String) {
        let text = if number.is_float() {
            format!("{:.1100}", number.to_f64())
        } else {
            format!("{number}.{}", "0".repeat(1100))
        };
        let magnitude = format!("{:0>1500}", text.trim_start_matches('-'));
        let negative = text.starts_with('-') && magnitude.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        (negative, magnitude)
    }
    match (digits(a), digits(b)) {
        ((false, a), (false, b)) => a.cmp(&b),
        ((true, a), (true, b)) => b.cmp(&a),
        ((a_negative, _), (b_negative, _)) => b_negative.cmp(&a_negative),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in any_value()) {
        let json = value.to_json();
        let back = Value::parse_json(json.as_bytes()).expect("written JSON can be read");
        prop_assert_eq!(&back, &value);
        // Equality does not see 1 become 1.0; the text does.
        prop_assert_eq!(back.to_json(), json);
    }

    #[test]
    fn serde_carries_values_over(value in any_value()) {
        let carried = serde_json::to_value(&value).and_then(serde_json::from_value::<Value>);
        prop_assert_eq!(carried.expect("serde knows every kind of value").to_json(), value.to_json());
    }

    #[test]
    fn numbers_compare_exactly(a in any_number(), b in any_number()) {
        prop_assert_eq!(a.cmp(&b), exact_order(a, b), "{} and {}", a, b);
    }

    #[test]
    fn equal_numbers_hash_and_answer_alike(a in any_number(), b in any_number()) {
        let pairs = [Some(b), Number::from_f64(a.to_f64()), a.as_i64().map(Number::from)];
        for b in pairs.into_iter().flatten().filter(|b| *b == a) {
            let hasher = RandomState::new();
            prop_assert_eq!(hasher.hash_one(a), hasher.hash_one(b), "{} and {}", a, b);
            prop_assert_eq!(
                (a.as_i64(), a.as_u64(), a.as_f64()), (b.as_i64(), b.as_u64(), b.as_f64()), "{} and {}", a, b
            );
        }
    }

    #[test]
    fn a_shown_number_is_json(number in any_number()) {
        let back = Value::parse_json(number.to_string().as_bytes()).expect("a shown number can be read");
        prop_assert_eq!(back.to_json(), Value::from(number).to_json());
    }

    #[test]
    fn reading_random_bytes_never_panics(
        bytes in vec(prop_oneof![any::<u8>(), select(b"\"\\u[{:,-0.e\xc3\xa9 \n".to_vec())], 0..24),
    ) {
        let _ = Value::parse_json(&bytes);
    }

    #[test]
    fn what_is_json_is_what_serde_takes_for_json(
        pieces in vec(select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"b\"", "\\", "\\n", "\\u0041", "\\ud834", "\\udd1e",
            "null", "true", "fals", "0", "1", "-", ".", "5", "e", "+", " ", "\n", "é", "\u{1}", "1e400",
        ]), 0..10),
    ) {
        // Whether, not what: serde is a bit off in the last digit of some floats.
        let text = pieces.concat();
        let theirs = serde_json::from_str::<Value>(&text);
        prop_assert_eq!(Value::parse_json(text.as_bytes()).is_ok(), theirs.is_ok(), "{}", text);
    }

    #[test]
    fn cut_json_is_refused_at_its_end(value in any_value(), cut in any::<prop::sample::Index>()) {
        let json = format!("[{}]", value.to_json());
        let cut = cut.index(json.len());
        prop_assert!(Value::parse_json(&json.as_bytes()[..cut]).is_err());
    }
}

fn check(json: &str, expected: &str) {
    assert_eq!(Value::parse_json(json.as_bytes()).expect(json).to_json(), expected, "{json}");
}

fn check_error(json: impl AsRef<[u8]>, expected: &str) {
    let json = json.as_ref();
    let error = Value::parse_json(json).expect_err(&String::from_utf8_lossy(json));
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.code(), crate::ErrorCode::MalformedJson);
}

#[test]
fn json_is_read() {
    check(" \t\r\n{ \"b\" : [ 1 , 2.50 ] , \"a\" : null } ", r#"{"a":null,"b":[1,2.5]}"#);
    check(r#""\"\\\/\b\f\n\r\t\u0041\u00e9\ud834\udd1eé""#, r#""\"\\/\b\f\n\r\tAé𝄞é""#);
    check("[]", "[]");
    check("{}", "{}");
    check("-0", "0");
    check("-0.0", "-0.0");
    check("1.0", "1.0");
    check("1E2", "100.0");
    check("18446744073709551615", "18446744073709551615");
    check("-9223372036854775808", "-9223372036854775808");
}

#[test]
fn integers_are_exact_or_refused() {
    // 2^64 and -2^64 are floats to the last digit; their neighbours are not.
    for (json, expected) in
        [("18446744073709551616", 2_f64.powi(64)), ("-18446744073709551616", -2_f64.powi(64))]
    {
        let number = Value::parse_json(json.as_bytes()).expect(json).as_number().expect(json);
        assert_eq!((number.is_float(), number.as_f64()), (true, Some(expected)), "{json}");
    }
    for refused in ["18446744073709551617", "-9223372036854775809", &"9".repeat(400), "1e400", "-1e400"] {
        let shown = &refused[..refused.len().min(64)];
        let expected =
            format!("line 1, column 2: the number {shown} cannot be kept exactly; send it as a string");
        check_error(format!("[{refused}]"), &expected);
    }
}

#[test]
fn errors_say_where_and_what() {
    check_error("", "line 1, column 1: expected a value");
    check_error("nul", "line 1, column 1: expected a value");
    check_error("1 2", "line 1, column 3: expected the end");
    check_error("01", "line 1, column 2: expected the end");
    check_error("[1,]", "line 1, column 4: expected a value");
    check_error("[\n  1\n  2]", "line 3, column 3: expected a comma or the end of the array");
    check_error("{\"é\" 1}", "line 1, column 6: expected a colon");
    check_error("{a:1}", "line 1, column 2: expected a key in double quotes");
    check_error("{\"a\":1,}", "line 1, column 8: expected a key in double quotes");
    check_error("{\"a\":1", "line 1, column 7: expected a comma or the end of the object");
    check_error("-", "line 1, column 2: expected a digit");
    check_error("1.", "line 1, column 3: expected a digit");
    check_error("1e+", "line 1, column 4: expected a digit");
    check_error("\"abc", "line 1, column 5: expected the end of the string");
    check_error("\"a\nb\"", "line 1, column 3: expected control characters in a string to be escaped");
    check_error(r#""é\x""#, "line 1, column 3: expected an escape that JSON knows");
    check_error(r#""\u+041""#, "line 1, column 2: expected four hexadecimal digits after \\u");
    check_error(r#""\u00é0""#, "line 1, column 2: expected four hexadecimal digits after \\u");
    check_error(r#""\ud834""#, "line 1, column 2: expected both halves of a surrogate pair");
    check_error(r#""\ud834\u0041""#, "line 1, column 2: expected both halves of a surrogate pair");
    check_error(r#""\udd1e""#, "line 1, column 2: expected both halves of a surrogate pair");
    check_error(b"\"\xc3\xa9\xff\"", "line 1, column 3: not UTF-8; send JSON in UTF-8");
}

#[test]
fn a_key_stands_once_however_it_is_written() {
    let twice = "{\n\"a\":1,\n \"\\u0061\":2}";
    check_error(twice, "line 3, column 2: the key \"a\" stands twice in one object; send it once");
    assert!(serde_json::from_str::<Value>(twice).is_err());
    check(r#"[{"a":1},{"a":{"a":2}}]"#, r#"[{"a":1},{"a":{"a":2}}]"#);
}

#[test]
fn nesting_ends_at_the_limit() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}null{}", open.repeat(depth), close.repeat(depth));
        assert!(Value::parse_json(nested(JSON_DEPTH_MAX).as_bytes()).is_ok());
        let error = Value::parse_json(nested(JSON_DEPTH_MAX + 1).as_bytes()).expect_err("one too deep");
        assert_eq!(error, ValueError::TooDeep { line: 1, column: 1 + JSON_DEPTH_MAX * open.len() });
        assert!(Value::parse_json(open.repeat(100_000).as_bytes()).is_err());
    }
    // Beside each other is not inside each other.
    check(&format!("[{}[]]", "[],".repeat(1_000)), &format!("[{}[]]", "[],".repeat(1_000)));
}

#[test]
fn numbers_tell_what_they_are() {
    let one = Number::from_f64(1.0).expect("finite");
    assert_eq!(one, Number::from(1_u64));
    assert!(one.is_float() && !Number::from(1_u64).is_float());
    assert_eq!((one.as_i64(), one.as_u64(), one.as_f64()), (Some(1), Some(1), Some(1.0)));
    let odd = Number::from((1_u64 << 53) + 1);
    assert_eq!((odd.as_f64(), odd.to_f64()), (None, 2_f64.powi(53)));
    assert_eq!(Number::from(-1_i64).as_u64(), None);
    assert_eq!(Number::from(u64::MAX).as_i64(), None);
    assert_eq!(Number::from_f64(2_f64.powi(64)).expect("finite").as_u64(), None);
    assert_eq!(Number::from_i128(i128::from(u64::MAX) + 1), None);
    assert_eq!(Number::from_i128(i128::from(i64::MIN) - 1), None);
    for not_a_number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Number::from_f64(not_a_number), None);
    }
}

#[test]
fn values_are_looked_into() {
    let value = Value::parse_json(br#"{"a":[true,"x",7]}"#).expect("JSON");
    let items = value.get("a").and_then(Value::as_array).expect("an array");
    assert_eq!((items[0].as_bool(), items[1].as_str()), (Some(true), Some("x")));
    assert_eq!(items[2].as_number().and_then(Number::as_u64), Some(7));
    assert_eq!(value.as_object().map(BTreeMap::len), Some(1));
    assert!(value.get("b").is_none() && items[0].get("a").is_none() && !value.is_null());
}
