//! `cairn kb migrate`: from an older version of the model to the latest one.

mod config_file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cairn_base::Value;
use cairn_http::{Client, ClientError};
use cairn_kb::limits::PAGE_MAX;
use cairn_kb::tools::{EntityJson, FindGapsInput, QueryInput, UpsertInput};
use cairn_kb::{
    EntityType, Granularity, Properties, Relation, Rule, SCHEMA_VERSION_LATEST, SchemaVersionState,
    SchemaVersionStatus,
};
use cairn_worktree::{ConfigOrigin, KbConfig};
use clap::Args;
use serde::Serialize;

use self::config_file::with_version;
use super::Call;
use super::facts::facts_of_file;
use super::tree::Tree;
use super::write_whole::write_whole;
use crate::command::answer::{json, text};
use crate::command::{print, table};
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb migrate                   what is needed; changes nothing, as --dry-run does
  cairn kb migrate --yes             make the changes

Raises schema_version in cairn-kb.toml (or schemaVersion in .kb/config.json) to the latest one. Symbols of
the branch that link a whole source file, from before such links needed a reason, get the
granularity_reason legacy-link. Export them with `cairn kb export` if documents own them.

Exit code 0: nothing is needed, or it is done. Exit code 1: the version is newer than this cairn knows.";

/// Whether to make the changes.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Only show what is needed
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    /// Make the changes
    #[arg(long)]
    yes: bool,
}

/// The result of a migration.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Migration {
    branch: String,
    config_path: Option<&'static str>,
    from_version: Option<i64>,
    to_version: u64,
    needs_migration: bool,
    /// Symbols that link a whole file.
    coarse_symbols: Vec<String>,
    applied: bool,
}

/// Shows or makes the changes.
pub(super) fn migrate(call: &Call<'_>, arguments: &MigrateArgs) -> Result<(), Failure> {
    let tree = call.tree()?;
    let config = tree.workspace.config(Rule::TEXTS)?;
    let status = status(&config);
    if let Some(SchemaVersionStatus { status: SchemaVersionState::Newer, warning, .. }) = &status {
        return Err(Failure::new(warning.clone().unwrap_or_default()));
    }
    let is_older = status.as_ref().is_some_and(|status| status.needs_migration);
    let coarse = if is_older { coarse_symbols(&tree)? } else { BTreeSet::new() };
    let applied = is_older && arguments.yes && !arguments.dry_run;
    if applied {
        let file = new_config(&tree, &config)?;
        mark(&tree, &coarse)?;
        // Last, so that a migration that fails in the middle is still needed.
        if let Some((path, text)) = file {
            write_whole(&path, text.as_bytes(), None)?;
        }
    }
    let migration = Migration {
        branch: tree.branch().to_owned(),
        config_path: file(&config),
        from_version: status.and_then(|status| status.current_version),
        to_version: SCHEMA_VERSION_LATEST,
        needs_migration: is_older,
        coarse_symbols: coarse.into_iter().collect(),
        applied,
    };
    print(&if call.as_json { json(&migration) } else { to_text(&migration) })
}

/// What people have to know about the version of the settings; `None` if it is the latest one, or there are none.
pub(super) fn warning(config: &KbConfig) -> Option<String> {
    // `cairn kb migrate` says so of settings that name none; other commands work with them as they are.
    let is_named = config.schema_version.is_some();
    status(config).filter(|_| is_named)?.warning
}

fn status(config: &KbConfig) -> Option<SchemaVersionStatus> {
    match (config.schema_version, config.origin) {
        (None, ConfigOrigin::Defaults) => None,
        (version, _) => {
            Some(SchemaVersionStatus::of(i64::try_from(version.unwrap_or(0)).unwrap_or(i64::MAX)))
        }
    }
}

fn file(config: &KbConfig) -> Option<&'static str> {
    match config.origin {
        ConfigOrigin::Defaults => None,
        ConfigOrigin::Toml => Some("cairn-kb.toml"),
        ConfigOrigin::Json => Some(".kb/config.json"),
    }
}

/// The file of settings and the text that it will have.
fn new_config(tree: &Tree, config: &KbConfig) -> Result<Option<(PathBuf, String)>, Failure> {
    let Some(name) = file(config) else { return Ok(None) };
    let path = tree.root().join(name);
    // A link stays one.
    let path = path.canonicalize().map_err(|error| Failure::io(format_args!("read {name}"), &error))?;
    let old = std::fs::read_to_string(&path)
        .map_err(|error| Failure::io(format_args!("read {}", path.display()), &error))?;
    let new = with_version(&old, config.origin, SCHEMA_VERSION_LATEST).ok_or_else(|| {
        Failure::new(format!("{name} cannot be changed by cairn"))
            .hint(format!("set the schema version to {SCHEMA_VERSION_LATEST} yourself"))
    })?;
    Ok(Some((path, new)))
}

