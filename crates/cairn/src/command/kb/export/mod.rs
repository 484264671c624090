//! `cairn kb export`.

mod files;
mod read;
mod target;

use std::path::PathBuf;

use cairn_kb::Rule;
use clap::Args;
use serde::Serialize;

use self::files::{FileChange, Plan};
use self::read::Selection;
use self::target::Target;
use super::sync::{self, SyncOptions};
use super::{Call, text::counted, tree::Tree};
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb export --dry-run          the documents that would be written
  cairn kb export                    write what tools have changed to the documents it came from
  cairn kb export REQ-001 FACT-7     also write these, which may have no document yet
  cairn kb export --all              every entity becomes a document
  cairn kb export --all --to ../copy a whole KB as documents in another folder

Markdown documents hold an entity each; symbols are in symbols.yaml. An entity without a document
gets one in the folder of its type. A document that was changed since it was synced, or that has
fields that the KB does not have, is not overwritten unless --force is given. In the working tree a
sync follows, after which the documents own what they say. Comments and the order of fields of a
document are not kept, and its lines end with LF.";

/// Entities to export, and the place.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Entities to write beside those that have diverged
    #[arg(value_name = "ID", conflicts_with = "all")]
    ids: Vec<String>,

    /// Write all entities
    #[arg(long)]
    all: bool,

    /// Folder to write to instead of the working tree; created if missing, and not synced
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,

    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Overwrite documents that were changed since they were synced, or have fields that would be lost
    #[arg(long)]
    force: bool,
}

/// The outcome of an export.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    branch: String,
    dry_run: bool,
    written: Vec<Written>,
    unchanged: u64,
    refused: Vec<Refused>,
    unknown: Vec<String>,
    /// Whether neither ids nor all entities were asked for.
    #[serde(skip)]
    asks_for_diverged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync: Option<sync::Outcome>,
}

/// A document that was written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    path: String,
    entities: Vec<String>,
    is_new: bool,
}

/// A document that was not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Refused {
    path: String,
    message: String,
}

/// Writes entities as documents.
pub(super) fn export(call: &Call<'_>, arguments: &ExportArgs) -> Result<(), Failure> {
    let mut tree = call.tree()?;
    let selection = Selection { all: arguments.all, ids: &arguments.ids, elsewhere: arguments.to.is_some() };
    let found = read::read(&tree, &selection)?;
    let paths = tree.workspace.config(Rule::TEXTS)?.paths;
    let mut target = Target::open(&tree, arguments.to.as_deref(), arguments.dry_run)?;
    let plan = files::plan(&paths, &found, &mut target, arguments.force)?;
    let mut report = Report {
        branch: tree.branch().to_owned(),
        dry_run: arguments.dry_run,
        unknown: found.unknown.clone(),
        unchanged: plan.unchanged,
        refused: plan.refused.clone(),
        asks_for_diverged: !arguments.all && arguments.ids.is_empty(),
        ..Report::default()
    };
    if target.is_home && !arguments.dry_run && !plan.sources.is_empty() {
        tree.ask(Needs::Store, async |client| {
            for input in &plan.sources {
                client.kb_upsert(&tree.id, tree.branch(), input).await?;
            }
            Ok(())
        })?;
    }
    write(&mut tree, arguments, &target, plan, &mut report)?;
    let shown = if call.as_json { json(&report) } else { to_text(&report) };
    print(&shown)?;
    verdict(&report)
}

fn write(
    tree: &mut Tree,
    arguments: &ExportArgs,
    target: &Target,
    plan: Plan,
    report: &mut Report,
) -> Result<(), Failure> {
    let is_here = arguments.to.is_none();
    for change in plan.changes {
        let FileChange { path, entities, is_new, .. } = &change;
        let done = if arguments.dry_run { Ok(()) } else { target.write(&change, arguments.force) };
        match done {
            Ok(()) => {
                let written = Written { path: path.clone(), entities: entities.clone(), is_new: *is_new };
                report.written.push(written);
            }
            Err(problem) => {
                report.refused.push(Refused { path: path.clone(), message: format!("it {problem}") });
            }
        }
    }
    if is_here && !arguments.dry_run && !(report.written.is_empty() && report.unchanged == 0) {
        report.sync = Some(sync::run(tree, SyncOptions::default(), &mut || {})?);
    }
    Ok(())
}

fn to_text(report: &Report) -> String {
    let mut out = String::new();
    let (verb, tense) = if report.dry_run { ("would write", " would be") } else { ("wrote", "") };
    for Written { path, entities, is_new } in &report.written {
        let new = if *is_new { ", new" } else { "" };
        let of = match entities.as_slice() {
            [one] => text(one),
            many => counted(many.len() as u64, super::text::ENTITIES),
        };
        out += &format!("{verb} {} ({of}{new})\n", text(path));
    }
    for Refused { path, message } in &report.refused {
        out += &format!("{}: {}\n", text(path), text(message));
    }
    for id in &report.unknown {
        out += &format!("no such entity: {}\n", text(id));
    }
    let documents = ["document", "documents"];
    out += &format!("{}{tense} written", counted(report.written.len() as u64, documents));
    if report.unchanged > 0 {
        out += &format!(", {} already as they should be", report.unchanged);
    }
    out.push('\n');
    if report.asks_for_diverged && report.written.is_empty() && report.refused.is_empty() {
        out += "no document differs from its entities; `--all` also writes entities that have no document\n";
    }
    out + &report.sync.as_ref().map(sync::Outcome::to_text).unwrap_or_default()
}

fn verdict(report: &Report) -> Result<(), Failure> {
    let hint = "compare the document with the KB, then use --force, or sync the document with `cairn kb sync --force`";
    match (report.refused.len(), report.unknown.len()) {
        (0, 0) => Ok(()),
        (0, count) => Err(Failure::new(format!("{count} of the ids are unknown"))
            .hint("find ids with `cairn kb query` or `cairn kb search`")),
        (1, _) => Err(Failure::new("1 document was not written").hint(hint)),
        (count, _) => Err(Failure::new(format!("{count} documents were not written")).hint(hint)),
    }
}
