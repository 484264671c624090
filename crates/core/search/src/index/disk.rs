//! A segment on disk, read through tantivy.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use tantivy::columnar::{BytesColumn, Column, ColumnIndex};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{BlockSegmentPostings, Postings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, InvertedIndexReader, SegmentReader, TERMINATED};

use super::generation::{DocumentNumber, Posting};
use super::key::{Key, Place};
use super::schema::Schema;
use super::segment::{Cursor, NO_MORE, Segment, occurrences};
use super::statistics::Counted;
use crate::SearchError;
use crate::document::FIELDS_MAX;
use crate::rank::spelling::Spelling;
use crate::request::Grouping;

/// Above this many masked documents their postings are read through instead of looked up one by one.
const LOOKUPS_MAX: usize = 256;

/// A segment on disk, and which of its documents something newer stands for.
pub(crate) struct DiskSegment {
    reader: SegmentReader,
    words: [Arc<InvertedIndexReader>; FIELDS_MAX],
    marks: Arc<InvertedIndexReader>,
    lengths: [FieldNormReader; FIELDS_MAX],
    ids: BytesColumn,
    groups: [Column<u64>; 2],
    times: Column<u64>,
    languages: Column<u64>,
    masked: HashSet<DocumentNumber>,
}

impl DiskSegment {
    pub(crate) fn open(reader: SegmentReader, schema: &Schema) -> Result<Self, SearchError> {
        let words: Vec<_> =
            schema.words.iter().map(|field| reader.inverted_index(*field)).collect::<Result<_, _>>()?;
        let lengths: Vec<_> = schema
            .words
            .iter()
            .map(|field| reader.get_fieldnorms_reader(*field))
            .collect::<Result<_, _>>()?;
        let columns = reader.fast_fields();
        let no_ids = || SearchError::Damaged("a segment has no ids".into());
        let every_field = |_| SearchError::Damaged("a segment has not all fields".into());
        Ok(DiskSegment {
            words: words.try_into().map_err(|_: Vec<_>| every_field(()))?,
            lengths: lengths.try_into().map_err(|_: Vec<_>| every_field(()))?,
            marks: reader.inverted_index(schema.marks)?,
            ids: columns.bytes(Schema::ID)?.ok_or_else(no_ids)?,
            groups: [columns.u64(Schema::GROUP)?, columns.u64(Schema::SUBGROUP)?],
            times: columns.u64(Schema::TIME)?,
            languages: columns.u64(Schema::LANGUAGE)?,
            reader,
            masked: HashSet::new(),
        })
    }

    fn postings_of(&self, place: Place) -> &InvertedIndexReader {
        match place {
            Place::Words(field) => &self.words[usize::from(field).min(FIELDS_MAX - 1)],
            Place::Marks => &self.marks,
        }
    }

    /// The live document that has this mark, which at most one has.
    pub(crate) fn find(&self, key: &Key) -> Result<Option<DocumentNumber>, SearchError> {
        let Some(mut cursor) = self.cursor(key)? else { return Ok(None) };
        let mut found = None;
        cursor.visit_until(NO_MORE, &mut |document, _| {
            if self.is_live(document) {
                found = Some(document);
            }
        });
        Ok(found)
    }

    /// Something newer stands for this document; what was counted of it.
    pub(crate) fn mask(&mut self, document: DocumentNumber) -> Counted {
        self.masked.insert(document);
        let language = self.languages.first(document).unwrap_or_default();
        Counted {
            language: u8::try_from(language).unwrap_or_default(),
            length_steps: std::array::from_fn(|field| self.lengths[field].fieldnorm_id(document)),
        }
    }

    /// Marks that begin with `prefix`, in order, until `visit` has enough.
    pub(crate) fn marks_from(
        &self,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), SearchError> {
        let mut terms = self.marks.terms().range().ge(prefix).into_stream()?;
        while terms.advance() {
            if !terms.key().starts_with(prefix) || !visit(terms.key()) {
                break;
            }
        }
        Ok(())
    }

