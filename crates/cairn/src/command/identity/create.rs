//! `cairn identity create`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use cairn_access::identity::{Existing, Identity, Language, Phrase, SecretText, WordCount};
use cairn_base::{SystemClock, SystemEntropy};
use clap::Args;
use zeroize::Zeroizing;

use super::ReplaceArgs;
use crate::failure::Failure;
use crate::secret_input;
use crate::terminal::Look;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn identity create                               12 English words
  cairn identity create --words 24 --language portuguese
  cairn identity create --json --passphrase-file /run/secrets/passphrase 2> words.txt
  cairn identity create --random                      no words: only a backup brings it back

The words are shown once, on standard error, and are kept nowhere. Whoever has them, and the
passphrase if there is one, has the identity. On a terminal a passphrase is asked for, which may be
empty; another passphrase with the same words is another identity. If the node has created an
identity by itself, because it had to sign something, that one is registered for you and shown;
--replace creates one with words instead.";

/// What to make.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// How many words: 12 or 24 [default: 12]
    #[arg(long, value_name = "COUNT", value_parser = word_count)]
    words: Option<WordCount>,

    /// The language of the words: english or portuguese [default: english]
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    language: Option<Language>,

    /// A file with a passphrase for the words, or - for standard input
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,

    /// Make a key of chance alone, without words
    #[arg(long, conflicts_with_all = ["words", "language", "passphrase_file"])]
    random: bool,

    #[command(flatten)]
    replace: ReplaceArgs,
}

fn word_count(text: &str) -> Result<WordCount, String> {
    let count = text.parse().ok().and_then(WordCount::of);
    count.ok_or_else(|| "write 12 or 24".to_owned())
}

/// Reads the name of a language.
pub(super) fn language(text: &str) -> Result<Language, String> {
    Language::parse(text).ok_or_else(|| "write english or portuguese".to_owned())
}

/// Makes an identity. Its words are shown before it is kept: nobody shall have one without having seen them.
pub(super) fn create(dir: &Path, as_json: bool, arguments: &CreateArgs) -> Result<(), Failure> {
    let existing = arguments.replace.existing();
    let wants_words =
        arguments.words.is_some() || arguments.language.is_some() || arguments.passphrase_file.is_some();
    if existing == Existing::Refuse && !wants_words && super::adopt(dir, as_json)? {
        return Ok(());
    }
    super::check(dir, existing)?;
    if arguments.random {
        let identity = Identity::random(&SystemEntropy, &SystemClock);
        return super::save(dir, &identity, existing, as_json);
    }
    let passphrase = match &arguments.passphrase_file {
        Some(file) => secret_input::read(file)?,
        None if secret_input::can_ask() => secret_input::ask_for_new("passphrase (empty for none)")?,
        None => SecretText::default(),
    };
    let words = arguments.words.unwrap_or(WordCount::Twelve);
    let language = arguments.language.unwrap_or(Language::English);
    let phrase = Phrase::generate(words, language, &SystemEntropy);
    let identity = Identity::from_phrase(&phrase, &passphrase, &SystemClock)?;
    show_words(&phrase.words())?;
    super::save(dir, &identity, existing, as_json)
}

fn show_words(words: &SecretText) -> Result<(), Failure> {
    let stderr = std::io::stderr();
    let look = Look { colour: stderr.is_terminal() && Look::is_colour_wanted(), width: None };
    let shown = Zeroizing::new(look.bold(words.expose()));
    let mut stderr = stderr.lock();
    let parts = ["write these words down, they are shown only now:\n\n  ", &shown, "\n\n"];
    let written = parts.iter().try_for_each(|part| stderr.write_all(part.as_bytes()));
    written.map_err(|error| Failure::io("show the words", &error).hint("nothing was made"))
}
