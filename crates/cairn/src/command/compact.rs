//! `cairn compact`.

use std::path::Path;

use cairn_seam::Maintenance;

use crate::failure::Failure;

/// Removes blobs that nothing refers to.
pub(super) fn compact(data_dir: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let report = super::maintain::run(data_dir, &Maintenance::Compact)?;
    if as_json {
        return super::maintain::print_json(&report);
    }
    super::print(&super::maintain::figures(&report))
}
