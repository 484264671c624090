//! The state of a workspace, and what autopilot does in it.
//!
//! The settings file is optional here, so one beside an empty KB does not make a workspace active: `root_uninitialized`
//! is a workspace without settings, or with settings and an empty KB.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::existing::Counts;
use crate::project::Project;
use crate::tree::{Excluded, ListedFile, Skipped};

/// State of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActivationState {
    /// Nothing but code of other projects is there.
    VendoredOnly,
    /// There are no settings, or the KB is empty.
    RootUninitialized,
    /// Paths of the settings lead to no file.
    RootPartial,
    /// The KB holds few entities.
    RootActiveThin,
    /// The KB holds requirements and what surrounds them.
    RootActiveSeeded,
}

/// What autopilot does in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActivationMode {
    /// It generates candidates, and they may be applied.
    ColdStartBootstrap,
    /// It generates candidates; they may be applied once the settings are repaired.
    RepairBootstrap,
    /// It generates nothing: the KB is extended with the other tools.
    AttachedThinHandoff,
    /// It generates nothing: the KB is in use.
    AttachedSeededHandoff,
    /// It generates nothing: there is no project.
    VendoredBlocked,
}

/// The way in which a KB is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BootstrapMode {
    /// From nothing.
    ColdStart,
    /// After the settings are repaired.
    Repair,
    /// Not at all.
    None,
}

/// Files and folders in the root that say that there is a project.
const SIGNAL_FILES: [&str; 5] = ["package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml", "go.mod"];
const SIGNAL_FOLDERS: [&str; 9] =
    ["src", "app", "apps", "packages", "test", "tests", "docs", "documentation", "scripts"];
/// Folders that hold code of other projects.
const VENDORED: [&str; 4] = ["vendor", "vendors", "third_party", "third-party"];

impl ActivationState {
    /// Returns the state of a workspace with these files.
    pub(crate) fn of(
        project: &Project,
        counts: &Counts,
        files: &[ListedFile],
        excluded: &[Excluded],
    ) -> Self {
        let is_vendored = excluded.iter().any(|entry| {
            entry.reason == Skipped::HardDeny && VENDORED.contains(&entry.path.trim_end_matches('/'))
        });
        if !project.has_settings && is_vendored && !files.iter().any(|file| is_signal(&file.path)) {
            return ActivationState::VendoredOnly;
        }
        if !project.has_settings {
            return ActivationState::RootUninitialized;
        }
        if !project.missing_paths.is_empty() {
            return ActivationState::RootPartial;
        }
        let surrounding = counts.scenario + counts.test + counts.adr + counts.fact;
        match counts.entities() {
            0 => ActivationState::RootUninitialized,
            _ if counts.req >= 1 && counts.without_symbols() >= 5 && surrounding >= 1 => {
                ActivationState::RootActiveSeeded
            }
            _ => ActivationState::RootActiveThin,
        }
    }

    pub(crate) fn mode(self) -> ActivationMode {
        match self {
            ActivationState::VendoredOnly => ActivationMode::VendoredBlocked,
            ActivationState::RootUninitialized => ActivationMode::ColdStartBootstrap,
            ActivationState::RootPartial => ActivationMode::RepairBootstrap,
            ActivationState::RootActiveThin => ActivationMode::AttachedThinHandoff,
            ActivationState::RootActiveSeeded => ActivationMode::AttachedSeededHandoff,
        }
    }

    /// The reason for the state.
    pub(crate) fn reason(self, project: &Project, counts: &Counts) -> String {
        match self {
            ActivationState::VendoredOnly => {
                "only folders of other projects were found: no manifest, README, sources or documentation in the root"
                    .to_owned()
            }
            ActivationState::RootUninitialized if project.has_settings => {
                "there are settings of the KB, and the KB of the branch is empty".to_owned()
            }
            ActivationState::RootUninitialized => "there is no settings file of the KB".to_owned(),
            ActivationState::RootPartial => {
                let shown: Vec<_> = project.missing_paths.iter().take(5).map(String::as_str).collect();
                let more = project.missing_paths.len().saturating_sub(shown.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("paths of the settings lead to no file: {}{more}", shown.join(", "))
            }
            ActivationState::RootActiveThin => {
                format!("the KB of the branch holds {} entities, few of them requirements", counts.entities())
            }
            ActivationState::RootActiveSeeded => format!(
                "the KB of the branch holds {} requirements among {} entities",
                counts.req,
                counts.entities()
            ),
        }
    }
}

fn is_signal(path: &str) -> bool {
    match path.split_once('/') {
        Some((folder, _)) => SIGNAL_FOLDERS.contains(&folder),
        None => SIGNAL_FILES.contains(&path) || path.to_ascii_lowercase().starts_with("readme"),
    }
}

impl ActivationMode {
    /// Whether candidates are generated.
    pub(crate) fn generates(self) -> bool {
        match self {
            ActivationMode::ColdStartBootstrap | ActivationMode::RepairBootstrap => true,
            ActivationMode::AttachedThinHandoff
            | ActivationMode::AttachedSeededHandoff
            | ActivationMode::VendoredBlocked => false,
        }
    }

