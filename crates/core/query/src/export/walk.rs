//! One page after the other.

use std::sync::Arc;

use cairn_graph::{
    Concept, ConceptId, GraphError, Link, LinkId, Meta, TypeId, View, is_fixed, known, protected_attribute,
};
use cairn_kip::tree::Block;
use cairn_seam::Visit;

use super::chosen::Numbers;
use super::ends::{Ends, named};
use super::{Export, ExportError, Phase, blocks};

/// Numbers that are looked at for one page.
const PAGE: usize = 2_000;
/// Bytes after which a page is full.
const PAGE_BYTES: usize = 1 << 20;
/// Elements that are read at once, as they are stored: at most 64 KiB of each.
const AT_ONCE: usize = 64;

impl Export {
    /// Returns the next lines. A page may be empty before the last one.
    pub fn page(&mut self, view: &View<'_>) -> Result<Vec<u8>, ExportError> {
        let mut out = Vec::new();
        self.phase = match self.phase {
            Phase::Collect => {
                let is_all = self.chosen.as_mut().map_or(Ok(true), |chosen| chosen.collect(view))?;
                if is_all { Phase::Definitions(Meta::Types, None) } else { Phase::Collect }
            }
            Phase::Definitions(meta, after) => {
                let found = self.definitions(view, meta, after)?;
                match (self.write_concepts(view, found, &mut out)?, meta) {
                    (Some(at), _) => Phase::Definitions(meta, Some(at)),
                    (None, Meta::Types) => Phase::Definitions(Meta::Predicates, None),
                    (None, Meta::Predicates) => Phase::Concepts(None),
                }
            }
            Phase::Concepts(after) => {
                let found = self.concepts(view, after)?;
                match self.write_concepts(view, found, &mut out)? {
                    Some(at) => Phase::Concepts(Some(at)),
                    None => Phase::Links(None),
                }
            }
            Phase::Links(after) => {
                let found = self.links(view, after)?;
                match self.write_links(view, found, &mut out)? {
                    Some(at) => Phase::Links(Some(at)),
                    None => Phase::Done,
                }
            }
            Phase::Done => Phase::Done,
        };
        Ok(out)
    }

    fn definitions(
        &self,
        view: &View<'_>,
        meta: Meta,
        after: Option<ConceptId>,
    ) -> Result<Numbers<(ConceptId, TypeId), ConceptId>, ExportError> {
        if let Some(chosen) = &self.chosen {
            let (found, at) = chosen.concepts_after(view, after, PAGE)?;
            return Ok((found.into_iter().filter(|(_, kind)| *kind == meta.kind()).collect(), at));
        }
        let mut found = Vec::new();
        view.concepts_of_type(meta.kind(), after, &mut |id, _| {
            if found.len() >= PAGE || id > self.last.0 {
                return Visit::Stop;
            }
            found.push((id, meta.kind()));
            Visit::Continue
        })?;
        let at = found.last().map(|(id, _)| *id).filter(|_| found.len() >= PAGE);
        Ok((found, at))
    }

    fn concepts(
        &self,
        view: &View<'_>,
        after: Option<ConceptId>,
    ) -> Result<Numbers<(ConceptId, TypeId), ConceptId>, ExportError> {
        let (mut found, at) = match &self.chosen {
            Some(chosen) => chosen.concepts_after(view, after, PAGE)?,
            None => {
                let mut found = Vec::new();
                view.all_concepts(after, &mut |id, kind| {
                    if found.len() >= PAGE || id > self.last.0 {
                        return Visit::Stop;
                    }
                    found.push((id, kind));
                    Visit::Continue
                })?;
                let at = found.last().map(|(id, _)| *id).filter(|_| found.len() >= PAGE);
                (found, at)
            }
        };
        found.retain(|(_, kind)| Meta::of_kind(*kind).is_none());
        Ok((found, at))
    }

