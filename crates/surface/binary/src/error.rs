//! What an ERROR frame says.

use cairn_base::{ErrorCode, Retry, TurnId};
use cairn_engine::EngineError;
use cairn_gate::GateError;
use cairn_seam::{StoreCode, StoreError};
use cairn_turns::TurnsError;

use crate::fields::{Body, Put};
use crate::limits;

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Its body is not laid out as its message type says.
    #[error("the body of the message ends inside {field}")]
    Cut {
        /// What should be there.
        field: &'static str,
    },
    /// A text is no text.
    #[error("{field} is not UTF-8")]
    NotText {
        /// Which one.
        field: &'static str,
    },
    /// A token where others see it.
    #[error(
        "client_tag holds a token, and others see the tag; send {{\"token\": \"…\"}} as client_meta_json"
    )]
    TokenInTag,
    /// Nobody knows this message type.
    #[error("there is no message type {0}")]
    UnknownType(u16),
    /// Nobody knows this compression.
    #[error("there is no compression {0}; 0 is none and 1 is zstd")]
    UnknownCompression(u32),
    /// What was sent does not decompress to what it should.
    #[error("the payload is no zstd stream of {0} bytes")]
    BadZstd(u32),
    /// The payload is longer or shorter than said.
    #[error("the payload has {found} bytes, not {said}")]
    WrongLength {
        /// Its length.
        found: u64,
        /// What the message says.
        said: u32,
    },
    /// The payload is another one.
    #[error("the content does not have the hash that the message says")]
    WrongHash,
    /// A frame is over the limit.
    #[error("a frame has at most {max} bytes here, this one has {bytes}")]
    FrameTooLarge {
        /// Its length.
        bytes: u32,
        /// How long it may be.
        max: usize,
    },
    /// Content is over the limit of this protocol.
    #[error("a payload or blob has at most {max} bytes, over HTTP too, and this has {bytes}", max = cairn_engine::limits::BINARY_BLOB_BYTES_MAX)]
    ContentTooLarge {
        /// Its length.
        bytes: u64,
    },
    /// A stored blob does not fit into a frame.
    #[error("the blob has {bytes} bytes, and a frame holds blobs of at most {max}", max = cairn_engine::limits::BINARY_BLOB_BYTES_MAX)]
    BlobTooLong {
        /// Its length.
        bytes: u64,
    },
    /// A window holds a turn whose payload is damaged, and the answer has no place to say so.
    #[error(
        "the payload of turn {turn} cannot be read: {reason}; ask for the turns before turn {turn}, for those \
         from depth {} on, or without payloads",
        u64::from(*.depth) + 1
    )]
    UnreadableTurn {
        /// The newest such turn.
        turn: TurnId,
        /// Its depth.
        depth: u32,
        /// What is wrong with its payload.
        reason: String,
    },
    /// There is no such blob.
    #[error("there is no such blob")]
    NoBlob,
    /// A connection is one principal's.
    #[error("this connection was opened by somebody else; open another one")]
    SomebodyElse,
    /// A token came over a connection on which others can read it.
    #[error("this connection is not encrypted, and a token was sent over it; it was not looked at")]
    TokenInTheOpen,
    /// The gate or the engine did not do it.
    #[error(transparent)]
    Gate(#[from] GateError),
}

impl From<EngineError> for WireError {
    fn from(error: EngineError) -> Self {
        WireError::Gate(GateError::Engine(error))
    }
}

impl From<TurnsError> for WireError {
    fn from(error: TurnsError) -> Self {
        WireError::from(EngineError::from(error))
    }
}

impl From<StoreError> for WireError {
    fn from(error: StoreError) -> Self {
        WireError::from(EngineError::from(error))
    }
}

