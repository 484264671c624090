//! Records that are read together and decoded one at a time: a megabyte of them is dozens of it when decoded.

use crate::record::{Body, ConceptHead, LinkHead, decode_concept, decode_link};
use crate::tables::{CONCEPTS, LINKS};
use crate::{Concept, ConceptId, Edge, GraphError, Link, LinkId, Result, TypeId, View, keys};

/// A concept as it is stored.
#[derive(Debug)]
pub struct StoredConcept {
    id: ConceptId,
    kind: TypeId,
    record: Vec<u8>,
}

/// A link as it is stored.
#[derive(Debug)]
pub struct StoredLink {
    edge: Edge,
    record: Vec<u8>,
}

impl StoredConcept {
    /// Its number.
    pub fn id(&self) -> ConceptId {
        self.id
    }

    /// All of it. The view has to be of the snapshot that it was read from.
    pub fn decode(&self, view: &View<'_>) -> Result<Concept> {
        let head = ConceptHead::parse(&self.record)?;
        with_body(view, head.body, &|body| decode_concept(self.id, self.kind, &head, body))
    }
}

impl StoredLink {
    /// What it says.
    pub fn edge(&self) -> &Edge {
        &self.edge
    }

    /// All of it. The view has to be of the snapshot that it was read from.
    pub fn decode(&self, view: &View<'_>) -> Result<Link> {
        let head = LinkHead::parse(self.edge.link, &self.record)?;
        with_body(view, head.body, &|body| decode_link(&head, body))
    }
}

impl View<'_> {
    /// Concepts as they are stored, without those that are not there or of another type. Long content is read
    /// when it is decoded.
    pub fn stored_concepts(&self, wanted: &[(ConceptId, TypeId)]) -> Result<Vec<StoredConcept>> {
        let rows: Vec<_> = wanted.iter().map(|(id, kind)| keys::concept(self.scope(), *kind, *id)).collect();
        let mut found = Vec::with_capacity(wanted.len());
        self.rows(CONCEPTS, &rows, &mut |place, record| {
            let (id, kind) = wanted[place];
            found.extend(record.map(|record| StoredConcept { id, kind, record: record.to_vec() }));
        })?;
        Ok(found)
    }

    /// Links as they are stored, without those that are not there.
    pub fn stored_links(&self, wanted: &[LinkId]) -> Result<Vec<StoredLink>> {
        let rows: Vec<_> = wanted.iter().map(|id| keys::link(self.scope(), *id)).collect();
        let mut found = Vec::with_capacity(wanted.len());
        let mut verdict = Ok(());
        self.rows(LINKS, &rows, &mut |place, record| {
            let Some(record) = record else { return };
            match LinkHead::parse(wanted[place], record) {
                Ok(head) => found.push(StoredLink { edge: head.edge, record: record.to_vec() }),
                Err(error) => verdict = Err(error),
            }
        })?;
        verdict.map(|()| found)
    }
}

/// Decodes with the content, wherever it is.
fn with_body<T>(view: &View<'_>, body: Body<'_>, decode: &dyn Fn(&[u8]) -> Result<T>) -> Result<T> {
    let hash = match body {
        Body::Here(body) => return decode(body),
        Body::Blob(hash) => hash,
    };
    let mut found = None;
    view.reader().blobs(view.scope().tenant(), &[hash], &mut |_, body| found = body.map(decode))?;
    found.unwrap_or_else(|| {
        let detail = "the blob with its content is not there".into();
        Err(GraphError::BadRecord { what: "concept or link", detail })
    })
}
