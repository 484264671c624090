//! How many different subjects and objects a predicate has.
//!
//! An end is new when no other link of its predicate has it, which one look at an index says. Whether it is
//! lost is looked at when all is done: a look passes over everything that the transaction deleted before, so
//! one after each link would take the longer the more goes.

use std::collections::BTreeSet;

use cairn_base::KeyBuf;
use cairn_seam::{KeyRange, Keyspace, Visit};

use super::Writer;
use crate::statistics::Statistic;
use crate::tables::{OPS, PSO};
use crate::{Edge, Element, PredicateId, Result};

/// Ends that are looked at at once.
const PAGE: usize = 1024;

/// Ends that lost a link. They are counted, and may have others.
#[derive(Debug, Default)]
pub(super) struct LostEnds {
    subjects: BTreeSet<(PredicateId, Element)>,
    objects: BTreeSet<(PredicateId, Element)>,
}

impl Writer<'_> {
    /// Counts the ends of a link that is about to be there.
    pub(super) fn count_new_ends(&mut self, edge: &Edge) -> Result<()> {
        let (predicate, subject, object) = (edge.predicate, edge.subject, edge.object);
        // What lost a link in this transaction is still counted.
        if !self.lost.subjects.contains(&(predicate, subject))
            && !self.occupied(PSO, &[self.subject_prefix(predicate, subject)])?.contains(&true)
        {
            self.tally.add(Statistic::Subjects(predicate), 1);
        }
        if !self.lost.objects.contains(&(predicate, object))
            && !self.occupied(OPS, &[self.object_prefix(predicate, object)])?.contains(&true)
        {
            self.tally.add(Statistic::Objects(predicate), 1);
        }
        Ok(())
    }

    /// Remembers the ends of a link that was deleted.
    pub(super) fn note_lost_ends(&mut self, edge: &Edge) {
        self.lost.subjects.insert((edge.predicate, edge.subject));
        self.lost.objects.insert((edge.predicate, edge.object));
    }

    /// Takes those ends off the counts that have no link of their predicate any more.
    pub(super) fn count_lost_ends(&mut self) -> Result<()> {
        let LostEnds { subjects, objects } = std::mem::take(&mut self.lost);
        let subjects: Vec<(PredicateId, Element)> = subjects.into_iter().collect();
        for page in subjects.chunks(PAGE) {
            let prefixes: Vec<KeyBuf> =
                page.iter().map(|(predicate, end)| self.subject_prefix(*predicate, *end)).collect();
            for ((predicate, _), is_left) in page.iter().zip(self.occupied(PSO, &prefixes)?) {
                self.tally.add(Statistic::Subjects(*predicate), -i64::from(!is_left));
            }
        }
        let objects: Vec<(PredicateId, Element)> = objects.into_iter().collect();
        for page in objects.chunks(PAGE) {
            let prefixes: Vec<KeyBuf> =
                page.iter().map(|(predicate, end)| self.object_prefix(*predicate, *end)).collect();
            for ((predicate, _), is_left) in page.iter().zip(self.occupied(OPS, &prefixes)?) {
                self.tally.add(Statistic::Objects(*predicate), -i64::from(!is_left));
            }
        }
        Ok(())
    }

    fn subject_prefix(&self, predicate: PredicateId, subject: Element) -> KeyBuf {
        self.scope.key().u64(predicate.0).u64(subject.to_u64())
    }

    fn object_prefix(&self, predicate: PredicateId, object: Element) -> KeyBuf {
        self.scope.key().u64(object.to_u64()).u64(predicate.0)
    }

    /// Which of these prefixes some key begins with.
    fn occupied(&self, keyspace: Keyspace, prefixes: &[KeyBuf]) -> Result<Vec<bool>> {
        let ranges: Vec<KeyRange> = prefixes.iter().map(|prefix| KeyRange::prefix(prefix).limit(1)).collect();
        let mut found = vec![false; prefixes.len()];
        self.tx.multi_scan(keyspace, &ranges, &mut |place, _, _| {
            found[place] = true;
            Visit::NextRange
        })?;
        Ok(found)
    }
}
