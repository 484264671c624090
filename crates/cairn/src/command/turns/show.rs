//! `cairn turns show`.

use std::io::IsTerminal;
use std::path::Path;

use cairn_base::{Clock, ContextId, Harmless, SystemClock, TurnId};
use cairn_http::{Client, ClientError};
use cairn_wire::turns::{TurnObject, TurnPage};
use clap::Args;

use super::newest::{Newest, newest};
use super::text;
use crate::command::answer::json;
use crate::failure::Failure;
use crate::terminal::Look;
use crate::{logging, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns show 1                     the newest 20 turns of context 1
  cairn turns show 1 --last 3 --full     the newest three, with all of their payloads
  cairn turns show 1 --before 40         those before turn 40
  cairn turns show --turn 42             one turn
  cairn turns show --turn 42 --raw > turn.msgpack
                                         its payload as it is
  cairn turns show 1 --json              what GET /v1/contexts/1/turns answers

Payloads are shown like JSON, with keys that are numbers as numbers and bytes as h'0102'. Nothing in
them can do anything to a terminal. A turn whose payload is damaged is shown with the reason; with
--raw its payload is left out, and the command then fails with exit code 4.";

/// What to show.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The context
    #[arg(value_name = "CONTEXT", required_unless_present = "turn")]
    context: Option<u64>,

    /// One turn instead
    #[arg(long, value_name = "TURN", conflicts_with_all = ["context", "last", "before"])]
    turn: Option<u64>,

    /// How many of the newest turns
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    last: u64,

    /// Only turns before this one
    #[arg(long, value_name = "TURN")]
    before: Option<u64>,

    /// Do not cut long payloads to the width of the terminal
    #[arg(long)]
    full: bool,

    /// Write the payloads as they are, and nothing else
    #[arg(long, conflicts_with_all = ["full", "json"])]
    raw: bool,
}

/// Shows turns.
pub(super) fn show(data_dir: Option<&Path>, as_json: bool, arguments: &ShowArgs) -> Result<(), Failure> {
    if arguments.raw && std::io::stdout().is_terminal() {
        return Err(Failure::usage("payloads as they are would garble the terminal")
            .hint("send them to a file (`> turn.msgpack`) or a program, or leave out --raw"));
    }
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let (look, now_ms) = (Look::of_stdout(), SystemClock.now_ms());
    let mut left_out = Vec::new();
    let shown = reach::reach(&data_dir.path, &settings.config, async |client| {
        if as_json {
            return Ok(as_objects(client, arguments).await?.into_bytes());
        }
        left_out.clear();
        let mut form = |turn: TurnObject| match arguments.raw {
            true => {
                left_out.extend(turn.unreadable.as_ref().map(|_| turn.turn_id.to_string()));
                text::payload(&turn).to_vec()
            }
            false => text::turn(&turn, now_ms, look, arguments.full).into_bytes(),
        };
        match arguments.wanted() {
            Wanted::One(turn) => Ok(form(client.turn(turn).await?.turn)),
            Wanted::Newest(context, before) => {
                let found = newest(client, context, arguments.last, before, |turn| Some(form(turn)));
                Ok(found.await?.turns.concat())
            }
        }
    })?;
    crate::command::print_bytes(&shown)?;
    if left_out.is_empty() {
        return Ok(());
    }
    // They were read from the newest on.
    left_out.reverse();
    let ids = Harmless(&left_out.join(", ")).to_string();
    Err(Failure::damaged(format!("left out unreadable payloads, of turns {ids}"))
        .hint("`cairn turns show` without --raw shows the reasons"))
}

async fn as_objects(client: &mut Client, arguments: &ShowArgs) -> Result<String, ClientError> {
    Ok(match arguments.wanted() {
        Wanted::One(turn) => json(&client.turn(turn).await?),
        Wanted::Newest(context, before) => {
            let found = newest(client, context, arguments.last, before, Some);
            let Newest { turns, meta, next_before } = found.await?;
            json(&TurnPage { meta, turns, next_before_turn_id: next_before })
        }
    })
}

enum Wanted {
    One(TurnId),
    Newest(ContextId, Option<TurnId>),
}

impl ShowArgs {
    fn wanted(&self) -> Wanted {
        match (self.turn, self.context) {
            (Some(turn), _) => Wanted::One(TurnId(turn)),
            // The command line has one of them.
            (None, context) => Wanted::Newest(ContextId(context.unwrap_or(0)), self.before.map(TurnId)),
        }
    }
}
