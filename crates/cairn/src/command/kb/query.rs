//! `cairn kb query`.

use cairn_kb::EntityType;
use cairn_kb::tools::{QueryInput, QueryOutput};
use clap::Args;

use super::Call;
use super::options::{PageArgs, entity_type};
use super::text::{ENTITIES, entity, shown, sum, table};
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb query                               everything, by type and id
  cairn kb query --type req --tag security --tag billing
                                               requirements with any of these tags
  cairn kb query --source-file src/auth/       entities whose source file contains this
  cairn kb query --id REQ-001                  every property of one entity
  cairn kb query --type test --limit 50 --offset 50 --json

All given filters must match.";

/// Which entities.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Only entities of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = entity_type())]
    kind: Option<EntityType>,

    /// Only the entity with this id
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Only entities with any of these tags; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Only entities whose source file contains this text
    #[arg(long, value_name = "TEXT")]
    source_file: Option<String>,

    #[command(flatten)]
    page: PageArgs,
}

/// Lists entities.
pub(super) fn query(call: &Call<'_>, arguments: QueryArgs) -> Result<(), Failure> {
    let QueryArgs { kind, id, tags, source_file, page } = arguments;
    let PageArgs { limit, offset } = page;
    let input = QueryInput { kind, id, tags, source_file, limit, offset, request_id: None };
    let tree = call.tree()?;
    let output =
        tree.ask(Needs::Store, async |client| client.kb_query(&tree.id, tree.branch(), &input).await)?;
    let to_text = || to_text(&output, input.id.is_some(), page, Look::of_stdout());
    print(&if call.as_json { json(&output) } else { to_text() })
}

fn to_text(output: &QueryOutput, is_one: bool, page: PageArgs, look: Look) -> String {
    if output.count == 0 {
        return "no entities\n".to_owned();
    }
    if let ([one], true) = (output.entities.as_slice(), is_one) {
        return entity(one);
    }
    let rows = output.entities.iter().map(|entity| {
        let tags = entity.0.get("tags").map(shown).unwrap_or_default();
        let [kind, id, status, title] = ["type", "id", "status", "title"].map(|name| text(entity.text(name)));
        [kind, id, status, title, tags]
    });
    table(["TYPE", "ID", "STATUS", "TITLE", "TAGS"], rows.collect(), look)
        + &sum(output.entities.len(), output.count, ENTITIES, page, look)
}
