//! The documents of an export.

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_documents::{Places, parse_markdown, parse_symbols, to_markdown, to_symbols_yaml};
use cairn_kb::EntityType;
use cairn_kb::sync::ExportedEntity;
use cairn_kb::tools::UpsertInput;
use cairn_worktree::{KbPaths, Lane, Lanes, SkipReason, is_denied};

use super::Refused;
use super::read::{Found, lacks_source};
use super::target::{Target, is_synced};
use crate::failure::Failure;
use crate::limits::KB_LOST_FIELDS_MAX;

/// Documents to write.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Ordered by path.
    pub(super) changes: Vec<FileChange>,
    /// Documents that are not written, each with the reason.
    pub(super) refused: Vec<Refused>,
    /// Documents that say already what they would.
    pub(super) unchanged: u64,
    /// Entities without a source, each with the path of its document.
    pub(super) sources: Vec<UpsertInput>,
}

/// A document to write.
#[derive(Debug)]
pub(super) struct FileChange {
    pub(super) path: String,
    pub(super) text: String,
    /// Ids of its entities, sorted.
    pub(super) entities: Vec<String>,
    pub(super) is_new: bool,
    /// The content that it replaces.
    pub(super) before: Option<Vec<u8>>,
}

/// Plans the documents of the selected entities.
pub(super) fn plan(
    paths: &KbPaths,
    found: &Found,
    target: &mut Target,
    force: bool,
) -> Result<Plan, Failure> {
    let lanes = Lanes::of(paths)?;
    let mut plan = Plan::default();
    let mut documents: BTreeMap<String, BTreeMap<&str, &ExportedEntity>> = BTreeMap::new();
    let mut places = Places::default();
    found.files.iter().for_each(|file| places.occupy(&file.path));
    for id in &found.selected {
        let Some(entity) = found.entities.get(id) else { continue };
        match path(paths, &lanes, entity, found, target, &mut places) {
            Ok(path) => drop(documents.entry(path).or_default().insert(id, entity)),
            Err(message) => plan.refused.push(Refused { path: id.clone(), message }),
        }
    }
    // The others of a document stay in it.
    for (id, entity) in &found.entities {
        if let Some(document) = entity.file.as_ref().and_then(|file| documents.get_mut(file)) {
            document.insert(id, entity);
        }
    }
    for (path, entities) in documents {
        if let Err(message) = add(&path, entities.into_values(), found, target, force, &mut plan) {
            plan.refused.push(Refused { path, message });
        }
    }
    plan.refused.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(plan)
}

/// The path of an entity's document: its own, or a free one in the lane of its type.
fn path(
    paths: &KbPaths,
    lanes: &Lanes,
    entity: &ExportedEntity,
    found: &Found,
    target: &Target,
    places: &mut Places,
) -> Result<String, String> {
    if let Some(file) = &entity.file {
        return Ok(file.clone());
    }
    let lane = lane_of(entity.entity.kind);
    let path = if lane == Lane::Symbols {
        symbols(lanes, found)
    } else {
        loop {
            let path = places.place(lane.path(paths), &entity.entity.id);
            // A file that is no document of the KB keeps its name. Elsewhere there may be an earlier export.
            if !target.is_home || matches!(target.read(&path), Ok(None)) {
                break path;
            }
        }
    };
    if lanes.lane(&path) != Some(lane) || is_denied(&path, false) {
        return Err(format!(
            "{path} would be no document of the KB; set paths.{} in cairn-kb.toml to a folder",
            lane.name()
        ));
    }
    Ok(path)
}

/// The manifest that new symbols join: the first one that was synced, else the one of the settings.
fn symbols(lanes: &Lanes, found: &Found) -> String {
    let synced = found.files.iter().find(|file| lanes.lane(&file.path) == Some(Lane::Symbols));
    if let Some(file) = synced {
        return file.path.clone();
    }
    let base = lanes.folder(Lane::Symbols);
    match lanes.lane(base) {
        Some(Lane::Symbols) => base.to_owned(),
        _ if base.is_empty() => "symbols.yaml".to_owned(),
        _ => format!("{base}/symbols.yaml"),
    }
}

