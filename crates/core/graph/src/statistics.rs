//! How many there are of what: exact, for whoever plans a query.

use std::collections::BTreeMap;

use cairn_access::Scope;
use cairn_base::{KeyBuf, KeyReader, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

use crate::tables::STATISTICS;
use crate::{GraphError, PredicateId, Result, TypeId, View};

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statistic {
    /// Concepts of a type.
    Type(TypeId),
    /// Links of a predicate.
    Predicate(PredicateId),
    /// Different subjects of a predicate.
    Subjects(PredicateId),
    /// Different objects of a predicate.
    Objects(PredicateId),
    /// Links of a predicate whose subject is a concept of a type.
    SubjectType(TypeId, PredicateId),
    /// Links of a predicate whose object is a concept of a type.
    ObjectType(PredicateId, TypeId),
}

const TYPE: u8 = 1;
const PREDICATE: u8 = 2;
const SUBJECTS: u8 = 3;
const OBJECTS: u8 = 4;
const SUBJECT_TYPE: u8 = 5;
const OBJECT_TYPE: u8 = 6;

impl Statistic {
    pub(crate) fn key(self, scope: &Scope) -> KeyBuf {
        let (kind, a, b) = match self {
            Statistic::Type(kind) => (TYPE, kind.0, 0),
            Statistic::Predicate(predicate) => (PREDICATE, predicate.0, 0),
            Statistic::Subjects(predicate) => (SUBJECTS, predicate.0, 0),
            Statistic::Objects(predicate) => (OBJECTS, predicate.0, 0),
            Statistic::SubjectType(kind, predicate) => (SUBJECT_TYPE, kind.0, predicate.0),
            Statistic::ObjectType(predicate, kind) => (OBJECT_TYPE, predicate.0, kind.0),
        };
        scope.key().u8(kind).u64(a).u64(b)
    }

    fn from_key(key: &[u8]) -> Result<Self> {
        let mut parts = KeyReader::new(key);
        let numbers = (|| {
            let (_tenant, _space) = (parts.tenant()?, parts.space()?);
            let numbers = (parts.u8()?, parts.u64()?, parts.u64()?);
            parts.finish().map(|()| numbers)
        })();
        match numbers.map_err(|error| bad(error.to_string()))? {
            (TYPE, kind, 0) => Ok(Statistic::Type(TypeId(kind))),
            (PREDICATE, predicate, 0) => Ok(Statistic::Predicate(PredicateId(predicate))),
            (SUBJECTS, predicate, 0) => Ok(Statistic::Subjects(PredicateId(predicate))),
            (OBJECTS, predicate, 0) => Ok(Statistic::Objects(PredicateId(predicate))),
            (SUBJECT_TYPE, kind, predicate) => {
                Ok(Statistic::SubjectType(TypeId(kind), PredicateId(predicate)))
            }
            (OBJECT_TYPE, predicate, kind) => Ok(Statistic::ObjectType(PredicateId(predicate), TypeId(kind))),
            (kind, ..) => Err(bad(format!("there is no count of kind {kind}"))),
        }
    }
}

impl View<'_> {
    /// How many there are. Inside a [`Writer`](crate::Writer), what it changed counts once it has finished.
    pub fn count(&self, of: Statistic) -> Result<u64> {
        let mut count = Ok(0);
        self.rows(STATISTICS, &[of.key(self.scope())], &mut |_, value| count = value.map_or(Ok(0), decode))?;
        count
    }

    /// Every count that is not zero, those of one kind together.
    pub fn statistics(&self, visit: &mut dyn FnMut(Statistic, u64) -> Visit) -> Result<()> {
        self.statistics_in(&[KeyRange::prefix(&self.scope().key())], visit)
    }

    /// Those that are about a predicate alone.
    pub fn predicate_statistics(&self, visit: &mut dyn FnMut(Statistic, u64) -> Visit) -> Result<()> {
        let of_kind = |kind: u8| KeyRange::prefix(&self.scope().key().u8(kind));
        self.statistics_in(&[PREDICATE, SUBJECTS, OBJECTS].map(of_kind), visit)
    }

    fn statistics_in(
        &self,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(Statistic, u64) -> Visit,
    ) -> Result<()> {
        let mut verdict = Ok(());
        self.reader().multi_scan(STATISTICS, ranges, &mut |_, key, value| match Statistic::from_key(key)
            .and_then(|statistic| Ok((statistic, decode(value)?)))
        {
            Ok((statistic, count)) => visit(statistic, count),
            Err(error) => {
                verdict = Err(error);
                Visit::Stop
            }
        })?;
        verdict
    }
}

/// Changes of counts, gathered until a statement is done: a count is written once, however often it changed.
#[derive(Debug, Default)]
pub(crate) struct Tally(BTreeMap<Statistic, i64>);

impl Tally {
    pub(crate) fn add(&mut self, of: Statistic, change: i64) {
        *self.0.entry(of).or_default() += change;
    }

    /// How many there are, with what is not written yet.
    pub(crate) fn count<R: Reader + ?Sized>(&self, reader: &R, scope: &Scope, of: Statistic) -> Result<u64> {
        let stored = counts(reader, scope, &[of])?.first().copied().unwrap_or(0);
        changed(stored, self.0.get(&of).copied().unwrap_or(0))
    }

    pub(crate) fn write(self, tx: &mut dyn WriteTx, scope: &Scope) -> Result<()> {
        let changes: Vec<(Statistic, i64)> = self.0.into_iter().filter(|(_, change)| *change != 0).collect();
        let of: Vec<Statistic> = changes.iter().map(|(statistic, _)| *statistic).collect();
        let stored = counts(tx, scope, &of)?;
        for ((statistic, change), stored) in changes.into_iter().zip(stored) {
            let key = statistic.key(scope);
            match changed(stored, change)? {
                0 => tx.delete(STATISTICS, &key)?,
                count => tx.put(STATISTICS, &key, &encode(count))?,
            }
        }
        Ok(())
    }
}

fn changed(count: u64, change: i64) -> Result<u64> {
    count.checked_add_signed(change).ok_or_else(|| bad(format!("{count} changes by {change}")))
}

fn counts<R: Reader + ?Sized>(reader: &R, scope: &Scope, of: &[Statistic]) -> Result<Vec<u64>> {
    let keys: Vec<KeyBuf> = of.iter().map(|statistic| statistic.key(scope)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(KeyBuf::as_slice).collect();
    let mut counts = Vec::with_capacity(of.len());
    reader.multi_get(STATISTICS, &keys, &mut |_, value| counts.push(value.map_or(Ok(0), decode)))?;
    counts.into_iter().collect()
}

pub(crate) fn encode(count: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, count);
    out
}

fn decode(mut bytes: &[u8]) -> Result<u64> {
    take_varint(&mut bytes).filter(|_| bytes.is_empty()).ok_or_else(|| bad("it is not one number".into()))
}

fn bad(detail: String) -> GraphError {
    GraphError::BadRecord { what: "count of the graph", detail }
}
