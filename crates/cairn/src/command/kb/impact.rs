//! `cairn kb impact`.

use std::collections::BTreeSet;
use std::path::Path;

use cairn_kb::Relation;
use cairn_kb::limits::IMPACT_PATHS_MAX;
use cairn_kb::tools::{ImpactInput, ImpactOutput, ImpactRow, ImpactSide};
use clap::Args;

use super::Call;
use super::options::relation;
use super::text::{ENTITIES, counted};
use super::tree::Tree;
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::git::{self, Commits, Git};
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb impact REQ-001                what rests on a requirement, and what it rests on
  cairn kb impact src/session.rs         the same for the symbols of a file
  cairn kb impact main..HEAD             for the files that commits change
  cairn kb impact main...HEAD            since the branch left main
  cairn kb impact HEAD                   for the files of one commit
  cairn kb impact REQ-001 --depth 1 --relation implements,verified_by
  cairn kb impact main...HEAD --json | jq -r '.dependents.rows[] | select(.type == \"test\") | .id'
                                         tests to run

An id goes before a path, and a path before a commit; write ./HEAD for a file of that name. A path means
its symbols, and entities whose source is that file. Each entity is shown with the shortest way to it.";

/// What changes.
#[derive(Debug, Args)]
pub(crate) struct ImpactArgs {
    /// Ids, paths relative to the root, commits, or ranges of commits
    #[arg(value_name = "ID|PATH|COMMITS", required = true)]
    changes: Vec<String>,

    /// Relationship types to follow, separated by commas [default: all]
    #[arg(long = "relation", value_name = "RELATIONS", value_delimiter = ',', value_parser = relation())]
    relations: Vec<Relation>,

    /// Relationships between a change and the farthest entity, 1 to 20 [default: 5]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,

    /// Maximum rows of each direction, at most 1000 [default: 200]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

/// Shows what a change reaches.
pub(super) fn impact(call: &Call<'_>, arguments: ImpactArgs) -> Result<(), Failure> {
    let ImpactArgs { changes, relations, depth, limit } = arguments;
    if let Some(option) = changes.iter().find(|change| change.starts_with('-')) {
        return Err(Failure::usage(format!("{} is no id, path or commit", text(option))));
    }
    let tree = call.tree()?;
    let of = |names: &[String], files: &BTreeSet<String>| -> Result<ImpactInput, Failure> {
        let paths: Vec<String> = files.iter().chain(names).cloned().collect();
        check_paths(paths.len())?;
        let relationships = relations.clone();
        Ok(ImpactInput { ids: names.to_vec(), paths, relationships, depth, limit, request_id: None })
    };
    let mut files = BTreeSet::new();
    let mut output = ask(&tree, &of(&changes, &files)?)?;
    // What is neither an id nor a path may be a commit, or a range of them.
    let mut rest = unknown(&changes, &output);
    let commits = by_commit(tree.root(), &rest, &mut files)?;
    rest.retain(|name| !commits.contains(name));
    if !rest.is_empty() {
        let rest = rest.iter().map(|name| text(name)).collect::<Vec<_>>().join(", ");
        return Err(Failure::new(format!("no entity, file of an entity, or commit: {rest}"))
            .hint("`cairn kb search` finds entities"));
    }
    if !commits.is_empty() {
        let names: Vec<String> = changes.into_iter().filter(|name| !commits.contains(name)).collect();
        if names.is_empty() && files.is_empty() {
            let none = ImpactOutput { meta: output.meta, ..ImpactOutput::default() };
            return print(&if call.as_json { json(&none) } else { NO_FILES.to_owned() });
        }
        output = ask(&tree, &of(&names, &files)?)?;
    }
    // Each name was sent as an id and as a path.
    output.unknown_ids.clear();
    output.unknown_paths.retain(|path| files.contains(path));
    print(&if call.as_json { json(&output) } else { to_text(&output, Look::of_stdout()) })
}

const NO_FILES: &str = "the commits change no files\n";

fn ask(tree: &Tree, input: &ImpactInput) -> Result<ImpactOutput, Failure> {
    tree.ask(Needs::Store, async |client| client.kb_impact(&tree.id, tree.branch(), input).await)
}

fn check_paths(count: usize) -> Result<(), Failure> {
    if count <= IMPACT_PATHS_MAX {
        return Ok(());
    }
    let message = format!("{count} files change, more than the {IMPACT_PATHS_MAX} allowed");
    Err(Failure::usage(message).hint("name fewer commits"))
}

/// Names that are neither ids nor paths of entities.
fn unknown(names: &[String], output: &ImpactOutput) -> Vec<String> {
    let is_unknown = |name: &&String| {
        let path = name.trim();
        let path = path.strip_prefix("./").unwrap_or(path);
        output.unknown_ids.contains(name) && output.unknown_paths.iter().any(|unknown| unknown == path)
    };
    names.iter().filter(is_unknown).cloned().collect()
}

/// Those of the names that are commits or ranges of them; their files are added.
fn by_commit(root: &Path, names: &[String], files: &mut BTreeSet<String>) -> Result<Vec<String>, Failure> {
    let git = Git::at(root);
    let mut commits = Vec::new();
    for name in names {
        // A file that no entity comes from is still no range.
        if let Some(range) = Commits::range(name).filter(|_| !root.join(name).exists()) {
            files.extend(range.changed_files(&git)?);
            commits.push(name.clone());
            continue;
        }
        // Where there is no git, it is no commit.
        if let Ok(Some(commit)) = git::found(&git, name) {
            files.extend(Commits::One(commit).changed_files(&git)?);
            commits.push(name.clone());
        }
    }
    Ok(commits)
}

fn to_text(output: &ImpactOutput, look: Look) -> String {
    let mut out = format!("{} {}\n", look.bold("changes"), counted(output.start_count, ENTITIES));
    for start in &output.starts {
        out += &format!("  {}  {}  {}\n", start.kind, text(&start.id), look.dim(&text(&start.title)));
    }
    let more = output.start_count - output.starts.len() as u64;
    if more > 0 {
        out += &format!("  and {more} more\n");
    }
    out += &side("rests on them", &output.dependents, look);
    out += &side("they rest on", &output.dependencies, look);
    if !output.unknown_paths.is_empty() {
        let files = counted(output.unknown_paths.len() as u64, ["file", "files"]);
        out += &look.dim(&format!("no entity comes from {files}: {}", first(&output.unknown_paths)));
        out += "\n";
    }
    out
}

/// Paths that a line names.
const NAMED_PATHS: usize = 5;

fn first(paths: &[String]) -> String {
    let mut named: Vec<String> = paths.iter().take(NAMED_PATHS).map(|path| text(path)).collect();
    named.extend((paths.len() > NAMED_PATHS).then(|| "…".to_owned()));
    named.join(", ")
}

fn side(title: &str, side: &ImpactSide, look: Look) -> String {
    let counts: Vec<String> = side.counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let more = if side.truncated { ", and more" } else { "" };
    let mut out = format!("\n{} {}{more}", look.bold(title), counted(side.count, ENTITIES));
    if !counts.is_empty() {
        out += &format!(" ({})", counts.join(", "));
    }
    out += "\n";
    for row in &side.rows {
        out += &format!("  {}  {}  {}\n", row.kind, text(&row.id), look.dim(&text(&row.title)));
        let suspect = if row.suspect { "  suspect" } else { "" };
        out += &look.dim(&format!("    {} {}{suspect}", row.distance, way(row)));
        out += "\n";
    }
    let left = side.count - side.rows.len() as u64;
    if left > 0 {
        out += &look.dim(&format!("  {left} more; raise --limit"));
        out += "\n";
    }
    out
}

/// The way from a change to an entity, each relationship with its direction.
fn way(row: &ImpactRow) -> String {
    // The way is read from its end, because that end is known.
    let mut at = row.id.as_str();
    let mut parts = Vec::new();
    for step in row.path.iter().rev() {
        let (arrow, before) = if step.to == at {
            (format!(" -{}-> ", step.relation), step.from.as_str())
        } else {
            (format!(" <-{}- ", step.relation), step.to.as_str())
        };
        parts.push(format!("{arrow}{}", text(at)));
        at = before;
    }
    parts.push(text(at));
    parts.reverse();
    parts.concat()
}

#[cfg(test)]
mod tests {
    use cairn_kb::EntityType;
    use cairn_kb::tools::{GraphNode, ImpactStep};

