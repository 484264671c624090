//! Limits of every store. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Shortest key of a record: the tenant, which stands first in every key.
pub const KEY_BYTES_MIN: usize = 4;
/// Longest key of a record.
pub const KEY_BYTES_MAX: usize = 1024;
/// Longest value of a record; more is a blob.
pub const VALUE_BYTES_MAX: usize = 64 * KIB;
/// Longest value of a hashed keyspace: three entries fit into a page of a side file.
pub const HASHED_VALUE_BYTES_MAX: usize = KIB;
/// Most bytes one transaction may change.
pub const COMMIT_BYTES_MAX: usize = 64 * MIB;
/// Most changes of one transaction.
pub const COMMIT_CHANGES_MAX: usize = 200_000;
/// Largest blob that travels inside a commit; larger ones get a file of their own first.
pub const BLOB_IN_COMMIT_BYTES_MAX: usize = MIB;
/// Largest blob of all, streamed into a file of its own.
pub const BLOB_BYTES_MAX: u64 = 1 << 30;
/// Blobs with a file of their own are hashed, compressed and read in chunks of this size.
pub const BLOB_CHUNK_BYTES: usize = 64 * KIB;
/// A blob that nothing refers to stays at least this long after it was last uploaded.
pub const BLOB_GRACE: Duration = Duration::from_secs(24 * 60 * 60);
/// Most damage that background verification lists at once; the rest is counted.
pub const SCRUB_DAMAGE_MAX: usize = 100;
/// An upload of what is there already is written down again after this long.
pub const BLOB_RENEW_AFTER: Duration = Duration::from_secs(60 * 60);
/// Largest payload of one event.
pub const EVENT_BYTES_MAX: usize = 64 * KIB;
/// How long a snapshot may be read before it has to be taken anew.
pub const SNAPSHOT_AGE_MAX: Duration = Duration::from_secs(5);
/// Bytes of keys and values of one deletion that is paid for by the reserve.
pub const RESERVE_COMMIT_BYTES_MAX: usize = MIB;
/// Changes of one transaction that is paid for by the reserve.
pub const RESERVE_COMMIT_CHANGES_MAX: usize = 10_000;
/// Bytes of keys and values of one revocation that is paid for by the reserve.
pub const VITAL_COMMIT_BYTES_MAX: usize = 64 * KIB;
/// Most changes in one page of history.
pub const CHANGES_PAGE_MAX: usize = 1000;
/// Most things found wrong that one verification tells of; the rest are counted.
pub const FINDINGS_MAX: usize = 1000;
