//! Walking over many concepts and links. Snapshots are short-lived: long walks page with `after`.

use std::ops::Bound;

use cairn_base::KeyBuf;
use cairn_seam::{KeyRange, Visit};

use crate::record::{ConceptHead, RecordView};
use crate::tables::{CONCEPTS, HOMES, LINKS};
use crate::view::type_of_home;
use crate::{ConceptId, LinkId, Meta, Result, TypeId, View, keys};

impl View<'_> {
    /// The concepts of a type, by their numbers.
    pub fn concepts_of_type(
        &self,
        kind: TypeId,
        after: Option<ConceptId>,
        visit: &mut dyn FnMut(ConceptId, RecordView<'_>) -> Visit,
    ) -> Result<()> {
        let mut after = after;
        // Whoever looks at a record may ask for its blob, and nobody asks the store inside of a scan: so the
        // scan ends at each long record, and goes on behind it.
        while let Some((id, record)) = self.scan_to_long_record(kind, after, visit)? {
            if visit(id, RecordView::concept(&record, self.blobs())?) != Visit::Continue {
                break;
            }
            after = Some(id);
        }
        Ok(())
    }

    /// Visits up to the next long record, and gives that. `None`: it came to an end, or was stopped.
    fn scan_to_long_record(
        &self,
        kind: TypeId,
        after: Option<ConceptId>,
        visit: &mut dyn FnMut(ConceptId, RecordView<'_>) -> Visit,
    ) -> Result<Option<(ConceptId, Vec<u8>)>> {
        let of_type = self.scope().key().u64(kind.0);
        let range = behind(&of_type, after.map(|id| of_type.clone().u64(id.0)));
        let blobs = self.blobs();
        let mut verdict = Ok(None);
        self.reader().multi_scan(CONCEPTS, &[range], &mut |_, key, record| {
            let row = keys::last_number(key, "concept").and_then(|id| {
                let view = RecordView::concept(record, blobs)?;
                Ok((ConceptId(id), view))
            });
            match row {
                Ok((id, view)) if view.is_long() => verdict = Ok(Some((id, record.to_vec()))),
                Ok((id, view)) => return visit(id, view),
                Err(error) => verdict = Err(error),
            }
            Visit::Stop
        })?;
        verdict
    }

    /// Every concept, by its number.
    pub fn all_concepts(
        &self,
        after: Option<ConceptId>,
        visit: &mut dyn FnMut(ConceptId, TypeId) -> Visit,
    ) -> Result<()> {
        let scope = self.scope().key();
        let range = behind(&scope, after.map(|id| scope.clone().u64(id.0)));
        let mut verdict = Ok(());
        self.reader().multi_scan(HOMES, &[range], &mut |_, key, value| {
            let row = keys::last_number(key, "type of a concept");
            match row.and_then(|id| Ok((ConceptId(id), type_of_home(value)?))) {
                Ok((id, kind)) => visit(id, kind),
                Err(error) => {
                    verdict = Err(error);
                    Visit::Stop
                }
            }
        })?;
        verdict
    }

    /// Every link with what is written on it, by its number.
    pub fn all_links(
        &self,
        after: Option<LinkId>,
        visit: &mut dyn FnMut(LinkId, RecordView<'_>) -> Visit,
    ) -> Result<()> {
        let mut after = after;
        // As with concepts: nobody asks for a blob inside of a scan.
        while let Some((id, record)) = self.scan_to_long_link(after, visit)? {
            if visit(id, RecordView::link(id, &record, self.blobs())?) != Visit::Continue {
                break;
            }
            after = Some(id);
        }
        Ok(())
    }

    /// Visits up to the next long record, and gives that. `None`: it came to an end, or was stopped.
    fn scan_to_long_link(
        &self,
        after: Option<LinkId>,
        visit: &mut dyn FnMut(LinkId, RecordView<'_>) -> Visit,
    ) -> Result<Option<(LinkId, Vec<u8>)>> {
        let range = behind(&self.scope().key(), after.map(|id| keys::link(self.scope(), id)));
        let blobs = self.blobs();
        let mut verdict = Ok(None);
        self.reader().multi_scan(LINKS, &[range], &mut |_, key, record| {
            let row = keys::last_number(key, "link").map(LinkId).and_then(|id| {
                let view = RecordView::link(id, record, blobs)?;
                Ok((id, view))
            });
            match row {
                Ok((id, view)) if view.is_long() => verdict = Ok(Some((id, record.to_vec()))),
                Ok((id, view)) => return visit(id, view),
                Err(error) => verdict = Err(error),
            }
            Visit::Stop
        })?;
        verdict
    }

    /// Every link, by its number: ends that are links come before what is said about them.
    pub fn all_link_numbers(
        &self,
        after: Option<LinkId>,
        visit: &mut dyn FnMut(LinkId) -> Visit,
    ) -> Result<()> {
        let scope = self.scope().key();
        let range = behind(&scope, after.map(|id| scope.clone().u64(id.0)));
        let mut verdict = Ok(());
        self.reader().multi_scan(LINKS, &[range], &mut |_, key, _| match keys::last_number(key, "link") {
            Ok(id) => visit(LinkId(id)),
            Err(error) => {
                verdict = Err(error);
                Visit::Stop
            }
        })?;
        verdict
    }

    /// Every type or predicate with its name, by its number.
    pub fn definitions(&self, of: Meta, visit: &mut dyn FnMut(u64, &str) -> Visit) -> Result<()> {
        let range = KeyRange::prefix(&self.scope().key().u64(of.kind().0));
        let mut verdict = Ok(());
        self.reader().multi_scan(CONCEPTS, &[range], &mut |_, key, record| {
            let row = keys::last_number(key, "concept");
            match row.and_then(|id| Ok((id, ConceptHead::parse(record)?.name))) {
                Ok((id, name)) => visit(id, name),
                Err(error) => {
                    verdict = Err(error);
                    Visit::Stop
                }
            }
        })?;
        verdict
    }
}

/// Every key that begins with a prefix and comes after a key.
pub(crate) fn behind(prefix: &KeyBuf, after: Option<KeyBuf>) -> KeyRange {
    let range = KeyRange::prefix(prefix);
    match after {
        Some(after) => KeyRange { low: Bound::Excluded(after.into_vec()), ..range },
        None => range,
    }
}
