//! Typed documents: Markdown in the folders of the KB, and the symbols file.
//!
//! Only what decides between candidates is held of each entity. The documents of those that are selected are read
//! again, so that memory does not grow with the bodies of documents.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cairn_documents::{Document, parse_markdown, parse_symbols};
use cairn_kb::tools::UpsertInput;
use cairn_kb::{EntityType, Relation};

use crate::candidate::{Confidence, Draft, Evidence, Payloads, Provider};
use crate::existing::folded;
use crate::ids::shortened;
use crate::limits::{
    AUTOPILOT_MARKDOWN_BYTES_MAX, AUTOPILOT_SYMBOLS_BYTES_MAX, AUTOPILOT_TITLE_CHARS_MAX,
    AUTOPILOT_TYPED_ENTITIES_MAX, AUTOPILOT_TYPED_LINKS_MAX,
};
use crate::provider::Findings;
use crate::tree::{DocumentKind, Skipped};

/// An entity of a typed document, as much of it as is held.
#[derive(Debug, Clone)]
pub(crate) struct TypedEntity {
    pub(crate) path: String,
    /// Its place among the entities of its document.
    pub(crate) index: usize,
    pub(crate) line: u32,
    pub(crate) is_markdown: bool,
    pub(crate) kind: EntityType,
    pub(crate) id: String,
    pub(crate) title: String,
    /// Its `source`, where it names another file than the document.
    pub(crate) source: Option<String>,
    pub(crate) source_file: Option<String>,
    pub(crate) links: Vec<(Relation, String)>,
}

/// Bytes of a document that are read.
pub(crate) fn bytes_max(kind: DocumentKind) -> usize {
    match kind {
        DocumentKind::Markdown(_) => AUTOPILOT_MARKDOWN_BYTES_MAX,
        DocumentKind::Symbols => AUTOPILOT_SYMBOLS_BYTES_MAX,
    }
}

/// Parses a typed document.
pub(crate) fn document(kind: DocumentKind, path: &str, bytes: &[u8]) -> Document {
    match kind {
        DocumentKind::Markdown(lane) => parse_markdown(path, bytes, Some(lane)),
        DocumentKind::Symbols => parse_symbols(path, bytes),
    }
}

/// Returns the entities of a document, and names its problems. The second value is false if the file is Markdown without
/// an entity, and so evidence like any other Markdown.
pub(crate) fn examine(
    kind: DocumentKind,
    path: &str,
    bytes: &[u8],
    findings: &mut Findings,
) -> (Vec<TypedEntity>, bool) {
    let document = document(kind, path, bytes);
    for problem in &document.problems {
        let line = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        findings.warn(path, Skipped::Malformed, format!("{line}{}", shortened(&problem.message, 300)));
    }
    let is_markdown = matches!(kind, DocumentKind::Markdown(_));
    let light = |(index, entity): (usize, &cairn_documents::DocumentEntity)| {
        let UpsertInput { kind, id, properties, relationships, .. } = &entity.input;
        let text = |name: &str| properties.text(name).map(str::to_owned);
        let links = relationships.iter().take(AUTOPILOT_TYPED_LINKS_MAX);
        TypedEntity {
            path: path.to_owned(),
            index,
            line: entity.line,
            is_markdown,
            kind: *kind,
            id: id.clone(),
            title: shortened(properties.text("title").unwrap_or_default(), AUTOPILOT_TITLE_CHARS_MAX),
            source: text("source").filter(|source| source != path),
            source_file: text("sourceFile"),
            links: links.map(|link| (link.relation, link.to.clone())).collect(),
        }
    };
    let entities: Vec<TypedEntity> = document.entities.iter().enumerate().map(light).collect();
    let is_document = document.is_document || !entities.is_empty();
    (entities, is_document)
}

/// Entities of all typed documents.
#[derive(Debug, Default)]
pub(crate) struct TypedIndex {
    entities: Vec<TypedEntity>,
    by_id: HashMap<String, usize>,
    by_title: HashMap<(EntityType, String, String), usize>,
    pub(crate) is_truncated: bool,
}

