//! `cairn kb advise`.

use cairn_kb::tools::SemanticAdvisorInput;
use clap::Args;

use super::Call;
use super::prose::ProseArgs;
use super::text::remarks;
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb advise 'Sessions expire after 30 minutes and guests must not delete invoices.'
  cairn kb advise 'Search must return within 200 ms.' --id REQ-SEARCH --json
  cairn kb advise - < requirement.txt

Reads the prose of a requirement and names its claims: the cues, numbers with more than one reading,
and a draft of facts for each claim, with the command that models it. `cairn kb upsert` and `cairn kb
validate` return the same receipt for every requirement. Nothing is stored.";

/// Prose of a requirement and its properties.
#[derive(Debug, Args)]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    prose: ProseArgs,

    /// Id of the requirement, for the links of the drafts
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Title of the requirement [default: its first sentence]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Document of the text
    #[arg(long, value_name = "PATH")]
    source: Option<String>,

    /// Status of the requirement [default: open]
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
}

/// Analyses prose.
pub(super) fn advise(call: &Call<'_>, arguments: AdviseArgs) -> Result<(), Failure> {
    let AdviseArgs { prose, id, title, source, status } = arguments;
    let text = prose.read()?;
    let input = SemanticAdvisorInput { text, kind: None, id, title, source, status, request_id: None };
    let tree = call.tree()?;
    let output = tree.ask(Needs::Store, async |client| {
        client.kb_semantic_advisor(&tree.id, tree.branch(), &input).await
    })?;
    print(&if call.as_json { json(&output) } else { remarks(&output.text()) + "\n" })
}
