//! Limits and defaults that all surfaces share. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

/// Most HTTP requests worked on at once.
pub const HTTP_IN_FLIGHT_MAX: usize = 256;
/// Most HTTP requests that wait for their turn; beyond, they are refused.
pub const HTTP_WAITING_MAX: usize = 256;
/// Time an HTTP request has from its arrival to its answer.
pub const HTTP_DEADLINE: Duration = Duration::from_secs(30);
/// Largest payload or blob in the body of an HTTP request: as many bytes as over the binary protocol.
pub const HTTP_CONTENT_BYTES_MAX: usize = cairn_engine::limits::BINARY_BLOB_BYTES_MAX;
/// Requests of a remote user that only read, in a minute. Default of configuration, as are the next ones.
pub const READS_PER_MINUTE: u64 = 3_000;
/// Requests of a remote user that may change something, in a minute.
pub const WRITES_PER_MINUTE: u64 = 600;
/// Searches of a remote user, in a minute.
pub const SEARCHES_PER_MINUTE: u64 = 1_000;
/// Bytes that a remote user sends in a minute.
pub const UPLOAD_BYTES_PER_MINUTE: u64 = 1 << 30;
/// Connections of a remote user at once.
pub const CONNECTIONS_OF_USER_MAX: u64 = 256;
/// How many times as much as one user all users of a tenant may do together.
pub const TENANT_FACTOR: u64 = 10;
/// Remote users of whom it is known what they did in the last minute.
pub const ALLOWANCES_KEPT: usize = 64 << 10;
/// Most reads that run on threads of their own at once. Default of configuration.
pub const READERS_MAX: usize = 32;
/// Queries, of which nobody knows beforehand how long they take, that run at once beside other reads.
pub const QUERIES_MAX: usize = 16;
/// Queries that have run for long and take no place from others any more.
pub const LONG_QUERIES_MAX: usize = 4;
/// When a query has run for long.
pub const QUERY_LONG_AFTER: Duration = Duration::from_millis(50);
/// Longest request id taken over from a client.
pub const REQUEST_ID_BYTES_MAX: usize = 64;
