//! Writing, each value in its shortest form: the same value gives the same bytes.

use std::collections::BTreeMap;

use crate::Value;

/// Appends values to a buffer.
#[derive(Debug, Default)]
pub struct MsgpackWriter {
    bytes: Vec<u8>,
}

impl MsgpackWriter {
    /// Starts with nothing.
    pub fn new() -> Self {
        MsgpackWriter::default()
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Nothing.
    pub fn nil(&mut self) {
        self.bytes.push(0xc0);
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) {
        self.bytes.push(if value { 0xc3 } else { 0xc2 });
    }

    /// An integer that is not negative.
    pub fn unsigned(&mut self, value: u64) {
        match value {
            0..=0x7f => self.put(&[], &[low_byte(value)]),
            0x80..=0xff => self.put(&[0xcc], &[low_byte(value)]),
            0x100..=0xffff => self.put(&[0xcd], &value.to_be_bytes()[6..]),
            0x1_0000..=0xffff_ffff => self.put(&[0xce], &value.to_be_bytes()[4..]),
            _ => self.put(&[0xcf], &value.to_be_bytes()),
        }
    }

    /// Any integer.
    pub fn signed(&mut self, value: i64) {
        if let Ok(value) = u64::try_from(value) {
            return self.unsigned(value);
        }
        let bytes = value.to_be_bytes();
        match value {
            -0x20.. => self.put(&[], &bytes[7..]),
            -0x80.. => self.put(&[0xd0], &bytes[7..]),
            -0x8000.. => self.put(&[0xd1], &bytes[6..]),
            -0x8000_0000.. => self.put(&[0xd2], &bytes[4..]),
            _ => self.put(&[0xd3], &bytes),
        }
    }

    /// A number with 24 bits of precision.
    pub fn float32(&mut self, value: f32) {
        self.put(&[0xca], &value.to_be_bytes());
    }

    /// A number with 53 bits of precision.
    pub fn float64(&mut self, value: f64) {
        self.put(&[0xcb], &value.to_be_bytes());
    }

    /// Text.
    pub fn text(&mut self, text: &str) {
        let count = text.len();
        if count < 32 {
            self.bytes.push(0xa0 | low_byte(count as u64));
        } else {
            self.length(count, [Some(0xd9), Some(0xda), Some(0xdb)]);
        }
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Bytes.
    pub fn binary(&mut self, bytes: &[u8]) {
        self.length(bytes.len(), [Some(0xc4), Some(0xc5), Some(0xc6)]);
        self.bytes.extend_from_slice(bytes);
    }

    /// So many values follow.
    pub fn array(&mut self, count: usize) {
        if count < 16 {
            self.bytes.push(0x90 | low_byte(count as u64));
        } else {
            self.length(count, [None, Some(0xdc), Some(0xdd)]);
        }
    }

    /// So many pairs of values follow.
    pub fn map(&mut self, count: usize) {
        if count < 16 {
            self.bytes.push(0x80 | low_byte(count as u64));
        } else {
            self.length(count, [None, Some(0xde), Some(0xdf)]);
        }
    }

    /// A value of JSON: integers as integers, all other numbers with 53 bits of precision, keys in their order.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.nil(),
            Value::Bool(value) => self.bool(*value),
            Value::Number(number) => match (number.is_float(), number.as_u64(), number.as_i64()) {
                (false, Some(value), _) => self.unsigned(value),
                (false, None, Some(value)) => self.signed(value),
                (true, ..) | (false, None, None) => self.float64(number.to_f64()),
            },
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.array(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(entries) => self.entries(entries),
        }
    }

    /// A map of values, in the order of its keys.
    pub fn entries(&mut self, entries: &BTreeMap<String, Value>) {
        self.map(entries.len());
        for (key, value) in entries {
            self.text(key);
            self.value(value);
        }
    }

    /// A length of one, two or four bytes, behind what stands for each; nothing here has 2^32 of anything.
    fn length(&mut self, count: usize, [one, two, four]: [Option<u8>; 3]) {
        let bytes = (count as u64).to_be_bytes();
        match (count, one) {
            (0..=0xff, Some(one)) => self.put(&[one], &bytes[7..]),
            (0..=0xffff, _) => self.put(two.as_slice(), &bytes[6..]),
            _ => self.put(four.as_slice(), &bytes[4..]),
        }
    }

    fn put(&mut self, kind: &[u8], value: &[u8]) {
        self.bytes.extend_from_slice(kind);
        self.bytes.extend_from_slice(value);
    }
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::any_value;
    use crate::{MsgpackReader, Token, value_from_msgpack};
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut MsgpackWriter)) -> Vec<u8> {
        let mut writer = MsgpackWriter::new();
        write(&mut writer);
        writer.into_bytes()
    }

    #[test]
    fn every_form_begins_where_the_shorter_one_ends() {
        let rows = [
            (0, 1),
            (127, 1),
            (128, 2),
            (255, 2),
            (256, 3),
            (65_535, 3),
            (65_536, 5),
            (u64::from(u32::MAX), 5),
            (1 << 32, 9),
            (u64::MAX, 9),
        ];
        for (value, bytes) in rows {
            assert_eq!(written(|to| to.unsigned(value)).len(), bytes, "{value}");
        }
        let rows =
            [(-1, 1), (-32, 1), (-33, 2), (-128, 2), (-129, 3), (-32_768, 3), (-32_769, 5), (i64::MIN, 9)];
        for (value, bytes) in rows {
            assert_eq!(written(|to| to.signed(value)).len(), bytes, "{value}");
        }
        for (count, head) in [(0, 1), (31, 1), (32, 2), (255, 2), (256, 3), (65_535, 3), (65_536, 5)] {
            assert_eq!(written(|to| to.text(&"x".repeat(count))).len() - count, head, "{count}");
        }
        for (count, head) in [(0, 2), (255, 2), (256, 3), (65_536, 5)] {
            assert_eq!(written(|to| to.binary(&vec![1; count])).len() - count, head, "{count}");
        }
        for (count, head) in [(0, 1), (15, 1), (16, 3), (65_535, 3), (65_536, 5)] {
            assert_eq!(written(|to| to.array(count)).len(), head, "{count}");
            assert_eq!(written(|to| to.map(count)).len(), head, "{count}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(number: u64, signed: i64, text: String, bytes: Vec<u8>, float: f64, count in 0_u32..200_000) {
            let all = written(|to| {
                to.nil();
                to.bool(true);
                to.unsigned(number);
                to.signed(signed);
                to.text(&text);
                to.binary(&bytes);
                to.float64(float);
                to.float32(1.5);
                to.array(count as usize);
                to.map(count as usize);
            });
            let mut reader = MsgpackReader::new(&all);
            let negative = |value: i64| u64::try_from(value).map_or(Token::Negative(value), Token::Unsigned);
            let expected = [
                Token::Nil, Token::Bool(true), Token::Unsigned(number), negative(signed),
                Token::Text(text.as_bytes()), Token::Binary(&bytes), Token::Float64(float), Token::Float32(1.5),
                Token::Array(count), Token::Map(count),
            ];
            for token in expected {
                prop_assert_eq!(reader.token().unwrap(), token);
            }
            prop_assert!(reader.rest().is_empty());
        }

        #[test]
        fn values_come_back_with_their_kind_of_number(value in any_value()) {
            let bytes = written(|to| to.value(&value));
            let back = value_from_msgpack(&bytes).unwrap();
            // Equal numbers of different kinds are equal values; their JSON is not the same.
            prop_assert_eq!(back.to_json(), value.to_json());
        }
    }
}
