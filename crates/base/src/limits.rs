//! Every fixed limit of cairn, in one place.
//!
//! What can be configured says so and is the default here; the rest is part of the design.

use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

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
/// How often the store is compacted by itself, unless a setting says otherwise.
pub const COMPACT_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes per second that background verification reads, unless a setting says otherwise.
pub const SCRUB_RATE_DEFAULT: u64 = 4 * MIB as u64;
/// How often a pass of background verification begins, unless a setting says otherwise.
pub const SCRUB_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Most damage that background verification lists at once; the rest is counted.
pub const SCRUB_DAMAGE_MAX: usize = 100;
/// An upload of what is there already is written down again after this long.
pub const BLOB_RENEW_AFTER: Duration = Duration::from_secs(60 * 60);
/// Largest payload of one event.
pub const EVENT_BYTES_MAX: usize = 64 * KIB;

/// How long a snapshot may be read before it has to be taken anew.
pub const SNAPSHOT_AGE_MAX: Duration = Duration::from_secs(5);
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
/// Bytes of keys and values of one deletion that is paid for by the reserve.
pub const RESERVE_COMMIT_BYTES_MAX: usize = MIB;
/// Changes of one transaction that is paid for by the reserve.
pub const RESERVE_COMMIT_CHANGES_MAX: usize = 10_000;
/// Bytes of keys and values of one revocation that is paid for by the reserve.
pub const VITAL_COMMIT_BYTES_MAX: usize = 64 * KIB;

/// Longest file that holds an identity, whatever its layout.
pub const IDENTITY_FILE_BYTES_MAX: usize = 64 * KIB;
/// Longest recovery phrase, passphrase or password that is read.
pub const SECRET_TEXT_BYTES_MAX: usize = 4 * KIB;

/// Most changes in one page of history.
pub const CHANGES_PAGE_MAX: usize = 1000;
/// Most things found wrong that one verification tells of; the rest are counted.
pub const FINDINGS_MAX: usize = 1000;
/// Deepest nesting of JSON that is read.
pub const JSON_DEPTH_MAX: usize = 128;
/// Longest JSON that is made canonical: room for 8 MiB of content as base64, and for what stands around it.
pub const CANONICAL_JSON_BYTES_MAX: usize = 16 * MIB;

/// Largest body of an HTTP request. Default of configuration.
pub const HTTP_BODY_BYTES_MAX: usize = MIB;
/// Largest body of an HTTP request with KIP commands: the longest capsule, and what is around it.
pub const KIP_BODY_BYTES_MAX: usize = 17 * MIB;
/// Longest id of a JSON-RPC message that is looked for where the message cannot be parsed, in bytes of JSON.
pub const JSON_RPC_ID_BYTES_MAX: usize = 1024;
/// Most HTTP requests worked on at once.
pub const HTTP_IN_FLIGHT_MAX: usize = 256;
/// Most HTTP requests that wait for their turn; beyond, they are refused.
pub const HTTP_WAITING_MAX: usize = 256;
/// Time an HTTP request has from its arrival to its answer.
pub const HTTP_DEADLINE: Duration = Duration::from_secs(30);

/// Largest payload or blob in the body of an HTTP request: as many bytes as over the binary protocol.
pub const HTTP_CONTENT_BYTES_MAX: usize = BINARY_BLOB_BYTES_MAX;
/// Memory for bodies and answers of HTTP beyond 64 KiB each, all connections together.
pub const HTTP_MEMORY_BYTES: usize = 512 * MIB;
/// Large blobs that are sent over HTTP at once.
pub const CONTENT_STREAMS_MAX: usize = 64;
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
/// Events that are read of history at once.
pub const EVENTS_PAGE_MAX: usize = 500;
/// The newest events, ready to be sent, that all streams share.
pub const EVENT_TIMELINE_BYTES_MAX: usize = 4 * MIB;
/// How long an HTTP client may take nothing of an answer before it is cut.
pub const HTTP_PATIENCE: Duration = Duration::from_secs(60);

