//! How many different subjects and objects a predicate has.
//!
//! An end is new when no other link of its predicate has it, which one look at an index says. Whether it is
//! lost is looked at when all is done: a look passes over everything that the transaction deleted before, so
//! one after each link would take the longer the more goes.

use std::collections::BTreeSet;

use cairn_base::KeyBuf;

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
        let is_known_subject = self.becomes_end(PSO, self.subject_key(predicate, subject), subject)?;
        let is_known_object = self.becomes_end(OPS, self.object_key(predicate, object), object)?;
        // What lost a link in this transaction is still counted.
        if !is_known_subject && !self.lost.subjects.contains(&(predicate, subject)) {
            self.tally.add(Statistic::Subjects(predicate), 1);
        }
        if !is_known_object && !self.lost.objects.contains(&(predicate, object)) {
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
                page.iter().map(|(predicate, end)| self.subject_key(*predicate, *end)).collect();
            for ((predicate, _), is_left) in page.iter().zip(self.occupied(PSO, &prefixes)?) {
                self.tally.add(Statistic::Subjects(*predicate), -i64::from(!is_left));
            }
        }
        let objects: Vec<(PredicateId, Element)> = objects.into_iter().collect();
        for page in objects.chunks(PAGE) {
            let prefixes: Vec<KeyBuf> =
                page.iter().map(|(predicate, end)| self.object_key(*predicate, *end)).collect();
            for ((predicate, _), is_left) in page.iter().zip(self.occupied(OPS, &prefixes)?) {
                self.tally.add(Statistic::Objects(*predicate), -i64::from(!is_left));
            }
        }
        Ok(())
    }
}
