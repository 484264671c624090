//! `cairn kb delete`.

use cairn_kb::tools::DeleteInput;
use clap::Args;

use super::Call;
use super::text::{ENTITIES, counted};
use crate::command::answer::{joined, json};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb delete TEST-007
  cairn kb delete REQ-001 SCEN-001 TEST-001      ids of one call may refer to each other

All of them are deleted, or none: an entity that others refer to is kept, and the error names them.
Relationships that start at a deleted entity go with it. Unknown ids are skipped.";

/// Which entities.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Entities
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

/// Deletes entities.
pub(super) fn delete(call: &Call<'_>, arguments: DeleteArgs) -> Result<(), Failure> {
    let input = DeleteInput { ids: arguments.ids, request_id: None };
    let tree = call.tree()?;
    let output =
        tree.ask(Needs::Store, async |client| client.kb_delete(&tree.id, tree.branch(), &input).await)?;
    if call.as_json {
        return print(&json(&output));
    }
    let mut said = format!("deleted {}\n", counted(output.deleted, ENTITIES));
    if !output.skipped.is_empty() {
        said += &format!("no such entity: {}\n", joined(&output.skipped));
    }
    print(&said)
}
