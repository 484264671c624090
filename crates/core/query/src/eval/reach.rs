//! Walks along one predicate: where they lead from many starts at once.

use cairn_graph::{Edge, Element, PredicateId};
use cairn_seam::Visit;

use super::links::{Direction, count_links, is_scan_cheaper, visit_edges, whole};
use super::{BATCH, Context};
use crate::cell::{Cell, Place};
use crate::hash::{FastMap, FastSet, HashMapExt, HashSetExt};
use crate::{Budget, Result};

/// What an entry of a set or map of cells takes, its free places included.
const ENTRY_BYTES: usize = 2 * size_of::<Cell>();

/// The neighbours of elements along one predicate, each looked up once.
pub(super) struct Neighbours {
    predicate: PredicateId,
    direction: Direction,
    /// How many links there are of it.
    links: u64,
    of: FastMap<Cell, Vec<Cell>>,
    /// Whether all links were read: then who is not there has none.
    is_whole: bool,
    bytes: usize,
}

impl Neighbours {
    pub(super) fn new(
        predicate: PredicateId,
        direction: Direction,
        context: &Context<'_, '_, '_>,
    ) -> Result<Self> {
        let links = count_links(&[predicate], context)?;
        Ok(Neighbours { predicate, direction, links, of: FastMap::new(), is_whole: false, bytes: 0 })
    }

    /// Reads all links of the predicate.
    pub(super) fn read_whole(&mut self, context: &mut Context<'_, '_, '_>) -> Result<()> {
        if self.is_whole {
            return Ok(());
        }
        self.of.clear();
        context.budget.release(std::mem::take(&mut self.bytes));
        let lookups = whole(Some(&[self.predicate]));
        visit_edges(&lookups, context, |_, edge, budget| self.add(edge, budget))?;
        self.is_whole = true;
        Ok(())
    }

    /// Everything that is known to have a neighbour.
    pub(super) fn starts(&self) -> impl Iterator<Item = Cell> {
        self.of.iter().filter(|(_, to)| !to.is_empty()).map(|(from, _)| *from)
    }

