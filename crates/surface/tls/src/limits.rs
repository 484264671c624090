//! Limits of TLS. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::KIB;

/// How long a client may take to agree on how to talk over TLS. It counts as a connection meanwhile.
pub const TLS_HANDSHAKE: Duration = Duration::from_secs(10);
/// Bytes of a file with certificates, or with their key.
pub const TLS_FILE_BYTES_MAX: usize = 256 * KIB;
