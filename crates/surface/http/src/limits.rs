//! Limits and defaults of HTTP. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Largest body of an HTTP request. Default of configuration.
pub const HTTP_BODY_BYTES_MAX: usize = MIB;
/// Memory for bodies and answers of HTTP beyond 64 KiB each, all connections together.
pub const HTTP_MEMORY_BYTES: usize = 512 * MIB;
/// Large blobs that are sent over HTTP at once.
pub const CONTENT_STREAMS_MAX: usize = 64;
/// Largest body of a publish request: 8 MiB of content in base64, and its payload.
pub const HTTP_ARTIFACT_BYTES_MAX: usize = 12 * MIB;
/// Largest body of an upsert of the requirements KB: an entity of 512 KiB whose text is escaped in JSON, and its 1,000
/// relationships.
pub const HTTP_ENTITY_BYTES_MAX: usize = 4 * MIB;
/// Largest body of an import of test results: 100,000 cases of about 300 bytes.
pub const HTTP_RESULTS_BYTES_MAX: usize = 32 * MIB;
/// Bytes of the message and of the path to a field that tell what is wrong with a body.
pub const HTTP_BODY_ERROR_BYTES_MAX: usize = 2 * KIB;
/// Content of artifacts that is uploaded over HTTP at once; further uploads are refused.
pub const CONTENT_UPLOADS_MAX: usize = 16;
/// Artifacts in a page of a list, unless the request says otherwise.
pub const ARTIFACTS_PAGE_DEFAULT: u64 = 50;
/// Tags that a list or a stream of artifacts is narrowed down to.
pub const ARTIFACT_TAGS_MAX: usize = 64;
/// Contexts in one page, over HTTP.
pub const HTTP_CONTEXTS_PAGE_MAX: u64 = 1000;
/// Contexts in a page that does not say how many, over HTTP.
pub const HTTP_CONTEXTS_PAGE_DEFAULT: u64 = 20;
/// Turns in one page, over HTTP.
pub const HTTP_TURNS_PAGE_MAX: u64 = 1000;
/// Turns in a page that does not say how many, over HTTP.
pub const HTTP_TURNS_PAGE_DEFAULT: u64 = 64;
/// Bytes of payloads in one page over HTTP; beyond, the page has fewer turns, though never none.
pub const HTTP_TURNS_PAGE_BYTES_MAX: usize = 16 * MIB;
/// Longest answer, or line of one, that the program reads from the owner of its data directory: the
/// largest payload in base64, with room for its fields.
pub const ADMIN_ANSWER_BYTES_MAX: usize = 96 * MIB;
/// How often a sample is taken for the rates of `/v1/metrics`.
pub const RATE_SAMPLE_EVERY: Duration = Duration::from_secs(10);
/// Samples that are kept: five minutes of them.
pub const RATE_SAMPLES_MAX: usize = 31;
/// Most streams of events over HTTP at once.
pub const EVENT_STREAMS_MAX: usize = 256;
/// How often new events are looked for at the most, however many commits there are.
pub const EVENT_STREAM_EVERY: Duration = Duration::from_millis(20);
/// A stream of events says at least this often that it is alive.
pub const EVENT_STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// The newest events, ready to be sent, that all streams share.
pub const EVENT_TIMELINE_BYTES_MAX: usize = 4 * MIB;
/// How long an HTTP client may take nothing of an answer before it is cut.
pub const HTTP_PATIENCE: Duration = Duration::from_secs(60);
/// Hits of a search in one answer, unless somebody says how many.
pub const SEARCH_PAGE_DEFAULT: u64 = 10;
/// Types that a search can be narrowed down to at once.
pub const SEARCH_TYPES_MAX: usize = 32;
/// Longest line of an import: the longest payload as base64, and what stands around it.
pub const IMPORT_LINE_BYTES_MAX: usize = 90 * MIB;
/// Exports and imports that run at once; more are told to come back.
pub const BULK_STREAMS_MAX: usize = 2;
/// Syncs of the requirements KB that run at once; further ones are refused.
pub const KB_SYNCS_MAX: usize = 8;
/// Bytes that an import sends in a second, on average over each minute that is waited for it: it holds one of
/// those places.
pub const BULK_BYTES_PER_SECOND_MIN: u64 = KIB as u64;
/// Things of each kind that a report of a sleep cycle shows, unless somebody says how many.
pub const SLEEP_SHOWN_DEFAULT: usize = 20;
