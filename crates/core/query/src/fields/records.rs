//! Fields out of records, read in batches and kept for a while.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_base::Value;
use cairn_graph::{ConceptId, Edge, Element, LinkId, Part, RecordView, TypeId, View, concept_text};

use super::link_text::Texts;
use super::{Field, FieldOf, Fields, Scanned, value_bytes};
use crate::cell::Cell;
use crate::hash::{FastMap, FastSet, HashMapExt, HashSetExt};
use crate::plan::Slot;
use crate::{Budget, Result};

/// Bytes of values that are kept; beyond, all are forgotten and read again where they are needed.
const KEPT_BYTES_MAX: usize = 32 << 20;
/// Reading and decoding a record takes as long as so many steps of other loops.
const STEPS_PER_RECORD: u32 = 8;

/// Fields of elements. All fields that are asked for are read when a record is, so that a record is read once.
pub(crate) struct Records<'v> {
    view: View<'v>,
    texts: Texts<'v>,
    /// What is asked for of records.
    fields: Vec<Field>,
    /// Places whose elements are asked as soon as they are bound.
    at_once: FastSet<Slot>,
    /// Where the values of elements begin.
    kept: FastMap<Element, usize>,
    /// The values of one element after the other, in the order of the fields.
    values: Vec<Value>,
    bytes: usize,
}

/// What a record said, before other things were looked up for it.
struct Read {
    cell: Cell,
    edge: Option<Edge>,
    values: Vec<Value>,
}

impl Read {
    fn bytes(&self) -> usize {
        bytes_of(&self.values)
    }
}

