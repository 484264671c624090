//! Sleep cycles: what expired, what is pending, and what seems to be a duplicate.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SleepJob {
    /// In which space; `memory` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Whether to remove what is past its `expires_at`; otherwise it is only told of.
    #[serde(default)]
    pub apply: bool,
    /// How many things of each kind are shown, at most 1000; 20 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Some of many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepList<T> {
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub shown: Vec<T>,
}

/// A concept or a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepElement {
    /// Its id.
    #[schema(example = "C:7")]
    pub id: String,
    /// Its type, or its predicate.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of a concept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What `metadata.expires_at` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Why it stays although its time is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_because: Option<String>,
}

/// Something that somebody asked `$system` to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepTask {
    /// The id of the concept.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What to do.
    pub requested_action: Option<String>,
    /// The type of what it is to be done to.
    pub target_type: Option<String>,
    /// The name of that.
    pub target_name: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// How urgent it is, as it was written.
    pub priority: Option<String>,
}

/// A concept by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepNamed {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Concepts of one type that seem to be the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepDuplicates {
    /// Their type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name or alias that they share, but for how it is written.
    pub same_name: String,
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub concepts: Vec<SleepNamed>,
}

/// What a sleep cycle found, and what it did or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepReport {
    /// The space that it looked at.
    pub space: String,
    /// What time it was.
    pub at: String,
    /// Whether what is past its time was removed, and not only told of.
    pub applied: bool,
    /// Concepts that it looked at.
    pub concepts: u64,
    /// Links that it looked at.
    pub links: u64,
    /// What is past its `expires_at`, and goes.
    pub expired: SleepList<SleepElement>,
    /// Concepts that went or would go.
    pub removed_concepts: u64,
    /// Links that went or would go, those of these concepts included.
    pub removed_links: u64,
    /// What is past its `expires_at`, and stays.
    pub kept: SleepList<SleepElement>,
    /// What has an `expires_at` that is no time.
    pub unreadable: SleepList<SleepElement>,
    /// Pending tasks of `$system`, the most urgent first.
    pub tasks: SleepList<SleepTask>,
    /// Tasks that are not pending any more.
    pub tasks_not_pending: u64,
    /// Concepts that belong to no domain.
    pub without_domain: SleepList<SleepElement>,
    /// Concepts of one type that share a name or an alias, but for how it is written.
    pub duplicates: SleepList<SleepDuplicates>,
    /// Names that were not compared, because there are too many.
    pub names_left_out: u64,
}
