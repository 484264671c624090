//! Reading: nothing is allocated.

/// One value, or the start of one that others follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'a> {
    /// Nothing.
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer that is not negative.
    Unsigned(u64),
    /// A negative integer.
    Negative(i64),
    /// A number with 24 bits of precision.
    Float32(f32),
    /// A number with 53 bits of precision.
    Float64(f64),
    /// Text, as it says; it may be no UTF-8.
    Text(&'a [u8]),
    /// Bytes.
    Binary(&'a [u8]),
    /// So many values follow.
    Array(u32),
    /// So many pairs of values follow.
    Map(u32),
    /// A value of an application's own type.
    Extension(i8, &'a [u8]),
}

/// Why bytes are not MessagePack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MsgpackError {
    /// They end inside a value.
    #[error("the MessagePack value ends too early")]
    Cut,
    /// There is a byte that starts nothing.
    #[error("a byte of the MessagePack value starts nothing")]
    Unknown,
    /// Values are inside each other more often than we follow.
    #[error("the MessagePack value is nested too deeply")]
    TooDeep,
    /// Something follows the value.
    #[error("something follows the MessagePack value")]
    Trailing,
    /// It is something that JSON has no word for.
    #[error("the MessagePack value has bytes, an odd key, or a number or text that JSON cannot say")]
    NotJson,
}

/// Reads one token after the other.
#[derive(Debug, Clone)]
pub struct MsgpackReader<'a> {
    rest: &'a [u8],
}

impl<'a> MsgpackReader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        MsgpackReader { rest: bytes }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next token.
    pub fn token(&mut self) -> Result<Token<'a>, MsgpackError> {
        let [first] = self.take_array()?;
        Ok(match first {
            0x00..=0x7f => Token::Unsigned(u64::from(first)),
            0x80..=0x8f => Token::Map(u32::from(first & 0x0f)),
            0x90..=0x9f => Token::Array(u32::from(first & 0x0f)),
            0xa0..=0xbf => Token::Text(self.take(usize::from(first & 0x1f))?),
            0xc0 => Token::Nil,
            0xc1 => return Err(MsgpackError::Unknown),
            0xc2 => Token::Bool(false),
            0xc3 => Token::Bool(true),
            0xc4..=0xc6 => {
                let bytes = self.length(first - 0xc4)?;
                Token::Binary(self.take(bytes)?)
            }
            0xc7..=0xc9 => {
                let bytes = self.length(first - 0xc7)?;
                self.extension(bytes)?
            }
            0xca => Token::Float32(f32::from_be_bytes(self.take_array()?)),
            0xcb => Token::Float64(f64::from_be_bytes(self.take_array()?)),
            0xcc => Token::Unsigned(u64::from(u8::from_be_bytes(self.take_array()?))),
            0xcd => Token::Unsigned(u64::from(u16::from_be_bytes(self.take_array()?))),
            0xce => Token::Unsigned(u64::from(u32::from_be_bytes(self.take_array()?))),
            0xcf => Token::Unsigned(u64::from_be_bytes(self.take_array()?)),
            0xd0 => signed(i64::from(i8::from_be_bytes(self.take_array()?))),
            0xd1 => signed(i64::from(i16::from_be_bytes(self.take_array()?))),
            0xd2 => signed(i64::from(i32::from_be_bytes(self.take_array()?))),
            0xd3 => signed(i64::from_be_bytes(self.take_array()?)),
            0xd4..=0xd8 => self.extension(1 << (first - 0xd4))?,
            0xd9..=0xdb => {
                let bytes = self.length(first - 0xd9)?;
                Token::Text(self.take(bytes)?)
            }
            0xdc => Token::Array(u32::from(u16::from_be_bytes(self.take_array()?))),
            0xdd => Token::Array(u32::from_be_bytes(self.take_array()?)),
            0xde => Token::Map(u32::from(u16::from_be_bytes(self.take_array()?))),
            0xdf => Token::Map(u32::from_be_bytes(self.take_array()?)),
            0xe0..=0xff => Token::Negative(i64::from(i8::from_be_bytes([first]))),
        })
    }

    /// Passes one whole value, whatever is inside it, down to so many levels.
    pub fn skip(&mut self, levels: usize) -> Result<(), MsgpackError> {
        let inside = match self.token()? {
            Token::Array(count) => u64::from(count),
            Token::Map(count) => 2 * u64::from(count),
            Token::Nil
            | Token::Bool(_)
            | Token::Unsigned(_)
            | Token::Negative(_)
            | Token::Float32(_)
            | Token::Float64(_)
            | Token::Text(_)
            | Token::Binary(_)
            | Token::Extension(..) => 0,
        };
        if inside > 0 {
            let levels = levels.checked_sub(1).ok_or(MsgpackError::TooDeep)?;
            (0..inside).try_for_each(|_| self.skip(levels))?;
        }
        Ok(())
    }

    fn extension(&mut self, bytes: usize) -> Result<Token<'a>, MsgpackError> {
        let kind = i8::from_be_bytes(self.take_array()?);
        Ok(Token::Extension(kind, self.take(bytes)?))
    }

    /// A length of one, two or four bytes.
    fn length(&mut self, size: u8) -> Result<usize, MsgpackError> {
        let length = match size {
            0 => u32::from(u8::from_be_bytes(self.take_array()?)),
            1 => u32::from(u16::from_be_bytes(self.take_array()?)),
            _ => u32::from_be_bytes(self.take_array()?),
        };
        usize::try_from(length).map_err(|_| MsgpackError::Cut)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], MsgpackError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(MsgpackError::Cut)?;
        self.rest = rest;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], MsgpackError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(MsgpackError::Cut)?;
        self.rest = rest;
        Ok(*taken)
    }
}