impl TypedIndex {
    /// Adds the entities of a document. Of entities with one id the first counts.
    pub(crate) fn add(&mut self, entities: Vec<TypedEntity>) {
        for entity in entities {
            if self.entities.len() >= AUTOPILOT_TYPED_ENTITIES_MAX {
                self.is_truncated = true;
                return;
            }
            let at = self.entities.len();
            let is_symbol = entity.kind == EntityType::Symbol;
            let file = entity.source_file.clone().filter(|_| is_symbol).unwrap_or_default();
            self.by_id.entry(entity.id.clone()).or_insert(at);
            self.by_title.entry((entity.kind, folded(&entity.title), file)).or_insert(at);
            self.entities.push(entity);
        }
    }

    /// The id of the entity that makes a generated one superfluous.
    pub(crate) fn shadow(&self, kind: EntityType, id: &str, title: &str, file: &str) -> Option<&str> {
        let by_title = || self.by_title.get(&(kind, folded(title), file.to_owned()));
        let at = self.by_id.get(id).or_else(by_title)?;
        self.entities.get(*at).map(|entity| entity.id.as_str())
    }

    pub(crate) fn find(&self, id: &str) -> Option<&TypedEntity> {
        self.by_id.get(id).and_then(|at| self.entities.get(*at))
    }

    pub(crate) fn entities(&self) -> &[TypedEntity] {
        &self.entities
    }

    /// Returns a candidate for each entity. Entities that are linked have neighbouring ranks, so that a selection holds
    /// requirements together with their scenarios and tests.
    pub(crate) fn drafts(&self) -> Vec<Draft> {
        let mut drafts: Vec<(usize, Draft)> = Vec::with_capacity(self.entities.len());
        for (rank, at) in self.clustered().into_iter().enumerate() {
            let Some(entity) = self.entities.get(at) else { continue };
            drafts.push((at, draft(entity, rank)));
        }
        drafts.sort_unstable_by_key(|(at, _)| *at);
        drafts.into_iter().map(|(_, draft)| draft).collect()
    }

    /// Places of entities: each requirement with everything that its links reach, then the others.
    fn clustered(&self) -> Vec<usize> {
        let mut neighbours: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (at, entity) in self.entities.iter().enumerate() {
            let joins = |relation: Relation| relation != Relation::RelatesTo;
            for (_, to) in entity.links.iter().filter(|(relation, _)| joins(*relation)) {
                if let Some(to) = self.by_id.get(to) {
                    neighbours.entry(at).or_default().insert(*to);
                    neighbours.entry(*to).or_default().insert(at);
                }
            }
        }
        let is_req = |at: &usize| self.entities.get(*at).is_some_and(|entity| entity.kind == EntityType::Req);
        let starts = (0..self.entities.len()).filter(is_req).chain(0..self.entities.len());
        let (mut order, mut seen) = (Vec::with_capacity(self.entities.len()), BTreeSet::new());
        for start in starts {
            let mut waiting = vec![start];
            while let Some(at) = waiting.pop() {
                if seen.insert(at) {
                    order.push(at);
                    waiting.extend(neighbours.get(&at).into_iter().flatten().rev().copied());
                }
            }
        }
        order
    }
}

fn draft(entity: &TypedEntity, rank: usize) -> Draft {
    let (prefix, confidence) = if entity.is_markdown { ("md", 100) } else { ("mf", 98) };
    let detail = format!("typed document of {} {}", entity.kind, entity.id);
    Draft {
        id: format!("{prefix}:{}:{}", entity.path, entity.id),
        kind: entity.kind,
        entity_id: entity.id.clone(),
        title: entity.title.clone(),
        provider: Provider::TypedDocs,
        path: entity.path.clone(),
        symbol_file: entity.source_file.clone(),
        confidence: Confidence(confidence),
        evidence: vec![Evidence { path: entity.path.clone(), line: Some(entity.line), detail }],
        payloads: Payloads::Document { index: entity.index, rank },
    }
}
