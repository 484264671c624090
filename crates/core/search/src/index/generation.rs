//! Documents that are not on disk yet, with postings in memory.
//!
//! A generation grows until it is written to disk as a whole; meanwhile the next one grows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::key::{Key, PartitionNumber, Place};
use super::prepared::Prepared;
use super::statistics::Counted;
use crate::SearchError;
use crate::document::FIELDS_MAX;
use crate::rank::spelling::Spelling;

/// Number of a document inside a generation or a segment.
pub(crate) type DocumentNumber = u32;
/// Number of a term inside a generation.
type TermNumber = u32;

/// One posting: a document, and how often it holds the term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) document: DocumentNumber,
    pub(crate) times: u32,
}

/// A document of a generation.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) partition: PartitionNumber,
    pub(crate) id: Box<[u8]>,
    /// Its group and its smaller group.
    pub(crate) groups: [u64; 2],
    pub(crate) time_ms: u64,
    pub(crate) counted: Counted,
    /// Its words, field after field: terms and positions.
    words: Box<[(TermNumber, u32)]>,
    /// Where the words of each field end.
    field_ends: [u32; FIELDS_MAX],
    marks: Box<[TermNumber]>,
}

/// Documents in memory.
#[derive(Debug, Default)]
pub(crate) struct Generation {
    documents: Vec<Kept>,
    by_id: HashMap<(PartitionNumber, Box<[u8]>), DocumentNumber>,
    /// Ids whose document in older generations and on disk counts no more.
    superseded: HashSet<(PartitionNumber, Box<[u8]>)>,
    /// Terms by the hash of their names.
    terms: HashTable<TermNumber>,
    hasher: DefaultHashBuilder,
    names: Vec<Key>,
    postings: Vec<Vec<Posting>>,
    /// Words as they are written, and tags, in order: these are looked for by how they begin.
    surfaces: BTreeMap<Box<[u8]>, TermNumber>,
    bytes: usize,
}

impl Generation {
    /// Adds a document; an older one of its id must have been buried before.
    pub(crate) fn add(&mut self, prepared: &Prepared) {
        let number = DocumentNumber::try_from(self.documents.len()).unwrap_or(DocumentNumber::MAX);
        let mut words = Vec::with_capacity(prepared.fields.iter().map(super::prepared::Words::len).sum());
        let mut field_ends = [0; FIELDS_MAX];
        let mut key = Key { place: Place::Marks, bytes: Vec::new() };
        let prefix = prepared.partition.word_prefix();
        for (place, field) in prepared.fields.iter().enumerate() {
            key.place = Place::Words(u8::try_from(place).unwrap_or(u8::MAX));
            for (word, position) in field.iter() {
                key.bytes.clear();
                key.bytes.extend_from_slice(prefix.as_bytes());
                key.bytes.extend_from_slice(word.as_bytes());
                let term = self.intern(&key);
                words.push((term, position));
                self.count(term, number);
            }
            field_ends[place] = u32::try_from(words.len()).unwrap_or(u32::MAX);
        }
        key.place = Place::Marks;
        let mut marks = Vec::with_capacity(prepared.marks.len());
        for mark in prepared.marks.iter() {
            key.bytes.clear();
            key.bytes.extend_from_slice(mark);
            marks.push(self.intern(&key));
        }
        marks.sort_unstable();
        marks.dedup();
        marks.iter().for_each(|term| self.count(*term, number));
        self.bytes += 160 + prepared.id.len() * 2 + words.len() * 8 + marks.len() * 4;
        self.by_id.insert((prepared.partition, prepared.id.clone()), number);
        self.documents.push(Kept {
            partition: prepared.partition,
            id: prepared.id.clone(),
            groups: prepared.groups,
            time_ms: prepared.time_ms,
            counted: prepared.counted,
            words: words.into(),
            field_ends,
            marks: marks.into(),
        });
    }

    fn term(&self, key: &Key) -> Option<TermNumber> {
        let is_it = |term: &TermNumber| self.names.get(*term as usize) == Some(key);
        self.terms.find(self.hasher.hash_one(key), is_it).copied()
    }

