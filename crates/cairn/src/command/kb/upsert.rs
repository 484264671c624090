//! `cairn kb upsert`.

use clap::Args;

use super::Call;
use super::apply::apply;
use super::payload::{PayloadArgs, Payloads};
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;

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
  cairn kb suggest 'Guests must not delete invoices.' --json | cairn kb upsert -

Properties that are not named stay as they are. Entity and relationships are stored together, or not
at all; both ends of a relationship must exist. A write that would create a contradiction fails.
A symbol that is linked to requirements or tests is a function, class or method of its source file,
which is read from the working tree; to link a whole file, give a granularity_reason.

A list is applied in order and ends at the first error, which names its index; what was applied
before stays. Applying a list again does no harm. Of an object with `applyPlan`, such as the output of
`cairn kb model --json` and `cairn kb suggest --json`, that list is applied.";

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
    let applied = apply(&tree, &inputs, is_list);
    match (call.as_json, is_list) {
        (true, true) => print(&json(&applied.stored))?,
        (true, false) => print(&applied.stored.first().map(json).unwrap_or_default())?,
        (false, _) => print(&applied.text())?,
    }
    applied.done
}
