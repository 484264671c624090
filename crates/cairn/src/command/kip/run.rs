//! `cairn kip -c` and `cairn kip run`.

use std::path::Path;

use cairn_base::Harmless;
use cairn_kip::KipCode;
use cairn_kip::tree::Command;
use cairn_wire::kip::{KipBody, KipResponse};

use super::source::Source;
use super::{How, caret, text};
use crate::command::answer::json;
use crate::failure::Failure;
use crate::reach::{self, Needs};
use crate::terminal::Look;
use crate::{command, logging};

/// Has commands executed one after the other, and shows what comes of each, until one fails.
pub(super) fn run(
    data_dir: Option<&Path>,
    as_json: bool,
    sources: &[Source],
    how: &How,
) -> Result<(), Failure> {
    // A mistake in the last one is told before the first one is done, at its place.
    let parse =
        |source: &Source| cairn_kip::parse(&source.text).map_err(|error| caret::failure(source, &error));
    let commands: Vec<Command> = sources.iter().map(parse).collect::<Result<_, _>>()?;
    let searches = commands.iter().any(|command| matches!(command, Command::Search(_)));
    let needs = if searches { Needs::WholeIndex } else { Needs::Store };
    let function = if how.readonly { "execute_kip_readonly" } else { "execute_kip" };
    let requests: Vec<KipBody> = sources.iter().map(|source| request(source, how, as_json)).collect();
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let mut answers: Vec<KipResponse> = Vec::new();
    reach::reach_with(&data_dir.path, &settings.config, needs, async |client| {
        // The owner may have gone after some of them.
        while answers.len() < requests.len() && answers.last().is_none_or(|answer| answer.error.is_none()) {
            answers.push(client.kip(function, &requests[answers.len()]).await?);
        }
        Ok(())
    })?;
    let look = Look::of_stdout();
    for ((answer, source), command) in answers.iter().zip(sources).zip(&commands) {
        if as_json {
            command::print(&json(answer))?;
        }
        refuse_error(answer)?;
        if !as_json {
            command::print(&text::answer(command, &source.text, answer, text::WITH_CURSOR, look))?;
        }
    }
    Ok(())
}

/// What `execute_kip` takes. Tables are made of rows.
pub(super) fn request(source: &Source, how: &How, as_json: bool) -> KipBody {
    KipBody {
        command: Some(source.text.clone()),
        parameters: Some(how.parameters()),
        dry_run: Some(how.dry_run),
        format: Some(if as_json { "columns" } else { "rows" }.to_owned()),
        space: how.space.clone(),
        ..KipBody::default()
    }
}

/// An answer that is an error ends the command.
pub(super) fn refuse_error(answer: &KipResponse) -> Result<(), Failure> {
    let Some(error) = &answer.error else { return Ok(()) };
    let code = Harmless(&error.code).to_string();
    let known = KipCode::ALL.iter().find(|known| known.text() == code);
    let name = known.map(|known| format!(" {}", known.name())).unwrap_or_default();
    let failure = Failure::new(format!("{code}{name}: {}", Harmless(&error.message)));
    Err(match &error.hint {
        Some(hint) => failure.hint(Harmless(hint).to_string()),
        None => failure,
    })
}
