//! JSON as msgpack, the way turns are written.

use cairn_base::{MsgpackWriter, Number, Value};

/// Writes a value.
///
/// Keys of decimal digits become numbers, as the fields of typed payloads are, and come first, in order:
/// the same JSON always gives the same bytes.
pub(super) fn msgpack(value: &Value) -> Vec<u8> {
    let mut writer = MsgpackWriter::new();
    write(&mut writer, value);
    writer.into_bytes()
}

fn write(writer: &mut MsgpackWriter, value: &Value) {
    match value {
        Value::Null => writer.nil(),
        Value::Bool(value) => writer.bool(*value),
        Value::Number(number) => write_number(writer, *number),
        Value::String(text) => writer.text(text),
        Value::Array(items) => {
            writer.array(items.len());
            items.iter().for_each(|item| write(writer, item));
        }
        Value::Object(entries) => {
            writer.map(entries.len());
            let (mut fields, mut others) = (Vec::new(), Vec::new());
            for (key, value) in entries {
                match field(key) {
                    Some(number) => fields.push((number, value)),
                    None => others.push((key, value)),
                }
            }
            fields.sort_unstable_by_key(|(number, _)| *number);
            for (number, value) in fields {
                writer.unsigned(number);
                write(writer, value);
            }
            for (key, value) in others {
                writer.text(key);
                write(writer, value);
            }
        }
    }
}

/// The number that a key stands for. One with a zero in front stays text: two keys never become one.
fn field(key: &str) -> Option<u64> {
    let is_number = key.bytes().all(|byte| byte.is_ascii_digit()) && (key == "0" || !key.starts_with('0'));
    key.parse().ok().filter(|_| is_number)
}

fn write_number(writer: &mut MsgpackWriter, number: Number) {
    let integer = (!number.is_float()).then(|| (number.as_u64(), number.as_i64()));
    match integer {
        Some((Some(value), _)) => writer.unsigned(value),
        Some((None, Some(value))) => writer.signed(value),
        Some((None, None)) | None => writer.float64(number.to_f64()),
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::msgpack_text;

    use super::*;

    fn check(json: &str, expected: &str) {
        let value = Value::parse_json(json.as_bytes()).expect("JSON");
        let bytes = msgpack(&value);
        assert_eq!(msgpack_text(&bytes, 1000).as_deref(), Ok(expected), "{json}");
    }

    #[test]
    fn json_becomes_what_turns_are_written_in() {
        check(
            r#"{"1": "hi", "10": [], "2": {"b": null, "3": true}}"#,
            r#"{1: "hi", 2: {3: true, "b": null}, 10: []}"#,
        );
        check(
            "[0, -1, 1.0, 1.5, 18446744073709551615, -9223372036854775808]",
            "[0, -1, 1.0, 1.5, 18446744073709551615, -9223372036854775808]",
        );
        check(
            r#"{"0": 1, "00": 2, "007": 3, "+1": 4, "": 5, "18446744073709551616": 6}"#,
            r#"{0: 1, "": 5, "+1": 4, "00": 2, "007": 3, "18446744073709551616": 6}"#,
        );
        check("\"text\"", "\"text\"");
    }
}
