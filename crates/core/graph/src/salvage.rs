//! Putting a graph right after records were lost.
//!
//! Concepts and links that are left stay as they are. What follows from them is rebuilt: types and names
//! of concepts, the three orders of links, statistics, numbers that were given, and ordered indexes. A
//! link whose subject, predicate or object is lost stays and is listed.

use std::collections::BTreeMap;

use cairn_access::Scope;
use cairn_base::{KeyReader, Position, SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{Certainty, Fix, Item, KeyRange, Keyspace, Reader, Rebuilt, SalvagedStore, Trace, Visit};

use crate::counters::Counters;
use crate::index::{IndexState, Indexes};
use crate::keys;
use crate::record::{ConceptHead, LinkHead};
use crate::spaces::SpaceState;
use crate::spaces::number::{decode, encode};
use crate::statistics::{self, Statistic};
use crate::tables::{
    CONCEPTS, COUNTERS, HOMES, INDEX_ENTRIES, INDEXES, LINKS, NAMES, OPS, PSO, SPACE_NAMES, SPACE_STATES,
    SPACES, SPO, STATISTICS,
};
use crate::{ConceptId, Element, LinkId, PredicateId, Result, TypeId};

/// A concept or link takes at least this many bytes of a transaction.
const ELEMENT_BYTES_MIN: u64 = 64;
const NAMED_MAX: usize = 1_000_000;
/// Elements in damaged frames that are kept.
const DOUBTFUL_MAX: usize = 100_000;

/// What traces of a damaged store say about graphs.
#[derive(Debug, Default)]
pub struct Clues(BTreeMap<(TenantId, SpaceId), SpaceClues>);

#[derive(Debug, Default, Clone)]
struct SpaceClues {
    concept: u64,
    link: u64,
    schema: u64,
    counted_at: Position,
    deleted: std::collections::HashSet<u64>,
    /// Elements in frames that do not verify.
    doubtful: std::collections::BTreeSet<u64>,
}

impl SpaceClues {
    fn doubt(&mut self, keyspace: u16, key: &[u8]) {
        let number = key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
        let element = match keyspace {
            id if id == LINKS.id => Element::Link(LinkId(number)),
            id if id == CONCEPTS.id => Element::Concept(ConceptId(number)),
            _ => return,
        };
        if self.doubtful.len() < DOUBTFUL_MAX {
            self.doubtful.insert(element.to_u64());
        }
    }
}

impl Clues {
    /// Takes note of a trace.
    pub fn saw(&mut self, certainty: Certainty, position: Position, _: TenantId, trace: Trace<'_>) {
        let (keyspace, key, value) = match trace {
            Trace::Put { keyspace, key, value } => (keyspace, key, Some(value)),
            Trace::Delete { keyspace, key } => (keyspace, key, None),
            Trace::Event { .. } => return,
        };
        if ![COUNTERS, CONCEPTS, LINKS].iter().any(|ours| ours.id == keyspace) {
            return;
        }
        let mut parts = KeyReader::new(key);
        let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) else { return };
        if certainty == Certainty::Doubtful {
            // A space that nobody has heard of is a flipped bit.
            if let Some(clues) = self.0.get_mut(&(tenant, space)).filter(|_| value.is_some()) {
                clues.doubt(keyspace, key);
            }
            return;
        }
        let clues = self.0.entry((tenant, space)).or_default();
        let number = key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
        if keyspace == COUNTERS.id {
            if let Some(counters) = value.and_then(|value| Counters::decode(value).ok()) {
                clues.concept = clues.concept.max(counters.concept);
                clues.link = clues.link.max(counters.link);
                clues.schema = clues.schema.max(counters.schema);
                clues.counted_at = clues.counted_at.max(position);
            }
            return;
        }
        let is_link = keyspace == LINKS.id;
        let element =
            if is_link { Element::Link(LinkId(number)) } else { Element::Concept(ConceptId(number)) };
        if value.is_none() {
            clues.deleted.insert(element.to_u64());
        } else if is_link {
            clues.link = clues.link.max(number);
        } else {
            clues.concept = clues.concept.max(number);
        }
    }
}

