//! What an ERROR frame says.

use cairn_base::{ErrorCode, limits};
use cairn_engine::EngineError;
use cairn_gate::GateError;
use cairn_seam::StoreError;
use cairn_turns::TurnsError;

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
    #[error("a frame has at most {max} bytes, this one has {bytes}", max = limits::BINARY_FRAME_BYTES_MAX)]
    FrameTooLarge {
        /// Its length.
        bytes: u32,
    },
    /// Content is over the limit of this protocol.
    #[error("content has at most {max} bytes here, this has {bytes}; use HTTP for more", max = limits::BINARY_BLOB_BYTES_MAX)]
    ContentTooLarge {
        /// Its length.
        bytes: u64,
    },
    /// There is no such blob.
    #[error("there is no such blob")]
    NoBlob,
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
            | WireError::UnknownType(_)
            | WireError::UnknownCompression(_)
            | WireError::BadZstd(_)
            | WireError::WrongLength { .. }
            | WireError::WrongHash => ErrorCode::InvalidRequest,
            WireError::FrameTooLarge { .. } | WireError::ContentTooLarge { .. } => ErrorCode::TooLarge,
            WireError::NoBlob => ErrorCode::NotFound,
            WireError::Gate(error) => error.code(),
        }
    }

    /// The body of the ERROR frame: `code u32 | detail_len u32 | detail`, the detail a JSON object.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let code = self.code();
        let detail = serde_json::json!({
            "code": code.name(),
            "message": self.to_string(),
            "details": { "hint": code.hint() },
        });
        let detail = detail.to_string();
        out.extend_from_slice(&code.wire().to_le_bytes());
        out.extend_from_slice(&u32::try_from(detail.len()).unwrap_or(0).to_le_bytes());
        out.extend_from_slice(detail.as_bytes());
    }
}
