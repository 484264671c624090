//! Values of JSON as parts of keys: bytes that compare as the values do.
//!
//! Truth values come before numbers, texts, arrays and objects, and null comes after everything. No encoding
//! is the beginning of another, so that more parts can follow.

use super::{KeyBuf, KeyDecodeError, KeyReader};
use crate::{Number, Value};

/// The key of null, and of what is not there: after every other.
pub const NULL_VALUE_KEY: &[u8] = &[0xff];

const INNER_NULL: u8 = 1;
const BOOL: u8 = 2;
const NUMBER: u8 = 3;
const TEXT: u8 = 4;
const ARRAY: u8 = 5;
const OBJECT: u8 = 6;
/// Ends an array or object: before every item.
const END: u8 = 0;
/// Begins an entry of an object.
const ENTRY: u8 = 1;

/// The bytes by which a value is ordered among others.
///
/// Equal numbers have equal bytes, however they are written. Inside of arrays and objects null comes first.
///
/// ```
/// use cairn_base::{Value, value_key};
///
/// assert!(value_key(&Value::from(2_u64)) < value_key(&Value::from("1")));
/// assert!(value_key(&Value::from("z")) < value_key(&Value::Null));
/// ```
pub fn value_key(value: &Value) -> KeyBuf {
    match value {
        Value::Null => KeyBuf(NULL_VALUE_KEY.to_vec()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            put(KeyBuf::new(), value)
        }
    }
}

/// What the keys of all values of the same kind as this one begin with; other keys do not.
pub fn value_kind_key(value: &Value) -> &'static [u8] {
    match value {
        Value::Null => NULL_VALUE_KEY,
        Value::Bool(_) => &[BOOL],
        Value::Number(_) => &[NUMBER],
        Value::String(_) => &[TEXT],
        Value::Array(_) => &[ARRAY],
        Value::Object(_) => &[OBJECT],
    }
}

/// What the keys of all texts begin with that begin with this one; other keys do not.
pub fn text_prefix_key(text: &str) -> KeyBuf {
    let mut key = KeyBuf::new().u8(TEXT).str(text);
    key.0.truncate(key.0.len() - super::END.len());
    key
}

/// How many bytes of these are the key of the value that they begin with; `None` if they end before it does, or
/// begin with no value.
pub fn value_key_len(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(NULL_VALUE_KEY) {
        return Some(NULL_VALUE_KEY.len());
    }
    let mut reader = KeyReader::new(bytes);
    skip(&mut reader).ok()??;
    Some(bytes.len() - reader.rest().len())
}

/// Reads over one value. `None` if it is none.
fn skip(reader: &mut KeyReader<'_>) -> Result<Option<()>, KeyDecodeError> {
    // How many arrays and objects are open, and which.
    let mut open: Vec<u8> = Vec::new();
    loop {
        match reader.u8()? {
            INNER_NULL if !open.is_empty() => {}
            BOOL => drop(reader.u8()?),
            NUMBER => drop(reader.fixed::<16>()?),
            TEXT => drop(reader.bytes()?),
            kind @ (ARRAY | OBJECT) => open.push(kind),
            _ => return Ok(None),
        }
        // Whatever ends here, and then the name of the next entry.
        while let Some(kind) = open.last() {
            match (*kind, reader.rest().first()) {
                (_, Some(&END)) => {
                    reader.u8()?;
                    open.pop();
                }
                (OBJECT, Some(&ENTRY)) => {
                    reader.u8()?;
                    reader.bytes()?;
                    break;
                }
                (ARRAY, Some(_)) => break,
                _ => return Ok(None),
            }
        }
        if open.is_empty() {
            return Ok(Some(()));
        }
    }
}

