//! Maintenance as JSON.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_seam::{Finding, KeepChanges, Maintenance, MaintenanceReport, Missing, Stage};
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
            Maintenance::Backup { to, skip_damaged } => {
                Job::Backup { to: to.to_str().ok_or(&**to)?.to_owned(), skip_damaged: *skip_damaged }
            }
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
            Job::Backup { to, skip_damaged } => Maintenance::Backup { to: PathBuf::from(to), skip_damaged },
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

impl ReportedMissing {
    /// The range as the store knows it.
    pub fn to_missing(&self) -> Missing {
        let positions = self.from_position.zip(self.to_position).map(|(from, to)| from..to);
        Missing {
            file: self.file.clone(),
            bytes: self.from_byte..self.to_byte,
            positions,
            transactions: self.transactions,
            blobs: self.blobs,
            detail: self.detail.clone(),
        }
    }
}

impl From<Missing> for ReportedMissing {
    fn from(missing: Missing) -> Self {
        let Missing { file, bytes, positions, transactions, blobs, detail } = missing;
        let (from_position, to_position) = positions.map(|range| (range.start, range.end)).unzip();
        let (from_byte, to_byte) = (bytes.start, bytes.end);
        ReportedMissing { file, from_byte, to_byte, from_position, to_position, transactions, blobs, detail }
    }
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
            missing: report.missing.places.into_iter().map(ReportedMissing::from).collect(),
            missing_left_out: report.missing.left_out,
            warnings: report.warnings.into_iter().map(finding).collect(),
        }
    }
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

#[cfg(test)]
mod tests {
    use cairn_seam::MissingList;

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
            ..MaintenanceReport::default()
        };
        let text = serde_json::to_string(&Report::from(report.clone())).expect("plain data");
        assert_eq!(
            text,
            r#"{"figures":{"segments":3,"bytes":4096,"a_last_one":0},"findings":[{"file":"index.redb","offset":7,"detail":"bad","repaired":true}]}"#
        );
        assert_eq!(serde_json::from_str::<Report>(&text).expect("its own text"), Report::from(report));
    }

    #[test]
    fn what_is_missing_is_told_in_full_and_reads_back() {
        let segment = Missing {
            file: "segment-0000000001.log".to_owned(),
            bytes: 64..128,
            positions: Some(1064..1128),
            transactions: Some(1),
            blobs: Some(0),
            detail: "no valid frame".to_owned(),
        };
        let blob =
            Missing { positions: None, transactions: None, blobs: Some(1), bytes: 0..0, ..segment.clone() };
        let missing = MissingList { places: vec![segment, blob.clone()], left_out: 7 };
        let report = Report::from(MaintenanceReport { missing, ..MaintenanceReport::default() });
        let text = serde_json::to_string(&report).expect("plain data");
        assert!(text.ends_with(
            r#""missing":[{"file":"segment-0000000001.log","from_byte":64,"to_byte":128,"from_position":1064,"to_position":1128,"transactions":1,"blobs":0,"detail":"no valid frame"},{"file":"segment-0000000001.log","from_byte":0,"to_byte":0,"blobs":1,"detail":"no valid frame"}],"missing_left_out":7}"#
        ), "{text}");
        let read: Report = serde_json::from_str(&text).expect("its own text");
        assert_eq!((read.missing_count(), read.missing[1].to_missing()), (9, blob));
        assert_eq!(read, report);
    }

    #[test]
    fn a_job_is_named_and_nothing_else_is_read() {
        let parse = |text: &str| serde_json::from_str::<Job>(text).map(Maintenance::from);
        assert!(
            matches!(parse(r#"{"job":"backup","to":"/b"}"#), Ok(Maintenance::Backup { to, skip_damaged: false }) if to.as_os_str() == "/b")
        );
        let skipping = r#"{"job":"backup","to":"/b","skip_damaged":true}"#;
        let job = parse(skipping).expect("a job");
        assert_eq!(job, Maintenance::Backup { to: PathBuf::from("/b"), skip_damaged: true });
        let sent = Job::to_wire(&job).expect("a path of text");
        assert_eq!(serde_json::to_string(&sent).expect("plain data"), skipping);
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
