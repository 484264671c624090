//! Pass: FILTERs and ORDER BY use the ordered index of a field where there is one.
//!
//! For a FILTER, the concepts whose values it can be true of are read instead of all of their type, if they are
//! few: each is then looked up on its own. For an ORDER BY with a LIMIT, concepts are read in that order until
//! enough are found.

use std::ops::Bound;

use cairn_graph::{Part, Statistic, TypeId, View, Wish};
use cairn_seam::Visit;

use super::each_step;
use crate::Result;
use crate::fields::{Field, FieldOf};
use crate::filter::Range;
use crate::plan::{Block, ElementStep, IndexScan, Slot, Stage, Step, Work};

/// Has FILTERs use indexes.
pub(crate) fn filter(block: &mut Block, view: View<'_>, reads_per_lookup: u64) -> Result<()> {
    each_scan(block, &mut |step| {
        step.index = choose(step, view, reads_per_lookup, None)?;
        Ok(())
    })
}

/// Has FILTERs use indexes where another one could give the concepts of the first scan in the order of the
/// answer, of which so many are needed. Says whether that one is still wanted.
pub(crate) fn filter_beside(
    root: &mut Block,
    order: &IndexScan,
    needed: u64,
    view: View<'_>,
    reads_per_lookup: u64,
) -> Result<bool> {
    let mut is_first = first_scan(root).is_some();
    let mut is_wanted = true;
    each_scan(root, &mut |step| {
        if std::mem::take(&mut is_first) {
            let wanted = Beside { order, needed };
            step.index = choose(step, view, reads_per_lookup, Some(&wanted))?;
            is_wanted = step.index.is_none();
        } else {
            step.index = choose(step, view, reads_per_lookup, None)?;
        }
        Ok(())
    })?;
    Ok(is_wanted)
}

/// What an index of a FILTER is compared with.
struct Beside<'a> {
    order: &'a IndexScan,
    needed: u64,
}

impl Beside<'_> {
    /// How many entries an index may have. If one in so many concepts fits, that many times as many as are needed
    /// are looked up in the order of the answer: less than the entries, unless these are few.
    fn most(&self, concepts: u64) -> u64 {
        self.needed.saturating_mul(concepts).isqrt()
    }
}

fn each_scan(block: &mut Block, change: &mut impl FnMut(&mut ElementStep) -> Result<()>) -> Result<()> {
    let mut verdict = Ok(());
    each_step(block, &mut |step| {
        if let Work::Elements(elements) = &mut step.work
            && verdict.is_ok()
        {
            verdict = change(elements);
        }
    });
    verdict
}

/// The index that leaves the fewest concepts, if any leaves few enough.
fn choose(
    step: &ElementStep,
    view: View<'_>,
    reads_per_lookup: u64,
    beside: Option<&Beside<'_>>,
) -> Result<Option<IndexScan>> {
    let Some(kind) = step.scanned() else { return Ok(None) };
    let fields = ranged(step);
    if fields.is_empty() {
        return Ok(None);
    }
    let concepts = view.count(Statistic::Type(kind))?;
    let mut most = concepts / reads_per_lookup.max(1);
    if let Some(beside) = beside {
        most = most.min(beside.most(concepts));
    }
    let mut best = None;
    for (part, path) in fields {
        let Some(scan) = scan_of(step, kind, part, &path, view)? else { continue };
        // In its order it is read in these bounds too.
        if beside.is_some_and(|beside| beside.order.index.id == scan.index.id) {
            continue;
        }
        let mut entries = 0;
        view.indexed(&scan.index, as_ref(&scan.low), as_ref(&scan.high), false, &mut |_, _| {
            entries += 1;
            if entries > most { Visit::Stop } else { Visit::Continue }
        })?;
        if entries <= most {
            (most, best) = (entries, Some(scan));
        }
    }
    Ok(best)
}

