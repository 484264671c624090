//! `cairn kb suggest`.

use cairn_kb::tools::SuggestPredicatesInput;
use clap::Args;

use super::Call;
use super::options::number;
use super::prose::ProseArgs;
use super::text::remarks;
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb suggest 'Guests must not delete invoices.'
  cairn kb suggest 'When the editor closes, the editor must save the draft.' \\
      --requirement REQ-EDITOR-004 --subject editor.annotation
  cairn kb suggest 'Visitors wear a badge.' --max 10 --min-score 0.2 --json
  cairn kb suggest 'Guests must not delete invoices.' --json | cairn kb upsert -

Ranks predicates for a sentence about who, when, in which order, or what instead: the built-in ones
beside the predicate schemas of the branch. The plan is a payload of `cairn kb upsert` for the first
candidate; where none fits, it is an observation of the gap. With --requirement, the output also has
the link that goes from the requirement to the predicate. Nothing is stored.";

/// A sentence and bounds on its candidates.
#[derive(Debug, Args)]
pub(crate) struct SuggestArgs {
    #[command(flatten)]
    prose: ProseArgs,

    /// Id of the requirement that the text belongs to
    #[arg(long, value_name = "ID")]
    requirement: Option<String>,

    /// Document of the text
    #[arg(long, value_name = "PATH")]
    source: Option<String>,

    /// Key of the subject, for the first argument of the predicate
    #[arg(long, value_name = "KEY")]
    subject: Option<String>,

    /// Maximum number of candidates, at most 20 [default: 5]
    #[arg(long, value_name = "N")]
    max: Option<u32>,

    /// Lowest score of a candidate, from 0 to 1 [default: 0.35]
    #[arg(long, value_name = "SCORE", value_parser = number)]
    min_score: Option<f64>,

    /// Only built-in predicates
    #[arg(long)]
    built_in: bool,
}

/// Suggests predicates.
pub(super) fn suggest(call: &Call<'_>, arguments: SuggestArgs) -> Result<(), Failure> {
    let SuggestArgs { prose, requirement, source, subject, max, min_score, built_in } = arguments;
    let input = SuggestPredicatesInput {
        text: prose.read()?,
        requirement_id: requirement,
        source,
        subject_hint: subject,
        max_candidates: max,
        min_score,
        include_existing_schemas: built_in.then_some(false),
        request_id: None,
    };
    let tree = call.tree()?;
    let output = tree.ask(Needs::Store, async |client| {
        client.kb_suggest_predicates(&tree.id, tree.branch(), &input).await
    })?;
    print(&if call.as_json { json(&output) } else { remarks(&output.text()) + "\n" })
}
