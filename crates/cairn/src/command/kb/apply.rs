//! Applying payloads of upserts in their order.

use cairn_embedded::Progress;
use cairn_kb::tools::{UpsertInput, UpsertOutput};

use super::facts::with_facts;
use super::text::remarks;
use super::tree::Tree;
use crate::command::answer::text;
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

/// Payloads that were applied, and the error that ended this early.
pub(super) struct Applied {
    pub(super) stored: Vec<UpsertOutput>,
    pub(super) done: Result<(), Failure>,
}

impl Applied {
    /// One line for each payload that was applied.
    pub(super) fn text(&self) -> String {
        self.stored.iter().map(|output| remarks(&output.text()) + "\n").collect()
    }
}

/// Applies payloads one after another. The first error ends this and, for a list, names its index; what was applied
/// before stays.
pub(super) fn apply(tree: &Tree, inputs: &[UpsertInput], is_list: bool) -> Applied {
    let total = inputs.len() as u64;
    let show = is_list.then(progress::counter);
    let mut stored: Vec<UpsertOutput> = Vec::new();
    let done = tree.ask(Needs::Store, async |client| {
        // Called again, it goes on where it was.
        for input in &inputs[stored.len()..] {
            let request = with_facts(tree, client, input).await?;
            stored.push(client.kb_upsert_request(&tree.id, tree.branch(), &request).await?);
            if let Some(show) = &show {
                show("storing entities", Progress { done: stored.len() as u64, total });
            }
        }
        Ok(())
    });
    drop(show);
    let count = stored.len();
    let done = done.map_err(|failure| match inputs.get(count) {
        Some(input) if is_list => {
            failure.in_context(format!("the payload at index {count} ({})", text(&input.id)))
        }
        _ => failure,
    });
    Applied { stored, done }
}