impl WireError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            WireError::Cut { .. }
            | WireError::NotText { .. }
            | WireError::TokenInTag
            | WireError::UnknownType(_)
            | WireError::UnknownCompression(_)
            | WireError::BadZstd(_)
            | WireError::WrongLength { .. }
            | WireError::WrongHash => ErrorCode::InvalidRequest,
            WireError::FrameTooLarge { .. }
            | WireError::ContentTooLarge { .. }
            | WireError::BlobTooLong { .. } => ErrorCode::TooLarge,
            WireError::UnreadableTurn { .. } => ErrorCode::Damaged,
            WireError::NoBlob => ErrorCode::NotFound,
            WireError::SomebodyElse | WireError::TokenInTheOpen => ErrorCode::Forbidden,
            WireError::Gate(error) => error.code(),
        }
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            WireError::FrameTooLarge { max, .. } if *max < limits::BINARY_FRAME_BYTES_MAX => {
                "send HELLO with a valid token first; larger frames are read after that"
            }
            WireError::FrameTooLarge { .. } => "split what is sent into several requests",
            WireError::ContentTooLarge { .. } => "split it into several blobs or turns",
            WireError::BlobTooLong { .. } => {
                "read it over HTTP: GET /v1/blobs/{hash} sends blobs of any length"
            }
            WireError::TokenInTheOpen => "revoke the token; connect without one, or have the server use TLS",
            WireError::Gate(error) => error.hint(),
            WireError::Cut { .. }
            | WireError::NotText { .. }
            | WireError::TokenInTag
            | WireError::UnknownType(_)
            | WireError::UnknownCompression(_)
            | WireError::BadZstd(_)
            | WireError::WrongLength { .. }
            | WireError::WrongHash
            | WireError::NoBlob
            | WireError::UnreadableTurn { .. }
            | WireError::SomebodyElse => self.code().hint(),
        }
    }

    /// The body of the ERROR frame: `code u32 | detail_len u32 | detail`, the detail a JSON object.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let code = self.code();
        let detail = serde_json::json!({
            "code": code.name(),
            "message": self.to_string(),
            "details": self.details(),
        });
        out.u32(code.wire()).counted(detail.to_string().as_bytes());
    }

    fn details(&self) -> serde_json::Value {
        let mut details = serde_json::json!({ "hint": self.hint() });
        if let WireError::Gate(GateError::TooManyRequests { reached, retry_after_s }) = self {
            details["limit"] = reached.counted.name().into();
            details["whose"] = reached.whose.name().into();
            details["max"] = reached.max.get().into();
            details["retry_after_s"] = (*retry_after_s).into();
        }
        details
    }
}

