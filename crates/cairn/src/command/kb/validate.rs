//! `cairn kb validate`.

use cairn_kb::tools::ValidateUpsertOutput;
use clap::Args;

use super::Call;
use super::facts::with_facts;
use super::payload::{PayloadArgs, Payloads};
use super::text::remarks;
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb validate req REQ-001 --title 'Sessions expire' --status open
  cairn kb validate --file payloads.json --json
  generate | cairn kb validate -

Takes the arguments of `cairn kb upsert`, makes the same checks and stores nothing. Each payload of a
list is checked by itself: what an earlier one of the list would create does not exist yet.

Exit code 0: all payloads are valid. Exit code 1: one is not. Exit code 2: they could not be checked.";

/// What to check.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    payload: PayloadArgs,
}

/// Checks payloads.
pub(super) fn validate(call: &Call<'_>, arguments: &ValidateArgs) -> Result<(), Failure> {
    let (payloads, outputs) = run(call, arguments).map_err(Failure::beside_a_verdict)?;
    let named = payloads.inputs.iter().zip(&outputs);
    let texts = named.map(|(input, output)| format!("{}: {}\n", text(&input.id), remarks(&output.text())));
    let shown = match (call.as_json, payloads.is_list) {
        (true, true) => json(&outputs),
        (true, false) => outputs.first().map(json).unwrap_or_default(),
        (false, _) => texts.collect(),
    };
    print(&shown).map_err(Failure::beside_a_verdict)?;
    let invalid: Vec<_> = outputs.iter().enumerate().filter(|(_, output)| !output.valid).collect();
    match invalid.as_slice() {
        [] => Ok(()),
        [(index, _), ..] if payloads.is_list => Err(Failure::new(format!(
            "{} of {} payloads are not valid; the first one is at index {index}",
            invalid.len(),
            outputs.len()
        ))),
        _ => Err(Failure::new("the payload is not valid")),
    }
}

fn run(call: &Call<'_>, arguments: &ValidateArgs) -> Result<(Payloads, Vec<ValidateUpsertOutput>), Failure> {
    let payloads = arguments.payload.read()?;
    let tree = call.tree()?;
    let outputs = tree.ask(Needs::Store, async |client| {
        let mut outputs = Vec::new();
        for input in &payloads.inputs {
            let request = with_facts(&tree, client, input).await?;
            outputs.push(client.kb_validate_request(&tree.id, tree.branch(), &request).await?);
        }
        Ok(outputs)
    })?;
    Ok((payloads, outputs))
}
