//! Reading a key back, part by part.

use std::borrow::Cow;

use super::{END, SIGN, ZERO, float_from_ordered, float_to_ordered};
use crate::{SpaceId, TenantId};

/// The bytes are not a key of the expected parts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyDecodeError {
    /// The key ends inside a part.
    #[error("the key ends inside the part that begins at byte {at}")]
    TooShort {
        /// Where the part begins.
        at: usize,
    },
    /// Bytes that writing a key never gives, such as a third kind of `bool`.
    #[error("the part at byte {at} of the key is not in the form keys are written in")]
    NotCanonical {
        /// Where the part begins.
        at: usize,
    },
    /// A string is not UTF-8.
    #[error("the string at byte {at} of the key is not UTF-8")]
    NotUtf8 {
        /// Where the string begins.
        at: usize,
    },
    /// Something follows the last part.
    #[error("{bytes} bytes are left over after the last part of the key")]
    LeftOver {
        /// How many bytes.
        bytes: usize,
    },
}

/// Takes a key apart.
///
/// Strict: what it accepts, [`KeyBuf`](super::KeyBuf) writes byte for byte.
#[derive(Debug, Clone)]
pub struct KeyReader<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> KeyReader<'a> {
    /// Begins at the first part.
    pub fn new(key: &'a [u8]) -> Self {
        KeyReader { rest: key, at: 0 }
    }

    /// Reads a tenant.
    pub fn tenant(&mut self) -> Result<TenantId, KeyDecodeError> {
        self.u32().map(TenantId)
    }

    /// Reads a space.
    pub fn space(&mut self) -> Result<SpaceId, KeyDecodeError> {
        self.u32().map(SpaceId)
    }

    /// Reads a `u8`.
    pub fn u8(&mut self) -> Result<u8, KeyDecodeError> {
        self.fixed().map(u8::from_be_bytes)
    }

    /// Reads a `u16`.
    pub fn u16(&mut self) -> Result<u16, KeyDecodeError> {
        self.fixed().map(u16::from_be_bytes)
    }

    /// Reads a `u32`.
    pub fn u32(&mut self) -> Result<u32, KeyDecodeError> {
        self.fixed().map(u32::from_be_bytes)
    }

    /// Reads a `u64`.
    pub fn u64(&mut self) -> Result<u64, KeyDecodeError> {
        self.fixed().map(u64::from_be_bytes)
    }

    /// Reads an `i64`.
    pub fn i64(&mut self) -> Result<i64, KeyDecodeError> {
        self.u64().map(|bits| (bits ^ SIGN).cast_signed())
    }

    /// Reads an `f64`.
    pub fn f64(&mut self) -> Result<f64, KeyDecodeError> {
        let at = self.at;
        let ordered = self.u64()?;
        let value = float_from_ordered(ordered);
        if float_to_ordered(value) == ordered { Ok(value) } else { Err(KeyDecodeError::NotCanonical { at }) }
    }

    /// Reads a `bool`.
    pub fn bool(&mut self) -> Result<bool, KeyDecodeError> {
        let at = self.at;
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(KeyDecodeError::NotCanonical { at }),
        }
    }

    /// Reads a string; borrowed unless it holds a zero.
    pub fn str(&mut self) -> Result<Cow<'a, str>, KeyDecodeError> {
        let at = self.at;
        match self.bytes()? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).ok(),
        }
        .ok_or(KeyDecodeError::NotUtf8 { at })
    }

    /// Reads bytes of any length; borrowed unless they hold a zero.
    pub fn bytes(&mut self) -> Result<Cow<'a, [u8]>, KeyDecodeError> {
        let (bytes, used) = unescape(self.rest, self.at)?;
        self.advance(used);
        Ok(bytes)
    }

    /// Reads a known number of bytes.
    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], KeyDecodeError> {
        let value = *self.rest.first_chunk().ok_or(KeyDecodeError::TooShort { at: self.at })?;
        self.advance(N);
        Ok(value)
    }

    /// The bytes of the parts not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Makes sure that nothing is left.
    pub fn finish(self) -> Result<(), KeyDecodeError> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(KeyDecodeError::LeftOver { bytes }),
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
        self.at += bytes;
    }
}

/// The first string of `escaped` and the number of bytes it took, its end included.
fn unescape(escaped: &[u8], at: usize) -> Result<(Cow<'_, [u8]>, usize), KeyDecodeError> {
    let mut bytes = Cow::Borrowed(&escaped[..0]);
    let mut used = 0;
    loop {
        let too_short = KeyDecodeError::TooShort { at };
        let run = escaped[used..].iter().position(|byte| *byte == 0).ok_or(too_short.clone())?;
        let run = &escaped[used..used + run];
        // The usual string has one run, which is borrowed as it stands.
        if used == 0 {
            bytes = Cow::Borrowed(run);
        } else {
            bytes.to_mut().extend_from_slice(run);
        }
        used += run.len();
        let mark: [u8; 2] = *escaped[used..].first_chunk().ok_or(too_short)?;
        used += mark.len();
        match mark {
            END => return Ok((bytes, used)),
            ZERO => bytes.to_mut().push(0),
            _ => return Err(KeyDecodeError::NotCanonical { at }),
        }
    }
}