/// Elements of a space that are left.
#[derive(Default)]
struct Left {
    /// Type of each concept.
    concepts: BTreeMap<u64, u64>,
    links: std::collections::BTreeSet<u64>,
}

/// Finds out what is lost of a space's graph, and what has to change for the rest to be whole, except for
/// [`recount`].
pub fn rebuild(reader: &dyn Reader, scope: &Scope, clues: &Clues, store: &SalvagedStore) -> Result<Rebuilt> {
    if is_hidden(reader, scope) {
        return Ok(Rebuilt::default());
    }
    let heard_of =
        clues.0.keys().filter(|(tenant, _)| *tenant == scope.tenant()).map(|(_, space)| space.0).max();
    let clues = clues.0.get(&(scope.tenant(), scope.space())).cloned().unwrap_or_default();
    let mut out = Rebuilt::default();
    let mut left = Left::default();
    concepts(reader, scope, &mut left, &mut out)?;
    links(reader, scope, &mut left, &mut out)?;
    numbers(reader, scope, &clues, store, &left, &mut out)?;
    spaces(reader, scope, heard_of.unwrap_or(0), &mut out)?;
    indexes(reader, scope, &mut out)?;
    Ok(out)
}

/// Whether a space is staged or being deleted: nothing of it is missed.
fn is_hidden(reader: &dyn Reader, scope: &Scope) -> bool {
    let state = crate::spaces::state(reader, scope.tenant(), scope.space());
    state.ok().flatten().is_some_and(SpaceState::is_hidden)
}

fn concepts(reader: &dyn Reader, scope: &Scope, left: &mut Left, out: &mut Rebuilt) -> Result<()> {
    let (mut homes, mut names) = (BTreeMap::new(), BTreeMap::new());
    let mut verdict = Ok(());
    reader.multi_scan(CONCEPTS, &[KeyRange::prefix(&scope.key())], &mut |_, key, record| {
        let kind = key.get(8..16).and_then(|kind| kind.try_into().ok()).map_or(0, u64::from_be_bytes);
        let id = key.last_chunk().map_or(0, |id| u64::from_be_bytes(*id));
        match ConceptHead::parse(record) {
            Ok(head) => {
                left.concepts.insert(id, kind);
                homes.insert(keys::home(scope, ConceptId(id)).into_vec(), varint(kind));
                // Of two with one name the newer one has it.
                let named = keys::named(scope, head.name, TypeId(kind)).into_vec();
                names.entry(named).and_modify(|known: &mut u64| *known = id.max(*known)).or_insert(id);
                Visit::Continue
            }
            Err(error) => {
                verdict = Err(error);
                Visit::Stop
            }
        }
    })?;
    verdict?;
    reader.multi_scan(HOMES, &[KeyRange::prefix(&scope.key())], &mut |_, key, _| {
        let id = key.last_chunk().map_or(0, |id| u64::from_be_bytes(*id));
        if !left.concepts.contains_key(&id) {
            out.lost.push(item(scope, Element::Concept(ConceptId(id)), String::new()));
        }
        Visit::Continue
    })?;
    replace(reader, scope, HOMES, homes, out)?;
    replace(reader, scope, NAMES, names.into_iter().map(|(key, id)| (key, varint(id))).collect(), out)?;
    for (id, kind) in left.concepts.iter().filter(|(_, kind)| !left.concepts.contains_key(kind)) {
        let detail = format!("its type, C:{kind}, is lost");
        out.orphans.push(item(scope, Element::Concept(ConceptId(*id)), detail));
    }
    Ok(())
}

