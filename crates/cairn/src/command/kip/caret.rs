//! Mistakes in commands, as failures.

use cairn_kip::{KipError, report};

use super::source::Source;
use crate::failure::Failure;

/// What is wrong, the line with a mark under the place, and what to do.
pub(super) fn failure(source: &Source, error: &KipError) -> Failure {
    let report = report(error, &source.text, Some(&source.name));
    // Failures have a hint of their own.
    match report.trim_end().rsplit_once("\nhint: ") {
        Some((mistake, hint)) => Failure::new(mistake).hint(hint),
        None => Failure::new(report.trim_end()),
    }
}
