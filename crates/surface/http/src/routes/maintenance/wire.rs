//! Maintenance as JSON.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_seam::{Finding, KeepChanges, Maintenance, MaintenanceReport, Stage};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::error::ErrorBody;
use crate::routes::bulk::{ImportReport, KipImportReport, PruneReport};
use crate::routes::kip::KipIndex;
use crate::routes::kip::sleep::SleepReport;

/// What to do with the whole store.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceJob)]
#[serde(tag = "job", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Job {
    /// Write one file that holds everything as of now. Only over the local socket.
    Backup {
        /// The file on the server, as an absolute path; it must not exist yet.
        #[schema(example = "/backups/monday.cairn")]
        to: String,
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
pub(crate) enum Keep {
    /// At least so many seconds.
    Seconds(u64),
    /// Some other way.
    Word(KeepWord),
}

/// How long, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MaintenanceKeepWord)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeepWord {
    /// For ever.
    All,
}

impl Keep {
    fn to_wire(keep: KeepChanges) -> Option<Keep> {
        match keep {
            KeepChanges::AsConfigured => None,
            KeepChanges::All => Some(Keep::Word(KeepWord::All)),
            KeepChanges::For(time) => Some(Keep::Seconds(time.as_secs())),
        }
    }

    fn from_wire(keep: Option<Keep>) -> KeepChanges {
        match keep {
            None => KeepChanges::AsConfigured,
            Some(Keep::Word(KeepWord::All)) => KeepChanges::All,
            Some(Keep::Seconds(seconds)) => KeepChanges::For(Duration::from_secs(seconds)),
        }
    }
}

impl Job {
    /// The job as the client sends it, or the path that is no text and cannot be sent.
    pub(crate) fn to_wire(job: &Maintenance) -> Result<Job, &Path> {
        Ok(match job {
            Maintenance::Backup { to } => Job::Backup { to: to.to_str().ok_or(&**to)?.to_owned() },
            Maintenance::Verify { repair } => Job::Verify { repair: *repair },
            Maintenance::Compact { keep_changes, forget } => {
                Job::Compact { keep_changes: Keep::to_wire(*keep_changes), forget: forget.clone() }
            }
            Maintenance::ChangeKey { new_key_file } => {
                Job::ChangeKey { new_key_file: new_key_file.to_str().ok_or(&**new_key_file)?.to_owned() }
            }
        })
    }
}

impl From<Job> for Maintenance {
    fn from(job: Job) -> Self {
        match job {
            Job::Backup { to } => Maintenance::Backup { to: PathBuf::from(to) },
            Job::Verify { repair } => Maintenance::Verify { repair },
            Job::Compact { keep_changes, forget } => {
                Maintenance::Compact { keep_changes: Keep::from_wire(keep_changes), forget }
            }
            Job::ChangeKey { new_key_file } => {
                Maintenance::ChangeKey { new_key_file: PathBuf::from(new_key_file) }
            }
        }
    }
}

/// One line of the answer: how far it is now and then, and at the end a report or an error.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceLine)]
#[serde(untagged)]
pub(crate) enum Line {
    /// How far it is.
    Stage {
        /// What is being done, in a few words.
        stage: String,
        /// Bytes done in this stage.
        done: u64,
        /// Bytes of this stage in all.
        total: u64,
    },
    /// It is done.
    Report {
        /// What came of it.
        report: Report,
    },
    /// An import is done.
    Imported {
        /// What came of it.
        report: ImportReport,
    },
    /// An import of concepts and links is done.
    KipImported {
        /// What came of it.
        report: KipImportReport,
    },
    /// Pruning is done.
    Pruned {
        /// What came of it.
        report: PruneReport,
    },
    /// An ordered index is ready.
    Indexed {
        /// What it is.
        report: KipIndex,
    },
    /// A sleep cycle is over.
    Slept {
        /// What came of it.
        report: Box<SleepReport>,
    },
    /// It was not done.
    Error(ErrorBody),
}

impl From<Stage<'_>> for Line {
    fn from(stage: Stage<'_>) -> Self {
        Line::Stage { stage: stage.name.to_owned(), done: stage.done, total: stage.total }
    }
}

/// What came of maintenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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

impl From<MaintenanceReport> for Report {
    fn from(report: MaintenanceReport) -> Self {
        let finding =
            |Finding { file, offset, detail, repaired }| ReportedFinding { file, offset, detail, repaired };
        Report {
            figures: report.figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            findings: report.findings.into_iter().map(finding).collect(),
            warnings: report.warnings.into_iter().map(finding).collect(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_keeps_the_order_of_its_figures() {
        let report = MaintenanceReport {
            figures: vec![("segments", 3), ("bytes", 4096), ("a_last_one", 0)],
            findings: vec![Finding {
                file: "index.redb".to_owned(),
                offset: 7,
                detail: "bad".to_owned(),
                repaired: true,
            }],
            warnings: Vec::new(),
        };
        let text = serde_json::to_string(&Report::from(report.clone())).expect("plain data");
        assert_eq!(
            text,
            r#"{"figures":{"segments":3,"bytes":4096,"a_last_one":0},"findings":[{"file":"index.redb","offset":7,"detail":"bad","repaired":true}]}"#
        );
        assert_eq!(serde_json::from_str::<Report>(&text).expect("its own text"), Report::from(report));
    }

    #[test]
    fn a_job_is_named_and_nothing_else_is_read() {
        let parse = |text: &str| serde_json::from_str::<Job>(text).map(Maintenance::from);
        assert!(
            matches!(parse(r#"{"job":"backup","to":"/b"}"#), Ok(Maintenance::Backup { to }) if to.as_os_str() == "/b")
        );
        assert_eq!(parse(r#"{"job":"verify"}"#).ok(), Some(Maintenance::Verify { repair: false }));
        let compact = |keep_changes, forget: &[&str]| Maintenance::Compact {
            keep_changes,
            forget: forget.iter().map(|text| (*text).to_owned()).collect(),
        };
        let month = KeepChanges::For(Duration::from_secs(2_592_000));
        for (text, expected) in [
            (r#"{"job":"compact"}"#, compact(KeepChanges::AsConfigured, &[])),
            (r#"{"job":"compact","keep_changes":"all"}"#, compact(KeepChanges::All, &[])),
            (
                r#"{"job":"compact","keep_changes":2592000,"forget":["tenant:7","tenant:8/notes"]}"#,
                compact(month, &["tenant:7", "tenant:8/notes"]),
            ),
        ] {
            let job = Job::to_wire(&expected).expect("no path");
            assert_eq!(serde_json::to_string(&job).expect("plain data"), text);
            assert_eq!(parse(text).ok(), Some(expected));
        }
        for wrong in [
            r#"{"job":"compact","keep_changes":"some"}"#,
            r#"{"job":"compact","keep_changes":-1}"#,
            r#"{"job":"compact","forget":"tenant:7"}"#,
            r#"{"job":"format"}"#,
            r#"{"job":"backup"}"#,
            r#"{"job":"verify","repiar":true}"#,
            r#"{"to":"/b"}"#,
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
