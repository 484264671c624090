//! Limits of the binary protocol and defaults of its client. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::MIB;

/// Longest frame of the binary protocol before its client has said who it is, where that is asked for.
pub const HELLO_BYTES_MAX: usize = 64 << 10;
/// Credentials that one connection of the binary protocol may show in vain before it is closed.
pub const FAILED_HELLOS_MAX: u32 = 8;
/// Bytes of the body of a frame of the binary protocol.
pub const BINARY_FRAME_BYTES_MAX: usize = 64 * MIB;
/// Connections of the binary protocol at once.
pub const BINARY_CONNECTIONS_MAX: usize = 1024;
/// Memory for bodies of frames beyond 64 KiB each, all connections together.
pub const BINARY_MEMORY_BYTES: usize = 512 * MIB;
/// How long a connection of the binary protocol may say nothing.
pub const BINARY_IDLE: Duration = Duration::from_secs(60 * 60);
/// How long a client of the binary protocol may take over one frame.
pub const BINARY_PATIENCE: Duration = Duration::from_secs(30);
/// How long a client of the binary protocol takes to connect at most. Default of its configuration, as are
/// the next ones.
pub const CLIENT_DIAL: Duration = Duration::from_secs(5);
/// How long it waits for one answer, time in the queue for a connection included.
pub const CLIENT_REQUEST: Duration = Duration::from_secs(30);
/// Connections it has at once.
pub const CLIENT_CONNECTIONS: usize = 4;
/// How often it sends a request again.
pub const CLIENT_RETRIES: u32 = 5;
/// Its first pause before it does.
pub const CLIENT_PAUSE_MIN: Duration = Duration::from_millis(100);
/// Its longest pause.
pub const CLIENT_PAUSE_MAX: Duration = Duration::from_secs(30);
