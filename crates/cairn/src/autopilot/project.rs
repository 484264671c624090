//! The settings of a working tree, for autopilot.

use cairn_autopilot::Project;
use cairn_kb::{Rule, SchemaVersionStatus};
use cairn_worktree::{ConfigOrigin, KbConfig, KbPaths, Lane, Lanes, Workspace};

use crate::command::kb::checks::configured;

pub(super) fn project(workspace: &Workspace, config: &KbConfig, lanes: &Lanes, snapshot_id: &str) -> Project {
    let has_settings = config.origin != ConfigOrigin::Defaults;
    let version = config.schema_version.map_or(0, |version| i64::try_from(version).unwrap_or(i64::MAX));
    let status = has_settings.then(|| SchemaVersionStatus::of(version));
    Project {
        has_settings,
        missing_paths: missing_paths(workspace, config, lanes),
        requirements_dir: Some(lanes.folder(Lane::Requirements).to_owned()),
        rules: configured(&config.checks).unwrap_or_else(Rule::defaults),
        require_adr: config.checks.require_adr,
        migration_warning: status.and_then(|status| status.warning),
        snapshot_id: snapshot_id.to_owned(),
    }
}

/// Paths of the settings that lead nowhere. A default path need not be there.
fn missing_paths(workspace: &Workspace, config: &KbConfig, lanes: &Lanes) -> Vec<String> {
    let defaults = KbPaths::default();
    let is_missing = |lane: &Lane| {
        lane.path(&config.paths) != lane.path(&defaults)
            && workspace.root().join(lanes.folder(*lane)).symlink_metadata().is_err()
    };
    let mut missing: Vec<String> =
        Lane::ALL.into_iter().filter(is_missing).map(|lane| lane.path(&config.paths).to_owned()).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}