fn put(key: KeyBuf, value: &Value) -> KeyBuf {
    match value {
        Value::Null => key.u8(INNER_NULL),
        Value::Bool(value) => key.u8(BOOL).bool(*value),
        Value::Number(number) => put_number(key.u8(NUMBER), *number),
        Value::String(text) => key.u8(TEXT).str(text),
        Value::Array(items) => items.iter().fold(key.u8(ARRAY), put).u8(END),
        Value::Object(entries) => {
            let entry = |key: KeyBuf, (name, value): (&String, &Value)| put(key.u8(ENTRY).str(name), value);
            entries.iter().fold(key.u8(OBJECT), entry).u8(END)
        }
    }
}

/// The nearest float, and by how much an integer is beside it: rounding keeps the order, and what rounds alike
/// differs by little.
fn put_number(key: KeyBuf, number: Number) -> KeyBuf {
    let float = number.to_f64();
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    let beside = whole.map_or(0, |whole| whole - float as i128);
    key.f64(float).i64(i64::try_from(beside).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each before the next.
    const ASCENDING: [&str; 35] = [
        "false",
        "true",
        "-1e300",
        "-9223372036854775808",
        "-9223372036854775807",
        "-1.5",
        "-1",
        "0",
        "0.5",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551614",
        "18446744073709551615",
        "1e300",
        r#""""#,
        r#""\u0000""#,
        r#""\u0000a""#,
        r#""a""#,
        r#""a\u0000""#,
        r#""ab""#,
        r#""é""#,
        "[]",
        "[null]",
        "[null,1]",
        "[1]",
        "[[]]",
        "{}",
        r#"{"a":null}"#,
        r#"{"a":1}"#,
        r#"{"a":1,"b":1}"#,
        r#"{"b":0}"#,
        "null",
    ];

    fn values() -> Vec<Value> {
        ASCENDING.iter().map(|json| Value::parse_json(json.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn a_key_is_found_in_front_of_others() {
        let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
        let more = [r#"{"a":{"b":[1,null,"x",{}]},"c":[[],{}]}"#, &deep];
        let more = more.map(|json| Value::parse_json(json.as_bytes()).unwrap());
        for value in values().iter().chain(&more) {
            let key = value_key(value);
            let followed = [key.as_slice(), &[0, 1, 2, 3, 255]].concat();
            assert_eq!(value_key_len(&followed), Some(key.len()), "{}", value.to_json());
            for end in 0..key.len() {
                assert_eq!(value_key_len(&key[..end]), None, "{} bytes of {}", end, value.to_json());
            }
        }
        for bytes in [&[][..], &[0], &[1], &[7, 7], &[6, 2], &[5, 9]] {
            assert_eq!(value_key_len(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn keys_sort_as_values_do_and_none_begins_another() {
        let keys: Vec<KeyBuf> = values().iter().map(value_key).collect();
        for (at, one) in keys.iter().enumerate() {
            for (other_at, other) in keys.iter().enumerate() {
                let shown = format!("{} and {}", ASCENDING[at], ASCENDING[other_at]);
                assert_eq!(one.cmp(other), at.cmp(&other_at), "{shown}");
                assert_eq!(other.starts_with(one), at == other_at, "{shown}");
            }
        }
    }

    #[test]
    fn equal_numbers_have_equal_keys_however_they_are_written() {
        for (one, other) in [("1", "1.0"), ("-0.0", "0"), ("9007199254740992", "9007199254740992.0")] {
            let [one, other] = [one, other].map(|json| Value::parse_json(json.as_bytes()).unwrap());
            assert_eq!(value_key(&one), value_key(&other));
        }
    }

    #[test]
    fn beginnings_of_keys_tell_kinds_and_texts_apart() {
        for one in values() {
            for other in values() {
                let is_alike = std::mem::discriminant(&one) == std::mem::discriminant(&other);
                assert_eq!(
                    value_key(&other).starts_with(value_kind_key(&one)),
                    is_alike,
                    "{one:?} {other:?}"
                );
                if let (Value::String(text), other_text) = (&one, other.as_str()) {
                    let begins = other_text.is_some_and(|other| other.starts_with(text.as_str()));
                    let found = value_key(&other).starts_with(&text_prefix_key(text));
                    assert_eq!(found, begins, "{one:?} {other:?}");
                }
            }
        }
    }
}