/// Most lines in one page of the audit trail.
pub const AUDIT_PAGE_MAX: usize = 1000;
/// Longest text an audit line keeps of who acted, and of what was acted on.
pub const AUDIT_NAME_BYTES_MAX: usize = 256;
/// Most refusals of one tenant that leave a line of their own per [`AUDIT_REFUSALS_EVERY`]; the rest are counted.
pub const AUDIT_REFUSALS_MAX: u32 = 60;
/// See [`AUDIT_REFUSALS_MAX`].
pub const AUDIT_REFUSALS_EVERY: Duration = Duration::from_secs(60);

/// Longest frame of the binary protocol before its client has said who it is, where that is asked for.
pub const HELLO_BYTES_MAX: usize = 64 << 10;
/// Longest credential that is looked at.
pub const CREDENTIAL_BYTES_MAX: usize = 8 << 10;
/// How long a JWT may hold, from when it is shown.
pub const JWT_LIFETIME: Duration = Duration::from_secs(5 * 60);
/// Longest `jti` of a JWT.
pub const JWT_ID_BYTES_MAX: usize = 256;
/// How far the clocks of two machines may be apart.
pub const CLOCK_SKEW: Duration = Duration::from_secs(30);
/// Credentials that are remembered as checked.
pub const LOGINS_KEPT: usize = 16 << 10;
/// Longest name of a user.
pub const USER_ID_BYTES_MAX: usize = 256;
/// Longest name of a tenant or a team.
pub const TENANT_NAME_BYTES_MAX: usize = 128;
/// Most tenants of a node.
pub const TENANTS_MAX: u64 = 10_000;
/// Most teams that one user belongs to.
pub const TEAMS_OF_USER_MAX: usize = 256;
/// Most tokens, and most keys, of one user, those included that were revoked.
pub const CREDENTIALS_OF_USER_MAX: usize = 1000;
/// Longest label of a token.
pub const TOKEN_LABEL_BYTES_MAX: usize = 128;
/// Most users, teams, tokens, keys or tenants in one page.
pub const ACCESS_PAGE_MAX: usize = 1000;

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
/// Credentials that one connection of the binary protocol may show in vain before it is closed.
pub const FAILED_HELLOS_MAX: u32 = 8;

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

