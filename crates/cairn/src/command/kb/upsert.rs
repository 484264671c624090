//! `cairn kb upsert`.

use cairn_embedded::Progress;
use cairn_kb::tools::UpsertOutput;
use clap::Args;

use super::Call;
use super::payload::{PayloadArgs, Payloads};
use super::text::lines;
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb upsert req REQ-001 --title 'Sessions expire' --status open --field priority=must
  cairn kb upsert req REQ-001 --link specified_by:SCEN-001 --link verified_by:TEST-001
  cairn kb upsert req REQ-001 --unset owner
  cairn kb upsert fact FACT-1 --title 'Timeout is 30 minutes' --status active \\
      --field fact_kind=property_value --field subject_key=session --field property_key=timeout \\
      --field operator=eq --field value_type=int --field value_int=30 --field unit=minutes
  cairn kb upsert --file payloads.json
  generate | cairn kb upsert -               a payload in JSON, or a list of them

Properties that are not named stay as they are. Entity and relationships are stored together, or not
at all; both ends of a relationship must exist. A write that would create a contradiction fails.

A list is applied in order and ends at the first error, which names its index; what was applied
before stays. Applying a list again does no harm.";

/// What to store.
#[derive(Debug, Args)]
pub(crate) struct UpsertArgs {
    #[command(flatten)]
    payload: PayloadArgs,
}

/// Stores entities.
pub(super) fn upsert(call: &Call<'_>, arguments: &UpsertArgs) -> Result<(), Failure> {
    let Payloads { inputs, is_list } = arguments.payload.read()?;
    let tree = call.tree()?;
    let total = inputs.len() as u64;
    let show = (is_list).then(progress::counter);
    let mut stored: Vec<UpsertOutput> = Vec::new();
    let done = tree.ask(Needs::Store, async |client| {
        // Called again, it goes on where it was.
        for input in &inputs[stored.len()..] {
            stored.push(client.kb_upsert(&tree.id, tree.branch(), input).await?);
            if let Some(show) = &show {
                show("storing entities", Progress { done: stored.len() as u64, total });
            }
        }
        Ok(())
    });
    drop(show);
    let texts = || stored.iter().map(|output| lines(&output.text()) + "\n").collect::<String>();
    match (call.as_json, is_list) {
        (true, true) => print(&json(&stored))?,
        (true, false) => print(&stored.first().map(json).unwrap_or_default())?,
        (false, _) => print(&texts())?,
    }
    let count = stored.len();
    done.map_err(|failure| match inputs.get(count) {
        Some(input) if is_list => {
            failure.in_context(format!("the payload at index {count} ({})", text(&input.id)))
        }
        _ => failure,
    })
}
