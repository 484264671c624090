//! Making and changing concepts.

use cairn_base::put_varint;
use cairn_seam::{WriteTx, get};

use super::indexed::Entries;
use super::{ConceptWrite, Outcome, Target, Writer, content, expect_version};
use crate::element::has_text;
use crate::record::{Encoded, Head, encode_body, encode_concept};
use crate::schema::{check_attributes, check_definition};
use crate::statistics::Statistic;
use crate::tables::{CONCEPTS, HOMES, NAMES};
use crate::view::id_of_name;
use crate::{
    Concept, ConceptId, GraphError, GraphEvent, Map, Meta, Part, Result, TypeId, keys, name, protected,
};

impl Writer<'_> {
    /// Sets attributes and metadata of a concept; makes it if it is named and not there.
    pub fn upsert_concept(&mut self, write: ConceptWrite) -> Result<(ConceptId, TypeId, Outcome)> {
        let ConceptWrite { target, expect_version: expected, attributes, metadata } = write;
        content::check(&attributes, &metadata)?;
        let found = match &target {
            Target::Id(id) => Some(self.concept(*id)?),
            Target::Named(kind, name) => self.named_concept(*kind, name)?,
        };
        match (found, target) {
            (Some(concept), _) => {
                expect_version(expected, concept.version, || concept.id.to_string())?;
                let (id, kind) = (concept.id, concept.kind);
                Ok((id, kind, self.update_concept(concept, attributes, metadata)?))
            }
            (None, Target::Named(kind, name)) => {
                expect_version(expected, 0, || format!("`{name}`"))?;
                Ok((self.create_concept(kind, name, attributes, metadata)?, kind, Outcome::Created))
            }
            (None, Target::Id(id)) => Err(GraphError::NoConcept(id)),
        }
    }

    /// A concept that is there.
    pub(super) fn concept(&self, id: ConceptId) -> Result<Concept> {
        let kind = self.view().types_of(&[id])?.into_iter().next().flatten();
        self.whole_concept(id, kind.ok_or(GraphError::NoConcept(id))?)
    }

    fn whole_concept(&self, id: ConceptId, kind: TypeId) -> Result<Concept> {
        let mut found = None;
        self.view().concepts(&[(id, kind)], &mut |_, concept| found = concept)?;
        found.ok_or_else(|| GraphError::BadRecord {
            what: "concept",
            detail: format!("an index knows {id}, which is not there"),
        })
    }

    fn named_concept(&self, kind: TypeId, name: &str) -> Result<Option<Concept>> {
        name::check(name)?;
        let Some(value) = get(&self.tx, NAMES, &keys::named(&self.scope, name, kind))? else {
            return Ok(None);
        };
        let concept = self.whole_concept(id_of_name(&value)?, kind)?;
        if concept.name != name {
            // Both cannot be kept under one key, and neither may pass for the other.
            let detail = "two names have the same hash".into();
            return Err(GraphError::BadRecord { what: "name of a concept", detail });
        }
        Ok(Some(concept))
    }

    fn create_concept(
        &mut self,
        kind: TypeId,
        name: String,
        attributes: Map,
        metadata: Map,
    ) -> Result<ConceptId> {
        if !self.is_privileged {
            self.check_concept(kind, &name, true, &attributes)?;
        }
        let id = self.next_concept()?;
        self.put_new_concept(id, kind, name, attributes, metadata)?;
        Ok(id)
    }

    /// Creates a concept under the number that it has in every space. Fails if another concept has that.
    pub(crate) fn recreate_concept(
        &mut self,
        id: ConceptId,
        kind: TypeId,
        name: String,
        attributes: Map,
        metadata: Map,
    ) -> Result<()> {
        if self.view().types_of(&[id])? != [None] {
            let detail = format!("{id} is not `{name}`");
            return Err(GraphError::BadRecord { what: "concept", detail });
        }
        let counters = self.counters()?;
        counters.concept = counters.concept.max(id.0);
        self.put_new_concept(id, kind, name, attributes, metadata)
    }

    fn put_new_concept(
        &mut self,
        id: ConceptId,
        kind: TypeId,
        name: String,
        attributes: Map,
        metadata: Map,
    ) -> Result<()> {
        let mut number = Vec::new();
        put_varint(&mut number, kind.0);
        self.tx.put(HOMES, &keys::home(&self.scope, id), &number)?;
        number.clear();
        put_varint(&mut number, id.0);
        self.tx.put(NAMES, &keys::named(&self.scope, &name, kind), &number)?;
        self.tally.add(Statistic::Type(kind), 1);
        let (version, at_ms) = (1, self.now_ms);
        let concept = Concept {
            id,
            kind,
            name,
            attributes,
            metadata,
            version,
            created_at_ms: at_ms,
            updated_at_ms: at_ms,
        };
        self.put_concept(&concept)?;
        self.add_entries(&concept)
    }

    fn update_concept(&mut self, mut concept: Concept, attributes: Map, metadata: Map) -> Result<Outcome> {
        if !self.is_privileged {
            for (part, stored, written) in [
                (Part::Attributes, &concept.attributes, &attributes),
                (Part::Metadata, &concept.metadata, &metadata),
            ] {
                protected::check_keys(concept.id, &concept.name, part, stored, written.keys())?;
            }
        }
        let entries = self.entries(&concept)?;
        let new_attributes = content::merge(&mut concept.attributes, attributes);
        let new_metadata = content::merge(&mut concept.metadata, metadata);
        if !new_attributes && !new_metadata {
            return Ok(Outcome::Unchanged);
        }
        self.save_concept(concept, entries, new_attributes)?;
        Ok(Outcome::Updated)
    }

    /// Writes a changed concept in its next version, given what indexes held of it before.
    pub(super) fn save_concept(
        &mut self,
        mut concept: Concept,
        entries: Entries,
        new_attributes: bool,
    ) -> Result<()> {
        if new_attributes && !self.is_privileged {
            self.check_concept(concept.kind, &concept.name, false, &concept.attributes)?;
        }
        concept.version = concept.version.saturating_add(1);
        concept.updated_at_ms = self.now_ms;
        self.put_concept(&concept)?;
        self.move_entries(entries, &concept)
    }

    /// Whether the schema allows a concept with these attributes.
    fn check_concept(&mut self, kind: TypeId, name: &str, is_new: bool, attributes: &Map) -> Result<()> {
        let definition = self.type_definition(kind)?;
        if let Some(rules) = &definition.rules {
            check_attributes(&format!("the {} `{name}`", definition.name), rules, attributes)?;
        }
        match Meta::of_kind(kind) {
            Some(meta) => check_definition(meta, name, is_new, attributes),
            None => Ok(()),
        }
    }

    fn put_concept(&mut self, concept: &Concept) -> Result<()> {
        let head = Head {
            version: concept.version,
            created_at_ms: concept.created_at_ms,
            updated_at_ms: concept.updated_at_ms,
            has_text: has_text(&concept.attributes),
        };
        let body = encode_body(&concept.attributes, &concept.metadata)?;
        let Encoded { record, blob } = encode_concept(&head, &concept.name, body)?;
        if let Some(blob) = blob {
            self.tx.put_blob(&blob)?;
        }
        self.tx.put(CONCEPTS, &keys::concept(&self.scope, concept.kind, concept.id), &record)?;
        self.tx.emit(GraphEvent::ConceptChanged(self.scope.space(), concept.id).encode())?;
        match Meta::of_kind(concept.kind) {
            Some(meta) => self.schema_changed(meta, concept.id),
            None => Ok(()),
        }
    }
}
