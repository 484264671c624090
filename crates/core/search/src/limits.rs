//! Limits of search queries and the search index. All limits of cairn together are in `docs/limits.md`.

use cairn_base::KIB;

/// Memory for blocks of a sealed search index that were read lately.
pub const SEARCH_BLOCK_CACHE_BYTES: u64 = 32 << 20;
/// Tags that what is searched for can be asked to have: each takes one of 64 bits, as each clause does.
pub const SEARCH_TAGS_MAX: usize = 16;
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
