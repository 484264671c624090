//! `cairn turns fork`.

use std::path::Path;

use cairn_base::TurnId;

use crate::command::answer::json;
use crate::failure::Failure;
use crate::{logging, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns fork 42                    a new context that goes on from turn 42
  cairn turns fork 42 --json             the new context as JSON

Nothing is copied: turn 42 and everything before it is the history of both.";

/// Forks.
pub(super) fn fork(data_dir: Option<&Path>, as_json: bool, turn: u64) -> Result<(), Failure> {
    if turn == 0 {
        return Err(Failure::usage("there is no turn 0 to fork from")
            .hint("`cairn turns append new` makes a context that begins empty"));
    }
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let context = reach::reach(&data_dir.path, &settings.config, async |client| {
        client.create_context(Some(TurnId(turn))).await
    })?;
    let shown = if as_json {
        json(&context)
    } else {
        format!("context {} goes on from turn {turn}\n", context.context_id)
    };
    crate::command::print(&shown)
}
