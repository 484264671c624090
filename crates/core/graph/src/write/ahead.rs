//! Reading ahead: whoever writes many elements asks the store a few times, and not for each of them.

use std::collections::BTreeMap;

use cairn_base::KeyBuf;
use cairn_seam::{KeyRange, Keyspace, Visit};

use super::Writer;
use crate::counters::Counters;
use crate::tables::{OPS, PSO};
use crate::{Element, PredicateId, Result};

/// What is known while a writer reads ahead.
#[derive(Default)]
pub(super) struct Ahead {
    /// The last numbers before: whatever has a higher one was made here.
    before: Counters,
    /// Of predicates with a subject or an object: whether there is a link of them.
    ends: BTreeMap<(Keyspace, KeyBuf), bool>,
}

impl Ahead {
    /// Whether no number was given since, and no definition changed.
    pub(super) fn is_before(&self, counters: &Counters) -> bool {
        self.before == *counters
    }
}

impl Writer<'_> {
    /// Remembers every row that is read from now on, and asks for none of them again. Deleting ends that.
    ///
    /// Read what is to be written through [`view`](Writer::view), in batches, and then write it.
    pub fn read_ahead(&mut self) -> Result<()> {
        let before = *self.counters()?;
        self.tx.remember();
        self.ahead = Some(Ahead { before, ends: BTreeMap::new() });
        Ok(())
    }

    /// Learns in two calls of which of these there are links already; counting new ones takes that.
    pub fn read_ends_ahead(
        &mut self,
        subjects: &[(PredicateId, Element)],
        objects: &[(PredicateId, Element)],
    ) -> Result<()> {
        let subjects = subjects.iter().map(|(predicate, end)| self.subject_key(*predicate, *end)).collect();
        let objects = objects.iter().map(|(predicate, end)| self.object_key(*predicate, *end)).collect();
        self.learn_ends(PSO, subjects)?;
        self.learn_ends(OPS, objects)
    }

    fn learn_ends(&mut self, keyspace: Keyspace, prefixes: Vec<KeyBuf>) -> Result<()> {
        let found = self.occupied(keyspace, &prefixes)?;
        if let Some(ahead) = &mut self.ahead {
            ahead.ends.extend(prefixes.into_iter().map(|prefix| (keyspace, prefix)).zip(found));
        }
        Ok(())
    }

    /// Nothing is known any more but what the store says.
    pub(super) fn stop_reading_ahead(&mut self) {
        self.tx.forget();
        self.ahead = None;
    }

    /// Whether a link has this subject, or this object, with a predicate; from now on one has.
    pub(super) fn becomes_end(&mut self, keyspace: Keyspace, prefix: KeyBuf, end: Element) -> Result<bool> {
        let is_new = self.is_new(end);
        let known =
            self.ahead.as_ref().and_then(|ahead| ahead.ends.get(&(keyspace, prefix.clone())).copied());
        let was = match known {
            Some(known) => known,
            None if is_new => false,
            None => self.occupied(keyspace, std::slice::from_ref(&prefix))?.contains(&true),
        };
        if let Some(ahead) = &mut self.ahead {
            ahead.ends.insert((keyspace, prefix), true);
        }
        Ok(was)
    }

    /// Whether something was made here while everything is remembered: then the store knows no more of it.
    pub(super) fn is_new(&self, element: Element) -> bool {
        let Some(ahead) = self.ahead.as_ref().filter(|_| self.tx.remembers()) else { return false };
        match element {
            Element::Concept(id) => id.0 > ahead.before.concept,
            Element::Link(id) => id.0 > ahead.before.link,
        }
    }

    pub(super) fn subject_key(&self, predicate: PredicateId, subject: Element) -> KeyBuf {
        self.scope.key().u64(predicate.0).u64(subject.to_u64())
    }

    pub(super) fn object_key(&self, predicate: PredicateId, object: Element) -> KeyBuf {
        self.scope.key().u64(object.to_u64()).u64(predicate.0)
    }

    /// Which of these prefixes some key begins with.
    pub(super) fn occupied(&self, keyspace: Keyspace, prefixes: &[KeyBuf]) -> Result<Vec<bool>> {
        let ranges: Vec<KeyRange> = prefixes.iter().map(|prefix| KeyRange::prefix(prefix).limit(1)).collect();
        let mut found = vec![false; prefixes.len()];
        self.view().reader().multi_scan(keyspace, &ranges, &mut |place, _, _| {
            found[place] = true;
            Visit::NextRange
        })?;
        Ok(found)
    }
}
