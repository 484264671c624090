//! The version of the model that a workspace was configured for.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::model::words;

/// The version of the model that this build writes.
pub const SCHEMA_VERSION_LATEST: u64 = 2;

words! {
    /// A comparison of a schema version with the latest one.
    SchemaVersionState {
        /// The configuration names none.
        Missing = "missing",
        /// It is negative.
        Invalid = "invalid",
        /// It is less than the latest one.
        Older = "older",
        /// It is the latest one.
        Current = "current",
        /// It is greater than the latest one that this build knows.
        Newer = "newer",
    }
}

/// The schema version of a workspace, compared with the latest one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemaVersionStatus {
    /// The comparison.
    pub status: SchemaVersionState,
    /// Version of the workspace; null if there is none.
    pub current_version: Option<i64>,
    /// The latest version.
    pub latest_version: u64,
    /// Whether `cairn kb migrate` has something to do.
    pub needs_migration: bool,
    /// What to do; null if the version is the latest one.
    pub warning: Option<String>,
}

impl SchemaVersionStatus {
    /// The status of a version; 0 stands for a configuration that names none.
    pub fn of(version: i64) -> Self {
        const RUN: &str = "run `cairn kb migrate --dry-run`, then `cairn kb migrate --yes`";
        let latest = SCHEMA_VERSION_LATEST;
        let (status, warning) = match u64::try_from(version) {
            Err(_) => {
                (SchemaVersionState::Invalid, Some(format!("schema version {version} is invalid; {RUN}")))
            }
            Ok(0) => (
                SchemaVersionState::Missing,
                Some(format!("the configuration of the workspace names no schema version; {RUN}")),
            ),
            Ok(found) if found < latest => (
                SchemaVersionState::Older,
                Some(format!("schema version {found} is older than {latest}, the latest one; {RUN}")),
            ),
            Ok(found) if found > latest => (
                SchemaVersionState::Newer,
                Some(format!(
                    "schema version {found} is newer than {latest}, the latest one that this build knows; update cairn"
                )),
            ),
            Ok(_) => (SchemaVersionState::Current, None),
        };
        SchemaVersionStatus {
            status,
            current_version: (status != SchemaVersionState::Missing).then_some(version),
            latest_version: latest,
            needs_migration: matches!(
                status,
                SchemaVersionState::Missing | SchemaVersionState::Invalid | SchemaVersionState::Older
            ),
            warning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_with_the_latest() {
        let check = |version, status, needs_migration, part: Option<&str>| {
            let found = SchemaVersionStatus::of(version);
            assert_eq!((found.status, found.needs_migration), (status, needs_migration), "{version}");
            assert_eq!(found.warning.is_some(), part.is_some(), "{version}");
            assert!(found.warning.unwrap_or_default().contains(part.unwrap_or_default()), "{version}");
        };
        check(-1, SchemaVersionState::Invalid, true, Some("invalid"));
        check(0, SchemaVersionState::Missing, true, Some("cairn kb migrate --dry-run"));
        check(1, SchemaVersionState::Older, true, Some("older than 2"));
        check(2, SchemaVersionState::Current, false, None);
        check(3, SchemaVersionState::Newer, false, Some("update cairn"));
        assert_eq!(SchemaVersionStatus::of(0).current_version, None);
        assert_eq!(SchemaVersionStatus::of(1).current_version, Some(1));
    }
}
