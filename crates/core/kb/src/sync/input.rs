//! Files of a sync, as the process that has the working tree sends them: a header, then one line of JSON per file.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::UpsertInput;

/// First line of a sync.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schema(example = json!({"force": false, "rebuild": false, "removed": ["requirements/old.md"]}))]
pub struct SyncHeader {
    /// Replaces entities that a tool has changed by what their files say.
    #[serde(skip_serializing_if = "is_false")]
    pub force: bool,
    /// Syncs as if no file had been synced before; files that are not sent count as removed, except those in `kept`.
    #[serde(skip_serializing_if = "is_false")]
    pub rebuild: bool,
    /// Examines the files and stores nothing.
    #[serde(skip_serializing_if = "is_false")]
    pub validate_only: bool,
    /// Paths of files that were synced before and are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Paths of files that were synced before and cannot be read now; a rebuild leaves them and their entities as they
    /// are. Other syncs leave every file that is not named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// The `syncId` that the list of synced files had; the sync fails if another sync was stored since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_sync: Option<String>,
}

/// A file that is new, has changed, or has to be examined again; one line of a sync.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncFile {
    /// Path below the root of the working tree, with `/` between its segments.
    #[schema(example = "requirements/REQ-001.md")]
    pub path: String,
    /// Hash of its content; opaque.
    pub hash: String,
    /// Whether its document has problems that the sender reports. Entities that it does not name stay then.
    #[serde(default, skip_serializing_if = "is_false")]
    pub problems: bool,
    /// Entities of the file, in their order.
    #[serde(default)]
    pub entities: Vec<SyncEntity>,
}

/// An entity of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncEntity {
    /// The line at which it begins; 0 if it is not known.
    #[serde(default)]
    pub line: u32,
    /// The whole entity with all relationships that start at it.
    pub entity: UpsertInput,
    /// The lines of its relationships, in their order; 0 where it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link_lines: Vec<u32>,
}

/// A whole sync.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyncInput {
    /// Its options.
    pub header: SyncHeader,
    /// Its files, in any order.
    pub files: Vec<SyncFile>,
}

impl SyncHeader {
    /// Returns the header as a line of JSON.
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}

impl SyncFile {
    /// Returns the file as a line of JSON.
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plain data");
    line.push(b'\n');
    line
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
