//! `cairn backup`.

use std::fmt::Write as _;
use std::path::Path;

use cairn_http::missing_from_wire;
use cairn_seam::Maintenance;
use cairn_wire::maintenance::{Report, ReportedMissing};

use crate::data_dir::Surroundings;
use crate::failure::Failure;

/// Writes a backup into a file that is not there yet.
pub(super) fn backup(
    data_dir: Option<&Path>,
    file: &Path,
    skip_damaged: bool,
    as_json: bool,
) -> Result<(), Failure> {
    // Whoever writes the file may have another current folder.
    let to = Surroundings::of_process()?.absolute(file);
    let report = super::maintain::run(data_dir, &Maintenance::Backup { to: to.clone(), skip_damaged })?;
    if as_json {
        super::maintain::print_json(&report)?;
    } else {
        let figures = super::maintain::figures(&report);
        let missing = missing_lines(&report.missing, report.missing_left_out);
        super::print(&format!("{missing}wrote {}\n{figures}", to.display()))?;
    }
    verdict(&report)
}

/// One line for each place that a partial backup lacks.
pub(super) fn missing_lines(missing: &[ReportedMissing], left_out: u64) -> String {
    let line = |place: &ReportedMissing| format!("missing: {}\n", missing_from_wire(place));
    let mut lines: String = missing.iter().map(line).collect();
    if left_out > 0 {
        writeln!(lines, "missing: {}", super::counted(left_out, "further place"))
            .expect("a string takes all");
    }
    lines
}

/// Fails when something is missing from the backup.
fn verdict(report: &Report) -> Result<(), Failure> {
    let count = report.missing_count();
    if count == 0 {
        return Ok(());
    }
    let places = if count == 1 { "place is" } else { "places are" };
    Err(Failure::damaged(format!("the backup is partial: {count} {places} missing from it")).hint(
        "keep older backups: they may have what is missing; `cairn restore --accept-missing` restores this one",
    ))
}
