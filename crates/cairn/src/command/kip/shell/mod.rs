//! `cairn kip shell`: typing commands, and seeing what comes of them.

mod backslash;
mod colour;
mod complete;
mod door;
mod fault;
mod gather;
mod history;
mod interact;
mod keys;
mod next_page;
mod schema;
mod session;

use std::io::IsTerminal;
use std::path::Path;

use self::door::Door;
use self::session::Session;
use super::How;
use crate::failure::Failure;
use crate::{command, logging, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip shell                        in the space memory
  cairn kip shell --space notes          in another one
  cairn kip shell --readonly             look, and change nothing
  cairn kip shell < checks.kip           the commands of a script, until one fails (exit code 1)

A command goes on until its brackets are closed; an empty line ends it as it is. Tab completes words
of the language, types and predicates of the memory, variables and fields. Ctrl-C gives up a
command, Ctrl-D leaves. Commands of the shell begin with a backslash; \\help lists them.

What is typed is kept in ~/.local/state/cairn/kip-history ($XDG_STATE_HOME), readable by you alone;
not with --no-history, and not what begins with a space.

In a script, a command goes on until the next one begins, or until an empty line. It works whether
or not a server runs on the data directory.";

/// Takes commands until there are no more.
pub(super) fn shell(
    data_dir: Option<&Path>,
    as_json: bool,
    no_history: bool,
    how: How,
) -> Result<(), Failure> {
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    reach::refuse_missing(&data_dir.path)?;
    let is_typed = std::io::stdin().is_terminal();
    let door = Door::new(&data_dir.path, &settings.config, is_typed)?;
    let mut session = Session::new(door, how, as_json, is_typed);
    let done = match is_typed {
        true => interact::interact(&mut session, if no_history { None } else { history::path() }),
        false => session.perform_all(std::io::stdin().lock(), "standard input").map(|_| ()),
    };
    // Also after a failure: closing makes the next opening quick.
    let closed = session.close();
    done.and(closed)
}
