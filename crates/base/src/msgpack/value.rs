//! MessagePack that says what JSON can say.

use std::collections::BTreeMap;

use super::{MsgpackError, MsgpackReader, Token};
use crate::{Number, Value, limits};

/// Reads one value that JSON can say: keys are texts or integers, and there are no bytes and no
/// extensions. What follows it is an error.
pub fn value_from_msgpack(bytes: &[u8]) -> Result<Value, MsgpackError> {
    let mut reader = MsgpackReader::new(bytes);
    let value = read(&mut reader, limits::JSON_DEPTH_MAX)?;
    if reader.rest().is_empty() { Ok(value) } else { Err(MsgpackError::Trailing) }
}

fn read(reader: &mut MsgpackReader<'_>, levels: usize) -> Result<Value, MsgpackError> {
    let token = reader.token()?;
    let levels = || levels.checked_sub(1).ok_or(MsgpackError::TooDeep);
    Ok(match token {
        Token::Nil => Value::Null,
        Token::Bool(value) => Value::Bool(value),
        Token::Unsigned(value) => Value::from(value),
        Token::Negative(value) => Value::from(value),
        Token::Float32(value) => float(f64::from(value))?,
        Token::Float64(value) => float(value)?,
        Token::Text(bytes) => Value::String(text(bytes)?),
        Token::Array(count) => {
            let levels = levels()?;
            // Every item takes a byte at least: a count that lies allocates nothing.
            (0..count).map(|_| read(reader, levels)).collect::<Result<Vec<_>, _>>()?.into()
        }
        Token::Map(count) => {
            let levels = levels()?;
            let mut entries = BTreeMap::new();
            for _ in 0..count {
                let key = match reader.token()? {
                    Token::Text(bytes) => text(bytes)?,
                    Token::Unsigned(number) => number.to_string(),
                    Token::Negative(number) => number.to_string(),
                    Token::Nil
                    | Token::Bool(_)
                    | Token::Float32(_)
                    | Token::Float64(_)
                    | Token::Binary(_)
                    | Token::Array(_)
                    | Token::Map(_)
                    | Token::Extension(..) => return Err(MsgpackError::NotJson),
                };
                let value = read(reader, levels)?;
                if entries.insert(key, value).is_some() {
                    return Err(MsgpackError::NotJson);
                }
            }
            Value::Object(entries)
        }
        Token::Binary(_) | Token::Extension(..) => return Err(MsgpackError::NotJson),
    })
}

fn float(value: f64) -> Result<Value, MsgpackError> {
    Number::from_f64(value).map(Value::Number).ok_or(MsgpackError::NotJson)
}

fn text(bytes: &[u8]) -> Result<String, MsgpackError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| MsgpackError::NotJson)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_that_json_can_say() {
        let rows: &[(&[u8], &str)] = &[
            (&[0xc0], "null"),
            (
                &[0x82, 1, 0xa1, b'a', 0xa1, b'b', 0x93, 0xc3, 0xff, 0xca, 0x3f, 0x80, 0, 0],
                r#"{"1":"a","b":[true,-1,1.0]}"#,
            ),
        ];
        for (bytes, json) in rows {
            assert_eq!(value_from_msgpack(bytes).unwrap().to_json(), *json);
        }
        let wrong: &[(&[u8], MsgpackError)] = &[
            (&[0xc4, 1, 9], MsgpackError::NotJson),
            (&[0xa1, 0xff], MsgpackError::NotJson),
            (&[0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], MsgpackError::NotJson),
            (&[0x81, 0xc0, 1], MsgpackError::NotJson),
            (&[0x82, 1, 1, 0xa1, b'1', 1], MsgpackError::NotJson),
            (&[1, 2], MsgpackError::Trailing),
            (&[0x91; 1000], MsgpackError::TooDeep),
            (&[0xdd, 255, 255, 255, 255], MsgpackError::Cut),
        ];
        for (bytes, error) in wrong {
            assert_eq!(value_from_msgpack(bytes), Err(*error), "{bytes:x?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = value_from_msgpack(&bytes);
        }
    }
}
