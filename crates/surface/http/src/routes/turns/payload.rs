//! Payloads as bytes in JSON.

use std::sync::Arc;

use cairn_base::{Base64, Hex};
use cairn_turns::projection::BytesRender;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A payload, written as `bytes_b64`, `bytes_hex` or `bytes_len`.
#[derive(Debug)]
pub(super) struct Payload {
    pub(super) render: BytesRender,
    pub(super) bytes: Arc<[u8]>,
    pub(super) length: u32,
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self.render {
            BytesRender::Base64 => map.serialize_entry("bytes_b64", &Shown(Base64(&self.bytes)))?,
            BytesRender::Hex => map.serialize_entry("bytes_hex", &Shown(Hex(&self.bytes)))?,
            BytesRender::Length => map.serialize_entry("bytes_len", &self.length)?,
        }
        map.end()
    }
}

/// Written as it is shown, without a copy in between.
struct Shown<T>(T);

impl<T: std::fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
