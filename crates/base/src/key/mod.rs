//! Keys: tuples of values as bytes whose order is the order of the values.
//!
//! There are no type tags: whoever reads a key knows its parts, as with a table's columns. Keys of
//! the same parts compare as their values do, part by part. The key of a tuple is a prefix of the
//! key of every longer tuple that begins with it, so "everything under (tenant, space, x)" is the
//! range from that key to its [`prefix_end`].
//!
//! | part | bytes |
//! |---|---|
//! | `u8`…`u64` | big-endian |
//! | `i64` | big-endian, sign bit flipped |
//! | `f64` | IEEE bits big-endian; sign bit flipped, all bits when negative |
//! | `bool` | 0 or 1 |
//! | `str`, `bytes` | the bytes, each 0x00 as 0x00 0xff, then 0x00 0x00 |
//! | `fixed` | as they are |

mod reader;
#[cfg(test)]
mod tests;
mod value;

use std::ops::Deref;

pub use reader::{KeyDecodeError, KeyReader};
pub use value::{NULL_VALUE_KEY, text_prefix_key, value_key, value_key_len, value_kind_key};

use crate::{SpaceId, TenantId};

const SIGN: u64 = 1 << 63;

/// Ends a string. Sorts before every byte a string can go on with.
const END: [u8; 2] = [0, 0];
/// A zero byte inside a string.
const ZERO: [u8; 2] = [0, 0xff];

/// A key under construction.
///
/// ```
/// use cairn_base::{KeyBuf, KeyReader, SpaceId, TenantId};
///
/// let key = KeyBuf::new().tenant(TenantId::LOCAL).space(SpaceId::MEMORY).str("name").u64(7);
/// let mut parts = KeyReader::new(&key);
/// assert_eq!(parts.tenant()?, TenantId::LOCAL);
/// assert_eq!(parts.space()?, SpaceId::MEMORY);
/// assert_eq!(parts.str()?, "name");
/// assert_eq!(parts.u64()?, 7);
/// parts.finish()?;
/// # Ok::<(), cairn_base::KeyDecodeError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyBuf(Vec<u8>);

impl KeyBuf {
    /// A key without parts.
    pub fn new() -> Self {
        KeyBuf::default()
    }

    /// A key without parts that has room for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        KeyBuf(Vec::with_capacity(bytes))
    }

    /// Adds a tenant.
    #[must_use]
    pub fn tenant(self, tenant: TenantId) -> Self {
        self.u32(tenant.0)
    }

    /// Adds a space.
    #[must_use]
    pub fn space(self, space: SpaceId) -> Self {
        self.u32(space.0)
    }

    /// Adds a `u8`.
    #[must_use]
    pub fn u8(self, value: u8) -> Self {
        self.fixed(&value.to_be_bytes())
    }

    /// Adds a `u16`.
    #[must_use]
    pub fn u16(self, value: u16) -> Self {
        self.fixed(&value.to_be_bytes())
    }

    /// Adds a `u32`.
    #[must_use]
    pub fn u32(self, value: u32) -> Self {
        self.fixed(&value.to_be_bytes())
    }

    /// Adds a `u64`.
    #[must_use]
    pub fn u64(self, value: u64) -> Self {
        self.fixed(&value.to_be_bytes())
    }

    /// Adds an `i64`.
    #[must_use]
    pub fn i64(self, value: i64) -> Self {
        self.u64(value.cast_unsigned() ^ SIGN)
    }

    /// Adds an `f64`.
    ///
    /// -0.0 becomes 0.0, for they are equal; every NaN becomes the same one and sorts after infinity.
    #[must_use]
    pub fn f64(self, value: f64) -> Self {
        self.u64(float_to_ordered(value))
    }

    /// Adds a `bool`; false sorts first.
    #[must_use]
    pub fn bool(self, value: bool) -> Self {
        self.u8(u8::from(value))
    }

    /// Adds a string, ordered by its UTF-8 bytes.
    #[must_use]
    pub fn str(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    /// Adds bytes of any length.
    #[must_use]
    pub fn bytes(mut self, value: &[u8]) -> Self {
        self.0.reserve(value.len() + END.len());
        for (index, run) in value.split(|byte| *byte == 0).enumerate() {
            if index > 0 {
                self.0.extend_from_slice(&ZERO);
            }
            self.0.extend_from_slice(run);
        }
        self.0.extend_from_slice(&END);
        self
    }

    /// Adds bytes whose number every reader knows, such as a hash.
    #[must_use]
    pub fn fixed<const N: usize>(mut self, value: &[u8; N]) -> Self {
        self.0.extend_from_slice(value);
        self
    }

    /// The bytes so far.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Gives the bytes away.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

impl Deref for KeyBuf {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for KeyBuf {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<KeyBuf> for Vec<u8> {
    fn from(key: KeyBuf) -> Self {
        key.0
    }
}

/// The smallest byte string greater than every byte string that begins with `prefix`.
///
/// `None` when there is none: the prefix is empty or has only 0xff bytes, so its range has no end.
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// Bits of a float whose order as numbers is the order of the floats.
fn float_to_ordered(value: f64) -> u64 {
    // NaN has many bit patterns, and which one arithmetic gives differs between machines.
    const NAN: u64 = 0x7ff8 << 48;
    let bits = if value.is_nan() { NAN } else { value.to_bits() };
    match bits {
        SIGN => SIGN, // -0.0 is 0.0, whose flipped sign bit is all it has.
        _ if bits & SIGN == 0 => bits ^ SIGN,
        _ => !bits,
    }
}

/// The float of ordered bits. Several give a zero or a NaN; `float_to_ordered` gives one of each.
fn float_from_ordered(ordered: u64) -> f64 {
    f64::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered ^ SIGN })
}
