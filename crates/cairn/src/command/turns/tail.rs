//! `cairn turns tail`.

use std::path::Path;

use cairn_base::{Clock, ContextId, SystemClock, TurnId};
use cairn_http::{Client, ClientError};
use cairn_wire::turns::TurnObject;
use clap::Args;

use super::newest::newest;
use super::text;
use crate::command::answer::json_line;
use crate::failure::Failure;
use crate::terminal::Look;
use crate::{logging, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns tail 1                     the newest 10 turns of context 1
  cairn turns tail 1 -f                  and every turn that comes, until interrupted (Ctrl-C)
  cairn turns tail 1 -f -n 0 --json      what comes, as one line of JSON per turn

Following needs a server (`cairn serve`) on the data directory, and waits for one that is away.";

/// What to show.
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// The context
    #[arg(value_name = "CONTEXT")]
    context: u64,

    /// Go on with the turns that come
    #[arg(short, long)]
    follow: bool,

    /// How many of the newest turns to begin with
    #[arg(short = 'n', long = "last", value_name = "N", default_value_t = 10)]
    last: u64,

    /// Do not cut long payloads to the width of the terminal
    #[arg(long)]
    full: bool,
}

/// Shows turns, and goes on if it shall.
pub(super) fn tail(data_dir: Option<&Path>, as_json: bool, arguments: &TailArgs) -> Result<(), Failure> {
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let context = ContextId(arguments.context);
    let look = Look::of_stdout();
    let form = |turn: &TurnObject| {
        if as_json { json_line(turn) } else { text::turn(turn, SystemClock.now_ms(), look, arguments.full) }
    };
    let (mut seen, begun) = reach::reach(&data_dir.path, &settings.config, async |client| {
        let found = newest(client, context, arguments.last, None, |turn| Some(form(&turn))).await?;
        Ok((found.meta.head_turn_id, found.turns.concat()))
    })?;
    let mut goes_on = crate::command::try_print(begun.as_bytes())? && arguments.follow;
    if !goes_on {
        return Ok(());
    }
    let mut failed = None;
    let followed = reach::follow(&data_dir.path, &settings.config, async |listener, client| {
        let mut bell = listener.bell(context).await?;
        while goes_on {
            bell.ring().await?;
            let news = since(client, context, seen, &form).await?;
            if let Some((head, text)) = news {
                seen = head;
                goes_on = crate::command::try_print(text.as_bytes()).unwrap_or_else(|failure| {
                    failed = Some(failure);
                    false
                });
            }
        }
        Ok(())
    });
    match followed {
        // Being interrupted is how following ends.
        Err(failure) if failure.is_stop() => Ok(()),
        Err(failure) => Err(failure),
        Ok(()) => failed.map_or(Ok(()), Err),
    }
}

/// The head, and the turns of its history that were appended after `seen`; `None` if there are none.
async fn since(
    client: &mut Client,
    context: ContextId,
    seen: TurnId,
    form: &impl Fn(&TurnObject) -> String,
) -> Result<Option<(TurnId, String)>, ClientError> {
    let head = client.context(context).await?.head_turn_id;
    if head == seen {
        return Ok(None);
    }
    let found = newest(client, context, u64::MAX, None, |turn| match turn.turn_id {
        // Numbers only grow along a history: what is not greater was there before.
        id if id <= seen => None,
        // What came after the look at the head is left for the next look.
        id if id > head => Some(String::new()),
        _ => Some(form(&turn)),
    });
    Ok(Some((head, found.await?.turns.concat())))
}
