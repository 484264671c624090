//! Limits of the Model Context Protocol. All limits of cairn together are in `docs/limits.md`.

/// Longest id of a JSON-RPC message that is looked for where the message cannot be parsed, in bytes of JSON.
pub const JSON_RPC_ID_BYTES_MAX: usize = 1024;