    /// Finds out who the neighbours of these are.
    fn look_up(
        &mut self,
        cells: impl Iterator<Item = Cell>,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<()> {
        if self.is_whole {
            return Ok(());
        }
        let new: FastSet<Cell> = cells.filter(|cell| !self.of.contains_key(cell)).collect();
        if is_scan_cheaper(self.of.len() + new.len(), self.links) {
            return self.read_whole(context);
        }
        let mut elements: Vec<Element> = Vec::with_capacity(new.len());
        for cell in new {
            self.hold(ENTRY_BYTES + size_of::<Vec<Cell>>(), context.budget)?;
            self.of.insert(cell, Vec::new());
            elements.extend(cell.element());
        }
        elements.sort_unstable();
        for batch in elements.chunks(BATCH) {
            let lookups: Vec<_> =
                batch.iter().map(|from| self.direction.lookup(*from, Some(self.predicate))).collect();
            visit_edges(&lookups, context, |_, edge, budget| self.add(edge, budget))?;
        }
        Ok(())
    }

    fn add(&mut self, edge: &Edge, budget: &mut Budget<'_>) -> Result<Visit> {
        let (from, to) = match self.direction {
            Direction::Out => (Place::Subject, Place::Object),
            Direction::In => (Place::Object, Place::Subject),
        };
        self.hold(ENTRY_BYTES, budget)?;
        self.of.entry(Cell::at(edge, from)).or_default().push(Cell::at(edge, to));
        Ok(Visit::Continue)
    }

    fn hold(&mut self, bytes: usize, budget: &mut Budget<'_>) -> Result<()> {
        self.bytes += bytes;
        Ok(budget.hold(bytes)?)
    }

    fn get(&self, cell: Cell) -> &[Cell] {
        self.of.get(&cell).map_or(&[], Vec::as_slice)
    }

    pub(super) fn drop_from(self, budget: &mut Budget<'_>) {
        budget.release(self.bytes);
    }
}

/// Where the walks from one start are.
struct Walk {
    /// All ends of walks of the current length; after `least` hops only those not seen before.
    frontier: Vec<Cell>,
    /// All ends that count.
    ends: FastSet<Cell>,
}

/// The ends of all walks of `least` to `most` hops from each of the starts, each once.
///
/// Up to `least` hops every length has its own set of ends, because a walk may come by a place several times.
/// From there on it is enough to go where no walk has been: what can be reached from a place can be reached
/// from it however often it is visited.
pub(super) fn reach(
    starts: &[Cell],
    least: u16,
    most: Option<u16>,
    neighbours: &mut Neighbours,
    context: &mut Context<'_, '_, '_>,
) -> Result<Vec<FastSet<Cell>>> {
    let begin = |start: &Cell| Walk { frontier: vec![*start], ends: FastSet::new() };
    let mut walks: Vec<Walk> = starts.iter().map(begin).collect();
    context.budget.hold(walks.len() * ENTRY_BYTES)?;
    let mut hops: u32 = 0;
    while hops < u32::from(least) && hop(&mut walks, neighbours, context, Walk::go_on)? {
        hops += 1;
    }
    for walk in &mut walks {
        for cell in &walk.frontier {
            context.budget.row(ENTRY_BYTES)?;
            walk.ends.insert(*cell);
        }
        // From here on a frontier is a part of the ends.
        context.budget.release(walk.frontier.len() * ENTRY_BYTES);
    }
    // Only walks of `least` hops at the least are left, so the hops made until now no longer matter.
    let more = most.map(|most| u32::from(most.saturating_sub(least)));
    let mut hops: u32 = 0;
    while more.is_none_or(|more| hops < more)
        && hop(&mut walks, neighbours, context, Walk::go_where_none_was)?
    {
        hops += 1;
    }
    Ok(walks.into_iter().map(|walk| walk.ends).collect())
}

/// Whether a walk of `least` to `most` hops leads from one element to another.
///
/// The first `least` hops are made from the start. For what is left it does not matter how often a place is
/// visited, so it is looked for from both sides, each time on from the one with fewer places.
pub(super) fn is_connected(
    start: Cell,
    end: Cell,
    (least, most): (u16, Option<u16>),
    sides: &mut Sides,
    context: &mut Context<'_, '_, '_>,
) -> Result<bool> {
    let Sides { out, into } = sides;
    let mut walks = [Walk { frontier: vec![start], ends: FastSet::new() }];
    // One for each side.
    context.budget.hold(2 * ENTRY_BYTES)?;
    let mut hops: u32 = 0;
    while hops < u32::from(least) && hop(&mut walks, out, context, Walk::go_on)? {
        hops += 1;
    }
    // What the frontier held its ends hold now.
    let [mut from_start] = walks;
    from_start.ends.extend(from_start.frontier.iter().copied());
    let mut from_end = Walk { frontier: vec![end], ends: FastSet::from_iter([end]) };
    let mut left = most.map(|most| u32::from(most.saturating_sub(least)));
    let mut is_met = from_start.ends.contains(&end);
    while !is_met && left != Some(0) {
        let is_forward = from_start.frontier.len() <= from_end.frontier.len();
        let (near, far, neighbours) = if is_forward {
            (&mut from_start, &from_end, &mut *out)
        } else {
            (&mut from_end, &from_start, &mut *into)
        };
        if !hop(std::slice::from_mut(near), neighbours, context, Walk::go_where_none_was)? {
            break;
        }
        is_met = near.frontier.iter().any(|cell| far.ends.contains(cell));
        left = left.map(|left| left - 1);
    }
    drop_ends(&[from_start.ends, from_end.ends], context.budget);
    Ok(is_met)
}

/// The neighbours of elements, both ways.
pub(super) struct Sides {
    pub(super) out: Neighbours,
    pub(super) into: Neighbours,
}

/// Gives back what the ends held.
pub(super) fn drop_ends(ends: &[FastSet<Cell>], budget: &mut Budget<'_>) {
    budget.release(ends.iter().map(FastSet::len).sum::<usize>() * ENTRY_BYTES);
}

/// Takes every walk one hop further, and says whether that makes a difference.
fn hop(
    walks: &mut [Walk],
    neighbours: &mut Neighbours,
    context: &mut Context<'_, '_, '_>,
    further: fn(&mut Walk, &Neighbours, &mut Budget<'_>) -> Result<bool>,
) -> Result<bool> {
    let frontiers = walks.iter().flat_map(|walk| &walk.frontier);
    neighbours.look_up(frontiers.copied(), context)?;
    let mut is_different = false;
    for walk in walks {
        is_different |= further(walk, neighbours, context.budget)?;
    }
    Ok(is_different)
}

impl Walk {
    /// To the ends of walks that are longer by one. No difference if those are the same: then they stay so.
    fn go_on(&mut self, neighbours: &Neighbours, budget: &mut Budget<'_>) -> Result<bool> {
        let mut next: FastSet<Cell> = FastSet::new();
        for from in &self.frontier {
            for cell in neighbours.get(*from) {
                budget.step()?;
                if next.insert(*cell) {
                    budget.row(ENTRY_BYTES)?;
                }
            }
        }
        budget.release(self.frontier.len() * ENTRY_BYTES);
        let is_same =
            next.len() == self.frontier.len() && self.frontier.iter().all(|cell| next.contains(cell));
        self.frontier = next.into_iter().collect();
        Ok(!is_same)
    }

    /// To ends that were not reached before.
    fn go_where_none_was(&mut self, neighbours: &Neighbours, budget: &mut Budget<'_>) -> Result<bool> {
        let mut next = Vec::new();
        for from in &self.frontier {
            for cell in neighbours.get(*from) {
                budget.step()?;
                if self.ends.insert(*cell) {
                    budget.row(ENTRY_BYTES)?;
                    next.push(*cell);
                }
            }
        }
        self.frontier = next;
        Ok(!self.frontier.is_empty())
    }
}
