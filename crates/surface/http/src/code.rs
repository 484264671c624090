//! Error codes that only HTTP has.

use cairn_base::ErrorCode;

cairn_base::error_codes! {
    /// Error codes that only HTTP has.
    pub HttpCode;

    /// The method does not exist at this address.
    MethodNotAllowed: "KIP_1001", wire 422, http 405, rpc -32601, Never,
        "use one of the methods listed in the API description";
    /// The Host header names somebody else.
    WrongHost: "KIP_3004", wire 403, http 421, rpc -32021, Never,
        "call the server by an address it listens on";
    /// The page that sent the request comes from an origin that is not allowed.
    WrongOrigin: "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "add the origin to http.allowed_origins";
    /// The body has a media type that is not read here.
    UnsupportedMediaType: "KIP_1001", wire 422, http 415, rpc -32600, Never,
        "send application/json";
}

/// Returns every error code that an answer over HTTP can have.
pub fn error_codes() -> impl Iterator<Item = ErrorCode> {
    cairn_gate::error_codes().chain(HttpCode::ALL.iter().copied())
}
