//! `cairn kip -c` and `cairn kip run`.

use std::path::Path;

use cairn_base::Harmless;
use cairn_kip::KipCode;
use cairn_kip::tree::Command;
use serde_json::{Value, json};

use super::source::Source;
use super::{How, caret, text};
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
    let requests: Vec<Value> = sources.iter().map(|source| request(source, how, as_json)).collect();
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let mut answers: Vec<Value> = Vec::new();
    reach::reach_with(&data_dir.path, &settings.config, needs, async |client| {
        // The owner may have gone after some of them.
        while answers.len() < requests.len()
            && answers.last().is_none_or(|answer| answer.get("error").is_none())
        {
            answers.push(client.kip(function, &requests[answers.len()]).await?);
        }
        Ok(())
    })?;
    let look = Look::of_stdout();
    for ((answer, source), command) in answers.iter().zip(sources).zip(&commands) {
        if as_json {
            command::print(&format!("{answer:#}\n"))?;
        }
        refuse_error(answer)?;
        if !as_json {
            command::print(&text::answer(command, &source.text, answer, text::WITH_CURSOR, look))?;
        }
    }
    Ok(())
}

/// What `execute_kip` takes. Tables are made of rows.
pub(super) fn request(source: &Source, how: &How, as_json: bool) -> Value {
    let mut request = json!({
        "command": source.text,
        "parameters": how.parameters(),
        "dry_run": how.dry_run,
        "format": if as_json { "columns" } else { "rows" },
    });
    if let Some(space) = &how.space {
        request["space"] = json!(space);
    }
    request
}

/// An answer that is an error ends the command.
pub(super) fn refuse_error(answer: &Value) -> Result<(), Failure> {
    let Some(error) = answer.get("error") else { return Ok(()) };
    let part = |name: &str| error[name].as_str().map(|text| Harmless(text).to_string());
    let code = part("code").unwrap_or_default();
    let known = KipCode::ALL.iter().find(|known| known.text() == code);
    let name = known.map(|known| format!(" {}", known.name())).unwrap_or_default();
    let failure = Failure::new(format!("{code}{name}: {}", part("message").unwrap_or_default()));
    Err(match part("hint") {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}
