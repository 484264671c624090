//! Error codes of the gate.

use cairn_base::ErrorCode;

cairn_base::error_codes! {
    /// Error codes of the gate.
    pub GateCode;

    /// This caller asks too often.
    TooManyRequests: "KIP_4002", wire 429, http 429, rpc -32029, Later,
        "wait as long as Retry-After says";
}

/// Returns every error code that a [`GateError`](crate::GateError) can have.
pub fn error_codes() -> impl Iterator<Item = ErrorCode> {
    cairn_engine::error_codes().chain(GateCode::ALL.iter().copied())
}
