//! Limits of the requirements KB. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::KIB;

/// Bytes of the URL of a SPARQL endpoint.
pub const SPARQL_ENDPOINT_BYTES_MAX: usize = 2 * KIB;
/// Bytes of a SPARQL query.
pub const SPARQL_QUERY_BYTES_MAX: usize = 64 * KIB;
/// Time for a remote SPARQL query, from resolving the name to the end of the answer. Default of `timeoutMs`.
pub const SPARQL_TIMEOUT_DEFAULT: Duration = Duration::from_secs(15);
/// Longest `timeoutMs` of a remote SPARQL query.
pub const SPARQL_TIMEOUT_MAX: Duration = Duration::from_secs(60);
/// Variables of one SPARQL answer.
pub const SPARQL_VARS_MAX: usize = 256;
/// Rows of one SPARQL answer.
pub const SPARQL_ROWS_MAX: usize = 10_000;
/// Rows of a SPARQL answer that its text shows; the structured content has all of them.
pub const SPARQL_TEXT_ROWS_MAX: usize = 20;
/// Characters of one value that the text of a SPARQL answer shows.
pub const SPARQL_TEXT_VALUE_CHARS_MAX: usize = 200;