    use super::*;

    #[test]
    fn rows_have_the_way_to_them() {
        let step = |relation, from: &str, to: &str| ImpactStep { relation, from: from.into(), to: to.into() };
        let row = ImpactRow {
            id: "S\u{1b}".into(),
            kind: EntityType::Symbol,
            title: "run".into(),
            status: "active".into(),
            distance: 2,
            path: vec![step(Relation::DependsOn, "R-2", "R-1"), step(Relation::Implements, "S\u{1b}", "R-2")],
            suspect: true,
        };
        let start =
            GraphNode { id: "R-1".into(), kind: EntityType::Req, title: "one".into(), status: "open".into() };
        let output = ImpactOutput {
            starts: vec![start],
            start_count: 1,
            unknown_paths: (0..7).map(|at| format!("f{at}")).collect(),
            dependents: ImpactSide {
                rows: vec![row],
                count: 3,
                counts: [("symbol".to_owned(), 3)].into(),
                truncated: true,
            },
            ..ImpactOutput::default()
        };
        assert_eq!(
            to_text(&output, Look { colour: false, width: None }),
            "changes 1 entity\n  req  R-1  one\n\n\
             rests on them 3 entities, and more (symbol 3)\n  symbol  S\\u{1b}  run\n    \
             2 R-1 <-depends_on- R-2 <-implements- S\\u{1b}  suspect\n  2 more; raise --limit\n\n\
             they rest on 0 entities\nno entity comes from 7 files: f0, f1, f2, f3, f4, …\n"
        );
    }

    #[test]
    fn a_name_is_unknown_if_it_is_neither_an_id_nor_a_path() {
        let output = ImpactOutput {
            unknown_ids: vec!["HEAD".into(), "./a.rs".into()],
            unknown_paths: vec!["HEAD".into(), "REQ-1".into()],
            ..ImpactOutput::default()
        };
        let names = ["HEAD", "./a.rs", "REQ-1"].map(str::to_owned);
        assert_eq!(unknown(&names, &output), ["HEAD"]);
    }
}
