//! What commands of maintenance share.

use std::path::Path;

use cairn_embedded::Progress;
use cairn_seam::Maintenance;
use cairn_wire::maintenance::Report;

use crate::failure::Failure;
use crate::{logging, progress, reach};

/// Has a job done by the owner of the data directory, or as its owner, and shows how far it is.
pub(super) fn run(data_dir: Option<&Path>, job: &Maintenance) -> Result<Report, Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let show = progress::reporter();
    reach::reach(&data_dir.path, &settings.config, async |client| {
        client
            .maintain(job, &mut |stage| {
                show(stage.name, Progress { done: stage.done, total: stage.total });
            })
            .await
    })
}

/// The whole report for programs.
pub(super) fn print_json(report: &Report) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(report).expect("a report is plain data");
    super::print(&format!("{text}\n"))
}

/// The figures for people.
pub(super) fn figures(report: &Report) -> String {
    let rows: Vec<_> = report.figures.iter().map(|(name, value)| [name.clone(), value.to_string()]).collect();
    super::table(&rows)
}
