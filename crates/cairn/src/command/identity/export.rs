//! `cairn identity export`.

use std::path::{Path, PathBuf};

use cairn_base::SystemEntropy;
use clap::Args;
use serde_json::json;

use crate::data_dir::Surroundings;
use crate::failure::Failure;
use crate::{private_file, secret_input};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn identity export node.backup                   asks for a password, twice
  cairn identity export node.backup --password-file /run/secrets/password

The file holds the private key, sealed with the password; an empty password leaves it readable. It
does not hold the words. A file that is there is never overwritten.";

/// Where to.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write; it must not exist yet
    #[arg(value_name = "FILE", required_unless_present = "file", conflicts_with = "file")]
    path: Option<PathBuf>,

    /// The same, as a flag
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// A file with the password, or - for standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// Writes a backup of the identity.
pub(super) fn export(dir: &Path, as_json: bool, arguments: &ExportArgs) -> Result<(), Failure> {
    let identity = super::load(dir)?;
    let password = match &arguments.password_file {
        Some(file) => secret_input::read(file)?,
        None if secret_input::can_ask() => secret_input::ask_for_new("password (empty for none)")?,
        None => return Err(no_password()),
    };
    let file = Surroundings::of_process()?.absolute(super::named(&arguments.path, &arguments.file));
    let backup = identity.to_backup(&password, &SystemEntropy);
    private_file::write_new(&file, &backup, "name another file: this one may be the only copy of a key")?;
    let is_sealed = !password.is_empty();
    if !is_sealed {
        eprintln!("note: without a password, whoever can read {} has the identity", file.display());
    }
    if as_json {
        let line = json!({
            "file": file.to_string_lossy(),
            "sealed": is_sealed,
            "node_id": identity.public_key().to_string(),
        });
        return crate::command::print(&format!("{line}\n"));
    }
    let sealed = if is_sealed { "sealed with the password" } else { "not sealed" };
    crate::command::print(&format!("wrote {}, {sealed}\n", file.display()))
}

/// Nobody can be asked for the password.
pub(super) fn no_password() -> Failure {
    Failure::usage("there is no password, and no terminal to ask for one")
        .hint("name a file that holds it with --password-file, or - for standard input")
}
