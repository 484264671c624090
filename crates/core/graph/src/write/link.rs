//! Making and changing links.

use cairn_seam::{WriteTx, get};

use super::{LinkTarget, LinkWrite, Outcome, Writer, content, expect_version};
use crate::element::has_text;
use crate::record::{Encoded, Head, encode_body, encode_link};
use crate::schema::{check_attributes, check_ends};
use crate::statistics::Statistic;
use crate::tables::{LINKS, OPS, PSO, SPO};
use crate::{
    Edge, Element, GraphError, GraphEvent, Link, LinkId, Map, Meta, PredicateId, Result, TypeId, keys,
    protected,
};

impl Writer<'_> {
    /// Sets attributes and metadata of a link; makes it if it is named by its ends and not there.
    pub fn upsert_link(&mut self, write: LinkWrite) -> Result<(LinkId, Outcome)> {
        let LinkWrite { target, expect_version: expected, attributes, metadata } = write;
        content::check(&attributes, &metadata)?;
        let found = match target {
            LinkTarget::Id(id) => Some(self.link(id)?),
            LinkTarget::Triple(subject, predicate, object) => {
                self.link_between(subject, predicate, object)?
            }
        };
        match (found, target) {
            (Some(link), _) => {
                expect_version(expected, link.version, || link.id.to_string())?;
                Ok((link.id, self.update_link(link, attributes, metadata)?))
            }
            (None, LinkTarget::Triple(subject, predicate, object)) => {
                expect_version(expected, 0, || "the link".into())?;
                let id = self.create_link(subject, predicate, object, attributes, metadata)?;
                Ok((id, Outcome::Created))
            }
            (None, LinkTarget::Id(id)) => Err(GraphError::NoLink(id)),
        }
    }

    /// A link that is there.
    pub(super) fn link(&self, id: LinkId) -> Result<Link> {
        let mut found = None;
        self.view().links(&[id], &mut |_, link| found = link)?;
        found.ok_or(GraphError::NoLink(id))
    }

    fn link_between(
        &self,
        subject: Element,
        predicate: PredicateId,
        object: Element,
    ) -> Result<Option<Link>> {
        let key = keys::spo(&self.scope, subject, predicate, object);
        let value = match self.is_new(subject) || self.is_new(object) {
            true => self.tx.recall(SPO, &key),
            false => get(&self.tx, SPO, &key)?,
        };
        let Some(value) = value else { return Ok(None) };
        let edge = keys::edge_between(subject, predicate, object, &value)?;
        match self.link(edge.link) {
            Err(GraphError::NoLink(id)) => Err(GraphError::BadRecord {
                what: "link",
                detail: format!("an index knows {id}, which is not there"),
            }),
            found => found.map(Some),
        }
    }

    fn create_link(
        &mut self,
        subject: Element,
        predicate: PredicateId,
        object: Element,
        attributes: Map,
        metadata: Map,
    ) -> Result<LinkId> {
        let (subject_type, object_type) = (self.type_of_end(subject)?, self.type_of_end(object)?);
        if !self.is_privileged {
            protected::check_link(subject)?;
            self.check_link_schema(predicate, subject_type, object_type, &attributes)?;
        }
        self.check_links_inside(subject, object)?;
        let edge = Edge { subject, predicate, object, link: self.next_link()?, subject_type, object_type };
        self.count_new_ends(&edge)?;
        self.count_edge(&edge, 1);
        let value = keys::edge_value(&edge);
        self.tx.put(SPO, &keys::spo(&self.scope, subject, predicate, object), &value)?;
        self.tx.put(PSO, &keys::pso(&self.scope, subject, predicate, object), &value)?;
        self.tx.put(OPS, &keys::ops(&self.scope, subject, predicate, object), &value)?;
        let (version, at_ms) = (1, self.now_ms);
        let link = Link {
            id: edge.link,
            edge,
            attributes,
            metadata,
            version,
            created_at_ms: at_ms,
            updated_at_ms: at_ms,
        };
        self.put_link(&link, false)?;
        Ok(link.id)
    }

    fn update_link(&mut self, mut link: Link, attributes: Map, metadata: Map) -> Result<Outcome> {
        if !self.is_privileged && (!attributes.is_empty() || !metadata.is_empty()) {
            protected::check_link(link.edge.subject)?;
        }
        let had_text = has_text(&link.attributes);
        let new_attributes = content::merge(&mut link.attributes, attributes);
        let new_metadata = content::merge(&mut link.metadata, metadata);
        if !new_attributes && !new_metadata {
            return Ok(Outcome::Unchanged);
        }
        self.save_link(link, new_attributes, had_text)?;
        Ok(Outcome::Updated)
    }

    /// Writes a changed link in its next version.
    pub(super) fn save_link(&mut self, mut link: Link, new_attributes: bool, had_text: bool) -> Result<()> {
        if new_attributes && !self.is_privileged {
            self.check_link_attributes(link.edge.predicate, &link.attributes)?;
        }
        link.version = link.version.saturating_add(1);
        link.updated_at_ms = self.now_ms;
        self.put_link(&link, had_text)
    }

    /// What a link does to the counts that need no look at others.
    pub(super) fn count_edge(&mut self, edge: &Edge, change: i64) {
        self.tally.add(Statistic::Predicate(edge.predicate), change);
        if let Some(kind) = edge.subject_type {
            self.tally.add(Statistic::SubjectType(kind, edge.predicate), change);
        }
        if let Some(kind) = edge.object_type {
            self.tally.add(Statistic::ObjectType(edge.predicate, kind), change);
        }
    }

    /// The type of something that a link is to begin or end at, and that has to be there.
    fn type_of_end(&self, end: Element) -> Result<Option<TypeId>> {
        match end {
            Element::Concept(id) => {
                let kind = self.view().types_of(&[id])?.into_iter().next().flatten();
                kind.map(Some).ok_or(GraphError::NoConcept(id))
            }
            Element::Link(id) => {
                let record = get(&self.tx, LINKS, &keys::link(&self.scope, id))?;
                record.map(|_| None).ok_or(GraphError::NoLink(id))
            }
        }
    }

    /// Whether the schema allows a new link.
    fn check_link_schema(
        &mut self,
        predicate: PredicateId,
        subject_type: Option<TypeId>,
        object_type: Option<TypeId>,
        attributes: &Map,
    ) -> Result<()> {
        let definition = self.predicate_definition(predicate)?;
        let Some(rules) = definition.rules.clone() else { return Ok(()) };
        let name = definition.name.clone();
        let subject_type = self.type_name(subject_type)?;
        let object_type = self.type_name(object_type)?;
        check_ends(&name, &rules, subject_type.as_deref(), object_type.as_deref())?;
        check_attributes(&format!("the link `{name}`"), &rules, attributes)
    }

    fn check_link_attributes(&mut self, predicate: PredicateId, attributes: &Map) -> Result<()> {
        let definition = self.predicate_definition(predicate)?;
        match &definition.rules {
            Some(rules) => check_attributes(&format!("the link `{}`", definition.name), rules, attributes),
            None => Ok(()),
        }
    }

    fn type_name(&mut self, kind: Option<TypeId>) -> Result<Option<String>> {
        let Some(kind) = kind else { return Ok(None) };
        Ok(self.definition(Meta::Types, kind.0)?.map(|definition| definition.name.clone()))
    }

    fn put_link(&mut self, link: &Link, had_text: bool) -> Result<()> {
        let has_text = has_text(&link.attributes);
        let head = Head {
            version: link.version,
            created_at_ms: link.created_at_ms,
            updated_at_ms: link.updated_at_ms,
            has_text,
        };
        let body = encode_body(&link.attributes, &link.metadata)?;
        let Encoded { record, blob } = encode_link(&head, &link.edge, body)?;
        if let Some(blob) = blob {
            self.tx.put_blob(&blob)?;
        }
        self.tx.put(LINKS, &keys::link(&self.scope, link.id), &record)?;
        // Links without text cannot be searched for, and there are many of them.
        if has_text || had_text {
            self.tx.emit(GraphEvent::LinkChanged(self.scope.space(), link.id).encode())?;
        }
        Ok(())
    }
}