fn links(reader: &dyn Reader, scope: &Scope, left: &mut Left, out: &mut Rebuilt) -> Result<()> {
    let mut orders: [BTreeMap<Vec<u8>, Vec<u8>>; 3] = Default::default();
    let mut ends = Vec::new();
    let mut verdict = Ok(());
    reader.multi_scan(LINKS, &[KeyRange::prefix(&scope.key())], &mut |_, key, record| {
        let id = key.last_chunk().map_or(0, |id| u64::from_be_bytes(*id));
        match LinkHead::parse(LinkId(id), record) {
            Ok(head) => {
                left.links.insert(id);
                let (edge, value) = (head.edge, keys::edge_value(&head.edge));
                let (subject, predicate, object) = (edge.subject, edge.predicate, edge.object);
                orders[0].insert(keys::spo(scope, subject, predicate, object).into_vec(), value.clone());
                orders[1].insert(keys::pso(scope, subject, predicate, object).into_vec(), value.clone());
                orders[2].insert(keys::ops(scope, subject, predicate, object).into_vec(), value);
                ends.push(edge);
                Visit::Continue
            }
            Err(error) => {
                verdict = Err(error);
                Visit::Stop
            }
        }
    })?;
    verdict?;
    let is_left = |end: Element| match end {
        Element::Concept(id) => left.concepts.contains_key(&id.0),
        Element::Link(id) => left.links.contains(&id.0),
    };
    for edge in &ends {
        let all = [edge.subject, Element::Concept(edge.predicate.concept()), edge.object];
        if let Some(lost) = all.into_iter().find(|end| !is_left(*end)) {
            let detail = format!("it names {}, which is lost", name_of(lost));
            out.orphans.push(item(scope, Element::Link(edge.link), detail));
        }
    }
    for (order, keyspace) in [(keys::Order::Spo, SPO), (keys::Order::Pso, PSO), (keys::Order::Ops, OPS)] {
        reader.multi_scan(keyspace, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
            if let Ok(edge) = keys::edge(order, key, value)
                && !left.links.contains(&edge.link.0)
            {
                out.lost.push(item(scope, Element::Link(edge.link), String::new()));
            }
            Visit::Continue
        })?;
    }
    let [spo, pso, ops] = orders;
    replace(reader, scope, SPO, spo, out)?;
    replace(reader, scope, PSO, pso, out)?;
    replace(reader, scope, OPS, ops, out)
}

/// Numbers that were given, and those among them that are neither there nor deleted.
fn numbers(
    reader: &dyn Reader,
    scope: &Scope,
    clues: &SpaceClues,
    store: &SalvagedStore,
    left: &Left,
    out: &mut Rebuilt,
) -> Result<()> {
    let stored = cairn_seam::get(reader, COUNTERS, &scope.key())?;
    let before = stored.as_deref().and_then(|bytes| Counters::decode(bytes).ok());
    let known = before.unwrap_or_default();
    let highest =
        |elements: Option<u64>, clue: u64, counted: u64| elements.unwrap_or(0).max(clue).max(counted);
    let named = |is_link: bool| {
        out.lost.iter().chain(&out.orphans).filter_map(|item| crate::id::parse_plain(&item.id)).filter_map(
            move |element| match element {
                Element::Concept(id) if !is_link => Some(id.0),
                Element::Link(id) if is_link => Some(id.0),
                Element::Concept(_) | Element::Link(_) => None,
            },
        )
    };
    let last_concept = highest(left.concepts.keys().next_back().copied(), clues.concept, known.concept);
    let last_concept = named(false).fold(last_concept, u64::max);
    let last_link = highest(left.links.iter().next_back().copied(), clues.link, known.link);
    let last_link = named(true).fold(last_link, u64::max);
    if last_concept == 0 && last_link == 0 {
        return Ok(());
    }
    let is_missing = |element: Element| {
        let is_left = match element {
            Element::Concept(id) => left.concepts.contains_key(&id.0),
            Element::Link(id) => left.links.contains(&id.0),
        };
        !is_left && !clues.deleted.contains(&element.to_u64())
    };
    let concepts = (1..=last_concept).map(|id| Element::Concept(ConceptId(id)));
    let links = (1..=last_link).map(|id| Element::Link(LinkId(id)));
    for element in concepts.chain(links).filter(|element| is_missing(*element)).take(NAMED_MAX) {
        // Without its type the key of a concept is not known: all of its space counts.
        let (keyspace, key) = match element {
            Element::Concept(_) => (CONCEPTS, scope.key()),
            Element::Link(id) => (LINKS, keys::link(scope, id)),
        };
        let is_old = match element {
            Element::Concept(id) => id.0 <= known.concept && store.records_to >= clues.counted_at,
            Element::Link(id) => id.0 <= known.link && store.records_to >= clues.counted_at,
        };
        if store.may_have_lost(keyspace, &key, is_old) {
            out.lost.push(item(scope, element, String::new()));
        }
    }
    let counted_to =
        clues.counted_at.max(if store.unread.is_empty() { store.records_to } else { Position::START });
    let unseen = store.lost_behind(counted_to);
    let room = if unseen == 0 { 0 } else { unseen / ELEMENT_BYTES_MIN + 1 };
    for element in clues.doubtful.iter().map(|number| Element::from_u64(*number)) {
        let (number, last) = match element {
            Element::Concept(id) => (id.0, last_concept),
            Element::Link(id) => (id.0, last_link),
        };
        if number > last && number <= last + room {
            out.lost.push(item(scope, element, String::new()));
        }
    }
    out.lost.sort();
    out.lost.dedup();
    let counters = Counters {
        concept: last_concept + room,
        link: last_link + room,
        schema: known.schema.max(clues.schema) + 1 + room,
    };
    out.fixes.push(Fix::Put(COUNTERS, scope.key().into_vec(), counters.encode()));
    Ok(())
}

