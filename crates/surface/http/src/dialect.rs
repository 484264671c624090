//! The words of errors: those of cairn, or those of the artifact protocol under its own addresses.

use cairn_artifacts::kcp_code;
use cairn_base::ErrorCode;

/// Addresses under which errors have the codes and statuses of the artifact protocol.
const KCP: [&str; 2] = ["/kcp/v1", "/ipfs"];

/// The codes and statuses that errors of an address have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Cairn,
    Kcp,
}

impl Dialect {
    /// Returns the dialect of a path.
    pub(crate) fn of(path: &str) -> Self {
        let is_below = |prefix: &&str| {
            path.strip_prefix(*prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if KCP.iter().any(is_below) { Dialect::Kcp } else { Dialect::Cairn }
    }

    /// Returns the code by which an error goes.
    pub(crate) fn code(self, code: ErrorCode) -> ErrorCode {
        match self {
            Dialect::Cairn => code,
            Dialect::Kcp => kcp_code(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_their_dialects() {
        for path in ["/kcp/v1", "/kcp/v1/", "/kcp/v1/artifacts/x", "/ipfs/bafy", "/kcp/v1/nowhere"] {
            assert_eq!(Dialect::of(path), Dialect::Kcp, "{path}");
        }
        for path in ["/", "/kcp", "/kcp/v1x", "/ipfsx/y", "/v1/artifacts/ids", "/v1/kcp/v1"] {
            assert_eq!(Dialect::of(path), Dialect::Cairn, "{path}");
        }
    }
}
