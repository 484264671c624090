//! Answers that hold memory until they are sent.

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cairn_gate::Share;
use cairn_tools::ToolAnswer;
use serde::Serialize;

/// Bytes, and the memory that they hold.
struct Held {
    bytes: Vec<u8>,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes that give their memory back when the last of them is gone.
pub(crate) fn bytes(bytes: Vec<u8>, share: Share) -> Bytes {
    Bytes::from_owner(Held { bytes, _share: share })
}

/// JSON that was made where it could take its time.
#[derive(Debug)]
pub(crate) struct HeldJson(Bytes);

impl HeldJson {
    /// Writes a value down.
    pub(crate) fn new(value: &impl Serialize, share: Share) -> Self {
        HeldJson(bytes(serde_json::to_vec(value).expect("an answer is plain data"), share))
    }

    /// JSON that is written down already.
    pub(crate) fn of_text(json: String, share: Share) -> Self {
        HeldJson(bytes(json.into_bytes(), share))
    }
}

impl From<ToolAnswer> for HeldJson {
    fn from(answer: ToolAnswer) -> Self {
        HeldJson::of_text(answer.json, answer.share)
    }
}

impl IntoResponse for HeldJson {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], Body::from(self.0)).into_response()
    }
}
