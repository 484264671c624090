//! Records by their numbers, many at once.

use cairn_base::{ContentHash, KeyBuf};
use cairn_seam::Keyspace;

use crate::record::{Blobs, Body, ConceptHead, LinkHead, RecordView, decode_concept, decode_link};
use crate::tables::{CONCEPTS, LINKS};
use crate::{Concept, ConceptId, GraphError, Link, LinkId, Result, TypeId, View, keys};

/// Records that are held at once.
const PAGE: usize = 1024;

/// Makes something of a record and its body, given its place among those that were asked for.
type Decode<'a, T> = &'a dyn Fn(usize, &[u8], &[u8]) -> Result<T>;
/// Looks at a record, given its place among those that were asked for.
type Parse<'a> = &'a dyn for<'r> Fn(usize, &'r [u8], Blobs<'r>) -> Result<RecordView<'r>>;

impl View<'_> {
    /// Whole concepts, in the order of `wanted`; `None` for those that are not there, or of another type.
    pub fn concepts(
        &self,
        wanted: &[(ConceptId, TypeId)],
        visit: &mut dyn FnMut(usize, Option<Concept>),
    ) -> Result<()> {
        for (page, wanted) in wanted.chunks(PAGE).enumerate() {
            let rows = self.concept_keys(wanted);
            let found = self.whole(
                CONCEPTS,
                &rows,
                |record| Ok(ConceptHead::parse(record)?.body),
                &|place, record, body| {
                    let (id, kind) = wanted[place];
                    decode_concept(id, kind, &ConceptHead::parse(record)?, body)
                },
            )?;
            found.into_iter().enumerate().for_each(|(place, concept)| visit(page * PAGE + place, concept));
        }
        Ok(())
    }

    /// Whole links, in the order of `wanted`; `None` for those that are not there.
    pub fn links(&self, wanted: &[LinkId], visit: &mut dyn FnMut(usize, Option<Link>)) -> Result<()> {
        for (page, wanted) in wanted.chunks(PAGE).enumerate() {
            let rows = self.link_keys(wanted);
            let found = self.whole(
                LINKS,
                &rows,
                |record| Ok(LinkHead::parse(LinkId(0), record)?.body),
                &|place, record, body| decode_link(&LinkHead::parse(wanted[place], record)?, body),
            )?;
            found.into_iter().enumerate().for_each(|(place, link)| visit(page * PAGE + place, link));
        }
        Ok(())
    }

    /// The same as [`concepts`](View::concepts), for whoever wants single fields of them.
    pub fn concept_views(
        &self,
        wanted: &[(ConceptId, TypeId)],
        visit: &mut dyn FnMut(usize, Option<RecordView<'_>>),
    ) -> Result<()> {
        for (page, wanted) in wanted.chunks(PAGE).enumerate() {
            let rows = self.concept_keys(wanted);
            self.records(
                CONCEPTS,
                &rows,
                page * PAGE,
                &|_, record, blobs| RecordView::concept(record, blobs),
                visit,
            )?;
        }
        Ok(())
    }

    /// The same as [`links`](View::links), for whoever wants single fields of them.
    pub fn link_views(
        &self,
        wanted: &[LinkId],
        visit: &mut dyn FnMut(usize, Option<RecordView<'_>>),
    ) -> Result<()> {
        for (page, wanted) in wanted.chunks(PAGE).enumerate() {
            let rows = self.link_keys(wanted);
            self.records(
                LINKS,
                &rows,
                page * PAGE,
                &|place, record, blobs| RecordView::link(wanted[place], record, blobs),
                visit,
            )?;
        }
        Ok(())
    }

    /// Visits records in their order. From the first long one on they are copied and visited outside of the
    /// call to the store, because whoever looks at a long one may ask for its blob.
    fn records(
        &self,
        keyspace: Keyspace,
        rows: &[KeyBuf],
        first: usize,
        parse: Parse<'_>,
        visit: &mut dyn FnMut(usize, Option<RecordView<'_>>),
    ) -> Result<()> {
        let blobs = self.blobs();
        let mut later: Vec<(usize, Option<Vec<u8>>)> = Vec::new();
        let mut verdict = Ok(());
        self.rows(keyspace, rows, &mut |place, record| {
            if verdict.is_err() {
                return;
            }
            match record.map(|record| parse(place, record, blobs)).transpose() {
                Ok(view) if later.is_empty() && !view.as_ref().is_some_and(RecordView::is_long) => {
                    visit(first + place, view);
                }
                Ok(_) => later.push((place, record.map(<[u8]>::to_vec))),
                Err(error) => verdict = Err(error),
            }
        })?;
        verdict?;
        for (place, record) in &later {
            visit(first + place, record.as_deref().map(|record| parse(*place, record, blobs)).transpose()?);
        }
        Ok(())
    }

    /// Decodes records and, in one more call for all of them, those whose content is in blobs.
    fn whole<T>(
        &self,
        keyspace: Keyspace,
        rows: &[KeyBuf],
        body_of: fn(&[u8]) -> Result<Body<'_>>,
        decode: Decode<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        let mut found: Vec<Option<T>> = Vec::with_capacity(rows.len());
        let mut long: Vec<(usize, Vec<u8>)> = Vec::new();
        let mut hashes: Vec<ContentHash> = Vec::new();
        let mut verdict = Ok(());
        self.rows(keyspace, rows, &mut |place, record| {
            let one = record.map(|record| match body_of(record)? {
                Body::Here(body) => decode(place, record, body).map(Some),
                Body::Blob(hash) => {
                    long.push((place, record.to_vec()));
                    hashes.push(hash);
                    Ok(None)
                }
            });
            match one.transpose() {
                Ok(one) => found.push(one.flatten()),
                Err(error) => verdict = Err(error),
            }
        })?;
        verdict?;
        if long.is_empty() {
            return Ok(found);
        }
        let mut verdict = Ok(());
        self.reader().blobs(self.scope().tenant(), &hashes, &mut |at, body| {
            let (place, record) = &long[at];
            match body.ok_or_else(missing_blob).and_then(|body| decode(*place, record, body)) {
                Ok(one) => found[*place] = Some(one),
                Err(error) => verdict = Err(error),
            }
        })?;
        verdict.map(|()| found)
    }

    fn concept_keys(&self, wanted: &[(ConceptId, TypeId)]) -> Vec<KeyBuf> {
        wanted.iter().map(|(id, kind)| keys::concept(self.scope(), *kind, *id)).collect()
    }

    fn link_keys(&self, wanted: &[LinkId]) -> Vec<KeyBuf> {
        wanted.iter().map(|id| keys::link(self.scope(), *id)).collect()
    }
}

fn missing_blob() -> GraphError {
    GraphError::BadRecord { what: "concept or link", detail: "the blob with its content is not there".into() }
}
