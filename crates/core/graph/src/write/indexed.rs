//! Keeping ordered indexes right while concepts come, change and go.

use cairn_seam::WriteTx;

use super::Writer;
use crate::index::{IndexInfo, IndexState, Indexes, entry_key, value_bytes, value_of};
use crate::tables::INDEX_ENTRIES;
use crate::{Concept, ConceptId, Result, TypeId};

/// Concepts whose entries are looked for at once.
const PAGE: usize = 1024;

/// The keys of what indexes hold of one concept, in the order of the indexes.
pub(super) struct Entries(Vec<Vec<u8>>);

impl Writer<'_> {
    /// What the indexes of its type hold of a concept, or are to hold.
    pub(super) fn entries(&mut self, concept: &Concept) -> Result<Entries> {
        let scope = self.scope;
        let holding = self.indexes()?.all.iter().filter(|info| is_held(info, concept.kind, concept.id));
        let entry = |info: &IndexInfo| {
            let value = value_of(concept, info.index.part, &info.index.path);
            entry_key(&scope, info.index.id, &value_bytes(value.as_deref()), concept.id)
        };
        Ok(Entries(holding.map(entry).collect()))
    }

    /// A concept was made.
    pub(super) fn add_entries(&mut self, concept: &Concept) -> Result<()> {
        let Entries(entries) = self.entries(concept)?;
        entries.iter().try_for_each(|entry| Ok(self.tx.put(INDEX_ENTRIES, entry, &[])?))
    }

    /// A concept has changed.
    pub(super) fn move_entries(&mut self, Entries(before): Entries, concept: &Concept) -> Result<()> {
        let Entries(after) = self.entries(concept)?;
        for (before, after) in before.iter().zip(&after).filter(|(before, after)| before != after) {
            self.tx.delete(INDEX_ENTRIES, before)?;
            self.tx.put(INDEX_ENTRIES, after, &[])?;
        }
        Ok(())
    }

    /// Concepts are about to go.
    pub(super) fn remove_entries(
        &mut self,
        concepts: impl Iterator<Item = (ConceptId, TypeId)>,
    ) -> Result<()> {
        let scope = self.scope;
        let indexes = std::mem::take(self.indexes()?);
        let held: Vec<(ConceptId, TypeId)> =
            concepts.filter(|(id, kind)| indexes.all.iter().any(|info| is_held(info, *kind, *id))).collect();
        for page in held.chunks(PAGE) {
            let mut entries = Vec::new();
            let mut verdict = Ok(());
            self.view().concept_views(page, &mut |place, record| {
                let (Some(record), (id, kind)) = (record, page[place]) else { return };
                for info in indexes.all.iter().filter(|info| is_held(info, kind, id)) {
                    match info.index.entry_of(&record) {
                        Ok(bytes) => entries.push(entry_key(&scope, info.index.id, &bytes, id)),
                        Err(error) => verdict = Err(error),
                    }
                }
            })?;
            verdict?;
            entries.iter().try_for_each(|entry| self.tx.delete(INDEX_ENTRIES, entry))?;
        }
        self.indexes = Some(indexes);
        Ok(())
    }

    /// A type is gone, and no concept of it is left: its indexes are empty, and go with it.
    pub(super) fn remove_indexes(&mut self, kind: TypeId) -> Result<()> {
        let indexes = self.indexes()?;
        let before = indexes.all.len();
        // What is being dropped may still hold something.
        indexes.all.retain(|info| info.index.kind != kind || info.state == IndexState::Dropping);
        if indexes.all.len() == before {
            return Ok(());
        }
        let indexes = indexes.clone();
        indexes.write(&mut self.tx, &self.scope)
    }

    fn indexes(&mut self) -> Result<&mut Indexes> {
        if self.indexes.is_none() {
            self.indexes = Some(Indexes::read(&self.tx, &self.scope)?);
        }
        Ok(self.indexes.as_mut().expect("they were just read"))
    }
}

/// Whether an index holds an entry for a concept.
fn is_held(info: &IndexInfo, kind: TypeId, id: ConceptId) -> bool {
    info.index.kind == kind && info.holds(id)
}
