//! `cairn key`.

use std::path::{Path, PathBuf};

use cairn_base::{ErrorCode, SystemEntropy};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{Maintenance, StoreCode};
use clap::Subcommand;
use serde_json::json;

use crate::config::{KEY_FILE, Source};
use crate::data_dir::Surroundings;
use crate::failure::Failure;
use crate::key_file;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Write a new random key to a file that is not there yet
    #[command(after_help = GENERATE_AFTER_HELP)]
    Generate {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },

    /// Give a sealed data directory another key
    #[command(after_help = ROTATE_AFTER_HELP)]
    Rotate {
        /// The file with the key that the data directory gets
        #[arg(long, value_name = "FILE")]
        new_key_file: PathBuf,
    },
}

pub(crate) const KEY_AFTER_HELP: &str = "\
Examples:
  cairn key generate ~/cairn.key
  CAIRN_ENCRYPTION_KEY_FILE=~/cairn.key cairn init
                              create an encrypted data directory
  cairn key generate ~/new.key && cairn key rotate --new-key-file ~/new.key

Encryption is chosen when a data directory is created. Keep a copy of the key elsewhere: without it
the data cannot be recovered.";

const GENERATE_AFTER_HELP: &str = "\
Examples:
  cairn key generate ~/cairn.key

The file holds 64 hex digits and is readable by its owner alone. A file that is there is never
overwritten.";

const ROTATE_AFTER_HELP: &str = "\
Examples:
  cairn key generate ~/new.key
  cairn key rotate --new-key-file ~/new.key

Also while the server runs, which goes on. The new key is the only one that opens the data
directory afterwards: change store.encryption_key_file or CAIRN_ENCRYPTION_KEY_FILE to it before
the next start. Nothing is written again; what is written from then on is sealed with new keys. Backups made before
still need the old key.";

/// Runs what was asked for.
pub(super) fn key(data_dir: Option<&Path>, as_json: bool, command: &KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Generate { file } => generate(file, as_json),
        KeyCommand::Rotate { new_key_file } => rotate(data_dir, new_key_file, as_json),
    }
}

fn generate(file: &Path, as_json: bool) -> Result<(), Failure> {
    key_file::write_new(file, &EncryptionKey::generate(&SystemEntropy))?;
    let file = Surroundings::of_process()?.absolute(file);
    if as_json {
        return super::print(&format!("{}\n", json!({"key_file": file.to_string_lossy()})));
    }
    super::print(&format!(
        "made {0}\nkeep a copy elsewhere: without the key, what is sealed with it is lost\n\
         use it with CAIRN_ENCRYPTION_KEY_FILE={0}\n",
        file.display()
    ))
}

fn rotate(data_dir: Option<&Path>, new_key_file: &Path, as_json: bool) -> Result<(), Failure> {
    let (data_dir, settings) = super::settings(data_dir, &[])?;
    let dir = &data_dir.path;
    if !dir.join("MANIFEST").is_file() {
        return Err(Failure::usage(format!("{} holds no store", dir.display()))
            .hint("name its data directory with --data-dir"));
    }
    let new = key_file::read(new_key_file)?;
    let file = Surroundings::of_process()?.absolute(new_key_file);
    let options =
        EmbeddedOptions { key: key_file::configured(&settings.config)?, ..EmbeddedOptions::default() };
    match EmbeddedStore::rotate_key(dir, options, &new) {
        Ok(()) => {}
        Err(error) if error.code() == StoreCode::Locked => {
            // Whoever has it open does it, with the same outcome.
            let job = Maintenance::ChangeKey { new_key_file: file.clone() };
            super::maintain::run(Some(dir), &job)?;
        }
        Err(error) if error.code() == ErrorCode::Internal => {
            return Err(Failure::from(error)
                .hint("the data directory has the old key or the new one: keep both until one opened it"));
        }
        Err(error) => return Err(error.into()),
    }
    let source = settings.source(KEY_FILE).unwrap_or(&Source::Default);
    if as_json {
        let line = json!({
            "data_dir": dir.to_string_lossy(),
            "key_file": file.to_string_lossy(),
            "change": source.to_string(),
        });
        return super::print(&format!("{line}\n"));
    }
    super::print(&format!(
        "{} has the key in {} now, and no other opens it\n\
         change {KEY_FILE} to it, which is set by {source}\n\
         keep the old key for as long as there are backups from before\n",
        dir.display(),
        file.display()
    ))
}
