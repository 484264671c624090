//! Writing: each value in its shortest form, so that equal values have equal bytes.

/// Writes one value after the other.
#[derive(Debug, Clone, Default)]
pub struct MsgpackWriter(Vec<u8>);

impl MsgpackWriter {
    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Nothing.
    pub fn nil(&mut self) {
        self.0.push(0xc0);
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) {
        self.0.push(if value { 0xc3 } else { 0xc2 });
    }

    /// An integer that is not negative.
    pub fn unsigned(&mut self, value: u64) {
        if let Ok(value @ 0..=0x7f) = u8::try_from(value) {
            self.0.push(value);
        } else if let Ok(value) = u8::try_from(value) {
            self.put(0xcc, &value.to_be_bytes());
        } else if let Ok(value) = u16::try_from(value) {
            self.put(0xcd, &value.to_be_bytes());
        } else if let Ok(value) = u32::try_from(value) {
            self.put(0xce, &value.to_be_bytes());
        } else {
            self.put(0xcf, &value.to_be_bytes());
        }
    }

    /// An integer.
    pub fn signed(&mut self, value: i64) {
        if let Ok(value) = u64::try_from(value) {
            self.unsigned(value);
        } else if let Ok(value) = i8::try_from(value) {
            let short = (-32..0).contains(&value);
            if !short {
                self.0.push(0xd0);
            }
            self.0.extend(value.to_be_bytes());
        } else if let Ok(value) = i16::try_from(value) {
            self.put(0xd1, &value.to_be_bytes());
        } else if let Ok(value) = i32::try_from(value) {
            self.put(0xd2, &value.to_be_bytes());
        } else {
            self.put(0xd3, &value.to_be_bytes());
        }
    }

    /// A number with 53 bits of precision.
    pub fn float(&mut self, value: f64) {
        self.put(0xcb, &value.to_be_bytes());
    }

    /// Text; `false` if it is too long for MessagePack, and then nothing is written.
    #[must_use]
    pub fn text(&mut self, text: &str) -> bool {
        let Ok(length) = u32::try_from(text.len()) else { return false };
        match length {
            0..=31 => self.0.push(0xa0 | text.len() as u8),
            32..=0xff => self.put(0xd9, &[text.len() as u8]),
            0x100..=0xffff => self.put(0xda, &(text.len() as u16).to_be_bytes()),
            _ => self.put(0xdb, &length.to_be_bytes()),
        }
        self.0.extend_from_slice(text.as_bytes());
        true
    }

    /// The start of an array: so many values follow.
    pub fn array(&mut self, count: u32) {
        self.start(0x90, 0xdc, count);
    }

    /// The start of a map: so many pairs of values follow.
    pub fn map(&mut self, count: u32) {
        self.start(0x80, 0xde, count);
    }

    fn start(&mut self, short: u8, long: u8, count: u32) {
        match count {
            0..=15 => self.0.push(short | count as u8),
            16..=0xffff => self.put(long, &(count as u16).to_be_bytes()),
            _ => self.put(long + 1, &count.to_be_bytes()),
        }
    }

    fn put(&mut self, first: u8, rest: &[u8]) {
        self.0.push(first);
        self.0.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MsgpackReader, Token};
    use super::*;
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut MsgpackWriter)) -> Vec<u8> {
        let mut writer = MsgpackWriter::default();
        write(&mut writer);
        writer.into_bytes()
    }

    #[test]
    fn numbers_take_their_shortest_form() {
        for (value, bytes) in [
            (0, &[0][..]),
            (127, &[0x7f]),
            (128, &[0xcc, 128]),
            (255, &[0xcc, 255]),
            (256, &[0xcd, 1, 0]),
            (65_536, &[0xce, 0, 1, 0, 0]),
            (1 << 32, &[0xcf, 0, 0, 0, 1, 0, 0, 0, 0]),
            (-1, &[0xff]),
            (-32, &[0xe0]),
            (-33, &[0xd0, 0xdf]),
            (-128, &[0xd0, 0x80]),
            (-129, &[0xd1, 0xff, 0x7f]),
            (-32_769, &[0xd2, 0xff, 0xff, 0x7f, 0xff]),
            (i64::MIN, &[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            assert_eq!(written(|writer| writer.signed(value)), bytes, "{value}");
        }
    }

    #[test]
    fn texts_and_starts_have_every_form() {
        for length in [0, 31, 32, 255, 256, 65_535, 65_536] {
            let text = "x".repeat(length);
            let bytes = written(|writer| assert!(writer.text(&text)));
            assert_eq!(MsgpackReader::new(&bytes).token(), Ok(Token::Text(text.as_bytes())));
        }
        for count in [0, 15, 16, 65_535, 65_536, u32::MAX] {
            let array = written(|writer| writer.array(count));
            assert_eq!(MsgpackReader::new(&array).token(), Ok(Token::Array(count)));
            let map = written(|writer| writer.map(count));
            assert_eq!(MsgpackReader::new(&map).token(), Ok(Token::Map(count)));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(unsigned: u64, signed: i64, float: f64, flag: bool, text: String) {
            let bytes = written(|writer| {
                writer.unsigned(unsigned);
                writer.signed(signed);
                writer.float(float);
                writer.bool(flag);
                assert!(writer.text(&text));
                writer.nil();
            });
            let mut reader = MsgpackReader::new(&bytes);
            prop_assert_eq!(reader.token(), Ok(Token::Unsigned(unsigned)));
            let expected = u64::try_from(signed).map_or(Token::Negative(signed), Token::Unsigned);
            prop_assert_eq!(reader.token(), Ok(expected));
            if let Ok(Token::Float64(read)) = reader.token() {
                prop_assert_eq!(read.to_bits(), float.to_bits());
            } else {
                prop_assert!(false, "no float");
            }
            prop_assert_eq!(reader.token(), Ok(Token::Bool(flag)));
            prop_assert_eq!(reader.token(), Ok(Token::Text(text.as_bytes())));
            prop_assert_eq!(reader.token(), Ok(Token::Nil));
            prop_assert!(reader.rest().is_empty());
        }
    }
}
