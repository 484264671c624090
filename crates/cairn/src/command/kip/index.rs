//! `cairn kip index`.

use std::path::Path;

use cairn_embedded::Progress;
use cairn_wire::indexes::{IndexJob, KipIndex, KipIndexes};
use clap::{Args, Subcommand};
use serde_json::json;

use super::table::Table;
use crate::command::answer::{self, text};
use crate::failure::Failure;
use crate::terminal::Look;
use crate::{command, logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip index create Drug attributes.dose
  cairn kip index list
  cairn kip index drop Drug attributes.dose

With an index, FILTER and ORDER BY on that field of that type look at what they answer, and not at
every concept of the type. Each index makes writing to its type a little slower.

It works whether or not a server runs on the data directory. In an encrypted one there are no
indexes.";

const CREATE_AFTER_HELP: &str = "\
Examples:
  cairn kip index create Drug attributes.dose
  cairn kip index create Event metadata._created_at
  cairn kip index create Person attributes.address.city --space people

Queries use it from when it is ready. Others write meanwhile. After an interrupt (Ctrl-C) a running
server goes on with it; without one, the same command does.";

const DROP_AFTER_HELP: &str = "\
Examples:
  cairn kip index drop Drug attributes.dose

Queries answer the same as before, and take longer.";

const LIST_AFTER_HELP: &str = "\
Examples:
  cairn kip index list
  cairn kip index list --space people --json

A running server makes some by itself, if queries would have used them time and again
(graph.auto_indexes); made says so.";

/// What to do with indexes.
#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Make one, and wait until it is ready
    #[command(after_help = CREATE_AFTER_HELP)]
    Create(IndexArgs),

    /// Drop one
    #[command(after_help = DROP_AFTER_HELP)]
    Drop(IndexArgs),

    /// Show which there are
    #[command(after_help = LIST_AFTER_HELP)]
    List {
        /// The space to look at [default: memory]
        #[arg(long, value_name = "SPACE")]
        space: Option<String>,
    },
}

/// Which index.
#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The type of the concepts
    #[arg(value_name = "TYPE")]
    kind: String,

    /// The field to sort them by: attributes.KEY or metadata.KEY
    #[arg(value_name = "FIELD")]
    field: String,

    /// The space to work in [default: memory]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,
}

impl IndexArgs {
    fn job(&self) -> IndexJob {
        IndexJob { space: self.space.clone(), kind: self.kind.clone(), field: self.field.clone() }
    }
}

/// Runs the command.
pub(super) fn index(data_dir: Option<&Path>, as_json: bool, command: &IndexCommand) -> Result<(), Failure> {
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let (dir, config) = (&data_dir.path, &settings.config);
    match command {
        IndexCommand::Create(arguments) => {
            let show = progress::counter();
            let index = reach::reach(dir, config, async |client| {
                let tell = |stage: cairn_seam::Stage<'_>| {
                    show(stage.name, Progress { done: stage.done, total: stage.total })
                };
                client.create_ordered_index(&arguments.job(), &mut { tell }).await
            })?;
            drop(show);
            let said = format!(
                "ready: {} concepts by {}\n",
                index.entries.unwrap_or(0),
                shown(&index.kind, &index.field)
            );
            command::print(&if as_json { answer::json(&index) } else { said })
        }
        IndexCommand::Drop(arguments) => {
            let job = arguments.job();
            reach::reach(dir, config, async |client| client.drop_ordered_index(&job).await)?;
            let dropped = json!({"type": job.kind, "field": job.field, "dropped": true});
            let said = format!("dropped: {}\n", shown(&job.kind, &job.field));
            command::print(&if as_json { answer::json(&dropped) } else { said })
        }
        IndexCommand::List { space } => {
            let page = reach::reach(dir, config, async |client| client.kip_indexes(space.as_deref()).await)?;
            let to_text = || listed(&page, Look::of_stdout());
            command::print(&if as_json { answer::json(&page) } else { to_text() })
        }
    }
}

/// What an index is of.
fn shown(kind: &str, field: &str) -> String {
    format!("{} {}", text(kind), text(field))
}

fn listed(page: &KipIndexes, look: Look) -> String {
    if page.indexes.is_empty() {
        return "there are no indexes; cairn kip index create TYPE FIELD makes one\n".to_owned();
    }
    let heads = ["type", "field", "state", "concepts", "made"].map(str::to_owned).to_vec();
    let row = |index: &KipIndex| {
        let made = if index.automatic { "by the server" } else { "on request" };
        let texts = [&index.kind, &index.field, &index.state].map(|name| text(name));
        texts.into_iter().chain([index.concepts.to_string(), made.to_owned()]).collect()
    };
    Table { heads, rows: page.indexes.iter().map(row).collect() }.render(look)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_a_table() {
        let look = Look { colour: false, width: None };
        let index = |kind: &str, field: &str, state: &str, concepts| KipIndex {
            kind: kind.to_owned(),
            field: field.to_owned(),
            state: state.to_owned(),
            entries: None,
            concepts,
            automatic: false,
        };
        let automatic = KipIndex { automatic: true, ..index("E\u{7}", "metadata._version", "building", 9) };
        let page = KipIndexes { indexes: vec![index("Drug", "attributes.dose", "ready", 7), automatic] };
        assert_eq!(
            listed(&page, look),
            "type    field              state     concepts  made\n\
             Drug    attributes.dose    ready     7         on request\n\
             E\\u{7}  metadata._version  building  9         by the server\n"
        );
        assert!(listed(&KipIndexes { indexes: Vec::new() }, look).contains("cairn kip index create"));
    }
}
