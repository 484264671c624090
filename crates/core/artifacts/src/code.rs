//! Error codes of the artifact protocol, as it spells them.
//!
//! Under `/kcp/v1` every error has one of these codes: [`kcp_code`] translates the codes of other crates.

use cairn_base::ErrorCode;

cairn_base::error_codes! {
    /// Error codes of the artifact protocol.
    pub ArtifactCode;

    /// The payload, or a parameter, is malformed or over a limit.
    InvalidPayload as "INVALID_PAYLOAD": "KIP_1001", wire 422, http 400, rpc -32602, Never,
        "correct the field that the message names";
    /// The payload has a version that this node does not know.
    UnsupportedVersion as "UNSUPPORTED_VERSION": "KIP_1001", wire 422, http 400, rpc -32602, Never,
        "send version \"1\"";
    /// The signature does not verify.
    InvalidSignature as "INVALID_SIGNATURE": "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign the canonical JSON of the payload without `signature`; docs/artifacts.md has a worked example";
    /// No key of the author is registered, or it was revoked.
    UnknownKey as "UNKNOWN_KEY": "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "register the public key for its user, or publish unsigned and let the node sign";
    /// The timestamp is too far from the clock of this node.
    StaleTimestamp as "STALE_TIMESTAMP": "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "sign again with the current time, and check the clocks";
    /// The caller sent no valid credentials.
    Unauthorized as "UNAUTHORIZED": "KIP_3004", wire 401, http 401, rpc -32001, Never,
        "send `Authorization: Bearer` with a token or a JWT";
    /// The content does not have the hash that the payload names.
    HashMismatch as "HASH_MISMATCH": "KIP_1001", wire 422, http 400, rpc -32602, Never,
        "send the SHA-256 of exactly these bytes as content_hash";
    /// The caller may not do that.
    Forbidden as "FORBIDDEN": "KIP_3004", wire 403, http 403, rpc -32003, Never,
        "ask the author or an administrator";
    /// There is no such artifact for the caller.
    NotFound as "NOT_FOUND": "KIP_3002", wire 404, http 404, rpc -32002, Never,
        "check the id";
    /// The content of the artifact is not stored on this node.
    ContentElsewhere as "CONTENT_ELSEWHERE": "KIP_3002", wire 404, http 404, rpc -32002, Never,
        "fetch it from details.content_url";
    /// The id is taken.
    DuplicateId as "DUPLICATE_ID": "KIP_3001", wire 409, http 409, rpc -32009, Never,
        "publish with a new id; ids are never reused";
    /// The request is over a size limit.
    TooLarge as "TOO_LARGE": "KIP_4002", wire 413, http 413, rpc -32013, Never,
        "stay within the limit that the message names";
    /// The caller sends too many requests.
    RateLimited as "RATE_LIMITED": "KIP_4002", wire 429, http 429, rpc -32029, Later,
        "retry after the seconds in Retry-After";
    /// The node failed.
    Internal as "INTERNAL": "KIP_4003", wire 500, http 500, rpc -32603, Look,
        "find the request id in the log; look before sending a write again";
}

/// Translates a code of any crate into a code and a status of the artifact protocol.
pub fn kcp_code(code: ErrorCode) -> ErrorCode {
    if ArtifactCode::ALL.contains(&code) {
        return code;
    }
    match code.http() {
        401 => ArtifactCode::Unauthorized,
        403 => ArtifactCode::Forbidden,
        404 | 410 => ArtifactCode::NotFound,
        409 => ArtifactCode::DuplicateId,
        413 => ArtifactCode::TooLarge,
        429 | 503 => ArtifactCode::RateLimited,
        400..=499 => ArtifactCode::InvalidPayload,
        _ => ArtifactCode::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_of_the_protocol_has_a_code() {
        for code in ErrorCode::GENERAL {
            let shown = kcp_code(*code);
            assert!(ArtifactCode::ALL.contains(&shown));
            assert!([400, 401, 403, 404, 409, 413, 429, 500].contains(&shown.http()), "{code}: {shown}");
            assert_eq!(kcp_code(shown), shown);
        }
        assert_eq!(kcp_code(ErrorCode::Overloaded), ArtifactCode::RateLimited);
        assert_eq!(kcp_code(ErrorCode::InvalidRequest), ArtifactCode::InvalidPayload);
    }
}