    /// Marks that are written almost so, in order, until `visit` has enough.
    pub(crate) fn near(
        &self,
        spelling: &Spelling,
        visit: &mut impl FnMut(&[u8], u8) -> Result<bool, SearchError>,
    ) -> Result<(), SearchError> {
        let mut terms = self.marks.terms().search(spelling).into_stream()?;
        while terms.advance() {
            if let Some(distance) = spelling.distance(terms.key())
                && !visit(terms.key(), distance)?
            {
                break;
            }
        }
        Ok(())
    }
}

impl Segment for DiskSegment {
    type Cursor<'a> = BlockCursor;

    fn cursor(&self, key: &Key) -> Result<Option<BlockCursor>, SearchError> {
        let option = match key.place {
            Place::Words(_) => IndexRecordOption::WithFreqs,
            Place::Marks => IndexRecordOption::Basic,
        };
        let reader = self.postings_of(key.place);
        let Some(term) = reader.terms().get(&key.bytes)? else { return Ok(None) };
        let blocks = reader.read_block_postings_from_terminfo(&term, option)?;
        Ok(Some(BlockCursor::new(blocks, key.place)))
    }

    fn holders(&self, key: &Key) -> Result<u64, SearchError> {
        let term = self.postings_of(key.place).terms().get(&key.bytes)?;
        Ok(term.map_or(0, |term| u64::from(term.doc_freq)))
    }

    fn count(&self, key: &Key) -> Result<u64, SearchError> {
        let reader = self.postings_of(key.place);
        let Some(term) = reader.terms().get(&key.bytes)? else { return Ok(0) };
        let having = u64::from(term.doc_freq);
        if self.masked.is_empty() && !self.reader.has_deletes() {
            return Ok(having);
        }
        let mut blocks = reader.read_block_postings_from_terminfo(&term, IndexRecordOption::Basic)?;
        if !self.reader.has_deletes() && self.masked.len() <= LOOKUPS_MAX {
            let mut masked: Vec<_> = self.masked.iter().copied().collect();
            masked.sort_unstable();
            let mut holds = |document: &&DocumentNumber| {
                let at = blocks.seek(**document);
                blocks.doc(at) == **document
            };
            return Ok(having - masked.iter().filter(|document| holds(document)).count() as u64);
        }
        let mut live = 0;
        BlockCursor::new(blocks, Place::Marks)
            .visit_until(NO_MORE, &mut |document, _| live += u64::from(self.is_live(document)));
        Ok(live)
    }

