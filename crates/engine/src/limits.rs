//! Limits and defaults of the engine. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// How often the store is compacted by itself, unless a setting says otherwise.
pub const COMPACT_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// Most events kept for a slow live listener before it has to read on from history.
pub const EVENT_BUS_QUEUE_MAX: usize = 1024;
/// Longest name of a consumer.
pub const CONSUMER_NAME_BYTES_MAX: usize = 64;
/// Most consumers of one node.
pub const CONSUMERS_MAX: usize = 256;
/// Most live listeners of one node.
pub const EVENT_BUS_SUBSCRIBERS_MAX: usize = 1024;
/// Longest tag by which a client calls itself.
pub const CLIENT_TAG_BYTES_MAX: usize = 256;
/// Contexts that are remembered of one connection; of more, those it worked on last.
pub const SESSION_CONTEXTS_MAX: usize = 1000;
/// Events that are read of history at once.
pub const EVENTS_PAGE_MAX: usize = 500;
/// Most lines in one page of the audit trail.
pub const AUDIT_PAGE_MAX: usize = 1000;
/// Longest text an audit line keeps of who acted, and of what was acted on.
pub const AUDIT_NAME_BYTES_MAX: usize = 256;
/// Most refusals of one tenant that leave a line of their own per [`AUDIT_REFUSALS_EVERY`]; the rest are counted.
pub const AUDIT_REFUSALS_MAX: u32 = 60;
/// See [`AUDIT_REFUSALS_MAX`].
pub const AUDIT_REFUSALS_EVERY: Duration = Duration::from_secs(60);
/// Credentials that are remembered as checked.
pub const LOGINS_KEPT: usize = 16 << 10;
/// Memory for payloads that were read lately.
pub const PAYLOAD_CACHE_BYTES: u64 = 64 << 20;
/// Memory for what was read of graphs lately. Default of configuration.
pub const GRAPH_CACHE_BYTES_DEFAULT: u64 = 128 << 20;
/// Contexts of a tenant that are known by when they were last active.
pub const ACTIVITY_CONTEXTS_MAX: usize = 10_000;
/// Tenants whose contexts are, at about 1 MiB each.
pub const ACTIVITY_TENANTS_MAX: usize = 64;
/// Contexts that are read in one step to find out.
pub const ACTIVITY_STEP: usize = 4096;
/// Hits of a search in one answer.
pub const SEARCH_PAGE_MAX: usize = 100;
/// How far down the hits of a search can be followed, page by page.
pub const SEARCH_DEPTH_MAX: usize = 1000;
/// Artifacts in one response.
pub const ARTIFACTS_PAGE_MAX: usize = 500;
/// How far down a list of artifacts can be followed, page by page.
pub const ARTIFACTS_DEPTH_MAX: usize = 10_000;
/// Artifacts, the newest that match, that are ranked by citations or reads.
pub const ARTIFACTS_RANKED_MAX: usize = 10_000;
/// How long the content of a deleted artifact is kept. Default of configuration.
pub const KEEP_DELETED_CONTENT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Turns that one transaction of an import, and one page of an export or of pruning, holds at the most.
pub const BULK_TURNS: usize = 500;
/// Bytes after which such a transaction or page ends.
pub const BULK_BYTES: usize = 8 * MIB;
/// Turns in one answer.
pub const TURNS_PAGE_MAX: usize = 100_000;
/// Bytes of all the tree objects that are read to find one path.
pub const TREE_READ_BYTES_MAX: u64 = 64 * MIB as u64;
/// Bytes of a payload or blob over the binary protocol: a frame with room for its fields.
pub const BINARY_BLOB_BYTES_MAX: usize = 63 * MIB;
/// Ordered indexes of one space that are made automatically. Default of configuration.
pub const GRAPH_AUTO_INDEXES: usize = 4;
/// After this long no further command of a batch is begun.
pub const KIP_BATCH_TIME_MAX: Duration = Duration::from_secs(20);
/// Bytes of answers after which no further command of a batch is begun.
pub const KIP_BATCH_BYTES_MAX: usize = 64 * MIB;
/// How long an UPSERT may take: others who write wait meanwhile.
pub const KIP_UPSERT_TIME_MAX: Duration = Duration::from_secs(20);
/// How long a DELETE may look for what to delete: others who write wait meanwhile.
pub const KIP_DELETE_TIME_MAX: Duration = Duration::from_secs(2);
/// Things of each kind that a report of a sleep cycle shows.
pub const SLEEP_SHOWN_MAX: usize = 1_000;
/// Concepts or links that a sleep cycle removes in one transaction.
pub const SLEEP_STEP_ELEMENTS: usize = 128;
/// Spaces that are named to whoever asks for one that is not there.
pub const KIP_SPACES_NAMED_MAX: usize = 32;
/// Bytes of an import of concepts and links that make a transaction, if commands or lines end there: about a
/// thousand elements, which others wait for some hundredths of a second.
pub const KIP_IMPORT_BYTES: usize = 256 * KIB;
/// Transactions of one such import that are under way at once: one is written, one made, and one waits.
pub const KIP_IMPORTS_UNDER_WAY_MAX: usize = 3;
/// Bytes of such an import that a dry run tries, in one transaction; the rest is only read.
pub const KIP_IMPORT_TRIED_BYTES: usize = 4 * MIB;
/// Spaces that are copied at once.
pub const SPACE_COPIES_MAX: usize = 4;
/// Rows that change in a space while it is copied and are remembered for the copy; more end it.
pub const SPACE_COPY_CHANGES_MAX: usize = 200_000;
/// Rounds that copy what changed meanwhile, before the transaction that publishes the copy.
pub const SPACE_COPY_ROUNDS_MAX: usize = 64;
/// Entities of KB branches that are in memory, all together; branches that were not used for longest go first.
pub const KB_ENTITIES_HELD_MAX: usize = 500_000;
/// KB branches that are in memory.
pub const KB_BRANCHES_HELD_MAX: usize = 256;
/// KB branches that one list holds.
pub const KB_BRANCHES_LISTED_MAX: usize = 10_000;
/// KB branches among which a similar name is looked for.
pub const KB_BRANCHES_NAMED_MAX: usize = 1_000;
/// Entities that a sync of a KB branch reads whole in one snapshot.
pub const KB_SYNC_PAGE: usize = 2_000;
/// Entities or relationships that one transaction of a staged sync stores.
pub const KB_SYNC_STEP_ITEMS: usize = 2_000;
/// Bytes of attributes after which such a transaction ends.
pub const KB_SYNC_STEP_BYTES: usize = 4 * MIB;
/// Rows of a KB branch that are read in one snapshot.
pub const KB_LOAD_PAGE: usize = 20_000;
/// How long a write of a KB branch waits for the writes before it.
pub const KB_WRITE_WAIT_MAX: Duration = Duration::from_secs(20);
/// How long a request waits for a KB branch that another caller is creating or deleting.
pub const KB_CHANGE_WAIT_MAX: Duration = Duration::from_secs(20);
/// Entities of a KB branch that can be compared with another branch.
pub const KB_DIFF_ENTITIES_MAX: u64 = 200_000;
/// Entities or relationships of each kind in one comparison of KB branches.
pub const KB_DIFF_ROWS_MAX: usize = 1_000;