impl<'v> Records<'v> {
    /// Reads these fields and no others.
    pub(crate) fn new<'f>(view: View<'v>, fields: impl Iterator<Item = &'f FieldOf>) -> Self {
        let mut distinct: Vec<Field> = Vec::new();
        for of in fields {
            if !distinct.contains(&of.field) {
                distinct.push(of.field.clone());
            }
        }
        let (texts, at_once) = (Texts::new(view), FastSet::new());
        Records { view, texts, fields: distinct, at_once, kept: FastMap::new(), values: Vec::new(), bytes: 0 }
    }

    /// Says which fields are asked for as soon as their variable is bound: whoever comes by a record of such a
    /// variable may [`keep`](Records::keep) it.
    pub(crate) fn expect<'f>(&mut self, fields: impl Iterator<Item = &'f FieldOf>) {
        let needed = fields.filter(|of| matches!(of.field, Field::Name | Field::Inside(..)));
        self.at_once.extend(needed.map(|of| of.slot));
    }

    /// Whether the records of this place will be asked for at once.
    pub(crate) fn expects(&self, slot: Slot) -> bool {
        self.at_once.contains(&slot)
    }

    /// How many fields there are.
    pub(super) fn width(&self) -> usize {
        self.fields.len()
    }

    /// Which of them a field is.
    pub(super) fn place(&self, field: &Field) -> Option<usize> {
        self.fields.iter().position(|own| own == field)
    }

    /// Keeps what the record of a concept says, as long as there is room.
    pub(crate) fn keep(
        &mut self,
        concept: ConceptId,
        record: &RecordView<'_>,
        scanned: &mut Scanned,
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        // Half is left for what is read later: nothing is thrown away because of this.
        if self.bytes > KEPT_BYTES_MAX / 2 || self.kept.contains_key(&concept.into()) {
            return Ok(());
        }
        scanned.values.resize(self.fields.len(), Value::Null);
        for at in 0..self.fields.len() {
            if !scanned.has(at) {
                scanned.values[at] = self.read_field(record, at)?;
            }
        }
        self.insert(concept.into(), &mut scanned.values, budget)
    }

    /// Reads the records that these fields of these rows need, all at once. What was loaded before may be
    /// forgotten.
    pub(crate) fn load<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r [Cell]>,
        fields: &[FieldOf],
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        self.make_room(budget);
        self.load_more(rows, fields, budget)
    }

    /// Forgets what was loaded, if it is much.
    pub(crate) fn make_room(&mut self, budget: &mut Budget<'_>) {
        if self.bytes > KEPT_BYTES_MAX {
            self.forget(budget);
        }
    }

    /// Reads the records that these fields of these rows need; what was loaded before stays.
    pub(crate) fn load_more<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r [Cell]>,
        fields: &[FieldOf],
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        if fields.is_empty() {
            return Ok(());
        }
        let mut wanted: FastSet<Cell> = FastSet::new();
        for row in rows {
            budget.step()?;
            for of in fields {
                let cell = row[of.slot];
                let is_known = || cell.element().is_none_or(|element| self.kept.contains_key(&element));
                if !of.field.is_in(cell) && !is_known() {
                    wanted.insert(cell);
                }
            }
        }
        self.read(wanted.into_iter(), budget)
    }

    /// The name of a type or predicate.
    pub(crate) fn name(&self, definition: u64) -> Result<Arc<str>> {
        self.texts.name(definition)
    }

    /// Gives back what the values held.
    pub(crate) fn forget(&mut self, budget: &mut Budget<'_>) {
        self.kept.clear();
        self.values.clear();
        self.texts.forget_links();
        budget.release(self.bytes);
        self.bytes = 0;
    }

    fn read(&mut self, cells: impl Iterator<Item = Cell>, budget: &mut Budget<'_>) -> Result<()> {
        let mut concepts: Vec<(ConceptId, TypeId)> = Vec::new();
        let mut links: Vec<LinkId> = Vec::new();
        for cell in cells {
            match cell {
                Cell::Concept(id, kind) => concepts.push((id, kind)),
                Cell::Link(id) => links.push(id),
                Cell::Null | Cell::Predicate(_) => {}
            }
        }
        // In the order of their keys: neighbours are on the same pages.
        concepts.sort_unstable_by_key(|(id, kind)| (*kind, *id));
        links.sort_unstable();
        let mut read: Vec<Read> = Vec::with_capacity(concepts.len() + links.len());
        let mut failed = None;
        let mut take = |cell: Cell, record: Option<RecordView<'_>>, read: &mut Vec<Read>| {
            if failed.is_some() {
                return;
            }
            // Counted as soon as it is there: a batch of long records is a lot.
            let one = self.read_one(cell, record).and_then(|one| {
                budget.steps(STEPS_PER_RECORD)?;
                budget.hold(one.bytes())?;
                Ok(one)
            });
            match one {
                Ok(one) => read.push(one),
                Err(error) => failed = Some(error),
            }
        };
        self.view.concept_views(&concepts, &mut |at, record| {
            let (id, kind) = concepts[at];
            take(Cell::Concept(id, kind), record, &mut read);
        })?;
        self.view.link_views(&links, &mut |at, record| take(Cell::Link(links[at]), record, &mut read))?;
        if let Some(error) = failed {
            return Err(error);
        }
        budget.release(read.iter().map(Read::bytes).sum());
        self.complete(&mut read)?;
        for Read { cell, mut values, .. } in read {
            if let Some(element) = cell.element() {
                self.insert(element, &mut values, budget)?;
            }
        }
        Ok(())
    }

    fn read_one(&self, cell: Cell, record: Option<RecordView<'_>>) -> Result<Read> {
        let Some(record) = record else {
            return Ok(Read { cell, edge: None, values: vec![Value::Null; self.fields.len()] });
        };
        Ok(Read { cell, edge: record.edge().copied(), values: self.read_all(&record)? })
    }

    /// Takes the values of an element over.
    fn insert(&mut self, element: Element, values: &mut Vec<Value>, budget: &mut Budget<'_>) -> Result<()> {
        let bytes = bytes_of(values);
        budget.hold(bytes)?;
        self.bytes += bytes;
        self.kept.insert(element, self.values.len());
        self.values.append(values);
        Ok(())
    }

    /// What a record itself says of the fields.
    fn read_all(&self, record: &RecordView<'_>) -> Result<Vec<Value>> {
        (0..self.fields.len()).map(|at| self.read_field(record, at)).collect()
    }

    /// What a record itself says of one of the fields.
    pub(super) fn read_field(&self, record: &RecordView<'_>, at: usize) -> Result<Value> {
        match &self.fields[at] {
            Field::Name => Ok(record.name().map(Value::from).unwrap_or_default()),
            Field::Inside(part, keys) => {
                if let [key] = &keys[..] {
                    return Ok(record.value(*part, &[key])?.unwrap_or_default());
                }
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                Ok(record.value(*part, &keys)?.unwrap_or_default())
            }
            Field::Whole => whole(record),
            // What needs more than the record comes later.
            Field::Id | Field::Type | Field::Subject | Field::Predicate | Field::Object => Ok(Value::Null),
        }
    }

    /// Ids and names, for which other records are needed.
    fn complete(&self, read: &mut [Read]) -> Result<()> {
        if !self.fields.iter().any(|field| !matches!(field, Field::Name | Field::Inside(..))) {
            return Ok(());
        }
        for read in read.iter() {
            if let Some(edge) = &read.edge {
                self.texts.learn(edge.link, edge.predicate);
            }
        }
        let ends = read.iter().filter_map(|read| read.edge).flat_map(|edge| [edge.subject, edge.object]);
        self.texts.look_up(ends.filter_map(|end| match end {
            Element::Concept(_) => None,
            Element::Link(id) => Some(id),
        }))?;
        read.iter_mut().try_for_each(|read| self.complete_one(read))
    }

    fn complete_one(&self, read: &mut Read) -> Result<()> {
        for (field, value) in self.fields.iter().zip(&mut read.values) {
            match (field, read.cell, &read.edge) {
                (Field::Whole, Cell::Concept(id, kind), _) => {
                    if let Value::Object(entries) = value {
                        put(entries, "id", concept_text(id));
                        put(entries, "type", &*self.name(kind.0)?);
                    }
                }
                (Field::Whole, Cell::Link(id), Some(edge)) => {
                    if let Value::Object(entries) = value {
                        put(entries, "id", self.texts.id(id.into())?);
                        put(entries, "subject", self.texts.id(edge.subject)?);
                        put(entries, "predicate", &*self.name(edge.predicate.0)?);
                        put(entries, "object", self.texts.id(edge.object)?);
                    }
                }
                (Field::Id, Cell::Link(id), Some(_)) => *value = self.texts.id(id.into())?.into(),
                (Field::Subject, _, Some(edge)) => *value = self.texts.id(edge.subject)?.into(),
                (Field::Predicate, _, Some(edge)) => *value = Value::from(&*self.name(edge.predicate.0)?),
                (Field::Object, _, Some(edge)) => *value = self.texts.id(edge.object)?.into(),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Fields for Records<'_> {
    /// The value of a field that was loaded.
    fn value(&self, row: &[Cell], of: &FieldOf) -> Result<Cow<'_, Value>> {
        let cell = row[of.slot];
        Ok(match (cell, &of.field) {
            (Cell::Null, _) => Cow::Owned(Value::Null),
            (Cell::Predicate(id), Field::Whole) => Cow::Owned(Value::from(&*self.name(id.0)?)),
            (Cell::Predicate(_), _) => Cow::Owned(Value::Null),
            (Cell::Concept(id, _), Field::Id) => Cow::Owned(Value::from(concept_text(id))),
            (Cell::Concept(_, kind), Field::Type) => Cow::Owned(Value::from(&*self.name(kind.0)?)),
            (Cell::Concept(..) | Cell::Link(_), field) => {
                let at = self.place(field);
                let begin = cell.element().and_then(|element| self.kept.get(&element));
                at.zip(begin)
                    .map_or(Cow::Owned(Value::Null), |(at, begin)| Cow::Borrowed(&self.values[begin + at]))
            }
        })
    }
}

/// What keeping the values of one element takes.
fn bytes_of(values: &[Value]) -> usize {
    size_of::<(Element, usize)>() + values.iter().map(value_bytes).sum::<usize>()
}

/// All of an element, but for ids and names of its type or predicate.
fn whole(record: &RecordView<'_>) -> Result<Value> {
    let mut entries = BTreeMap::new();
    put(&mut entries, "_type", if record.edge().is_some() { "PropositionLink" } else { "ConceptNode" });
    if let Some(name) = record.name() {
        put(&mut entries, "name", name);
    }
    let attributes = record.attributes()?;
    if !attributes.is_empty() {
        put(&mut entries, "attributes", attributes);
    }
    put(&mut entries, "metadata", record.value(Part::Metadata, &[])?.unwrap_or_default());
    Ok(Value::Object(entries))
}

fn put(entries: &mut BTreeMap<String, Value>, key: &str, value: impl Into<Value>) {
    entries.insert(key.to_owned(), value.into());
}