/// Ids of symbols that link a whole source file without a reason.
fn coarse_symbols(tree: &Tree) -> Result<BTreeSet<String>, Failure> {
    let (symbols, linked) = tree.ask(Needs::Store, async |client| {
        let mut linked = BTreeSet::new();
        for relation in [Relation::Implements, Relation::CoveredBy, Relation::ExecutableFor] {
            linked.extend(linked_symbols(tree, client, relation).await?);
        }
        Ok((symbols(tree, client).await?, linked))
    })?;
    let mut facts = BTreeMap::new();
    let mut coarse = BTreeSet::new();
    for symbol in &symbols {
        let file =
            [symbol.text("sourceFile"), symbol.text("source_file")].into_iter().find(|file| !file.is_empty());
        let (id, title) = (symbol.text("id"), symbol.text("title").replace("::", "."));
        let Some(file) = file.filter(|_| symbol.text("granularity_reason").is_empty() && linked.contains(id))
        else {
            continue;
        };
        let facts = facts.entry(file).or_insert_with(|| facts_of_file(tree, file));
        let is_coarse = facts.as_ref().is_some_and(|facts| {
            let mut names = facts.behavioral.iter().chain(&facts.other);
            !facts.behavioral.is_empty() && !names.any(|name| *name == title)
        });
        if is_coarse {
            coarse.insert(id.to_owned());
        }
    }
    Ok(coarse)
}

/// Every symbol of the branch.
async fn symbols(tree: &Tree, client: &mut Client) -> Result<Vec<EntityJson>, ClientError> {
    let mut symbols: Vec<EntityJson> = Vec::new();
    loop {
        let input = QueryInput {
            kind: Some(EntityType::Symbol),
            limit: Some(PAGE_MAX),
            offset: u32::try_from(symbols.len()).ok(),
            ..QueryInput::default()
        };
        let page = client.kb_query(&tree.id, tree.branch(), &input).await?;
        let is_last = page.entities.is_empty();
        symbols.extend(page.entities);
        if is_last || symbols.len() as u64 >= page.count {
            return Ok(symbols);
        }
    }
}

/// Ids of symbols with relationships of a type.
async fn linked_symbols(
    tree: &Tree,
    client: &mut Client,
    relation: Relation,
) -> Result<Vec<String>, ClientError> {
    let mut ids = Vec::new();
    loop {
        let input = FindGapsInput {
            kind: Some(EntityType::Symbol),
            present_relationships: vec![relation],
            limit: Some(PAGE_MAX),
            offset: u32::try_from(ids.len()).ok(),
            ..FindGapsInput::default()
        };
        let page = client.kb_find_gaps(&tree.id, tree.branch(), &input).await?;
        let is_last = page.rows.is_empty();
        ids.extend(page.rows.into_iter().map(|row| row.id));
        if is_last || ids.len() as u64 >= page.count {
            return Ok(ids);
        }
    }
}

/// Gives symbols the reason that stands for older links.
fn mark(tree: &Tree, ids: &BTreeSet<String>) -> Result<(), Failure> {
    let reason = ("granularity_reason".to_owned(), Value::from(Granularity::LegacyLink.text()));
    let inputs: Vec<UpsertInput> = ids
        .iter()
        .map(|id| UpsertInput {
            kind: EntityType::Symbol,
            id: id.clone(),
            properties: Properties(BTreeMap::from([reason.clone()])),
            relationships: Vec::new(),
            request_id: None,
        })
        .collect();
    super::apply::apply(tree, &inputs, true).done
}

fn to_text(migration: &Migration) -> String {
    let Migration { config_path, from_version, to_version, needs_migration, coarse_symbols, applied, .. } =
        migration;
    let Some(path) = config_path else {
        return "there are no settings, and nothing to migrate\n".to_owned();
    };
    if !needs_migration {
        return format!("{path} has schema version {to_version}, the latest one\n");
    }
    let from = from_version.map_or_else(|| "none".to_owned(), |version| version.to_string());
    let mut rows = vec![["schema version".to_owned(), format!("{from} to {to_version} in {path}")]];
    rows.extend(coarse_symbols.iter().map(|id| ["legacy-link".to_owned(), text(id)]));
    let end = if *applied { "migrated\n" } else { "nothing is changed; make the changes with --yes\n" };
    table(&rows) + end
}
