//! The texts in a payload, for those who look for words.

use cairn_base::{MsgpackError, MsgpackReader, Token, limits};

use super::Undecodable;
use super::generic::inside;
use super::object::tag_of;
use crate::registry::{Described, Kind, Shape};

/// Visits the texts of a payload, in their order: those in fields that the descriptor calls texts, also
/// inside of arrays, maps and nested objects. Without a descriptor, every text that is not a key.
///
/// Text that is no UTF-8 is passed over. What was visited before an error was there; of a text in the middle
/// of which the payload ends, that is what there is of it.
pub fn texts(
    payload: &[u8],
    described: Option<Described<'_>>,
    visit: &mut dyn FnMut(&str),
) -> Result<(), Undecodable> {
    let mut reader = MsgpackReader::new(payload);
    let token = reader.token()?;
    let Token::Map(count) = token else { return Err(Undecodable::NotAMap) };
    let levels = limits::MSGPACK_LEVELS_MAX;
    match described {
        Some(described) => object(count, &mut reader, described, levels, visit)?,
        None => every(token, &mut reader, levels, visit)?,
    }
    Ok(())
}

fn object(
    count: u32,
    reader: &mut MsgpackReader<'_>,
    described: Described<'_>,
    levels: usize,
    visit: &mut dyn FnMut(&str),
) -> Result<(), MsgpackError> {
    let levels = inside(levels)?;
    for _ in 0..count {
        let tag = tag_of(reader.clone().token()?);
        reader.skip(levels)?;
        let field = tag.and_then(|tag| described.descriptor.fields.get(&tag));
        match field.filter(|field| !field.tombstone).and_then(|field| field.shape.as_ref()) {
            Some(shape) => value(shape, reader, described, levels, visit)?,
            None => reader.skip(levels)?,
        }
    }
    Ok(())
}

fn value(
    shape: &Shape,
    reader: &mut MsgpackReader<'_>,
    described: Described<'_>,
    levels: usize,
    visit: &mut dyn FnMut(&str),
) -> Result<(), MsgpackError> {
    let mut ahead = reader.clone();
    let token = ahead.token();
    if token.is_err() && shape.kind == Kind::Text {
        cut_off(reader, visit);
    }
    match (shape.kind, token?) {
        (Kind::Text, Token::Text(bytes)) => text(bytes, visit),
        (Kind::Array, Token::Array(count)) => {
            let levels = inside(levels)?;
            for _ in 0..count {
                inner(shape.items.as_deref(), &mut ahead, described, levels, visit)?;
            }
            *reader = ahead;
            return Ok(());
        }
        (Kind::Map, Token::Map(count)) => {
            let levels = inside(levels)?;
            for _ in 0..count {
                ahead.skip(levels)?;
                inner(shape.values.as_deref(), &mut ahead, described, levels, visit)?;
            }
            *reader = ahead;
            return Ok(());
        }
        (Kind::Reference, Token::Map(count)) => {
            if let Some(nested) = shape.reference.as_deref().and_then(|id| described.referenced(id)) {
                object(count, &mut ahead, nested, levels, visit)?;
                *reader = ahead;
                return Ok(());
            }
            return anything(reader, levels, visit);
        }
        (Kind::Any, _) => return anything(reader, levels, visit),
        _ => {}
    }
    reader.skip(levels)
}

fn inner(
    shape: Option<&Shape>,
    reader: &mut MsgpackReader<'_>,
    described: Described<'_>,
    levels: usize,
    visit: &mut dyn FnMut(&str),
) -> Result<(), MsgpackError> {
    match shape {
        Some(shape) => value(shape, reader, described, levels, visit),
        None => anything(reader, levels, visit),
    }
}

fn anything(
    reader: &mut MsgpackReader<'_>,
    levels: usize,
    visit: &mut dyn FnMut(&str),
) -> Result<(), MsgpackError> {
    let mut ahead = reader.clone();
    let token = ahead.token().inspect_err(|_| cut_off(reader, visit))?;
    *reader = ahead;
    every(token, reader, levels, visit)
}

/// Every text of a value whose first token was read.
fn every(
    token: Token<'_>,
    reader: &mut MsgpackReader<'_>,
    levels: usize,
    visit: &mut dyn FnMut(&str),
) -> Result<(), MsgpackError> {
    match token {
        Token::Text(bytes) => text(bytes, visit),
        Token::Array(count) => {
            let levels = inside(levels)?;
            for _ in 0..count {
                anything(reader, levels, visit)?;
            }
        }
        Token::Map(count) => {
            let levels = inside(levels)?;
            for _ in 0..count {
                reader.skip(levels)?;
                anything(reader, levels, visit)?;
            }
        }
        Token::Nil
        | Token::Bool(_)
        | Token::Unsigned(_)
        | Token::Negative(_)
        | Token::Float32(_)
        | Token::Float64(_)
        | Token::Binary(_)
        | Token::Extension(..) => {}
    }
    Ok(())
}

/// What there is of a text that could not be read, because the payload ends before it does.
fn cut_off(reader: &MsgpackReader<'_>, visit: &mut dyn FnMut(&str)) {
    let rest = reader.rest();
    let length_bytes = match rest.first() {
        Some(0xa0..=0xbf) => 0,
        Some(0xd9) => 1,
        Some(0xda) => 2,
        Some(0xdb) => 4,
        _ => return,
    };
    let Some(bytes) = rest.get(1 + length_bytes..) else { return };
    // Perhaps the last character is cut off too.
    let whole = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    text(&bytes[..whole], visit);
}

fn text(bytes: &[u8], visit: &mut dyn FnMut(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        visit(text);
    }
}
