//! Writing the graph: records, indexes, counts and events change together, inside one transaction.

mod ahead;
mod concept;
mod content;
mod delete;
mod ends;
mod indexed;
mod inside;
mod link;
mod recall;
mod remove;

use std::collections::BTreeMap;

use cairn_access::Scope;
use cairn_seam::WriteTx;

use self::ahead::Ahead;
use self::recall::Recalling;
use crate::counters::Counters;
use crate::index::Indexes;
use crate::schema::Definition;
use crate::statistics::Tally;
use crate::tables::COUNTERS;
use crate::{ConceptId, Element, GraphError, LinkId, Map, Meta, PredicateId, Result, TypeId, View};

pub use delete::Deleted;
use ends::LostEnds;

/// The bit that tells links from concepts leaves this many numbers for each.
const NUMBERS_MAX: u64 = u64::MAX >> 1;

/// Which concept to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One that is there.
    Id(ConceptId),
    /// The one of this type and name, which is made if it is not there.
    Named(TypeId, String),
}

/// What to write to a concept. Keys that are not named stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConceptWrite {
    /// Which one.
    pub target: Target,
    /// The version it must have; 0: it must not be there.
    pub expect_version: Option<u64>,
    /// Attributes to set. A null is a value like any other.
    pub attributes: Map,
    /// Metadata to set.
    pub metadata: Map,
}

/// Which link to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTarget {
    /// One that is there.
    Id(LinkId),
    /// The one between two elements, which is made if it is not there.
    Triple(Element, PredicateId, Element),
}

/// What to write to a link. Keys that are not named stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkWrite {
    /// Which one.
    pub target: LinkTarget,
    /// The version it must have; 0: it must not be there.
    pub expect_version: Option<u64>,
    /// Attributes to set. A null is a value like any other.
    pub attributes: Map,
    /// Metadata to set.
    pub metadata: Map,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was not there, and is now.
    Created,
    /// It was there, and has changed.
    Updated,
    /// It was like that already: nothing was written, and its version is the same.
    Unchanged,
}

/// Writes to one space inside one transaction.
///
/// [`finish`](Writer::finish) writes what was gathered: without it the transaction must be given up, and so it
/// must after any error.
pub struct Writer<'a> {
    tx: Recalling<'a>,
    scope: Scope,
    now_ms: u64,
    /// What is known beforehand, while it reads ahead.
    ahead: Option<Ahead>,
    /// Read when the first number is given.
    counters: Option<Counters>,
    tally: Tally,
    lost: LostEnds,
    /// Types and predicates that were looked at; `None` for numbers that define neither.
    definitions: BTreeMap<(Meta, u64), Option<Definition>>,
    /// The ordered indexes of the space, read when the first concept is written.
    indexes: Option<Indexes>,
    /// Whether it may write what is protected: only the bootstrap may.
    is_privileged: bool,
}

impl<'a> Writer<'a> {
    /// Writes in a scope, at a time in Unix milliseconds.
    pub fn new(tx: &'a mut dyn WriteTx, scope: Scope, now_ms: u64) -> Self {
        Writer {
            tx: Recalling::new(tx),
            scope,
            now_ms,
            ahead: None,
            counters: None,
            tally: Tally::default(),
            lost: LostEnds::default(),
            definitions: BTreeMap::new(),
            indexes: None,
            is_privileged: false,
        }
    }

    pub(crate) fn privileged(tx: &'a mut dyn WriteTx, scope: Scope, now_ms: u64) -> Self {
        Writer { is_privileged: true, ..Writer::new(tx, scope, now_ms) }
    }

    /// A writer that may delete and change what is protected, as earlier versions could.
    #[cfg(feature = "testing")]
    pub fn unprotected(tx: &'a mut dyn WriteTx, scope: Scope, now_ms: u64) -> Self {
        Writer::privileged(tx, scope, now_ms)
    }

    /// The space with everything that was written so far; counts are those from before.
    pub fn view(&self) -> View<'_> {
        View::new(&self.tx, self.scope)
    }

    /// Writes counts and the last numbers.
    pub fn finish(mut self) -> Result<()> {
        self.count_lost_ends()?;
        let Writer { mut tx, scope, counters, tally, ahead, .. } = self;
        // Each count is read and written once from here on.
        tx.forget();
        // Reading ahead reads them too: what changes nothing writes nothing.
        let is_as_before =
            |counters: &Counters| ahead.as_ref().is_some_and(|ahead| ahead.is_before(counters));
        if let Some(counters) = counters.filter(|counters| !is_as_before(counters)) {
            tx.put(COUNTERS, &scope.key(), &counters.encode())?;
        }
        tally.write(&mut tx, &scope)
    }

    /// The counters, to be changed: they are written at the end.
    fn counters(&mut self) -> Result<&mut Counters> {
        if self.counters.is_none() {
            self.counters = Some(Counters::read(&self.tx, &self.scope)?.unwrap_or_default());
        }
        Ok(self.counters.as_mut().expect("they were just read"))
    }

    fn next_concept(&mut self) -> Result<ConceptId> {
        Ok(ConceptId(next(&mut self.counters()?.concept)?))
    }

    fn next_link(&mut self) -> Result<LinkId> {
        Ok(LinkId(next(&mut self.counters()?.link)?))
    }

    /// A type or predicate was made, changed or deleted.
    fn schema_changed(&mut self, meta: Meta, id: ConceptId) -> Result<()> {
        self.definitions.remove(&(meta, id.0));
        let counters = self.counters()?;
        // Damage must not make it panic.
        counters.schema = counters.schema.saturating_add(1);
        Ok(())
    }

    /// A type or predicate; `None` if the number defines none. Each is read once.
    fn definition(&mut self, meta: Meta, id: u64) -> Result<Option<&Definition>> {
        if !self.definitions.contains_key(&(meta, id)) {
            let mut found = Ok(None);
            self.view().concept_views(&[(ConceptId(id), meta.kind())], &mut |_, record| {
                found = record.map(|record| Definition::read(&record)).transpose();
            })?;
            self.definitions.insert((meta, id), found?);
        }
        Ok(self.definitions.get(&(meta, id)).and_then(Option::as_ref))
    }

    fn type_definition(&mut self, kind: TypeId) -> Result<&Definition> {
        self.definition(Meta::Types, kind.0)?.ok_or(GraphError::NoType(kind))
    }

    fn predicate_definition(&mut self, predicate: PredicateId) -> Result<&Definition> {
        self.definition(Meta::Predicates, predicate.0)?.ok_or(GraphError::NoPredicate(predicate))
    }
}

fn next(last: &mut u64) -> Result<u64> {
    if *last >= NUMBERS_MAX {
        return Err(GraphError::OutOfNumbers);
    }
    *last += 1;
    Ok(*last)
}

/// Whether something is in the version that its writer expects.
fn expect_version(expected: Option<u64>, found: u64, what: impl FnOnce() -> String) -> Result<()> {
    match expected {
        Some(expected) if expected != found => {
            Err(GraphError::VersionMismatch { what: what(), expected, found })
        }
        Some(_) | None => Ok(()),
    }
}