/// Bytes of a declared type's id.
pub const TYPE_ID_BYTES_MAX: usize = 256;
/// Bytes of an idempotency key.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 256;
/// Memory for payloads that were read lately.
pub const PAYLOAD_CACHE_BYTES: u64 = 64 << 20;
/// Memory for what was read of graphs lately. Default of configuration.
pub const GRAPH_CACHE_BYTES_DEFAULT: u64 = 128 << 20;
/// Memory for blocks of a sealed search index that were read lately.
pub const SEARCH_BLOCK_CACHE_BYTES: u64 = 32 << 20;
/// How long an idempotency key is remembered at least.
pub const IDEMPOTENCY_REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes of a bundle of the type registry: it is a blob inside a commit.
pub const REGISTRY_BUNDLE_BYTES_MAX: usize = BLOB_IN_COMMIT_BYTES_MAX;
/// Bytes of all types and enums of a tenant together: they are kept in memory.
pub const REGISTRY_BYTES_MAX: u64 = 64 << 20;
/// Fields of one version of a type.
pub const REGISTRY_FIELDS_MAX: usize = 1000;
/// Labels of one enum.
pub const REGISTRY_LABELS_MAX: usize = 10_000;
/// Bytes of an address of a renderer.
pub const REGISTRY_URL_BYTES_MAX: usize = 2048;
/// Levels of MessagePack values inside each other.
pub const MSGPACK_LEVELS_MAX: usize = 128;
/// Bytes of a text in the metadata of a context; longer ones are left out.
pub const METADATA_TEXT_BYTES_MAX: usize = KIB;
/// Bytes of a label of a context; longer ones are left out.
pub const METADATA_LABEL_BYTES_MAX: usize = 256;
/// Labels of one context; more are left out.
pub const METADATA_LABELS_MAX: usize = 64;
/// Bytes of names and texts of a map in the metadata of a context, 8 more for each; more are left out. With
/// the other limits all of it fits into one record.
pub const METADATA_TEXTS_BYTES_MAX: usize = 8 * KIB;
/// Bytes of a query for contexts.
pub const QUERY_BYTES_MAX: usize = 64 * KIB;
/// Levels of parentheses and negations in a query.
pub const QUERY_LEVELS_MAX: usize = 64;
/// Values that a query compares with.
pub const QUERY_VALUES_MAX: usize = 1000;
/// Networks whose clients need no token.
pub const TRUSTED_NETWORKS_MAX: usize = 64;
/// Contexts of a tenant that are known by when they were last active.
pub const ACTIVITY_CONTEXTS_MAX: usize = 10_000;
/// Tenants whose contexts are, at about 1 MiB each.
pub const ACTIVITY_TENANTS_MAX: usize = 64;
/// Contexts that are read in one step to find out.
pub const ACTIVITY_STEP: usize = 4096;
/// Contexts that one search looks at; then it says that there may be more.
pub const SEARCH_VISITS_MAX: usize = 100_000;
/// Hits of a search in one answer, unless somebody says how many.
pub const SEARCH_PAGE_DEFAULT: u64 = 10;
/// Types that a search can be narrowed down to at once.
pub const SEARCH_TYPES_MAX: usize = 32;
/// Tags that what is searched for can be asked to have: each takes one of 64 bits, as each clause does.
pub const SEARCH_TAGS_MAX: usize = 16;
/// Hits of a search in one answer.
pub const SEARCH_PAGE_MAX: usize = 100;
/// How far down the hits of a search can be followed, page by page.
pub const SEARCH_DEPTH_MAX: usize = 1000;
/// Contexts that are told of above one in the tree of forks.
pub const FORK_PARENTS_MAX: usize = 100;
/// Longest name that an import can have.
pub const IMPORT_ID_BYTES_MAX: usize = 256;
/// Longest line of an import: the longest payload as base64, and what stands around it.
pub const IMPORT_LINE_BYTES_MAX: usize = 90 * MIB;
/// Turns that one transaction of an import, and one page of an export or of pruning, holds at the most.
pub const BULK_TURNS: usize = 500;
/// Bytes after which such a transaction or page ends.
pub const BULK_BYTES: usize = 8 * MIB;
/// Turns, and blobs, that the end of an export names as unreadable; beyond, they are counted.
pub const EXPORT_UNREADABLE_LISTED_MAX: usize = 1000;
/// Exports and imports that run at once; more are told to come back.
pub const BULK_STREAMS_MAX: usize = 2;
/// Bytes that an import sends in a second, on average over each minute that is waited for it: it holds one of
/// those places.
pub const BULK_BYTES_PER_SECOND_MIN: u64 = KIB as u64;
/// Turns in one answer.
pub const TURNS_PAGE_MAX: usize = 100_000;
/// Entries of one folder in a file tree.
pub const TREE_ENTRIES_MAX: u32 = 1_000_000;
/// Bytes of a name in a file tree.
pub const TREE_NAME_BYTES_MAX: usize = 255;
/// Bytes of all the tree objects that are read to find one path.
pub const TREE_READ_BYTES_MAX: u64 = 64 * MIB as u64;
/// Turns that are looked at for a file tree that was attached late.
pub const TREE_WALK_MAX: usize = 10_000;
/// Bytes of the body of a frame of the binary protocol.
pub const BINARY_FRAME_BYTES_MAX: usize = 64 * MIB;
/// Bytes of a payload or blob over the binary protocol: a frame with room for its fields.
pub const BINARY_BLOB_BYTES_MAX: usize = 63 * MIB;
/// Connections of the binary protocol at once.
pub const BINARY_CONNECTIONS_MAX: usize = 1024;
/// Memory for bodies of frames beyond 64 KiB each, all connections together.
pub const BINARY_MEMORY_BYTES: usize = 512 * MIB;
/// How long a connection of the binary protocol may say nothing.
pub const BINARY_IDLE: Duration = Duration::from_secs(60 * 60);
/// How long a client of the binary protocol may take over one frame.
pub const BINARY_PATIENCE: Duration = Duration::from_secs(30);
/// How long a client may take to agree on how to talk over TLS. It counts as a connection meanwhile.
pub const TLS_HANDSHAKE: Duration = Duration::from_secs(10);
/// Bytes of a file with certificates, or with their key.
pub const TLS_FILE_BYTES_MAX: usize = 256 * KIB;
/// How often those files are looked at.
pub const TLS_FILES_EVERY: Duration = Duration::from_secs(1);
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

