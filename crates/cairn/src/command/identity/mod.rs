//! `cairn identity`.

mod create;
mod export;
mod import;
mod recover;
mod register;
mod show;

use std::path::{Path, PathBuf};

use cairn_access::identity::{Existing, Identity, IdentityFolder};
use cairn_base::fs::SystemFs;
use cairn_base::to_iso;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::create::CreateArgs;
use self::export::ExportArgs;
use self::import::ImportArgs;
use self::recover::RecoverArgs;
use crate::data_dir::{Surroundings, resolve};
use crate::failure::Failure;
use crate::{dir_access, open};

/// What to do with the identity of this data directory.
#[derive(Debug, Subcommand)]
pub(crate) enum IdentityCommand {
    /// Make a key pair, and show the words that bring it back
    #[command(after_help = create::AFTER_HELP)]
    Create(CreateArgs),

    /// Make the key pair again that words stand for
    #[command(after_help = recover::AFTER_HELP)]
    Recover(RecoverArgs),

    /// Show the node id and where the key came from; never the key
    #[command(after_help = show::AFTER_HELP)]
    Show,

    /// Write the key pair to a backup file, sealed with a password
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),

    /// Take a key pair from a backup file, or from a folder of keys
    #[command(after_help = import::AFTER_HELP)]
    Import(ImportArgs),
}

pub(crate) const IDENTITY_AFTER_HELP: &str = "\
Examples:
  cairn identity create                    create a key pair; write down its 12 words
  cairn identity show                      show the node id, which is the public key
  cairn identity export node.backup        write a backup file, encrypted with a password
  cairn identity recover                   recover the key pair from its words

The key pair is stored in the folder identity/ of the data directory, readable by its owner only. It
is not part of backups of the data. create, recover and import register its public key for the local
owner, if there is a store, so that artifacts you sign with it verify as yours. Secrets are read
without echo, from files or standard input; no option takes one.";

/// What to do about an identity that is there.
#[derive(Debug, Clone, Copy, Args)]
struct ReplaceArgs {
    /// Replace an identity that is there; it is kept beside the new one
    #[arg(long)]
    replace: bool,
}

impl ReplaceArgs {
    fn existing(self) -> Existing {
        if self.replace { Existing::Replace } else { Existing::Refuse }
    }
}

/// Runs what was asked for.
pub(super) fn identity(
    data_dir: Option<&Path>,
    as_json: bool,
    command: &IdentityCommand,
) -> Result<(), Failure> {
    let dir = resolve(data_dir, &Surroundings::of_process()?)?.path;
    dir_access::refuse_writable(&dir)?;
    match command {
        IdentityCommand::Create(arguments) => create::create(&dir, as_json, arguments),
        IdentityCommand::Recover(arguments) => recover::recover(&dir, as_json, arguments),
        IdentityCommand::Show => show::show(&dir, as_json),
        IdentityCommand::Export(arguments) => export::export(&dir, as_json, arguments),
        IdentityCommand::Import(arguments) => import::import(&dir, as_json, arguments),
    }
}

/// The file that was named, with or without a flag.
fn named<'a>(path: &'a Option<PathBuf>, flag: &'a Option<PathBuf>) -> &'a Path {
    path.as_deref().or(flag.as_deref()).expect("the command line demands one of them")
}

/// The identity that is there.
fn load(dir: &Path) -> Result<Identity, Failure> {
    let folder = IdentityFolder::new(&SystemFs, dir);
    folder.load()?.ok_or_else(|| {
        Failure::new(format!("{} has no identity", dir.display()))
            .hint("make one with `cairn identity create`, or bring one here with recover or import")
    })
}

/// Fails early, before anybody is asked for anything, if an identity could not be kept.
fn check(dir: &Path, existing: Existing) -> Result<(), Failure> {
    if dir.exists() {
        open::refuse_foreign(dir)?;
    }
    Ok(IdentityFolder::new(&SystemFs, dir).check(existing)?)
}

/// Keeps an identity, registers its key for the local owner, and tells what it is.
fn save(dir: &Path, identity: &Identity, existing: Existing, as_json: bool) -> Result<(), Failure> {
    open::create_dir(dir)?;
    let replaced = IdentityFolder::new(&SystemFs, dir).save(identity, existing)?;
    let registered = register::register(dir, identity.public_key());
    if as_json {
        let mut line = to_json(dir, identity);
        line["registered"] = json!(registered.is_ok());
        line["replaced"] = json!(replaced.map(|path| path.to_string_lossy().into_owned()));
        return crate::command::print(&format!("{line}\n"));
    }
    let mut text = to_text(dir, identity);
    if let Some(path) = replaced {
        text += &format!("the identity before is in {}\n", path.display());
    }
    text += &register::to_text(identity.public_key(), registered);
    crate::command::print(&text)
}

/// Takes the identity that the node created by itself, if it did: registers its key for the local owner, and shows it.
/// Returns whether there is one.
fn adopt(dir: &Path, as_json: bool) -> Result<bool, Failure> {
    if dir.exists() {
        open::refuse_foreign(dir)?;
    }
    let found = IdentityFolder::new(&SystemFs, dir).load()?;
    let Some(identity) = found.filter(|identity| identity.about().created_by_node) else { return Ok(false) };
    let registered = register::register(dir, identity.public_key());
    if as_json {
        let mut line = to_json(dir, &identity);
        line["registered"] = json!(registered.is_ok());
        line["replaced"] = Value::Null;
        line["created_by"] = json!("node");
        crate::command::print(&format!("{line}\n"))?;
        return Ok(true);
    }
    let mut text = to_text(dir, &identity);
    text += &register::to_text(identity.public_key(), registered);
    text += "note: the node created this identity when it first had to sign; `cairn identity export` writes a backup, \
             and\n      `cairn identity create --replace` creates one with words\n";
    crate::command::print(&text)?;
    Ok(true)
}

/// What everybody may know, for programs.
fn to_json(dir: &Path, identity: &Identity) -> Value {
    let (key, about) = (identity.public_key(), identity.about());
    json!({
        "node_id": key.to_string(),
        "fingerprint": key.fingerprint(),
        "language": about.language.map(|language| language.name()),
        "word_count": about.word_count,
        "passphrase_protected": about.passphrase_protected,
        "created_at": about.created_at_ms.and_then(|ms| to_iso(i64::try_from(ms).ok()?)),
        "folder": IdentityFolder::new(&SystemFs, dir).path().to_string_lossy(),
    })
}

/// The same for people.
fn to_text(dir: &Path, identity: &Identity) -> String {
    let (key, about) = (identity.public_key(), identity.about());
    let words = match (about.word_count, about.language) {
        (Some(count), Some(language)) => format!("{count}, {language}"),
        (Some(count), None) => count.to_string(),
        (None, _) => "none: only a backup brings it back".to_owned(),
    };
    let passphrase = if about.passphrase_protected { ", with a passphrase" } else { "" };
    let created = about.created_at_ms.map_or_else(|| "unknown".to_owned(), crate::when::absolute);
    crate::command::table(&[
        ["node id".to_owned(), key.to_string()],
        ["fingerprint".to_owned(), key.fingerprint()],
        ["words".to_owned(), words + passphrase],
        ["created".to_owned(), created],
        ["folder".to_owned(), IdentityFolder::new(&SystemFs, dir).path().display().to_string()],
    ])
}
