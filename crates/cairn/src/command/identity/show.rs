//! `cairn identity show`.

use std::path::Path;

use crate::failure::Failure;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn identity show
  cairn identity show --json

The node id is the public key; the fingerprint is its beginning, for people to compare. Exit code 1
says that there is no identity.";

/// Shows what everybody may know.
pub(super) fn show(dir: &Path, as_json: bool) -> Result<(), Failure> {
    let identity = super::load(dir)?;
    let text = if as_json {
        format!("{:#}\n", super::to_json(dir, &identity))
    } else {
        super::to_text(dir, &identity)
    };
    crate::command::print(&text)
}
