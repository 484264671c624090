//! Everything that a search looks at: segments on disk, and what is not there yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cairn_base::Position;

use super::disk::DiskSegment;
use super::generation::{DocumentNumber, Generation, Posting};
use super::key::{Key, PartitionNumber, Place};
use super::segment::{Cursor as _, NO_MORE, Segment};
use super::statistics::{Counted, Statistics};
use super::tail::Layer;
use crate::SearchError;
use crate::rank::collect::{All, Best, Collect};
use crate::rank::evaluate::{Window, evaluate};
use crate::rank::plan::{Corpus, NearMark, Plan};
use crate::rank::spelling::Spelling;
use crate::request::Grouping;

/// All documents at one position.
pub(crate) struct View {
    pub(crate) disk: Vec<DiskSegment>,
    /// On its way to the disk.
    pub(crate) frozen: Option<Layer<Arc<Generation>>>,
    pub(crate) growing: Layer<Box<Generation>>,
    pub(crate) statistics: Statistics,
    pub(crate) position: Position,
    /// Up to here everything is on disk.
    pub(crate) written: Position,
}

/// One of the segments.
#[derive(Clone, Copy)]
enum Any<'a> {
    Disk(&'a DiskSegment),
    Frozen(&'a Layer<Arc<Generation>>),
    Growing(&'a Layer<Box<Generation>>),
}

/// Does the same to whatever kind of segment it is.
macro_rules! with {
    ($any:expr, $segment:ident => $body:expr) => {
        match $any {
            Any::Disk($segment) => $body,
            Any::Frozen($segment) => $body,
            Any::Growing($segment) => $body,
        }
    };
}

impl View {
    fn segments(&self) -> impl Iterator<Item = Any<'_>> {
        let disk = self.disk.iter().map(Any::Disk);
        disk.chain(self.frozen.iter().map(Any::Frozen)).chain(std::iter::once(Any::Growing(&self.growing)))
    }

    fn segment(&self, number: usize) -> Any<'_> {
        self.segments().nth(number).unwrap_or(Any::Growing(&self.growing))
    }

    /// Hands every hit of a plan to `collect`.
    pub(crate) fn evaluate<C>(&self, plan: &Plan, collect: &mut C) -> Result<(), SearchError>
    where
        C: Collect<DiskSegment> + Collect<Layer<Arc<Generation>>> + Collect<Layer<Box<Generation>>>,
    {
        self.evaluate_in(self.segments().enumerate(), plan, collect)
    }

    /// The same, beginning with the segments that may hold the newest documents.
    pub(crate) fn evaluate_newest_first<C>(&self, plan: &Plan, collect: &mut C) -> Result<(), SearchError>
    where
        C: Collect<DiskSegment> + Collect<Layer<Arc<Generation>>> + Collect<Layer<Box<Generation>>>,
    {
        let mut segments: Vec<_> = self.segments().enumerate().collect();
        segments.sort_by_key(|(_, any)| std::cmp::Reverse(with!(any, segment => segment.newest_ms())));
        self.evaluate_in(segments.into_iter(), plan, collect)
    }

    fn evaluate_in<'a, C>(
        &'a self,
        segments: impl Iterator<Item = (usize, Any<'a>)>,
        plan: &Plan,
        collect: &mut C,
    ) -> Result<(), SearchError>
    where
        C: Collect<DiskSegment> + Collect<Layer<Arc<Generation>>> + Collect<Layer<Box<Generation>>>,
    {
        let mut window = Window::default();
        for (number, any) in segments {
            with!(any, segment => {
                collect.begin(segment);
                evaluate(segment, number, plan, &mut window, collect)?;
                collect.end(segment);
            });
        }
        Ok(())
    }

    pub(crate) fn id(&self, best: &Best) -> Result<Vec<u8>, SearchError> {
        with!(self.segment(best.segment), segment => segment.id(best.document))
    }

    pub(crate) fn group(&self, grouping: Grouping, best: &Best) -> u64 {
        with!(self.segment(best.segment), segment => segment.group(grouping, best.document))
    }

    pub(crate) fn time_ms(&self, best: &Best) -> u64 {
        with!(self.segment(best.segment), segment => segment.time_ms(best.document))
    }

    /// Which of these documents of a segment, in ascending order, hold a term.
    pub(crate) fn holding(
        &self,
        key: &Key,
        number: usize,
        documents: &[DocumentNumber],
    ) -> Result<Vec<bool>, SearchError> {
        with!(self.segment(number), segment => segment.holding(key, documents))
    }

    /// The document of an id counts no more, if it is on disk.
    pub(crate) fn bury_on_disk(&mut self, partition: PartitionNumber, id: &[u8]) -> Result<(), SearchError> {
        let counted = self.mask(partition, id)?;
        self.uncount(partition, counted);
        Ok(())
    }

    /// The document of an id counts no more, if it is not on disk yet.
    pub(crate) fn bury_in_memory(&mut self, partition: PartitionNumber, id: &[u8]) {
        let mut counted = self.growing.bury(partition, id);
        if counted.is_none() {
            counted = self.frozen.as_mut().and_then(|frozen| frozen.bury(partition, id));
        }
        self.uncount(partition, counted);
    }

    fn uncount(&mut self, partition: PartitionNumber, counted: Option<Counted>) {
        if let (Some(counted), Some(counts)) = (counted, self.statistics.counts_mut(partition)) {
            counts.remove(counted);
        }
    }

    fn mask(&mut self, partition: PartitionNumber, id: &[u8]) -> Result<Option<Counted>, SearchError> {
        let key = partition.document(id);
        for segment in &mut self.disk {
            if let Some(document) = segment.find(&key)? {
                return Ok(Some(segment.mask(document)));
            }
        }
        Ok(None)
    }

    /// New segments are on disk: what the growing generation stands for is masked in them too.
    pub(crate) fn replace_disk(&mut self, disk: Vec<DiskSegment>) -> Result<(), SearchError> {
        self.disk = disk;
        self.frozen = None;
        let superseded: Vec<_> =
            self.growing.generation.superseded().map(|(partition, id)| (partition, id.to_vec())).collect();
        for (partition, id) in superseded {
            // Its counts are gone already.
            self.mask(partition, &id)?;
        }
        Ok(())
    }
}