/// Bytes of a token of the search index; longer ones are cut.
pub const TOKEN_BYTES_MAX: usize = 128;
/// Bytes of a query for words.
pub const WORDS_QUERY_BYTES_MAX: usize = 8 * KIB;
/// Different words of a query; more are ignored, and named.
pub const WORDS_QUERY_WORDS_MAX: usize = 64;
/// Clauses of a query that have to match, or must not, or are phrases.
pub const WORDS_QUERY_CLAUSES_MAX: usize = 24;
/// Words of one phrase of a query; more are ignored.
pub const PHRASE_WORDS_MAX: usize = 32;
/// Bytes of a text that are looked at for a snippet of it.
pub const SNIPPET_TEXT_BYTES_MAX: usize = 256 * KIB;

/// Bytes of a concept's name.
pub const CONCEPT_NAME_BYTES_MAX: usize = KIB;
/// Bytes of the key of an attribute, or of metadata.
pub const ELEMENT_KEY_BYTES_MAX: usize = 256;
/// Bytes of the attributes and metadata of a concept or a link together: they fit into one blob.
pub const ELEMENT_BYTES_MAX: usize = BLOB_IN_COMMIT_BYTES_MAX;
/// A longer record of a concept or a link keeps its attributes and metadata in a blob.
pub const ELEMENT_INLINE_BYTES_MAX: usize = 48 * KIB;
/// Levels of arrays and objects inside each other in one attribute.
pub const ELEMENT_LEVELS_MAX: usize = 64;
/// Links about links inside of each other: one command, and one line of JSON, has room for so many brackets.
pub const LINK_LEVELS_MAX: usize = 24;
/// Links that one link about links is about, those inside of others included and each as often as it is there.
pub const LINKS_INSIDE_MAX: usize = 64;
/// Bytes of the name of a space.
pub const SPACE_NAME_BYTES_MAX: usize = 256;
/// Ordered indexes of one space; those that are being dropped do not count.
pub const GRAPH_INDEXES_MAX: usize = 32;
/// Ordered indexes of one space, those that are being dropped included: their definitions are one record.
pub const GRAPH_INDEXES_HELD_MAX: usize = 48;
/// Keys on the way to the value that an ordered index holds, like the two of `attributes.context.place`.
pub const GRAPH_INDEX_PATH_KEYS_MAX: usize = 4;
/// Ordered indexes of one space that are made automatically. Default of configuration.
pub const GRAPH_AUTO_INDEXES: usize = 4;
/// Bytes that an entry of an ordered index holds of a value; a longer one is cut.
pub const GRAPH_INDEX_VALUE_BYTES_MAX: usize = 256;
/// Bytes of the text of a KIP command.
pub const KIP_TEXT_BYTES_MAX: usize = MIB;
/// Bytes of the text of a capsule: one `UPSERT` or more.
pub const KIP_CAPSULE_BYTES_MAX: usize = 16 * MIB;
/// Levels of brackets and negations of a KIP command, and of arrays and objects in a parameter of one.
pub const KIP_LEVELS_MAX: usize = 64;
/// Commands of one KIP request.
pub const KIP_COMMANDS_MAX: usize = 256;
/// Rows of an answer to FIND, unless somebody says how many.
pub const KIP_ROWS_DEFAULT: usize = 1_000;
/// Rows of an answer to FIND.
pub const KIP_ROWS_MAX: usize = 10_000;
/// Patterns of one KIP command, those inside others included: choosing their order takes the square of it.
pub const KIP_PATTERNS_MAX: usize = 256;
/// Expressions of one FIND, keys of its ORDER BY, and different fields in the FILTERs of one KIP command, each.
pub const KIP_FIELDS_MAX: usize = 256;
/// Predicates that one pattern of a KIP command lets through, one or the other.
pub const KIP_ALTERNATIVES_MAX: usize = 64;
/// Different regular expressions that stand in one KIP command.
pub const KIP_EXPRESSIONS_MAX: usize = 64;
/// Rows that one KIP command makes on the way to its answer, all together, and nodes that its paths come by.
pub const KIP_WORK_ROWS_MAX: u64 = 10_000_000;
/// Bytes that one KIP command holds at once on the way to its answer.
pub const KIP_WORK_BYTES_MAX: u64 = 256 * MIB as u64;
/// How long one KIP command reads. It has to end before its snapshot does.
pub const KIP_WORK_TIME_MAX: Duration = Duration::from_secs(4);
/// After this long no further command of a batch is begun.
pub const KIP_BATCH_TIME_MAX: Duration = Duration::from_secs(20);
/// Bytes of answers after which no further command of a batch is begun.
pub const KIP_BATCH_BYTES_MAX: usize = 64 * MIB;
/// Bytes that the values of parameters may take in one command, each as often as it is used.
pub const KIP_BOUND_BYTES_MAX: usize = 64 * MIB;
/// How long an UPSERT may take: others who write wait meanwhile.
pub const KIP_UPSERT_TIME_MAX: Duration = Duration::from_secs(20);
/// How long a DELETE may look for what to delete: others who write wait meanwhile.
pub const KIP_DELETE_TIME_MAX: Duration = Duration::from_secs(2);
/// Things of each kind that a report of a sleep cycle shows, unless somebody says how many.
pub const SLEEP_SHOWN_DEFAULT: usize = 20;
/// Things of each kind that a report of a sleep cycle shows.
pub const SLEEP_SHOWN_MAX: usize = 1_000;
/// Concepts or links that a sleep cycle looks at in one snapshot.
pub const SLEEP_PAGE: usize = 512;
/// Concepts or links that a sleep cycle removes in one transaction.
pub const SLEEP_STEP_ELEMENTS: usize = 128;
/// Links that go with concepts in one transaction of a sleep cycle; of a concept that has more, these go first.
pub const SLEEP_STEP_LINKS: usize = 4_096;
/// Names and aliases of one type that a sleep cycle compares; others are counted.
pub const SLEEP_NAMES_MAX: usize = 1_000_000;
/// Links that a sleep cycle which changes nothing tells apart when it counts what would go with concepts.
pub const SLEEP_LINKS_MAX: usize = 1_000_000;
/// Spaces that are named to whoever asks for one that is not there.
pub const KIP_SPACES_NAMED_MAX: usize = 32;
/// Bytes of an import of concepts and links that make a transaction, if commands or lines end there: about a
/// thousand elements, which others wait for some hundredths of a second.
pub const KIP_IMPORT_BYTES: usize = 256 * KIB;
/// Transactions of one such import that are under way at once: one is written, one made, and one waits.
pub const KIP_IMPORTS_UNDER_WAY_MAX: usize = 3;
/// Bytes of such an import that a dry run tries, in one transaction; the rest is only read.
pub const KIP_IMPORT_TRIED_BYTES: usize = 4 * MIB;
