//! `cairn identity recover`.

use std::path::{Path, PathBuf};

use cairn_access::identity::{Identity, Language, Phrase, SecretText};
use cairn_base::SystemClock;
use clap::Args;

use super::ReplaceArgs;
use super::create::language;
use crate::failure::Failure;
use crate::secret_input;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn identity recover                              asks for the words, without echo
  cairn identity recover < words.txt                  reads them from standard input
  cairn identity recover --passphrase-file /run/secrets/passphrase < words.txt

12 to 24 words with one space between them, in capital or small letters. The same words and the same
passphrase always give the same identity. No passphrase is refused: a wrong one gives another
identity, so compare the node id.";

/// What to recover.
#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// The language of the words: english or portuguese [default: whichever has them]
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    language: Option<Language>,

    /// A file with the passphrase for the words
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,

    #[command(flatten)]
    replace: ReplaceArgs,
}

/// Makes the identity again that words stand for.
pub(super) fn recover(dir: &Path, as_json: bool, arguments: &RecoverArgs) -> Result<(), Failure> {
    let existing = arguments.replace.existing();
    super::check(dir, existing)?;
    let file = arguments.passphrase_file.as_deref();
    if secret_input::is_stdin(file) {
        return Err(Failure::usage("standard input holds the words, and cannot hold the passphrase too")
            .hint("put the passphrase into a file that only you can read, and name that"));
    }
    let can_ask = secret_input::can_ask();
    let words = if can_ask { secret_input::ask("words")? } else { secret_input::read_stdin()? };
    let phrase = Phrase::parse(&words, arguments.language)?;
    let passphrase = match file {
        Some(file) => secret_input::read(file)?,
        None if can_ask => secret_input::ask("passphrase (empty for none)")?,
        None => SecretText::default(),
    };
    let identity = Identity::from_phrase(&phrase, &passphrase, &SystemClock)?;
    super::save(dir, &identity, existing, as_json)
}
