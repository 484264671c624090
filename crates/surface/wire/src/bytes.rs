//! Bytes as text, written without a copy of their own.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use cairn_base::{Base64, Hex, from_base64, from_hex};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// Bytes in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base64Bytes(pub Arc<[u8]>);

/// Bytes in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HexBytes(pub Arc<[u8]>);

impl Deref for Base64Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Deref for HexBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Base64Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64(&self.0))
    }
}

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text { decode: from_base64, expected: "bytes in base64" };
        deserializer.deserialize_str(text).map(Base64Bytes)
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text { decode: bytes_of_hex, expected: "bytes in hexadecimal digits" };
        deserializer.deserialize_str(text).map(HexBytes)
    }
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| from_hex::<1>(std::str::from_utf8(pair).ok()?).map(|[byte]| byte)).collect()
}

struct Text {
    decode: fn(&str) -> Option<Vec<u8>>,
    expected: &'static str,
}

impl Visitor<'_> for Text {
    type Value = Arc<[u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Arc<[u8]>, E> {
        let bytes = (self.decode)(text);
        bytes
            .map(Arc::from)
            .ok_or_else(|| E::custom(format_args!("invalid text; expected {}", self.expected)))
    }
}
