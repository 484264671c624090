//! Payloads as JSON.

use std::sync::Arc;

use cairn_base::{Base64, Hex};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::ApiError;
use crate::params::{Params, invalid};

/// How bytes are written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BytesRender {
    Base64,
    Hex,
    LengthOnly,
}

/// Reads `view` and `bytes_render`.
pub(super) fn bytes_render(params: &Params) -> Result<BytesRender, ApiError> {
    let view = params.text("view")?.unwrap_or("raw");
    if view != "raw" {
        let hint = if matches!(view, "typed" | "both") {
            "leave out view, or say view=raw: typed views come with the type registry"
        } else {
            "leave out view, or say view=raw"
        };
        return Err(invalid(format!("there is no view {view:?}"))
            .detail("parameter", "view")
            .detail("hint", hint));
    }
    params.choice(
        "bytes_render",
        &[("base64", BytesRender::Base64), ("hex", BytesRender::Hex), ("len_only", BytesRender::LengthOnly)],
    )
}

impl BytesRender {
    /// Whether the bytes themselves are needed.
    pub(super) fn needs_bytes(self) -> bool {
        self != BytesRender::LengthOnly
    }

    /// What payloads of so many bytes take in memory: as they are read, and as they are written.
    pub(super) fn memory_bytes(self, payload_bytes: u64) -> u64 {
        match self {
            BytesRender::Base64 => payload_bytes + payload_bytes.div_ceil(3) * 4,
            BytesRender::Hex => payload_bytes * 3,
            BytesRender::LengthOnly => 0,
        }
    }
}

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
            BytesRender::LengthOnly => map.serialize_entry("bytes_len", &self.length)?,
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