/// What an ERROR frame says, for those who get one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErrorAnswer {
    pub(crate) code: u32,
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl ErrorAnswer {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut body = Body::new(bytes);
        let code = body.u32("error code")?;
        let detail = body.counted("error detail")?;
        let detail = std::str::from_utf8(detail).map_err(|_| WireError::NotText { field: "error detail" })?;
        Ok(match serde_json::from_str::<serde_json::Value>(detail) {
            Ok(serde_json::Value::Object(fields)) => {
                let text = |value: Option<&serde_json::Value>| {
                    value.and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
                };
                let hint = fields.get("details").and_then(|details| details.get("hint"));
                ErrorAnswer {
                    code,
                    name: text(fields.get("code")),
                    message: text(fields.get("message")),
                    hint: text(hint),
                }
            }
            // Other servers send a sentence.
            Ok(_) | Err(_) => {
                ErrorAnswer { code, name: String::new(), message: detail.to_owned(), hint: String::new() }
            }
        })
    }

    /// The row of the error-code table, by its name or else by its number.
    pub(crate) fn row_of(number: u32, name: &str) -> ErrorCode {
        let same_number = || cairn_gate::error_codes().filter(|code| code.wire() == number);
        let named = same_number().find(|code| code.name() == name);
        named.unwrap_or_else(|| match number {
            // It may have failed after a write was done.
            500 => StoreCode::OutcomeUnknown,
            _ => same_number().next().unwrap_or(ErrorCode::Internal),
        })
    }

    /// Whether nothing was changed, and the same request may do after a pause.
    pub(crate) fn is_for_later(&self) -> bool {
        let row = ErrorAnswer::row_of(self.code, &self.name);
        self.code == ErrorCode::Unavailable.wire() || row.retry() == Retry::Later
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: u32, detail: &str, expected: (&str, &str, &str), for_later: bool) {
        let mut bytes = Vec::new();
        bytes.u32(code).counted(detail.as_bytes());
        let read = ErrorAnswer::parse(&bytes).unwrap();
        assert_eq!((read.name.as_str(), read.message.as_str(), read.hint.as_str()), expected, "{detail}");
        assert_eq!((read.code, read.is_for_later()), (code, for_later), "{detail}");
    }

    #[test]
    fn error_frames_are_read_whoever_sent_them() {
        let full = r#"{"code":"NotFound","message":"gone","details":{"hint":"look"}}"#;
        check(404, full, ("NotFound", "gone", "look"), false);
        check(503, r#"{"code":"Overloaded"}"#, ("Overloaded", "", ""), true);
        check(503, r#"{"code":"SnapshotTooOld","details":7}"#, ("SnapshotTooOld", "", ""), true);
        check(507, r#"{"code":"StorageFull","details":{}}"#, ("StorageFull", "", ""), true);
        check(500, r#"{"code":"OutcomeUnknown"}"#, ("OutcomeUnknown", "", ""), false);
        check(409, r#"{"code":"Conflict"}"#, ("Conflict", "", ""), false);
        check(412, r#"{"code":"PreconditionFailed"}"#, ("PreconditionFailed", "", ""), false);
        check(422, "unknown msg_type", ("", "unknown msg_type", ""), false);
        check(503, "later", ("", "later", ""), true);
        check(429, "[]", ("", "[]", ""), true);
        check(599, "", ("", "", ""), false);
        assert_eq!(ErrorAnswer::row_of(500, "Nonsense"), StoreCode::OutcomeUnknown);
        assert_eq!(ErrorAnswer::row_of(503, "Nonsense"), ErrorCode::Overloaded);
        assert_eq!(ErrorAnswer::row_of(401, "Nonsense"), cairn_access::AccessCode::Unauthenticated);
        assert!(ErrorAnswer::parse(&[0; 7]).is_err());
        assert!(ErrorAnswer::parse(&[0, 0, 0, 0, 1, 0, 0, 0, 0xff]).is_err());
    }

    #[test]
    fn what_the_server_says_is_what_clients_read() {
        let error = WireError::UnknownType(77);
        let mut bytes = Vec::new();
        error.encode(&mut bytes);
        let read = ErrorAnswer::parse(&bytes).unwrap();
        assert_eq!((read.code, read.message), (error.code().wire(), error.to_string()));
        assert_eq!((read.name.as_str(), read.hint.as_str()), (error.code().name(), error.code().hint()));
    }

    #[test]
    fn what_is_too_large_is_not_sent_where_the_same_limit_holds() {
        let max = cairn_engine::limits::BINARY_BLOB_BYTES_MAX as u64;
        assert_eq!(max, cairn_gate::limits::HTTP_CONTENT_BYTES_MAX as u64, "HTTP takes no more");
        let content = WireError::ContentTooLarge { bytes: max + 1 };
        assert!(!content.to_string().contains("use HTTP") && !content.hint().contains("HTTP"), "{content}");
        assert!(WireError::BlobTooLong { bytes: max + 1 }.hint().contains("GET /v1/blobs"));
        let frame = |max| WireError::FrameTooLarge { bytes: u32::MAX, max }.hint();
        assert!(frame(limits::HELLO_BYTES_MAX).contains("HELLO"));
        assert!(frame(limits::BINARY_FRAME_BYTES_MAX).contains("split"));
    }
}
