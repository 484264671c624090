//! Limits of outgoing requests. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of a URL that a request is sent to.
pub const OUTBOUND_URL_BYTES_MAX: usize = 2 * KIB;
/// Addresses of one name that are checked; a name with more is refused.
pub const OUTBOUND_ADDRESSES_MAX: usize = 64;
/// Addresses of one name that a connection is tried to.
pub const OUTBOUND_ATTEMPTS_MAX: usize = 3;
/// Lookups of names that run at a time; further ones wait within their deadline.
pub const OUTBOUND_LOOKUPS_MAX: usize = 8;
/// Time for one attempt to connect, and for the TLS handshake. Default of configuration.
pub const OUTBOUND_CONNECT: Duration = Duration::from_secs(5);
/// Bytes of the head of a response.
pub const OUTBOUND_HEAD_BYTES_MAX: usize = 32 * KIB;
/// Headers of a response.
pub const OUTBOUND_HEADERS_MAX: usize = 100;
/// Bytes of the body of a response, unless a request says otherwise.
pub const OUTBOUND_BODY_BYTES_MAX: usize = 4 * MIB;
/// Remote SPARQL queries that run at a time; further ones are refused.
pub const SPARQL_CONCURRENT_MAX: usize = 8;
