//! Maintenance as JSON.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_seam::{Finding, KeepChanges, Maintenance, MaintenanceReport, Missing};
use cairn_wire::maintenance::{Job, Keep, KeepWord, Report, ReportedFinding, ReportedMissing};

use crate::IntoWire;

/// The job as the client sends it, or the path that is no text and cannot be sent.
pub(crate) fn job_to_wire(job: &Maintenance) -> Result<Job, &Path> {
    Ok(match job {
        Maintenance::Backup { to, skip_damaged } => {
            Job::Backup { to: to.to_str().ok_or(&**to)?.to_owned(), skip_damaged: *skip_damaged }
        }
        Maintenance::Verify { repair } => Job::Verify { repair: *repair },
        Maintenance::Compact { keep_changes, forget } => {
            Job::Compact { keep_changes: keep_to_wire(*keep_changes), forget: forget.clone() }
        }
        Maintenance::ChangeKey { new_key_file } => {
            Job::ChangeKey { new_key_file: new_key_file.to_str().ok_or(&**new_key_file)?.to_owned() }
        }
    })
}

/// The job that a client sent.
pub(crate) fn job_from_wire(job: Job) -> Maintenance {
    match job {
        Job::Backup { to, skip_damaged } => Maintenance::Backup { to: PathBuf::from(to), skip_damaged },
        Job::Verify { repair } => Maintenance::Verify { repair },
        Job::Compact { keep_changes, forget } => {
            Maintenance::Compact { keep_changes: keep_from_wire(keep_changes), forget }
        }
        Job::ChangeKey { new_key_file } => {
            Maintenance::ChangeKey { new_key_file: PathBuf::from(new_key_file) }
        }
    }
}

fn keep_to_wire(keep: KeepChanges) -> Option<Keep> {
    match keep {
        KeepChanges::AsConfigured => None,
        KeepChanges::All => Some(Keep::Word(KeepWord::All)),
        KeepChanges::For(time) => Some(Keep::Seconds(time.as_secs())),
    }
}

fn keep_from_wire(keep: Option<Keep>) -> KeepChanges {
    match keep {
        None => KeepChanges::AsConfigured,
        Some(Keep::Word(KeepWord::All)) => KeepChanges::All,
        Some(Keep::Seconds(seconds)) => KeepChanges::For(Duration::from_secs(seconds)),
    }
}

/// The range of a partial backup as the store knows it.
pub fn missing_from_wire(missing: &ReportedMissing) -> Missing {
    let positions = missing.from_position.zip(missing.to_position).map(|(from, to)| from..to);
    Missing {
        file: missing.file.clone(),
        bytes: missing.from_byte..missing.to_byte,
        positions,
        transactions: missing.transactions,
        blobs: missing.blobs,
        detail: missing.detail.clone(),
    }
}

impl IntoWire for Missing {
    type Wire = ReportedMissing;

    fn into_wire(self) -> ReportedMissing {
        let Missing { file, bytes, positions, transactions, blobs, detail } = self;
        let (from_position, to_position) = positions.map(|range| (range.start, range.end)).unzip();
        let (from_byte, to_byte) = (bytes.start, bytes.end);
        ReportedMissing { file, from_byte, to_byte, from_position, to_position, transactions, blobs, detail }
    }
}

impl IntoWire for MaintenanceReport {
    type Wire = Report;

    fn into_wire(self) -> Report {
        let finding =
            |Finding { file, offset, detail, repaired }| ReportedFinding { file, offset, detail, repaired };
        Report {
            figures: self.figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            findings: self.findings.into_iter().map(finding).collect(),
            missing: self.missing.places.into_iter().map(IntoWire::into_wire).collect(),
            missing_left_out: self.missing.left_out,
            warnings: self.warnings.into_iter().map(finding).collect(),
        }
    }
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
        let text = serde_json::to_string(&report.clone().into_wire()).expect("plain data");
        assert_eq!(
            text,
            r#"{"figures":{"segments":3,"bytes":4096,"a_last_one":0},"findings":[{"file":"index.redb","offset":7,"detail":"bad","repaired":true}]}"#
        );
        assert_eq!(serde_json::from_str::<Report>(&text).expect("its own text"), report.into_wire());
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
        let report = MaintenanceReport { missing, ..MaintenanceReport::default() }.into_wire();
        let text = serde_json::to_string(&report).expect("plain data");
        assert!(text.ends_with(
            r#""missing":[{"file":"segment-0000000001.log","from_byte":64,"to_byte":128,"from_position":1064,"to_position":1128,"transactions":1,"blobs":0,"detail":"no valid frame"},{"file":"segment-0000000001.log","from_byte":0,"to_byte":0,"blobs":1,"detail":"no valid frame"}],"missing_left_out":7}"#
        ), "{text}");
        let read: Report = serde_json::from_str(&text).expect("its own text");
        assert_eq!((read.missing_count(), missing_from_wire(&read.missing[1])), (9, blob));
        assert_eq!(read, report);
    }

    #[test]
    fn a_job_is_named_and_nothing_else_is_read() {
        let parse = |text: &str| serde_json::from_str::<Job>(text).map(job_from_wire);
        assert!(
            matches!(parse(r#"{"job":"backup","to":"/b"}"#), Ok(Maintenance::Backup { to, skip_damaged: false }) if to.as_os_str() == "/b")
        );
        let skipping = r#"{"job":"backup","to":"/b","skip_damaged":true}"#;
        let job = parse(skipping).expect("a job");
        assert_eq!(job, Maintenance::Backup { to: PathBuf::from("/b"), skip_damaged: true });
        let sent = job_to_wire(&job).expect("a path of text");
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
            let job = job_to_wire(&expected).expect("no path");
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