    fn intern(&mut self, key: &Key) -> TermNumber {
        let hash = self.hasher.hash_one(key);
        let is_it = |term: &TermNumber| self.names.get(*term as usize) == Some(key);
        if let Some(term) = self.terms.find(hash, is_it) {
            return *term;
        }
        let term = TermNumber::try_from(self.names.len()).unwrap_or(TermNumber::MAX);
        self.names.push(key.clone());
        let Generation { terms, names, hasher, .. } = self;
        terms.insert_unique(hash, term, |term| hasher.hash_one(&names[*term as usize]));
        self.postings.push(Vec::new());
        self.bytes += key.bytes.len() + 80;
        if key.place == Place::Marks && matches!(key.bytes.first(), Some(b's' | b't')) {
            self.surfaces.insert(key.bytes.as_slice().into(), term);
            self.bytes += key.bytes.len() + 32;
        }
        term
    }

    fn count(&mut self, term: TermNumber, document: DocumentNumber) {
        let Some(postings) = self.postings.get_mut(term as usize) else { return };
        match postings.last_mut() {
            Some(last) if last.document == document => last.times += 1,
            _ => {
                postings.push(Posting { document, times: 1 });
                self.bytes += 8;
            }
        }
    }

    /// The newest document of an id.
    pub(crate) fn find(&self, partition: PartitionNumber, id: &[u8]) -> Option<DocumentNumber> {
        self.by_id.get(&(partition, id.into())).copied()
    }

    /// The document of an id in older generations and on disk counts no more.
    pub(crate) fn supersede(&mut self, partition: PartitionNumber, id: &[u8]) {
        self.bytes += 64 + id.len();
        self.superseded.insert((partition, id.into()));
    }

    pub(crate) fn superseded(&self) -> impl Iterator<Item = (PartitionNumber, &[u8])> {
        self.superseded.iter().map(|(partition, id)| (*partition, &**id))
    }

    /// Its documents, in the order they came.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (DocumentNumber, &Kept)> {
        (0..).zip(&self.documents)
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Nothing was added and nothing superseded.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.superseded.is_empty()
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn document(&self, number: DocumentNumber) -> Option<&Kept> {
        self.documents.get(number as usize)
    }

    pub(crate) fn postings(&self, key: &Key) -> &[Posting] {
        let term = self.term(key);
        term.and_then(|term| self.postings.get(term as usize)).map_or(&[], Vec::as_slice)
    }

    /// Where a term stands in a field of a document.
    pub(crate) fn positions(&self, document: DocumentNumber, field: u8, key: &Key, out: &mut Vec<u32>) {
        out.clear();
        let (Some(kept), Some(term)) = (self.document(document), self.term(key)) else { return };
        let words = &kept.words[kept.field_range(field)];
        out.extend(words.iter().filter(|(word, _)| *word == term).map(|(_, position)| *position));
    }

    /// Words as they are written, and tags, that begin so, in order.
    pub(crate) fn surfaces_from<'a>(&'a self, start: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let range =
            self.surfaces.range::<[u8], _>((std::ops::Bound::Included(start), std::ops::Bound::Unbounded));
        range.map(|(key, _)| &**key).take_while(move |key| key.starts_with(start))
    }

    /// Words as they are written almost so, in order, until `visit` has enough.
    pub(crate) fn near(
        &self,
        spelling: &Spelling,
        visit: &mut impl FnMut(&[u8], u8) -> Result<bool, SearchError>,
    ) -> Result<(), SearchError> {
        for mark in self.surfaces_from(spelling.prefix()) {
            if let Some(distance) = spelling.distance(mark)
                && !visit(mark, distance)?
            {
                break;
            }
        }
        Ok(())
    }

    /// The words of a field of a document, with their positions, without the prefix of its partition.
    pub(crate) fn words<'a>(&'a self, kept: &'a Kept, field: u8) -> impl Iterator<Item = (&'a [u8], u32)> {
        let prefix = kept.partition.word_prefix().len();
        kept.words[kept.field_range(field)].iter().filter_map(move |(term, position)| {
            Some((self.names.get(*term as usize)?.bytes.get(prefix..)?, *position))
        })
    }

    /// Everything else a document is found or filtered by.
    pub(crate) fn marks<'a>(&'a self, kept: &'a Kept) -> impl Iterator<Item = &'a [u8]> {
        kept.marks.iter().filter_map(|term| Some(self.names.get(*term as usize)?.bytes.as_slice()))
    }
}

impl Kept {
    fn field_range(&self, field: u8) -> Range<usize> {
        let at = usize::from(field);
        let start = at.checked_sub(1).and_then(|before| self.field_ends.get(before)).copied().unwrap_or(0);
        let end = self.field_ends.get(at).copied().unwrap_or(start);
        start as usize..end as usize
    }
}
