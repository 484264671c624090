//! `cairn identity import`.

use std::path::{Path, PathBuf};

use cairn_access::identity::{Identity, Imported, SealedBackup, import_file, import_folder};
use cairn_base::fs::SystemFs;
use clap::Args;

use super::ReplaceArgs;
use super::export::no_password;
use crate::data_dir::Surroundings;
use crate::failure::Failure;
use crate::secret_input;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn identity import node.backup                   asks for its password
  cairn identity import ~/.kcp/keys                   a folder of keys
  cairn identity import ~/.kcp/keys/private.key       one of several keys in it

A folder may hold node.key, node.pub and identity.json, or private.key and public.key, or
private.hex and public.hex. Keys that do not belong together are refused. What is imported stays
where it was.";

/// Where from.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A backup, a file with a private key, or a folder of keys
    #[arg(value_name = "FILE|DIR", required_unless_present = "file", conflicts_with = "file")]
    path: Option<PathBuf>,

    /// The same, as a flag
    #[arg(long, value_name = "FILE|DIR")]
    file: Option<PathBuf>,

    /// A file with the password of the backup, or - for standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    #[command(flatten)]
    replace: ReplaceArgs,
}

/// Takes an identity from elsewhere.
pub(super) fn import(dir: &Path, as_json: bool, arguments: &ImportArgs) -> Result<(), Failure> {
    let existing = arguments.replace.existing();
    super::check(dir, existing)?;
    let path = Surroundings::of_process()?.absolute(super::named(&arguments.path, &arguments.file));
    let identity = if path.is_dir() {
        import_folder(&SystemFs, &path)?
    } else {
        match import_file(&SystemFs, &path)? {
            Imported::Identity(identity) => *identity,
            Imported::Sealed(backup) => open(&backup, arguments.password_file.as_deref())?,
        }
    };
    super::save(dir, &identity, existing, as_json)
}

fn open(backup: &SealedBackup, password_file: Option<&Path>) -> Result<Identity, Failure> {
    let password = match password_file {
        Some(file) => secret_input::read(file)?,
        None if secret_input::can_ask() => secret_input::ask("password")?,
        None => return Err(no_password()),
    };
    Ok(backup.open(&password)?)
}