    fn links(&self, view: &View<'_>, after: Option<LinkId>) -> Result<Numbers<LinkId, LinkId>, ExportError> {
        if let Some(chosen) = &self.chosen {
            return Ok(chosen.links_after(after, PAGE));
        }
        let mut found = Vec::new();
        view.all_link_numbers(after, &mut |id| {
            if found.len() >= PAGE || id > self.last.1 {
                return Visit::Stop;
            }
            found.push(id);
            Visit::Continue
        })?;
        let at = found.last().copied().filter(|_| found.len() >= PAGE);
        Ok((found, at))
    }

    /// Writes concepts until the page is full; says behind which to go on.
    fn write_concepts(
        &mut self,
        view: &View<'_>,
        (found, at): Numbers<(ConceptId, TypeId), ConceptId>,
        out: &mut Vec<u8>,
    ) -> Result<Option<ConceptId>, ExportError> {
        for some in found.chunks(AT_ONCE) {
            for stored in view.stored_concepts(some)? {
                if out.len() >= PAGE_BYTES {
                    // What was looked at comes again.
                    return Ok(Some(ConceptId(stored.id().0 - 1)));
                }
                // One at a time: a megabyte of content is dozens of it here.
                let concept = stored.decode(view)?;
                let kind = self.name(view, concept.kind.0)?;
                if let Some(block) = self.concept_block(&kind, concept) {
                    self.write(block, out)?;
                }
            }
        }
        Ok(at)
    }

    /// A concept, unless every space has it.
    fn concept_block(&self, kind: &str, mut concept: Concept) -> Option<Block> {
        if is_fixed(concept.id) || self.first.has_concept(kind, &concept) {
            return None;
        }
        if let Some(key) = protected_attribute(concept.id) {
            concept.attributes.remove(key);
        }
        Some(blocks::concept(kind, concept))
    }

    fn write_links(
        &mut self,
        view: &View<'_>,
        (found, at): Numbers<LinkId, LinkId>,
        out: &mut Vec<u8>,
    ) -> Result<Option<LinkId>, ExportError> {
        for some in found.chunks(AT_ONCE) {
            let links = view.stored_links(some)?;
            let ends = Ends::of(view, &links)?;
            for stored in links {
                if out.len() >= PAGE_BYTES {
                    return Ok(Some(LinkId(stored.edge().link.0 - 1)));
                }
                let link = stored.decode(view)?;
                if let Some(block) = self.link_block(view, &ends, link)? {
                    self.write(block, out)?;
                }
            }
        }
        Ok(at)
    }

    /// A link, unless every space has it.
    fn link_block(&mut self, view: &View<'_>, ends: &Ends, link: Link) -> Result<Option<Block>, ExportError> {
        if let cairn_graph::Element::Concept(subject) = link.edge.subject
            && is_fixed(subject)
        {
            return Ok(None);
        }
        let mut name = |id| self.name(view, id);
        let triple = ends.triple(view, &link.edge, &mut name)?;
        let predicate = name(link.edge.predicate.0)?;
        let is_first = link.edge.predicate == known::BELONGS_TO_DOMAIN
            && named(&triple.subject)
                .zip(named(&triple.object))
                .is_some_and(|(subject, object)| self.first.has_link(subject, &predicate, object, &link));
        Ok((!is_first).then(|| blocks::link(triple, link)))
    }

    fn write(&mut self, block: Block, out: &mut Vec<u8>) -> Result<(), ExportError> {
        self.elements += 1;
        blocks::write(self.form, block, out)
    }

    /// The name of a type or predicate.
    fn name(&mut self, view: &View<'_>, id: u64) -> Result<Arc<str>, ExportError> {
        if let Some(name) = self.names.get(&id) {
            return Ok(Arc::clone(name));
        }
        let name = view.definition_name(id)?.ok_or_else(|| GraphError::BadRecord {
            what: "concept or link",
            detail: format!("its type or predicate C:{id} is not there"),
        })?;
        let name: Arc<str> = name.into();
        self.names.insert(id, Arc::clone(&name));
        Ok(name)
    }
}
