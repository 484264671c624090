//! Reading the entities of an export from the KB.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::Value;
use cairn_http::{Client, ClientError};
use cairn_kb::limits::EXPORT_ENTITIES_MAX;
use cairn_kb::sync::{ExportInput, ExportedEntity, SyncedFile};

use super::super::tree::Tree;
use crate::failure::Failure;
use crate::reach::Needs;

/// Entities to export.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selection<'a> {
    /// All of them.
    pub(super) all: bool,
    /// These, beside those that have diverged.
    pub(super) ids: &'a [String],
    /// Documents are written to another folder, where none of them is yet.
    pub(super) elsewhere: bool,
}

/// The entities to export, and the synced files.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Entities by id, those included that share a document with a selected one.
    pub(super) entities: BTreeMap<String, ExportedEntity>,
    /// Selected ids.
    pub(super) selected: BTreeSet<String>,
    /// Files that were synced.
    pub(super) files: Vec<SyncedFile>,
    /// Given ids that no entity has.
    pub(super) unknown: Vec<String>,
}

/// Reads the selected entities, and all others of their documents.
pub(super) fn read(tree: &Tree, selection: &Selection<'_>) -> Result<Found, Failure> {
    tree.ask(Needs::Store, async |client| {
        let files = client.kb_files(&tree.id, tree.branch()).await?.files;
        let mut found = Found { files, ..Found::default() };
        if selection.all {
            read_pages(client, tree, &ExportInput { all: true, ..ExportInput::default() }, &mut found)
                .await?;
            let is_selected =
                |entity: &ExportedEntity| selection.elsewhere || entity.file.is_none() || entity.diverged;
            let selected = found.entities.iter().filter(|(_, entity)| is_selected(entity));
            found.selected = selected.map(|(id, _)| id.clone()).collect();
            return Ok(found);
        }
        let diverged = found.files.iter().flat_map(|file| &file.diverged);
        found.selected = diverged.chain(selection.ids).cloned().collect();
        let mut wanted = found.selected.clone();
        for file in &found.files {
            if file.entities.iter().any(|id| found.selected.contains(id)) {
                wanted.extend(file.entities.iter().cloned());
            }
        }
        read_ids(client, tree, &wanted, &mut found).await?;
        // Symbols without a document join those that have the common one.
        let joins = |entity: &ExportedEntity| {
            entity.file.is_none() && entity.entity.kind == cairn_kb::EntityType::Symbol
        };
        if found.selected.iter().filter_map(|id| found.entities.get(id)).any(joins) {
            let symbols = found.files.iter().filter(|file| !file.path.ends_with(".md"));
            let ids: BTreeSet<String> = symbols.flat_map(|file| file.entities.iter().cloned()).collect();
            let missing = ids.into_iter().filter(|id| !found.entities.contains_key(id)).collect();
            read_ids(client, tree, &missing, &mut found).await?;
        }
        found.unknown.retain(|id| selection.ids.contains(id));
        Ok(found)
    })
}

async fn read_ids(
    client: &mut Client,
    tree: &Tree,
    ids: &BTreeSet<String>,
    found: &mut Found,
) -> Result<(), ClientError> {
    let ids: Vec<String> = ids.iter().cloned().collect();
    for ids in ids.chunks(EXPORT_ENTITIES_MAX) {
        read_pages(client, tree, &ExportInput { ids: ids.to_vec(), ..ExportInput::default() }, found).await?;
    }
    Ok(())
}

async fn read_pages(
    client: &mut Client,
    tree: &Tree,
    input: &ExportInput,
    found: &mut Found,
) -> Result<(), ClientError> {
    let mut input = input.clone();
    loop {
        let page = client.kb_export(&tree.id, tree.branch(), &input).await?;
        found.entities.extend(page.entities.into_iter().map(|entity| (entity.entity.id.clone(), entity)));
        if input.after.is_none() {
            found.unknown.extend(page.unknown);
        }
        match page.next {
            Some(next) => input.after = Some(next),
            None => return Ok(()),
        }
    }
}

/// Returns true if an entity has no source, so that its document would be its source.
pub(super) fn lacks_source(entity: &ExportedEntity) -> bool {
    let source = entity.entity.properties.0.get("source").and_then(Value::as_str);
    source.is_none_or(|source| source.trim().is_empty())
}
