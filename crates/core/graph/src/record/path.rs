//! One value out of a map, the others passed over.

use cairn_base::{MsgpackError, MsgpackReader, Token, limits};

/// The bytes of the value at a path of keys; the path of no keys is the whole map.
///
/// Keys are sorted, so that what is missing is known as soon as a later one comes.
pub(super) fn find<'a>(map: &'a [u8], path: &[&str]) -> Result<Option<&'a [u8]>, MsgpackError> {
    let mut reader = MsgpackReader::new(map);
    for key in path {
        let Token::Map(count) = reader.token()? else { return Ok(None) };
        if !enter(&mut reader, count, key)? {
            return Ok(None);
        }
    }
    let value = reader.rest();
    reader.skip(limits::MSGPACK_LEVELS_MAX)?;
    Ok(Some(&value[..value.len() - reader.rest().len()]))
}

/// Goes on to the value of a key, if there is one.
fn enter(reader: &mut MsgpackReader<'_>, count: u32, key: &str) -> Result<bool, MsgpackError> {
    for _ in 0..count {
        let Token::Text(found) = reader.token()? else { return Err(MsgpackError::NotJson) };
        match found.cmp(key.as_bytes()) {
            std::cmp::Ordering::Less => reader.skip(limits::MSGPACK_LEVELS_MAX)?,
            std::cmp::Ordering::Equal => return Ok(true),
            std::cmp::Ordering::Greater => return Ok(false),
        }
    }
    Ok(false)
}
