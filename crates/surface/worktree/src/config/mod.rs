//! The settings of the KB of a tree.

mod json;
mod keys;
mod toml;

use std::collections::BTreeMap;
use std::path::Path;

use crate::limits::KB_CONFIG_BYTES_MAX;
use crate::{FileProblem, WorktreeError, read_inside};

/// The file of settings, in the root of the tree.
pub(crate) const TOML: &str = "cairn-kb.toml";
/// The file that is read where there is no other one.
const JSON: &str = ".kb/config.json";
/// Both of them.
pub(crate) const FILES: [&str; 2] = [TOML, JSON];

/// The settings of the KB of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KbConfig {
    /// The file that the settings were read from.
    pub origin: ConfigOrigin,
    /// The version of the model that the documents were written for.
    pub schema_version: Option<u64>,
    /// Documents of each type.
    pub paths: KbPaths,
    /// Settings of checks.
    pub checks: KbChecks,
    /// Keys of `.kb/config.json` that mean nothing here, sorted.
    pub ignored: Vec<String>,
}

/// The file that settings were read from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConfigOrigin {
    /// There is no file: all settings have their defaults.
    #[default]
    Defaults,
    /// `cairn-kb.toml`.
    Toml,
    /// `.kb/config.json`.
    Json,
}

/// Folders or globs of the documents of each type, from the root of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KbPaths {
    /// Requirements.
    pub requirements: String,
    /// Scenarios.
    pub scenarios: String,
    /// Tests.
    pub tests: String,
    /// Decisions.
    pub adr: String,
    /// Feature flags.
    pub flags: String,
    /// Domain events.
    pub events: String,
    /// Facts.
    pub facts: String,
    /// The manifest of code symbols, a file.
    pub symbols: String,
}

impl Default for KbPaths {
    fn default() -> Self {
        let documents = |kind: &str| format!("documentation/{kind}");
        KbPaths {
            requirements: documents("requirements"),
            scenarios: documents("scenarios"),
            tests: documents("tests"),
            adr: documents("adr"),
            flags: documents("flags"),
            events: documents("events"),
            facts: documents("facts"),
            symbols: documents("symbols.yaml"),
        }
    }
}

/// Settings of checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KbChecks {
    /// Rules that are switched on or off; the others are as they are by default.
    pub rules: BTreeMap<String, bool>,
    /// Whether `symbol-traceability` needs a decision beside a requirement. Defaults to false.
    pub require_adr: bool,
}

impl KbConfig {
    /// Reads `cairn-kb.toml` in `root`, or `.kb/config.json` where there is none; without both, all settings have their
    /// defaults. `rules` are the names of all checks.
    ///
    /// Fails with [`Config`](WorktreeError::Config) if the file is no TOML or JSON, or a value is of the wrong type or
    /// no path inside the tree. An unknown key is an error in `cairn-kb.toml` and ignored in `.kb/config.json`, which
    /// belongs to another program. An unknown rule is an error in the first and ignored in the second, too.
    pub fn read(root: &Path, rules: &[&str]) -> Result<KbConfig, WorktreeError> {
        if let Some(text) = text(root, TOML)? {
            return toml::parse(&text, rules);
        }
        match text(root, JSON)? {
            Some(text) => json::parse(&text, rules),
            None => Ok(KbConfig::default()),
        }
    }
}

fn text(root: &Path, file: &'static str) -> Result<Option<String>, WorktreeError> {
    match read_inside(root, file, KB_CONFIG_BYTES_MAX) {
        Ok(text) => Ok(Some(text)),
        // A link to nowhere is a mistake, and not the absence of a file.
        Err(WorktreeError::FileRefused { problem: FileProblem::Missing, .. })
            if root.join(file).symlink_metadata().is_err() =>
        {
            Ok(None)
        }
        Err(WorktreeError::FileRefused { problem, .. }) => {
            Err(WorktreeError::Config { file, line: None, message: format!("the file {problem}") })
        }
        Err(error) => Err(error),
    }
}
