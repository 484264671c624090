//! Values of which nobody said what they are.

use cairn_base::{Hex, MsgpackError, MsgpackReader, Token};

use super::options::Options;
use super::scalar::{self, Integer};

/// Shows one value, whatever it is.
pub(super) fn any(
    reader: &mut MsgpackReader<'_>,
    options: &Options,
    levels: usize,
    out: &mut String,
) -> Result<(), MsgpackError> {
    let token = reader.token()?;
    any_from(token, reader, options, levels, out)
}

/// The same for a value whose first token was read.
pub(super) fn any_from(
    token: Token<'_>,
    reader: &mut MsgpackReader<'_>,
    options: &Options,
    levels: usize,
    out: &mut String,
) -> Result<(), MsgpackError> {
    match token {
        Token::Nil => out.push_str("null"),
        Token::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Token::Unsigned(value) => scalar::integer(Integer::Unsigned(value), options, out),
        Token::Negative(value) => scalar::integer(Integer::Negative(value), options, out),
        Token::Float32(value) => scalar::float32(value, out),
        Token::Float64(value) => scalar::float64(value, out),
        Token::Text(bytes) => scalar::text(bytes, out),
        Token::Binary(bytes) | Token::Extension(_, bytes) => scalar::bytes(bytes, options, out),
        Token::Array(count) => {
            let levels = inside(levels)?;
            out.push('[');
            for at in 0..count {
                if at > 0 {
                    out.push(',');
                }
                any(reader, options, levels, out)?;
            }
            out.push(']');
        }
        Token::Map(count) => {
            let levels = inside(levels)?;
            let mut entries = Vec::new();
            for _ in 0..count {
                let key = key(reader, options, levels)?;
                let mut value = String::new();
                any(reader, options, levels, &mut value)?;
                entries.push((key, value));
            }
            object(entries, out);
        }
    }
    Ok(())
}

/// One level further in.
pub(super) fn inside(levels: usize) -> Result<usize, MsgpackError> {
    levels.checked_sub(1).ok_or(MsgpackError::TooDeep)
}

/// A key of a map, as text.
///
/// Keys that are arrays or maps are shown as the digits of their bytes: as JSON inside JSON, each level would
/// double the backslashes of the one below.
pub(super) fn key(
    reader: &mut MsgpackReader<'_>,
    options: &Options,
    levels: usize,
) -> Result<String, MsgpackError> {
    let before = reader.clone();
    let token = reader.token()?;
    let mut text = String::new();
    match (token, Integer::of(token)) {
        (Token::Text(bytes), _) => return Ok(String::from_utf8_lossy(bytes).into_owned()),
        (_, Some(number)) => number.digits(&mut text),
        (Token::Array(_) | Token::Map(_), _) => {
            *reader = before.clone();
            reader.skip(levels)?;
            let bytes = &before.rest()[..before.rest().len() - reader.rest().len()];
            return Ok(Hex(bytes).to_string());
        }
        (single, _) => any_from(single, reader, options, levels, &mut text)?,
    }
    Ok(text)
}

/// An object out of keys and shown values, sorted; of equal keys the last one counts.
pub(super) fn object(mut entries: Vec<(String, String)>, out: &mut String) {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    out.push('{');
    let mut is_first = true;
    for (at, (key, value)) in entries.iter().enumerate() {
        if entries.get(at + 1).is_some_and(|next| next.0 == *key) {
            continue;
        }
        if !is_first {
            out.push(',');
        }
        is_first = false;
        scalar::text(key.as_bytes(), out);
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
}
