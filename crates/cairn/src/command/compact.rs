//! `cairn compact`.

use std::path::Path;

use cairn_seam::{KeepChanges, Maintenance};

use crate::failure::Failure;

/// Removes what is dead, what is too old and what is to be forgotten.
pub(super) fn compact(
    data_dir: Option<&Path>,
    keep_changes: KeepChanges,
    forget: Vec<String>,
    as_json: bool,
) -> Result<(), Failure> {
    let report = super::maintain::run(data_dir, &Maintenance::Compact { keep_changes, forget })?;
    if as_json {
        return super::maintain::print_json(&report);
    }
    super::print(&super::maintain::figures(&report))
}