/// Adds a document unless it says already what it should. Fails with the reason why it is not written.
fn add<'e>(
    path: &str,
    entities: impl Iterator<Item = &'e ExportedEntity>,
    found: &Found,
    target: &mut Target,
    force: bool,
    plan: &mut Plan,
) -> Result<(), String> {
    if let Some(reason) = target.ignores(path).map_err(|problem| format!("its folder {problem}"))? {
        return Err(ignored(reason));
    }
    let mut sources = Vec::new();
    let mut entities: Vec<UpsertInput> = entities
        .map(|entity| {
            let mut input = entity.entity.clone();
            if lacks_source(entity) {
                input.properties.0.insert("source".to_owned(), path.into());
                sources.push(source(&input));
            }
            input
        })
        .collect();
    let text = match entities.as_mut_slice() {
        [one] if path.ends_with(".md") => to_markdown(path, one),
        _ if path.ends_with(".md") => return Err("it belongs to several entities".to_owned()),
        all if all.iter().all(|entity| entity.kind == EntityType::Symbol) => to_symbols_yaml(path, all),
        _ => return Err("it belongs to entities that are no symbols".to_owned()),
    };
    let before = target.read(path).map_err(|problem| format!("it {problem}"))?;
    if before.as_deref() == Some(text.as_bytes()) {
        plan.unchanged += 1;
        plan.sources.append(&mut sources);
        return Ok(());
    }
    if !force {
        check(path, before.as_deref(), found, target)?;
    }
    plan.sources.append(&mut sources);
    let entities = entities.into_iter().map(|entity| entity.id).collect();
    plan.changes.push(FileChange { path: path.to_owned(), text, entities, is_new: before.is_none(), before });
    Ok(())
}

/// Fails if writing a document would lose text or fields of an author.
fn check(path: &str, before: Option<&[u8]>, found: &Found, target: &Target) -> Result<(), String> {
    if !target.is_home {
        return match before {
            Some(_) => Err("it exists already, with another content".to_owned()),
            None => Ok(()),
        };
    }
    let synced = found.files.iter().find(|file| file.path == path);
    match (synced, before) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err("it exists and was never synced".to_owned()),
        (Some(_), None) => Err("it was removed since it was synced".to_owned()),
        (Some(file), Some(_)) if file.problems => Err("it has problems, which would be lost".to_owned()),
        (Some(file), Some(content)) if is_synced(content, &file.hash) => check_fields(path, content),
        (Some(_), Some(_)) => Err("it was changed since it was synced".to_owned()),
    }
}

/// Fails if a document has keys that the KB does not have.
fn check_fields(path: &str, content: &[u8]) -> Result<(), String> {
    let is_markdown = path.ends_with(".md");
    let document =
        if is_markdown { parse_markdown(path, content, None) } else { parse_symbols(path, content) };
    let mut names: Vec<&str> = document.ignored.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Ok(());
    }
    let more = if names.len() > KB_LOST_FIELDS_MAX { ", and more" } else { "" };
    names.truncate(KB_LOST_FIELDS_MAX);
    Err(format!("it has fields that would be lost: {}{more}", names.join(", ")))
}

/// The reason why a file would be no document.
fn ignored(reason: SkipReason) -> String {
    let by = match reason {
        SkipReason::Gitignored => "ignored by .gitignore",
        SkipReason::GitInfoExclude => "ignored by .git/info/exclude",
        SkipReason::NestedRepository => "in another repository",
        SkipReason::HardDeny
        | SkipReason::OutsideWorkspace
        | SkipReason::TooLarge
        | SkipReason::NotText
        | SkipReason::NotAFile
        | SkipReason::Unreadable
        | SkipReason::TooMany => "skipped",
    };
    format!("it would be {by}, and no document of the KB")
}

/// The upsert that gives an entity its source and leaves its times as they are.
fn source(entity: &UpsertInput) -> UpsertInput {
    let kept = ["source", "updated_at"].into_iter();
    let kept = kept.filter_map(|name| Some((name.to_owned(), entity.properties.0.get(name)?.clone())));
    UpsertInput {
        kind: entity.kind,
        id: entity.id.clone(),
        properties: cairn_kb::Properties(kept.collect::<BTreeMap<String, Value>>()),
        relationships: Vec::new(),
        request_id: None,
    }
}

fn lane_of(kind: EntityType) -> Lane {
    match kind {
        EntityType::Req => Lane::Requirements,
        EntityType::Scenario => Lane::Scenarios,
        EntityType::Test => Lane::Tests,
        EntityType::Adr => Lane::Adr,
        EntityType::Flag => Lane::Flags,
        EntityType::Event => Lane::Events,
        EntityType::Fact => Lane::Facts,
        EntityType::Symbol => Lane::Symbols,
    }
}
