//! How large the index is.
//!
//! All files of its folder, after the writer was closed, which waits for merges to end and removes what is
//! not used any more.

use std::fs;

use anyhow::Result;

use super::million::Million;
use crate::figure::{Figure, Report, Target, Unit, mib};
use crate::measure::Setting;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let million = Million::ready(setting)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(million.index()?)? {
        let entry = entry?;
        let kind = entry.path().extension().map(|kind| kind.to_string_lossy().into_owned());
        files.push((kind.unwrap_or_default(), entry.metadata()?.len()));
    }
    let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    let of = |kind: &str| mib(files.iter().filter(|(of, _)| of == kind).map(|(_, bytes)| bytes).sum());
    report.add(
        Figure::new(
            "files of the index, as a share of the text",
            bytes as f64 / million.text_bytes as f64,
            Unit::Ratio,
        )
        .target(Target::AtMost(1.0))
        .beside(format!(
            "{:.0} MiB for {:.0} MiB, {:.0} bytes a turn; postings {:.0}, positions {:.0}, terms {:.0}, \
                 columns {:.0} MiB; {} segments",
            mib(bytes),
            mib(million.text_bytes),
            million.text_bytes as f64 / million.turns as f64,
            of("idx"),
            of("pos"),
            of("term"),
            of("fast"),
            files.iter().filter(|(kind, _)| kind == "idx").count(),
        )),
    );
    report.add(
        Figure::new("turns taken in when the index is made", million.made_per_second, Unit::PerSecond)
            .beside("out of the store, one thread that takes apart and one that writes"),
    );
    Ok(())
}
