//! Names of declared types as numbers: a store has few of them, and every turn has one.

use cairn_access::Scope;
use cairn_base::{KeyBuf, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use crate::error::TurnsError;
use crate::limits;
use crate::tables::{TYPE_NUMBERS, TYPES};

/// The number of a type's name. Numbers start at 1 in every tenant; 0 is the empty name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeNumber(pub u32);

/// The number of a name, a new one if it has none.
pub(crate) fn intern(tx: &mut dyn WriteTx, scope: &Scope, name: &str) -> Result<TypeNumber, TurnsError> {
    let known = if name.is_empty() { None } else { known_number(tx, scope, name)? };
    intern_known(tx, scope, name, known)
}

/// The number of a name whose number is looked up already, a new one if it has none.
pub(crate) fn intern_known(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    name: &str,
    known: Option<TypeNumber>,
) -> Result<TypeNumber, TurnsError> {
    if name.is_empty() {
        return Ok(TypeNumber(0));
    }
    if name.len() > limits::TYPE_ID_BYTES_MAX {
        return Err(TurnsError::TypeTooLong { bytes: name.len() });
    }
    if let Some(number) = known {
        return Ok(number);
    }
    let mut last = 0;
    let newest = KeyRange::prefix(&scope.key()).descending().limit(1);
    tx.multi_scan(TYPES, &[newest], &mut |_, key, _| {
        last = key.last_chunk().map_or(0, |number| u32::from_be_bytes(*number));
        Visit::Stop
    })?;
    let number = last.checked_add(1).ok_or_else(|| bad("there are 2^32 names".into()))?;
    let mut value = Vec::new();
    put_varint(&mut value, u64::from(number));
    tx.put(TYPE_NUMBERS, &number_key(scope, name), &value)?;
    tx.put(TYPES, &scope.key().u32(number), name.as_bytes())?;
    Ok(TypeNumber(number))
}

/// The number of a name, if it has one.
pub(crate) fn known_number<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    name: &str,
) -> Result<Option<TypeNumber>, TurnsError> {
    let Some(found) = get(reader, TYPE_NUMBERS, &number_key(scope, name))? else { return Ok(None) };
    let number = number_from(&found)?;
    check_name(number, get(reader, TYPES, &name_key(scope, number))?, name)?;
    Ok(Some(number))
}

/// The key in [`TYPE_NUMBERS`] of a name.
pub(crate) fn number_key(scope: &Scope, name: &str) -> KeyBuf {
    scope.key().fixed(&hash(name))
}

/// The key in [`TYPES`] of a number.
pub(crate) fn name_key(scope: &Scope, number: TypeNumber) -> KeyBuf {
    scope.key().u32(number.0)
}

/// Fails unless a number stands for this name, and not for another one with the same hash.
pub(crate) fn check_name(number: TypeNumber, stored: Option<Vec<u8>>, name: &str) -> Result<(), TurnsError> {
    if name_from(number, stored)? == name { Ok(()) } else { Err(bad("two names have the same hash".into())) }
}

/// The name that a number stands for.
pub fn type_name<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    number: TypeNumber,
) -> Result<String, TurnsError> {
    if number.0 == 0 {
        return Ok(String::new());
    }
    name_from(number, get(reader, TYPES, &name_key(scope, number))?)
}

/// The name out of its record.
pub(crate) fn name_from(number: TypeNumber, stored: Option<Vec<u8>>) -> Result<String, TurnsError> {
    let name = stored.ok_or_else(|| bad(format!("no name has the number {}", number.0)))?;
    String::from_utf8(name).map_err(|_| bad(format!("name {} is not text", number.0)))
}

/// The number out of its record.
pub(crate) fn number_from(mut bytes: &[u8]) -> Result<TypeNumber, TurnsError> {
    let number = take_varint(&mut bytes).and_then(|number| u32::try_from(number).ok());
    number.map(TypeNumber).ok_or_else(|| bad("a number does not decode".into()))
}

pub(crate) fn hash(name: &str) -> [u8; 16] {
    let hash = blake3::hash(name.as_bytes());
    *hash.as_bytes().first_chunk().expect("32 bytes have 16")
}

fn bad(detail: String) -> TurnsError {
    TurnsError::BadRecord { what: "name of a type", detail }
}
