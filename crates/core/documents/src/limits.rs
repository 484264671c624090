//! Limits of documents and of reports of test runs. All limits of cairn together are in `docs/limits.md`.

use cairn_base::{KIB, MIB};

/// Bytes of a Markdown document.
pub const MARKDOWN_BYTES_MAX: usize = 4 * MIB;
/// Bytes of `symbols.yaml`.
pub const SYMBOLS_BYTES_MAX: usize = 16 * MIB;
/// Lists and mappings inside each other in YAML.
pub const YAML_DEPTH_MAX: usize = 32;
/// Values of the front matter of one document, or of one entry of `symbols.yaml`.
pub const YAML_NODES_MAX: usize = 50_000;
/// Bytes of one YAML value.
pub const YAML_SCALAR_BYTES_MAX: usize = 256 * KIB;
/// Entries of `symbols.yaml`.
pub const SYMBOLS_MAX: usize = 20_000;
/// Problems of one document that are listed; more are counted.
pub const DOCUMENT_PROBLEMS_MAX: usize = 200;
/// Bytes of the file name of an exported document.
pub const EXPORT_NAME_BYTES_MAX: usize = 120;
/// Bytes of a report of a test run.
pub const RESULTS_BYTES_MAX: usize = 64 * MIB;
/// Elements inside each other in a report of JUnit XML.
pub const RESULTS_DEPTH_MAX: usize = 64;
