//! Staged documents, and the KB as it is with them.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::Value;
use cairn_documents::{Document, parse_markdown, parse_symbols};
use cairn_kb::sync::{SyncEntity, SyncFile, SyncHeader, SyncReport, SyncedFile};
use cairn_kb::tools::{SymbolLinks, SymbolLinksOutput};
use cairn_kb::{EntityType, Relation};
use cairn_worktree::Lane;

use crate::command::kb::sync::{Finding, entity, refused};

/// Reads a document.
pub(super) fn parse(path: &str, bytes: &[u8], lane: Lane) -> Document {
    let kind = match lane {
        Lane::Requirements => EntityType::Req,
        Lane::Scenarios => EntityType::Scenario,
        Lane::Tests => EntityType::Test,
        Lane::Adr => EntityType::Adr,
        Lane::Flags => EntityType::Flag,
        Lane::Events => EntityType::Event,
        Lane::Facts => EntityType::Fact,
        Lane::Symbols => return parse_symbols(path, bytes),
    };
    parse_markdown(path, bytes, Some(kind))
}

/// What a sync of the staged documents changes.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    files: Vec<SyncFile>,
    removed: Vec<String>,
    /// Entities that tools have changed since: they stay as they are.
    diverged: BTreeSet<String>,
    /// Entities that no document names any more.
    gone: BTreeSet<String>,
}

impl Overlay {
    /// Compares staged documents, paths of documents that are gone, and the ids that both had before, with the documents that
    /// were synced. Documents that no sync
    /// takes are not in it, and returned as problems.
    pub(super) fn of(
        documents: Vec<Document>,
        mut removed: Vec<String>,
        before: BTreeSet<String>,
        synced: &[SyncedFile],
    ) -> (Overlay, Vec<Finding>) {
        let (mut files, mut findings) = (Vec::new(), Vec::new());
        for document in documents {
            // A file without front matter is no document.
            if !document.is_document && document.problems.is_empty() {
                removed.push(document.path);
                continue;
            }
            let problems = document.has_errors();
            let entities = document.entities.into_iter().map(entity).collect();
            let file = SyncFile { path: document.path, hash: String::new(), problems, entities };
            match refused(&file, file.line().len()) {
                Some(finding) => findings.push(finding),
                None => files.push(file),
            }
        }
        let sent: BTreeMap<&str, &SyncFile> = files.iter().map(|file| (file.path.as_str(), file)).collect();
        removed.retain(|path| {
            !sent.contains_key(path.as_str())
                && synced.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
        });
        removed.sort_unstable();
        removed.dedup();
        let diverged: BTreeSet<String> = synced.iter().flat_map(|file| &file.diverged).cloned().collect();
        let has_problems = files.iter().any(|file| file.problems);
        let is_left = |file: &&SyncedFile| match sent.get(file.path.as_str()) {
            // It may have entities that could not be read.
            Some(sent) => !sent.problems,
            None => removed.binary_search(&file.path).is_ok(),
        };
        let named: BTreeSet<&String> =
            files.iter().flat_map(|file| &file.entities).map(|entity| &entity.entity.id).collect();
        let left = synced.iter().filter(is_left).flat_map(|file| &file.entities);
        // Documents that could not be read may still have what is not named.
        let before = before.iter().filter(|_| !has_problems);
        let gone = left.chain(before).filter(|id| !named.contains(id) && !diverged.contains(*id));
        let gone = gone.cloned().collect();
        (Overlay { files, removed, diverged, gone }, findings)
    }

    /// Whether it changes nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.removed.is_empty()
    }

    /// Whether a path is one of a staged document.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path) || self.removed.iter().any(|removed| removed == path)
    }

    /// Ids of entities that no document names any more.
    pub(super) fn gone(&self) -> &BTreeSet<String> {
        &self.gone
    }

    /// A sync that examines the documents and stores nothing.
    pub(super) fn sync(&self) -> (SyncHeader, Vec<SyncFile>) {
        let header =
            SyncHeader { validate_only: true, removed: self.removed.clone(), ..SyncHeader::default() };
        (header, self.files.clone())
    }

    /// Targets of the links of staged symbols, which may be requirements.
    pub(super) fn targets(&self) -> impl Iterator<Item = &String> {
        let links = self.entities().flat_map(|entity| &entity.entity.relationships);
        links.filter(|link| link.relation == Relation::Implements).map(|link| &link.to)
    }

    fn entities(&self) -> impl Iterator<Item = &SyncEntity> {
        let entities = self.files.iter().flat_map(|file| &file.entities);
        entities.filter(|entity| !self.diverged.contains(&entity.entity.id))
    }

    /// Entities that something of tools refers to stay without a document.
    pub(super) fn keep(&mut self, report: &SyncReport) {
        for kept in &report.released {
            self.gone.remove(&kept.id);
        }
    }

    /// Makes what the KB knows what it will know.
    pub(super) fn apply(
        &self,
        known: SymbolLinksOutput,
        files: &[String],
    ) -> (Vec<SymbolLinks>, Vec<String>) {
        let SymbolLinksOutput { mut symbols, mut requirements, .. } = known;
        let new = self.entities().filter(|entity| entity.entity.kind == EntityType::Req);
        requirements.extend(new.map(|entity| entity.entity.id.clone()));
        requirements.retain(|id| !self.gone.contains(id));
        requirements.sort_unstable();
        requirements.dedup();
        let named: BTreeSet<&String> = self.entities().map(|entity| &entity.entity.id).collect();
        symbols.retain(|row| !self.gone.contains(&row.id) && !named.contains(&row.id));
        for row in &mut symbols {
            row.implements.retain(|id| !self.gone.contains(id));
        }
        let rows = self.entities().filter_map(|entity| row(entity, files, &requirements));
        symbols.extend(rows);
        (symbols, requirements)
    }
}

/// The links of a staged symbol of one of the files.
fn row(entity: &SyncEntity, files: &[String], requirements: &[String]) -> Option<SymbolLinks> {
    let entity = &entity.entity;
    let text = |name: &str| entity.properties.0.get(name).and_then(Value::as_str);
    let file = text("sourceFile").or_else(|| text("source_file"))?;
    let file = file.split('#').next().unwrap_or_default();
    let file = file.strip_prefix("./").unwrap_or(file);
    let is_wanted = entity.kind == EntityType::Symbol && files.iter().any(|wanted| wanted == file);
    let targets = |relation| {
        entity.relationships.iter().filter(move |link| link.relation == relation).map(|link| &link.to)
    };
    is_wanted.then(|| SymbolLinks {
        id: entity.id.clone(),
        title: text("title").unwrap_or_default().to_owned(),
        source_file: file.to_owned(),
        implements: targets(Relation::Implements)
            .filter(|id| requirements.binary_search(id).is_ok())
            .cloned()
            .collect(),
        is_test: targets(Relation::ExecutableFor).next().is_some(),
        granularity_reason: text("granularity_reason").map(str::to_owned),
    })
}
