//! Maintenance of the whole store: jobs and reports.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// What to do with the whole store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceJob)]
#[serde(tag = "job", rename_all = "snake_case", deny_unknown_fields)]
pub enum Job {
    /// Write one file that holds everything as of now. Only over the local socket.
    Backup {
        /// The file on the server, as an absolute path; it must not exist yet.
        #[schema(example = "/backups/monday.cairn")]
        to: String,
        /// Write what is whole and list what is missing, instead of failing with the first damaged place.
        #[serde(default, skip_serializing_if = "is_false")]
        skip_damaged: bool,
    },
    /// Verify every stored byte.
    Verify {
        /// Make derived data again where it is wrong.
        #[serde(default)]
        repair: bool,
    },
    /// Remove what is dead, what is too old and what is to be forgotten, and give back the space.
    Compact {
        /// How long changes are kept, in seconds, or `"all"`; as configured without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep_changes: Option<Keep>,
        /// What to take out of history: `tenant:ID`, `tenant:ID/TABLE` or `tenant:ID/TABLE/KEY`, the start
        /// of a key in hex digits.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(example = json!(["tenant:7"]))]
        forget: Vec<String>,
    },
    /// Give a sealed store another key. Only over the local socket.
    ChangeKey {
        /// The file with the key on the server, as an absolute path.
        #[schema(example = "/keys/new.key")]
        new_key_file: String,
    },
}

/// How long changes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceKeepChanges)]
#[serde(untagged)]
pub enum Keep {
    /// At least so many seconds.
    Seconds(u64),
    /// Some other way.
    Word(KeepWord),
}

/// How long, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceKeepWord)]
#[serde(rename_all = "snake_case")]
pub enum KeepWord {
    /// For ever.
    All,
}

/// What came of maintenance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceReport)]
pub struct Report {
    /// Counts by name, in the order to print them.
    #[serde(serialize_with = "figures_to_map", deserialize_with = "figures_from_map")]
    #[schema(value_type = std::collections::BTreeMap<String, u64>)]
    pub figures: Vec<(String, u64)>,
    /// What is wrong, in the order of files and offsets; empty when all is well.
    pub findings: Vec<ReportedFinding>,
    /// What is no damage and worth knowing, such as file trees with entries that were never uploaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ReportedFinding>,
    /// Stored data that a partial backup lacks, in the order of files and offsets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<ReportedMissing>,
    /// Number of further places that a partial backup lacks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing_left_out: u64,
}

impl Report {
    /// The number of places that a partial backup lacks.
    pub fn missing_count(&self) -> u64 {
        self.missing.len() as u64 + self.missing_left_out
    }
}

/// One range of a file that a partial backup lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceMissing)]
pub struct ReportedMissing {
    /// The file, relative to the data directory.
    pub file: String,
    /// The first byte of the range.
    pub from_byte: u64,
    /// The byte behind the range; the same as the first when the file is not there.
    pub to_byte: u64,
    /// The first position of the log in the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_position: Option<u64>,
    /// The position behind the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_position: Option<u64>,
    /// Number of transactions that cannot be read; absent where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transactions: Option<u64>,
    /// Number of blobs that cannot be read; absent where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blobs: Option<u64>,
    /// What is wrong there.
    pub detail: String,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceFinding)]
pub struct ReportedFinding {
    /// The file, relative to the data directory.
    pub file: String,
    /// Where in it.
    pub offset: u64,
    /// What is wrong there.
    pub detail: String,
    /// Whether it was put right.
    pub repaired: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An object whose names keep their order, which a map type would lose.
fn figures_to_map<S: Serializer>(figures: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(figures.iter().map(|(name, value)| (name, value)))
}

fn figures_from_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, u64)>, D::Error> {
    struct Figures;

    impl<'de> Visitor<'de> for Figures {
        type Value = Vec<(String, u64)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object of numbers")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut figures = Vec::new();
            while let Some(figure) = map.next_entry()? {
                figures.push(figure);
            }
            Ok(figures)
        }
    }

    deserializer.deserialize_map(Figures)
}