impl Corpus for View {
    fn count(&self, key: &Key) -> Result<u64, SearchError> {
        let mut sum = 0;
        for any in self.segments() {
            sum += with!(any, segment => segment.count(key))?;
        }
        Ok(sum)
    }

    fn phrase(&self, field: u8, words: &[(u32, Key)]) -> Result<(Vec<Vec<Posting>>, u64), SearchError> {
        let mut lists = Vec::new();
        let mut live = 0;
        for any in self.segments() {
            let list = with!(any, segment => {
                let list = segment.phrase(field, words)?;
                live += list.iter().filter(|posting| segment.is_live(posting.document)).count() as u64;
                list
            });
            lists.push(list);
        }
        Ok((lists, live))
    }

    fn marks_from(&self, prefix: &[u8], limit: usize) -> Result<Vec<Vec<u8>>, SearchError> {
        let mut found = BTreeSet::new();
        for any in self.segments() {
            let mut room = limit;
            let mut take = |mark: &[u8]| {
                found.insert(mark.to_vec());
                room = room.saturating_sub(1);
                room > 0
            };
            match any {
                Any::Disk(segment) => segment.marks_from(prefix, &mut take)?,
                Any::Frozen(layer) => {
                    layer.generation.surfaces_from(prefix).take_while(|mark| take(mark)).for_each(drop);
                }
                Any::Growing(layer) => {
                    layer.generation.surfaces_from(prefix).take_while(|mark| take(mark)).for_each(drop);
                }
            }
        }
        Ok(found.into_iter().take(limit).collect())
    }

    fn near(&self, spelling: &Spelling, limit: usize) -> Result<Vec<NearMark>, SearchError> {
        let mut found: BTreeMap<Vec<u8>, (u8, u64)> = BTreeMap::new();
        for any in self.segments() {
            let mut room = limit;
            let mut take = |mark: &[u8], distance: u8| {
                if !found.contains_key(mark) {
                    // What only dead documents hold depends on when segments were merged last.
                    let having = self.count(&Key { place: Place::Marks, bytes: mark.to_vec() })?;
                    if having == 0 {
                        return Ok(true);
                    }
                    found.insert(mark.to_vec(), (distance, having));
                }
                room = room.saturating_sub(1);
                Ok(room > 0)
            };
            match any {
                Any::Disk(segment) => segment.near(spelling, &mut take)?,
                Any::Frozen(layer) => layer.generation.near(spelling, &mut take)?,
                Any::Growing(layer) => layer.generation.near(spelling, &mut take)?,
            }
        }
        let mark = |(bytes, (distance, having))| NearMark { bytes, distance, having };
        Ok(found.into_iter().take(limit).map(mark).collect())
    }

    fn admitted(&self, plan: &Plan, keys: &[Key]) -> Result<Vec<u64>, SearchError> {
        let mut all = All::default();
        self.evaluate(plan, &mut all)?;
        let mut counts = vec![0; keys.len()];
        for (any, documents) in self.segments().zip(&all.finished) {
            if documents.is_empty() {
                continue;
            }
            for (key, count) in keys.iter().zip(&mut counts) {
                let mut tally = |document, _| *count += u64::from(documents.binary_search(&document).is_ok());
                with!(any, segment => {
                    if let Some(mut cursor) = segment.cursor(key)? {
                        cursor.visit_until(NO_MORE, &mut tally);
                    }
                });
            }
        }
        Ok(counts)
    }
}
