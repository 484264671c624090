//! `cairn backup`.

use std::path::Path;

use cairn_seam::Maintenance;

use crate::data_dir::Surroundings;
use crate::failure::Failure;

/// Writes a backup into a file that is not there yet.
pub(super) fn backup(data_dir: Option<&Path>, file: &Path, as_json: bool) -> Result<(), Failure> {
    // Whoever writes the file may have another current folder.
    let to = Surroundings::of_process()?.absolute(file);
    let report = super::maintain::run(data_dir, &Maintenance::Backup { to: to.clone() })?;
    if as_json {
        return super::maintain::print_json(&report);
    }
    super::print(&format!("wrote {}\n{}", to.display(), super::maintain::figures(&report)))
}
