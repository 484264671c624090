//! Typing commands at a terminal.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::colour::coloured;
use super::complete::complete;
use super::fault::Place;
use super::gather::goes_on;
use super::history;
use super::schema::Vocabulary;
use super::session::{Session, Then};
use crate::failure::Failure;
use crate::terminal::Look;

/// Others may make types too: after so long they are looked up again before a command is typed.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// Takes commands until somebody leaves.
pub(super) fn interact(session: &mut Session, history: Option<PathBuf>) -> Result<(), Failure> {
    let mut typing = Typing::begin(history)?;
    let mut looked = Instant::now();
    loop {
        if looked.elapsed() > LOOK_AGAIN {
            session.forget_schema();
        }
        if let Some(known) = session.vocabulary_if_changed() {
            typing.know(known);
            looked = Instant::now();
        }
        let Some(typed) = typing.next(session.space())? else { return Ok(()) };
        match session.perform(&typed, &Place { name: "command", line: 1 }) {
            Ok(Then::GoOn) => {}
            Ok(Then::Leave) => return Ok(()),
            Err(failure) => {
                failure.report();
            }
        }
    }
}

/// The line that is edited, and what was typed before.
struct Typing {
    editor: Editor<Aid, DefaultHistory>,
    history: Option<PathBuf>,
}

impl Typing {
    fn begin(history: Option<PathBuf>) -> Result<Self, Failure> {
        let config = Config::builder()
            .max_history_size(history::ENTRIES_MAX)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(|error| failed(&error))?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .build();
        let mut editor = Editor::with_config(config).map_err(|error| failed(&error))?;
        let is_coloured = std::io::stdout().is_terminal() && Look::is_colour_wanted();
        editor.set_helper(Some(Aid { known: Vocabulary::default(), is_coloured }));
        let mut typing = Typing { editor, history: None };
        if let Some(path) = history {
            match history::prepare(&path) {
                Ok(()) => {
                    // One that cannot be read is begun anew.
                    let _ = typing.editor.load_history(&path);
                    typing.history = Some(path);
                }
                Err(error) => tracing::warn!("what is typed is not kept in {}: {error}", path.display()),
            }
        }
        Ok(typing)
    }

    fn know(&mut self, known: Vocabulary) {
        if let Some(aid) = self.editor.helper_mut() {
            aid.known = known;
        }
    }

    /// The next command; `None` when somebody leaves.
    fn next(&mut self, space: Option<&str>) -> Result<Option<String>, Failure> {
        let prompt = match space {
            Some(space) => format!("kip {}> ", cairn_base::Harmless(space)),
            None => "kip> ".to_owned(),
        };
        loop {
            match self.editor.readline(&prompt) {
                Ok(typed) if typed.trim().is_empty() => {}
                Ok(typed) => {
                    self.remember(&typed);
                    return Ok(Some(typed));
                }
                Err(ReadlineError::Eof) => return Ok(None),
                // Given up: the next one.
                Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => {}
                Err(error) => return Err(failed(&error)),
            }
        }
    }

    fn remember(&mut self, typed: &str) {
        if typed.len() > history::ENTRY_BYTES_MAX {
            return;
        }
        // At once: whoever closes the window did not leave.
        let is_new = self.editor.add_history_entry(typed.trim_end()).unwrap_or(false);
        if let Some(path) = self.history.as_deref().filter(|_| is_new) {
            self.keep(path.to_owned().as_path());
        }
    }

    fn keep(&mut self, path: &Path) {
        if let Err(error) = self.editor.append_history(path) {
            tracing::warn!("what is typed is not kept in {} any more: {error}", path.display());
            self.history = None;
        }
    }
}

fn failed(error: &ReadlineError) -> Failure {
    Failure::new(format!("could not read from the terminal: {error}"))
        .hint("give the commands on standard input, or as files to `cairn kip run`")
}

/// What helps with typing.
struct Aid {
    known: Vocabulary,
    is_coloured: bool,
}

impl Helper for Aid {}

impl Completer for Aid {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(line, position, &self.known))
    }
}

impl Validator for Aid {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let typed = context.input();
        // An empty line ends whatever it is, so that nobody is caught in it.
        let is_ended = typed.trim_end_matches([' ', '\t']).ends_with('\n');
        Ok(match !is_ended && goes_on(typed) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Highlighter for Aid {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        match self.is_coloured && !line.trim_start().starts_with('\\') {
            true => Cow::Owned(coloured(line)),
            false => Cow::Borrowed(line),
        }
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.is_coloured
    }
}

impl Hinter for Aid {
    type Hint = String;
}