/// The index of a field, and where its filters say to look.
fn scan_of(
    step: &ElementStep,
    kind: TypeId,
    part: Part,
    path: &[String],
    view: View<'_>,
) -> Result<Option<IndexScan>> {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let Some(index) = view.index_of(kind, part, &keys)? else { return Ok(None) };
    let mut scan = IndexScan { index, low: Bound::Unbounded, high: Bound::Unbounded };
    for Range { of, low, high } in step.filters.iter().flat_map(|filter| filter.ranges()) {
        if inside(&of, step.slot).is_some_and(|(own, keys)| own == part && keys == path) {
            scan.low = later(scan.low, low);
            scan.high = earlier(scan.high, high);
        }
    }
    Ok(Some(scan))
}

/// The fields of the scanned concepts that filters bound.
fn ranged(step: &ElementStep) -> Vec<(Part, Vec<String>)> {
    let mut fields: Vec<(Part, Vec<String>)> = Vec::new();
    for range in step.filters.iter().flat_map(|filter| filter.ranges()) {
        let field = inside(&range.of, step.slot).map(|(part, keys)| (part, keys.to_vec()));
        fields.extend(field.filter(|field| !fields.contains(field)));
    }
    fields
}

/// The part and the keys of a field that an index can be of.
fn inside(of: &FieldOf, slot: Slot) -> Option<(Part, &[String])> {
    let Field::Inside(part, keys) = &of.field else { return None };
    (of.slot == slot && !keys.is_empty()).then_some((*part, keys))
}

/// The index that gives the concepts of the first scan in the order of a field.
pub(crate) fn ordered(root: &Block, by: &FieldOf, view: View<'_>) -> Result<Option<IndexScan>> {
    let Some((step, kind)) = first_scan(root) else { return Ok(None) };
    match inside(by, step.slot) {
        Some((part, path)) => scan_of(step, kind, part, path, view),
        None => Ok(None),
    }
}

/// The indexes that would have been used if there were any.
pub(crate) fn wishes(root: &Block, order: Option<&FieldOf>, view: View<'_>) -> Result<Vec<Wish>> {
    let Some((step, kind)) = first_scan(root).filter(|(step, _)| step.index.is_none()) else {
        return Ok(Vec::new());
    };
    let mut fields = ranged(step);
    let ordered = order.and_then(|of| inside(of, step.slot)).map(|(part, keys)| (part, keys.to_vec()));
    fields.extend(ordered.filter(|field| !fields.contains(field)));
    if fields.is_empty() {
        return Ok(Vec::new());
    }
    let rows = view.count(Statistic::Type(kind))?;
    Ok(fields.into_iter().map(|(part, path)| Wish { kind, part, path, rows }).collect())
}

fn first_scan(root: &Block) -> Option<(&ElementStep, TypeId)> {
    let Stage::Step(Step { work: Work::Elements(step), .. }) = root.stages.first()? else { return None };
    Some((step, step.scanned()?))
}

fn as_ref(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

/// The lower bound that leaves less. Of bounds that begin alike it does not matter which: filters are asked all
/// the same.
fn later(one: Bound<Vec<u8>>, other: Bound<Vec<u8>>) -> Bound<Vec<u8>> {
    if bytes(&other) > bytes(&one) { other } else { one }
}

fn earlier(one: Bound<Vec<u8>>, other: Bound<Vec<u8>>) -> Bound<Vec<u8>> {
    match (bytes(&one), bytes(&other)) {
        (None, _) => other,
        (Some(one_bytes), Some(other_bytes)) if other_bytes.starts_with(one_bytes) => other,
        (Some(one_bytes), Some(other_bytes))
            if !one_bytes.starts_with(other_bytes) && other_bytes < one_bytes =>
        {
            other
        }
        (Some(_), _) => one,
    }
}

fn bytes(bound: &Bound<Vec<u8>>) -> Option<&[u8]> {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => Some(bytes),
        Bound::Unbounded => None,
    }
}
