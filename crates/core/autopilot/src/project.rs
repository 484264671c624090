//! The workspace, as the process that has the working tree knows it.

use cairn_kb::Rule;

/// Facts about a workspace that no file of the listing tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// Whether there is a settings file of the KB.
    pub has_settings: bool,
    /// Paths of the settings that lead to no file, sorted.
    pub missing_paths: Vec<String>,
    /// Folder of requirements of the settings; `None` for the default.
    pub requirements_dir: Option<String>,
    /// Rules that `kb_check` checks here. The plan adds no violation of any of them.
    pub rules: Vec<Rule>,
    /// Whether symbol-traceability needs a decision beside a requirement.
    pub require_adr: bool,
    /// A warning that the settings are of another version of the model.
    pub migration_warning: Option<String>,
    /// Snapshot of the branch that the candidates were compared with.
    pub snapshot_id: String,
}