/// Names of spaces by number and numbers by name; each of the two has all of it. No number that traces or records know
/// of is given again.
fn spaces(reader: &dyn Reader, scope: &Scope, heard_of: u32, out: &mut Rebuilt) -> Result<()> {
    if scope.space() != SpaceId::NONE {
        return Ok(());
    }
    let mut by_number: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    reader.multi_scan(SPACE_NAMES, &[KeyRange::prefix(&scope.key())], &mut |_, key, name| {
        let number = key.last_chunk().map_or(0, |number| u32::from_be_bytes(*number));
        by_number.insert(number, name.to_vec());
        Visit::Continue
    })?;
    reader.multi_scan(SPACES, &[KeyRange::prefix(&scope.key())], &mut |_, _, mut value| {
        if let Some(number) = take_varint(&mut value).and_then(|number| u32::try_from(number).ok()) {
            by_number.entry(number).or_insert_with(|| value.to_vec());
        }
        Visit::Continue
    })?;
    let (mut states, mut last, mut is_noted) = (Vec::new(), heard_of, false);
    reader.multi_scan(SPACE_STATES, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        let number = key.last_chunk().map_or(0, |number| u32::from_be_bytes(*number));
        if number == SpaceId::NONE.0 {
            is_noted = true;
            last = last.max(decode(value).unwrap_or(0));
        } else {
            states.push(number);
        }
        Visit::Continue
    })?;
    last = by_number.keys().copied().chain(states.iter().copied()).fold(last, u32::max);
    if is_noted || !states.is_empty() {
        let key = scope.key().u32(SpaceId::NONE.0).into_vec();
        let right = encode(last);
        if cairn_seam::get(reader, SPACE_STATES, &key)?.as_ref() != Some(&right) {
            out.fixes.push(Fix::Put(SPACE_STATES, key, right));
        }
    }
    let (mut names, mut numbers) = (BTreeMap::new(), BTreeMap::new());
    for (number, name) in by_number {
        names.insert(scope.key().u32(number).into_vec(), name.clone());
        if let Ok(text) = std::str::from_utf8(&name) {
            let key = scope.key().fixed(&crate::name::hash(text)).into_vec();
            numbers.insert(key, [varint(number.into()), name].concat());
        }
    }
    replace(reader, scope, SPACE_NAMES, names, out)?;
    replace(reader, scope, SPACES, numbers, out)
}