    /// Whether candidates may be applied, as far as the workspace is concerned.
    pub(crate) fn may_apply(self) -> bool {
        self == ActivationMode::ColdStartBootstrap
    }

    pub(crate) fn bootstrap(self) -> BootstrapMode {
        match self {
            ActivationMode::ColdStartBootstrap => BootstrapMode::ColdStart,
            ActivationMode::RepairBootstrap => BootstrapMode::Repair,
            ActivationMode::AttachedThinHandoff
            | ActivationMode::AttachedSeededHandoff
            | ActivationMode::VendoredBlocked => BootstrapMode::None,
        }
    }

    /// What to do instead of a bootstrap.
    pub(crate) fn handoff(self) -> Option<&'static str> {
        match self {
            ActivationMode::ColdStartBootstrap => None,
            ActivationMode::RepairBootstrap => Some(
                "Correct the paths of the settings or create the folders, then call kb_autopilot_generate again; until \
                 then the plan must not be applied.",
            ),
            ActivationMode::AttachedThinHandoff => Some(
                "The KB is in use. Find gaps with kb_find_gaps, model requirements with kb_model_requirement, and add \
                 them with kb_upsert.",
            ),
            ActivationMode::AttachedSeededHandoff => Some(
                "The KB is in use. Search it with kb_search before changing code, and add to it with kb_upsert.",
            ),
            ActivationMode::VendoredBlocked => Some(
                "There is no project here to describe. Call kb_autopilot_generate in the root of a project.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<ListedFile> {
        paths.iter().map(|path| ListedFile { path: (*path).to_owned(), bytes: 1, document: None }).collect()
    }

    #[test]
    fn states_follow_settings_entities_and_files() {
        let excluded = [Excluded { path: "vendor/".to_owned(), reason: Skipped::HardDeny }];
        let thin = Counts { req: 1, fact: 3, symbol: 9, ..Counts::default() };
        let seeded = Counts { req: 1, fact: 4, ..Counts::default() };
        let reqs = Counts { req: 9, ..Counts::default() };
        let none = Counts::default();
        let check = |settings, missing: &[&str], counts: &Counts, paths: &[&str], expected| {
            let missing_paths = missing.iter().map(|path| (*path).to_owned()).collect();
            let project = Project { has_settings: settings, missing_paths, ..Project::default() };
            let state = ActivationState::of(&project, counts, &files(paths), &excluded);
            assert_eq!(state, expected, "{settings} {missing:?} {counts:?} {paths:?}");
        };
        check(false, &[], &none, &["x.txt"], ActivationState::VendoredOnly);
        check(false, &[], &none, &["Readme.rst"], ActivationState::RootUninitialized);
        check(false, &[], &none, &["src/a.rs"], ActivationState::RootUninitialized);
        check(false, &[], &seeded, &["src/a.rs"], ActivationState::RootUninitialized);
        check(true, &["reqs"], &seeded, &["src/a.rs"], ActivationState::RootPartial);
        check(true, &[], &none, &["src/a.rs"], ActivationState::RootUninitialized);
        check(true, &[], &thin, &["x.txt"], ActivationState::RootActiveThin);
        check(true, &[], &reqs, &["x.txt"], ActivationState::RootActiveThin);
        check(true, &[], &seeded, &["x.txt"], ActivationState::RootActiveSeeded);
        let project = Project::default();
        let state = ActivationState::of(&project, &none, &files(&["x.txt"]), &[]);
        assert_eq!(state, ActivationState::RootUninitialized, "nothing is vendored");
    }

    #[test]
    fn only_a_cold_start_may_apply() {
        for (state, generates, applies) in [
            (ActivationState::VendoredOnly, false, false),
            (ActivationState::RootUninitialized, true, true),
            (ActivationState::RootPartial, true, false),
            (ActivationState::RootActiveThin, false, false),
            (ActivationState::RootActiveSeeded, false, false),
        ] {
            let mode = state.mode();
            assert_eq!((mode.generates(), mode.may_apply()), (generates, applies), "{state:?}");
            assert_eq!(mode.handoff().is_none(), applies, "{state:?}");
        }
    }
}
