//! Limits of autopilot. All limits of cairn together are in `docs/limits.md`.

use cairn_base::{KIB, MIB};

/// Candidates of one result.
pub const AUTOPILOT_CANDIDATES_MAX: u32 = 200;
/// Candidates of one result, unless the request says otherwise.
pub const AUTOPILOT_CANDIDATES_DEFAULT: u32 = 50;
/// Candidates that are held while files are read, for each one of the result.
pub const AUTOPILOT_HELD_PER_CANDIDATE: usize = 4;
/// Files of a repository that are considered; more are named as truncated.
pub const AUTOPILOT_FILES_MAX: usize = 200_000;
/// Files that are read.
pub const AUTOPILOT_FILES_READ_MAX: usize = 50_000;
/// Bytes of all files that are read.
pub const AUTOPILOT_BYTES_READ_MAX: u64 = 2 * 1024 * MIB as u64;
/// Bytes of a source file; longer ones are named and skipped.
pub const AUTOPILOT_SOURCE_BYTES_MAX: usize = MIB;
/// Bytes of a Markdown file; longer ones are named and skipped.
pub const AUTOPILOT_MARKDOWN_BYTES_MAX: usize = MIB;
/// Bytes of a manifest such as `package.json`; longer ones are named and skipped.
pub const AUTOPILOT_MANIFEST_BYTES_MAX: usize = 256 * KIB;
/// Bytes of the symbols file of the KB; a longer one is named and skipped.
pub const AUTOPILOT_SYMBOLS_BYTES_MAX: usize = 8 * MIB;
/// Files that two threads read before their findings are merged.
pub const AUTOPILOT_BATCH_FILES: usize = 128;
/// Entities of typed documents that are held; more are named as truncated.
pub const AUTOPILOT_TYPED_ENTITIES_MAX: usize = 50_000;
/// Relationships of one typed entity that decide what is selected together.
pub const AUTOPILOT_TYPED_LINKS_MAX: usize = 64;
/// Bytes of a path that is considered.
pub const AUTOPILOT_PATH_BYTES_MAX: usize = 1024;
/// Candidates and source signals that one file contributes.
pub const AUTOPILOT_FILE_FINDINGS_MAX: usize = 200;
/// Characters of a statement that is modelled.
pub const AUTOPILOT_STATEMENT_CHARS_MAX: usize = 400;
/// Bytes of a paragraph; a longer one is cut into several.
pub const AUTOPILOT_PARAGRAPH_BYTES_MAX: usize = 16 * KIB;
/// Characters of a title of a candidate that comes from prose.
pub const AUTOPILOT_TITLE_CHARS_MAX: usize = 160;
/// Characters of an excerpt of evidence.
pub const AUTOPILOT_EXCERPT_CHARS_MAX: usize = 200;
/// Characters of prose that a generated fact or decision quotes.
pub const AUTOPILOT_QUOTE_CHARS_MAX: usize = 1_000;
/// Pieces of evidence of one candidate.
pub const AUTOPILOT_EVIDENCE_MAX: usize = 20;
/// Bytes of all payloads of the apply plan.
pub const AUTOPILOT_PLAN_BYTES_MAX: usize = 4 * MIB;
/// Suppressed candidates that are listed; all of them are counted.
pub const AUTOPILOT_SUPPRESSED_MAX: usize = 200;
/// Source signals of one kind that are listed; all of them are counted.
pub const AUTOPILOT_SIGNALS_PER_KIND_MAX: usize = 20;
/// Symbols that a source signal lists; all of them are counted.
pub const AUTOPILOT_SIGNAL_SYMBOLS_MAX: usize = 20;
/// Warnings about files that are listed; all of them are counted.
pub const AUTOPILOT_WARNINGS_MAX: usize = 100;
/// Excluded roots that are listed; all of them are counted.
pub const AUTOPILOT_EXCLUDED_MAX: usize = 100;
/// Manifests and test groups that become candidates before the best are selected.
pub const AUTOPILOT_GROUPS_MAX: usize = 2_000;
/// Symbols with a directive, and test files that name a test of the KB, that are held.
pub const AUTOPILOT_DIRECTIVES_MAX: usize = 20_000;
/// Selections that are tried until no payload of the plan adds a violation.
pub const AUTOPILOT_ROUNDS_MAX: usize = 16;
/// Bytes of one text of the declared context.
pub const AUTOPILOT_CONTEXT_TEXT_BYTES_MAX: usize = 4 * KIB;
/// Items of one list of the declared context.
pub const AUTOPILOT_CONTEXT_ITEMS_MAX: usize = 64;
/// Bullets of the prompt block.
pub const AUTOPILOT_PROMPT_BULLETS_MAX: usize = 5;
/// Words of the prompt block.
pub const AUTOPILOT_PROMPT_WORDS_MAX: usize = 120;
/// Bytes of the text of a result; structured content has everything.
pub const AUTOPILOT_TEXT_BYTES_MAX: usize = 32 * KIB;