/// Ordered indexes are built again from the beginning.
fn indexes(reader: &dyn Reader, scope: &Scope, out: &mut Rebuilt) -> Result<()> {
    let Ok(mut indexes) = Indexes::read(reader, scope) else {
        out.fixes.push(Fix::Delete(INDEXES, scope.key().into_vec()));
        return replace(reader, scope, INDEX_ENTRIES, BTreeMap::new(), out);
    };
    let mut last = 0;
    reader.multi_scan(INDEX_ENTRIES, &[KeyRange::prefix(&scope.key())], &mut |_, key, _| {
        let index = key.get(8..16).and_then(|index| index.try_into().ok()).map_or(0, u64::from_be_bytes);
        last = last.max(index);
        Visit::Continue
    })?;
    if indexes.all.is_empty() && last == 0 {
        return Ok(());
    }
    for info in indexes.all.iter_mut().filter(|info| info.state != IndexState::Dropping) {
        info.state = IndexState::Building { covered: ConceptId(0) };
    }
    indexes.at_least(last);
    out.fixes.push(Fix::Put(INDEXES, scope.key().into_vec(), indexes.encode()));
    replace(reader, scope, INDEX_ENTRIES, BTreeMap::new(), out)
}

/// Counts everything anew. The fixes of [`rebuild`] have to be in the store.
pub fn recount(reader: &dyn Reader, scope: &Scope) -> Result<Rebuilt> {
    if is_hidden(reader, scope) {
        return Ok(Rebuilt::default());
    }
    let mut counts: BTreeMap<Statistic, u64> = BTreeMap::new();
    let mut add = |of: Statistic| *counts.entry(of).or_default() += 1;
    reader.multi_scan(HOMES, &[KeyRange::prefix(&scope.key())], &mut |_, _, mut kind| {
        add(Statistic::Type(TypeId(take_varint(&mut kind).unwrap_or(0))));
        Visit::Continue
    })?;
    let mut last: Option<(PredicateId, Element)> = None;
    reader.multi_scan(PSO, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        let Ok(edge) = keys::edge(keys::Order::Pso, key, value) else { return Visit::Continue };
        add(Statistic::Predicate(edge.predicate));
        if let Some(kind) = edge.subject_type {
            add(Statistic::SubjectType(kind, edge.predicate));
        }
        if let Some(kind) = edge.object_type {
            add(Statistic::ObjectType(edge.predicate, kind));
        }
        if last.replace((edge.predicate, edge.subject)) != Some((edge.predicate, edge.subject)) {
            add(Statistic::Subjects(edge.predicate));
        }
        Visit::Continue
    })?;
    last = None;
    reader.multi_scan(OPS, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        let Ok(edge) = keys::edge(keys::Order::Ops, key, value) else { return Visit::Continue };
        if last.replace((edge.predicate, edge.object)) != Some((edge.predicate, edge.object)) {
            add(Statistic::Objects(edge.predicate));
        }
        Visit::Continue
    })?;
    let rows = counts.into_iter().map(|(of, count)| (of.key(scope).into_vec(), statistics::encode(count)));
    let mut out = Rebuilt::default();
    replace(reader, scope, STATISTICS, rows.collect(), &mut out)?;
    Ok(out)
}

/// Makes a keyspace hold these rows in a scope, and no others.
fn replace(
    reader: &dyn Reader,
    scope: &Scope,
    keyspace: Keyspace,
    mut wanted: BTreeMap<Vec<u8>, Vec<u8>>,
    out: &mut Rebuilt,
) -> Result<()> {
    reader.multi_scan(keyspace, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        match wanted.remove(key) {
            Some(right) if right == value => {}
            Some(right) => out.fixes.push(Fix::Put(keyspace, key.to_vec(), right)),
            None => out.fixes.push(Fix::Delete(keyspace, key.to_vec())),
        }
        Visit::Continue
    })?;
    out.fixes.extend(wanted.into_iter().map(|(key, value)| Fix::Put(keyspace, key, value)));
    Ok(())
}

fn item(scope: &Scope, element: Element, detail: String) -> Item {
    let kind = match element {
        Element::Concept(_) => "concept",
        Element::Link(_) => "link",
    };
    Item { tenant: scope.tenant(), space: scope.space(), kind, id: name_of(element), detail }
}

fn name_of(element: Element) -> String {
    match element {
        Element::Concept(id) => id.to_string(),
        Element::Link(id) => id.to_string(),
    }
}

fn varint(number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, number);
    out
}
