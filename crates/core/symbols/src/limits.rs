//! Limits of what is read from source files. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of a source file.
pub const SOURCE_BYTES_MAX: usize = MIB;
/// Nodes of the syntax tree of a source file that are looked at; symbols behind them are left out.
pub const SOURCE_NODES_MAX: usize = 2_000_000;
/// Levels of the syntax tree of a source file that are looked at; what is deeper is left out.
pub const SOURCE_DEPTH_MAX: usize = 256;
/// Symbols of a source file; more are left out.
pub const SOURCE_SYMBOLS_MAX: usize = 10_000;
/// Bytes of the qualified name of a symbol; symbols with longer names are left out.
pub const SYMBOL_NAME_BYTES_MAX: usize = KIB;
/// Imports of a source file; more are left out.
pub const SOURCE_IMPORTS_MAX: usize = 1_000;
/// Comments of a source file that say which requirements it implements; more are left out.
pub const SOURCE_DIRECTIVES_MAX: usize = 1_000;
/// Requirements that one comment of a source file names; more are left out.
pub const DIRECTIVE_IDS_MAX: usize = 100;
/// Bytes of the id of a requirement in a comment of a source file.
pub const DIRECTIVE_ID_BYTES_MAX: usize = 256;
/// Parse actions for each byte of a source file, beyond the first 100,000; a parse that needs more fails.
pub const SOURCE_ACTIONS_PER_BYTE_MAX: usize = 50;
/// Times that the bytes of a source file are read by the parser, beyond the first MiB; a parse that needs more fails.
pub const SOURCE_READS_MAX: usize = 100;
/// Time to parse a source file; a parse that needs more fails.
pub const SOURCE_PARSE_TIME_MAX: Duration = Duration::from_secs(10);
/// Time to parse 16 KiB of a source file; a parse that needs more fails.
pub const SOURCE_STALL_MAX: Duration = Duration::from_secs(2);