fn signed<'a>(value: i64) -> Token<'a> {
    u64::try_from(value).map_or(Token::Negative(value), Token::Unsigned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_of_every_kind_is_read() {
        let long = [&[0xdb, 0, 0, 1, 0][..], &[b'x'; 256]].concat();
        let rows: &[(&[u8], Token<'_>)] = &[
            (&[0xc0], Token::Nil),
            (&[0xc2], Token::Bool(false)),
            (&[0xc3], Token::Bool(true)),
            (&[0x7f], Token::Unsigned(127)),
            (&[0xcc, 200], Token::Unsigned(200)),
            (&[0xcd, 1, 0], Token::Unsigned(256)),
            (&[0xce, 0, 1, 0, 0], Token::Unsigned(65_536)),
            (&[0xcf, 255, 255, 255, 255, 255, 255, 255, 255], Token::Unsigned(u64::MAX)),
            (&[0xd0, 5], Token::Unsigned(5)),
            (&[0xe0], Token::Negative(-32)),
            (&[0xd0, 0x80], Token::Negative(-128)),
            (&[0xd1, 0x80, 0], Token::Negative(-32_768)),
            (&[0xd2, 0x80, 0, 0, 0], Token::Negative(i64::from(i32::MIN))),
            (&[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0], Token::Negative(i64::MIN)),
            (&[0xca, 0x3f, 0x80, 0, 0], Token::Float32(1.0)),
            (&[0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], Token::Float64(1.0)),
            (&[0xa2, b'h', b'i'], Token::Text(b"hi")),
            (&[0xd9, 1, b'h'], Token::Text(b"h")),
            (&[0xda, 0, 1, b'h'], Token::Text(b"h")),
            (&long, Token::Text(&[b'x'; 256])),
            (&[0xc4, 1, 9], Token::Binary(&[9])),
            (&[0xc5, 0, 1, 9], Token::Binary(&[9])),
            (&[0xc6, 0, 0, 0, 1, 9], Token::Binary(&[9])),
            (&[0x93], Token::Array(3)),
            (&[0xdc, 1, 0], Token::Array(256)),
            (&[0xdd, 0, 1, 0, 0], Token::Array(65_536)),
            (&[0x82], Token::Map(2)),
            (&[0xde, 1, 0], Token::Map(256)),
            (&[0xdf, 0, 1, 0, 0], Token::Map(65_536)),
            (&[0xd4, 7, 1], Token::Extension(7, &[1])),
            (&[0xd6, 0xff, 1, 2, 3, 4], Token::Extension(-1, &[1, 2, 3, 4])),
            (&[0xc7, 3, 5, 1, 2, 3], Token::Extension(5, &[1, 2, 3])),
        ];
        for (bytes, token) in rows {
            let mut reader = MsgpackReader::new(bytes);
            assert_eq!(reader.token(), Ok(*token), "{bytes:x?}");
            assert!(reader.rest().is_empty(), "{bytes:x?}");
            for cut in 0..bytes.len() {
                assert_eq!(MsgpackReader::new(&bytes[..cut]).token(), Err(MsgpackError::Cut), "{bytes:x?}");
            }
        }
        assert_eq!(MsgpackReader::new(&[0xc1]).token(), Err(MsgpackError::Unknown));
    }

    #[test]
    fn skipping_ends_at_the_value_and_at_the_levels() {
        let mut reader = MsgpackReader::new(&[0x82, 1, 0x92, 2, 3, 4, 0x80, 5]);
        reader.skip(2).unwrap();
        assert_eq!(reader.token(), Ok(Token::Unsigned(5)));
        assert_eq!(MsgpackReader::new(&[0x91, 0x91, 0x91, 1]).skip(2), Err(MsgpackError::TooDeep));
        assert_eq!(MsgpackReader::new(&[0x91; 100_000]).skip(64), Err(MsgpackError::TooDeep));
        assert_eq!(MsgpackReader::new(&[0xdd, 255, 255, 255, 255, 1]).skip(64), Err(MsgpackError::Cut));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let mut reader = MsgpackReader::new(&bytes);
            while reader.token().is_ok() {}
            let _ = MsgpackReader::new(&bytes).skip(32);
        }
    }
}
