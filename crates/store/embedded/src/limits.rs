//! Limits and defaults of the embedded store. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::MIB;

/// Bytes per second that background verification reads, unless a setting says otherwise.
pub const SCRUB_RATE_DEFAULT: u64 = 4 * MIB as u64;
/// How often a pass of background verification begins, unless a setting says otherwise.
pub const SCRUB_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Most transactions that wait to be written; beyond, callers are told to come back later.
pub const WRITE_QUEUE_MAX: usize = 8192;
/// Most bytes of the log that the index has not taken over; beyond, writers wait.
pub const UNAPPLIED_BYTES_MAX: usize = 64 * MIB;
/// Bytes of the log after which the index takes them over.
pub const APPLY_BYTES: usize = 32 * MIB;
/// Time after which the index takes over what there is, however little.
pub const APPLY_EVERY: Duration = Duration::from_secs(1);
/// Size at which a segment of the log is closed and the next begun. Default of configuration.
pub const SEGMENT_BYTES_DEFAULT: u64 = 64 * MIB as u64;
/// Bytes of the disk that stay free; below, writes are refused. Default of configuration.
pub const DISK_RESERVE_BYTES_DEFAULT: u64 = 256 * MIB as u64;
/// Bytes of the reserve file, which pays for deletions and revocations on a full disk. Default of
/// configuration.
pub const RESERVE_FILE_BYTES_DEFAULT: u64 = 16 * MIB as u64;