    fn phrase(&self, field: u8, words: &[(u32, Key)]) -> Result<Vec<Posting>, SearchError> {
        let mut lists = Vec::with_capacity(words.len());
        for (distance, key) in words {
            let reader = self.postings_of(Place::Words(field));
            let Some(term) = reader.terms().get(&key.bytes)? else { return Ok(Vec::new()) };
            let list = reader.read_postings_from_terminfo(&term, IndexRecordOption::WithFreqsAndPositions)?;
            lists.push((*distance, list));
        }
        let rarest = (0..lists.len()).min_by_key(|at| lists[*at].1.doc_freq());
        let Some(rarest) = rarest else { return Ok(Vec::new()) };
        let mut positions: Vec<(u32, Vec<u32>)> =
            lists.iter().map(|(distance, _)| (*distance, Vec::new())).collect();
        let mut found = Vec::new();
        let mut document = lists[rarest].1.doc();
        'documents: while document != TERMINATED {
            for (_, list) in &mut lists {
                let at = if list.doc() < document { list.seek(document) } else { list.doc() };
                if at != document {
                    let next = at.max(document + 1);
                    let rarest = &mut lists[rarest].1;
                    document = if rarest.doc() < next { rarest.seek(next) } else { rarest.doc() };
                    continue 'documents;
                }
            }
            for ((_, list), (_, places)) in lists.iter_mut().zip(&mut positions) {
                list.positions(places);
            }
            let times = occurrences(&positions);
            if times > 0 {
                found.push(Posting { document, times });
            }
            document = lists[rarest].1.advance();
        }
        Ok(found)
    }

    fn holding(&self, key: &Key, documents: &[DocumentNumber]) -> Result<Vec<bool>, SearchError> {
        let reader = self.postings_of(key.place);
        let Some(term) = reader.terms().get(&key.bytes)? else { return Ok(vec![false; documents.len()]) };
        let mut blocks = reader.read_block_postings_from_terminfo(&term, IndexRecordOption::Basic)?;
        let holds = |document: &DocumentNumber| {
            let at = blocks.seek(*document);
            blocks.doc(at) == *document
        };
        Ok(documents.iter().map(holds).collect())
    }

    fn is_live(&self, document: DocumentNumber) -> bool {
        !self.reader.is_deleted(document) && (self.masked.is_empty() || !self.masked.contains(&document))
    }

    #[inline]
    fn length_step(&self, field: u8, document: DocumentNumber) -> u8 {
        self.lengths[usize::from(field)].fieldnorm_id(document)
    }

    fn compare_ids(&self, left: DocumentNumber, right: DocumentNumber) -> Ordering {
        // Ordinals of a dictionary that is sorted by id.
        let ordinal = |document| value(self.ids.ords(), document);
        ordinal(left).cmp(&ordinal(right))
    }

    fn id(&self, document: DocumentNumber) -> Result<Vec<u8>, SearchError> {
        let mut id = Vec::new();
        if let Some(ordinal) = self.ids.ords().first(document) {
            self.ids.ord_to_bytes(ordinal, &mut id)?;
        }
        Ok(id)
    }

    fn group(&self, grouping: Grouping, document: DocumentNumber) -> u64 {
        value(&self.groups[grouping.place()], document).unwrap_or_default()
    }

    fn time_ms(&self, document: DocumentNumber) -> u64 {
        value(&self.times, document).unwrap_or_default()
    }

    fn newest_ms(&self) -> u64 {
        self.times.values.max_value()
    }
}

/// The value of a document. Where every document has exactly one, its place need not be looked up.
#[inline]
fn value(column: &Column<u64>, document: DocumentNumber) -> Option<u64> {
    match &column.index {
        ColumnIndex::Full => Some(column.values.get_val(document)),
        ColumnIndex::Empty { .. } | ColumnIndex::Optional(_) | ColumnIndex::Multivalued(_) => {
            column.first(document)
        }
    }
}

/// A walk over postings on disk, block by block.
pub(crate) struct BlockCursor {
    blocks: BlockSegmentPostings,
    at: usize,
    /// Whether it is known how often documents hold the term.
    has_times: bool,
}

impl BlockCursor {
    fn new(blocks: BlockSegmentPostings, place: Place) -> Self {
        BlockCursor { blocks, at: 0, has_times: matches!(place, Place::Words(_)) }
    }
}

impl Cursor for BlockCursor {
    fn next(&self) -> DocumentNumber {
        self.blocks.docs().get(self.at).copied().unwrap_or(NO_MORE)
    }

    #[inline]
    fn visit_until(&mut self, end: DocumentNumber, visit: &mut impl FnMut(DocumentNumber, u32)) {
        loop {
            let documents = self.blocks.docs().get(self.at..).unwrap_or_default();
            if documents.is_empty() {
                return;
            }
            let before_end = documents.partition_point(|document| *document < end);
            if self.has_times {
                let times = self.blocks.freqs().get(self.at..).unwrap_or_default();
                for (document, times) in documents[..before_end].iter().zip(times) {
                    visit(*document, *times);
                }
            } else {
                documents[..before_end].iter().for_each(|document| visit(*document, 1));
            }
            self.at += before_end;
            if before_end < documents.len() {
                return;
            }
            self.blocks.advance();
            self.at = 0;
        }
    }
}
