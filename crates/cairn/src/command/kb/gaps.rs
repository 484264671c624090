//! `cairn kb gaps`.

use cairn_kb::tools::{FindGapsInput, FindGapsOutput};
use cairn_kb::{EntityType, Relation};
use clap::Args;

use super::Call;
use super::options::{PageArgs, entity_type, relation};
use super::text::{ROWS, relations, sum, table};
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb gaps --type req --missing specified_by,verified_by
                                       requirements with neither scenario nor test
  cairn kb gaps --type symbol --missing implements --source-file src/auth/
  cairn kb gaps --type req --present implements --missing verified_by
                                       implemented, not verified
  cairn kb gaps --type test --missing validates,verified_by --json

Relationships count in both directions. A row lacks all types of --missing and has all types of
--present.";

/// Which entities.
#[derive(Debug, Args)]
pub(crate) struct GapsArgs {
    /// Only entities of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = entity_type())]
    kind: Option<EntityType>,

    /// Relationship types that are missing, separated by commas
    #[arg(long, value_name = "RELATIONS", value_delimiter = ',', value_parser = relation())]
    missing: Vec<Relation>,

    /// Relationship types that are present, separated by commas
    #[arg(long, value_name = "RELATIONS", value_delimiter = ',', value_parser = relation())]
    present: Vec<Relation>,

    /// Only entities with any of these tags; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Only entities whose source file contains this text
    #[arg(long, value_name = "TEXT")]
    source_file: Option<String>,

    #[command(flatten)]
    page: PageArgs,
}

/// Lists entities with gaps.
pub(super) fn gaps(call: &Call<'_>, arguments: GapsArgs) -> Result<(), Failure> {
    let GapsArgs { kind, missing, present, tags, source_file, page } = arguments;
    let PageArgs { limit, offset } = page;
    let input = FindGapsInput {
        kind,
        missing_relationships: missing,
        present_relationships: present,
        tags,
        source_file,
        limit,
        offset,
        request_id: None,
    };
    let tree = call.tree()?;
    let output =
        tree.ask(Needs::Store, async |client| client.kb_find_gaps(&tree.id, tree.branch(), &input).await)?;
    print(&if call.as_json { json(&output) } else { to_text(&output, page, Look::of_stdout()) })
}

fn to_text(output: &FindGapsOutput, page: PageArgs, look: Look) -> String {
    if output.count == 0 {
        return "no gaps\n".to_owned();
    }
    let rows = output.rows.iter().map(|row| {
        let missing = relations(&row.missing_relationships);
        [row.kind.to_string(), text(&row.id), text(&row.status), text(&row.title), missing, text(&row.source)]
    });
    table(["TYPE", "ID", "STATUS", "TITLE", "MISSING", "SOURCE"], rows.collect(), look)
        + &sum(output.rows.len(), output.count, ROWS, page, look)
}
