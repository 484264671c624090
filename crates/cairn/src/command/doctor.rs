//! `cairn doctor`.

use std::path::Path;

use cairn_http::IntoWire;
use cairn_seam::Maintenance;
use cairn_wire::maintenance::Report;

use crate::failure::Failure;
use crate::open;

/// Verifies everything that is stored, and says what is wrong.
pub(super) fn doctor(data_dir: Option<&Path>, repair: bool, as_json: bool) -> Result<(), Failure> {
    let report = match super::maintain::run(data_dir, &Maintenance::Verify { repair }) {
        Err(failure) if failure.is_damaged() => {
            // It does not open. What is wrong can be told all the same.
            if let Ok(report) = diagnose(data_dir) {
                show(&report, as_json)?;
            }
            return Err(failure);
        }
        report => report?,
    };
    show(&report, as_json)?;
    verdict(&report, repair)
}

fn show(report: &Report, as_json: bool) -> Result<(), Failure> {
    if as_json { super::maintain::print_json(report) } else { super::print(&to_text(report)) }
}

/// Looks through a directory whose store does not open.
fn diagnose(data_dir: Option<&Path>) -> Result<Report, Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    let options = open::options(&settings.config)?;
    Ok(cairn_embedded::diagnose(&data_dir.path, options)?.into_wire())
}

fn to_text(report: &Report) -> String {
    let findings = report.findings.iter().map(|finding| {
        let repaired = if finding.repaired { " (repaired)" } else { "" };
        format!("{} at byte {}: {}{repaired}\n", finding.file, finding.offset, finding.detail)
    });
    let warnings = report.warnings.iter().map(|warning| format!("warning: {}\n", warning.detail));
    let verdict = match (report.findings.is_empty(), report.warnings.is_empty()) {
        (true, true) => "all is well\n",
        (true, false) => "nothing is damaged\n",
        (false, _) => "",
    };
    findings.chain(warnings).collect::<String>() + &super::maintain::figures(report) + verdict
}

/// How many findings there are beyond those that are listed.
fn left_out(report: &Report) -> u64 {
    report.figures.iter().find(|(name, _)| name == "findings_left_out").map_or(0, |(_, count)| *count)
}

/// Fails when something is wrong and was not repaired.
fn verdict(report: &Report, repair: bool) -> Result<(), Failure> {
    let listed = report.findings.iter().filter(|finding| !finding.repaired).count() as u64;
    let wrong = listed + left_out(report);
    if wrong == 0 {
        return Ok(());
    }
    let things = if wrong == 1 { "thing is" } else { "things are" };
    let hint = if repair {
        "what is left is primary data: restore a backup, or make a new store of everything that can be read \
         with `cairn salvage --to DIR`"
    } else {
        "`cairn doctor --repair` rebuilds derived data; primary data comes back from a backup, or as far as it \
         can be read with `cairn salvage --to DIR`"
    };
    Err(Failure::damaged(format!("{wrong} {things} wrong")).hint(hint))
}

#[cfg(test)]
mod tests {
    use cairn_wire::maintenance::ReportedFinding;

    use super::*;

    fn report(repaired: &[bool]) -> Report {
        let finding = |repaired: &bool| ReportedFinding {
            file: "index.redb".to_owned(),
            offset: 4096,
            detail: "a page has another checksum".to_owned(),
            repaired: *repaired,
        };
        Report {
            figures: vec![("segments".to_owned(), 3), ("bytes".to_owned(), 4096)],
            findings: repaired.iter().map(finding).collect(),
            ..Report::default()
        }
    }

    #[test]
    fn a_warning_is_shown_and_is_no_failure_and_what_is_not_listed_is_counted() {
        let warning = ReportedFinding {
            file: "records".to_owned(),
            offset: 0,
            detail: "tree ab is incomplete".to_owned(),
            repaired: false,
        };
        let incomplete = Report { warnings: vec![warning], ..report(&[]) };
        assert!(verdict(&incomplete, false).is_ok());
        let text = to_text(&incomplete);
        assert!(text.starts_with("warning: tree ab is incomplete\n"), "{text}");
        assert!(text.ends_with("nothing is damaged\n"), "{text}");
        let mut many = report(&[false]);
        many.figures.push(("findings_left_out".to_owned(), 41));
        let failure = verdict(&many, false).expect_err("it is wrong");
        assert!(format!("{failure:?}").contains("42 things are wrong"), "{failure:?}");
    }

    #[test]
    fn only_what_is_wrong_and_stays_wrong_is_a_failure() {
        for (repaired, fine) in [(&[][..], true), (&[true], true), (&[false], false), (&[true, false], false)]
        {
            assert_eq!(verdict(&report(repaired), false).is_ok(), fine, "{repaired:?}");
            assert_eq!(verdict(&report(repaired), true).is_ok(), fine, "{repaired:?}");
        }
        let failure = verdict(&report(&[false, false]), false).expect_err("it is wrong");
        assert!(format!("{failure:?}").contains("Unreadable"), "{failure:?}");
    }

    #[test]
    fn findings_name_their_place() {
        assert_eq!(to_text(&report(&[])), "segments  3\nbytes     4096\nall is well\n");
        let line = "index.redb at byte 4096: a page has another checksum";
        assert_eq!(
            to_text(&report(&[true, false])),
            format!("{line} (repaired)\n{line}\nsegments  3\nbytes     4096\n")
        );
    }
}
