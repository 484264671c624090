//! Links through the cache.

use std::sync::Arc;

use cairn_seam::Visit;

use super::kept::{Far, Near};
use super::{CacheAt, Kept, Key};
use crate::keys::{self, Order};
use crate::lookup::{EdgeVisitor, keyspace};
use crate::tables::{OPS, SPO};
use crate::{Edge, Element, Lookup, PredicateId, Result, View};

/// Links of a list that is kept: of longer ones somebody may read the beginning only, and they would push out
/// many others.
pub(super) const LINKS_MAX: usize = 8192;

impl View<'_> {
    /// Finds links by one of their ends. Lists that are not kept are one call to the store.
    pub(crate) fn ranges_through(
        &self,
        cache: CacheAt<'_>,
        order: Order,
        run: &[Lookup],
        visit: EdgeVisitor<'_>,
    ) -> Result<()> {
        let lists: Vec<Option<(Near, Key)>> = run.iter().map(|lookup| self.list(lookup)).collect();
        if lists.iter().all(Option::is_none) {
            return self.stored_ranges(order, run, visit);
        }
        let kept: Vec<Option<Arc<[Far]>>> = lists.iter().map(|list| cache.links(&list.as_ref()?.1)).collect();
        let missing: Vec<usize> = (0..run.len()).filter(|place| kept[*place].is_none()).collect();
        cache.cache.count(run.len() - missing.len(), missing.len());
        let mut walk = Walk { lists: &lists, kept: &kept, next: 0, visit };
        // Whoever has enough already needs nothing of the store.
        let Some(first) = missing.first() else {
            walk.reach(run.len());
            return Ok(());
        };
        if walk.reach(*first) == Visit::Stop {
            return Ok(());
        }
        let mut reading = Reading::new(cache, missing.iter().map(|place| lists[*place]).collect());
        let ranges = missing.iter().map(|place| self.range(&run[*place])).collect::<Vec<_>>();
        let mut outcome = Ok(Visit::Continue);
        self.reader().multi_scan(keyspace(order), &ranges, &mut |at, key, value| {
            reading.reach(at);
            outcome = keys::edge(order, key, value).map(|edge| {
                if walk.reach(missing[at]) == Visit::Stop {
                    return Visit::Stop;
                }
                let verdict = (walk.visit)(missing[at], &edge);
                reading.note(&edge, verdict);
                verdict
            });
            *outcome.as_ref().unwrap_or(&Visit::Stop)
        })?;
        if outcome? != Visit::Stop {
            reading.reach(missing.len());
            walk.reach(run.len());
        }
        Ok(())
    }

    /// Finds links by both of their ends. What no list says is one call to the store.
    pub(crate) fn points_through(
        &self,
        cache: CacheAt<'_>,
        ends: &[(Element, PredicateId, Element)],
        visit: EdgeVisitor<'_>,
    ) -> Result<()> {
        let kept: Vec<Option<Option<Edge>>> = ends.iter().map(|ends| self.point(cache, *ends)).collect();
        let missing: Vec<usize> = (0..ends.len()).filter(|place| kept[*place].is_none()).collect();
        cache.cache.count(ends.len() - missing.len(), missing.len());
        let mut next = 0;
        let mut visit_kept = |until: usize, visit: EdgeVisitor<'_>| {
            let places = next..until;
            next = until.max(next);
            let known = places.filter_map(|place| Some((place, kept[place].flatten()?)));
            known.map(|(place, edge)| visit(place, &edge)).find(|verdict| *verdict == Visit::Stop)
        };
        if !missing.is_empty() {
            let asked: Vec<_> = missing.iter().map(|place| ends[*place]).collect();
            let mut is_stopped = false;
            self.stored_points(&asked, &mut |at, edge| {
                let verdict = match visit_kept(missing[at], visit) {
                    Some(stop) => stop,
                    None => visit(missing[at], edge),
                };
                is_stopped = verdict == Visit::Stop;
                verdict
            })?;
            if is_stopped {
                return Ok(());
            }
        }
        visit_kept(ends.len(), visit);
        Ok(())
    }

    /// The link between two ends, if a list of one of them says whether there is one.
    fn point(
        &self,
        cache: CacheAt<'_>,
        (subject, predicate, object): (Element, PredicateId, Element),
    ) -> Option<Option<Edge>> {
        let from = (Near::Subject(subject, predicate), object);
        let to = (Near::Object(object, predicate), subject);
        [from, to].into_iter().find_map(|(near, far)| {
            let links = cache.links(&self.list_key(near)?)?;
            let at = links.binary_search_by_key(&far.to_u64(), |link| link.far);
            Some(at.ok().map(|at| links[at].edge(near)))
        })
    }

    /// The list that answers a lookup.
    fn list(&self, lookup: &Lookup) -> Option<(Near, Key)> {
        let near = match *lookup {
            Lookup::Out { subject, predicate } => Near::Subject(subject, predicate?),
            Lookup::In { object, predicate } => Near::Object(object, predicate?),
            Lookup::Exact { .. } | Lookup::Predicate { .. } | Lookup::All { .. } => return None,
        };
        Some((near, self.list_key(near)?))
    }

    fn list_key(&self, near: Near) -> Option<Key> {
        let (keyspace, end, predicate) = match near {
            Near::Subject(end, predicate) => (SPO, end, predicate),
            Near::Object(end, predicate) => (OPS, end, predicate),
        };
        Key::list(keyspace, &self.scope().key().u64(end.to_u64()).u64(predicate.0))
    }
}

impl CacheAt<'_> {
    fn links(&self, key: &Key) -> Option<Arc<[Far]>> {
        match self.cache.get(key, self.at)? {
            Kept::Links(links) => Some(links),
            Kept::Row(_) => None,
        }
    }
}

/// Lists that are kept, visited in the order in which they were asked for.
struct Walk<'a, 'v> {
    lists: &'a [Option<(Near, Key)>],
    kept: &'a [Option<Arc<[Far]>>],
    /// The first one that was not visited.
    next: usize,
    visit: EdgeVisitor<'v>,
}

impl Walk<'_, '_> {
    /// Visits those before a place that were not.
    fn reach(&mut self, place: usize) -> Visit {
        while self.next < place {
            let at = self.next;
            self.next += 1;
            let (Some((near, _)), Some(links)) = (self.lists[at], &self.kept[at]) else { continue };
            for link in links.iter() {
                match (self.visit)(at, &link.edge(near)) {
                    Visit::Continue => {}
                    Visit::NextRange => break,
                    Visit::Stop => return Visit::Stop,
                }
            }
        }
        Visit::Continue
    }
}

/// Lists that are read from the store, and kept if they are read to their end.
struct Reading<'a> {
    cache: CacheAt<'a>,
    lists: Vec<Option<(Near, Key)>>,
    /// The one that is read.
    at: usize,
    /// What was read of it; nothing if it is not to be kept.
    links: Option<Vec<Far>>,
}

impl<'a> Reading<'a> {
    fn new(cache: CacheAt<'a>, lists: Vec<Option<(Near, Key)>>) -> Self {
        Reading { cache, lists, at: 0, links: Some(Vec::new()) }
    }

    /// The lists before a place have ended, also those that were empty.
    fn reach(&mut self, place: usize) {
        while self.at < place {
            let links = self.links.replace(Vec::new());
            if let (Some((_, key)), Some(links)) = (self.lists[self.at], links) {
                self.cache.cache.keep(key, self.cache.at, Kept::Links(links.into()));
            }
            self.at += 1;
        }
    }

    /// A link was read, and somebody who saw it wants to go on or not.
    fn note(&mut self, edge: &Edge, verdict: Visit) {
        let Some(links) = &mut self.links else { return };
        match self.lists[self.at] {
            Some((near, _)) if verdict == Visit::Continue && links.len() < LINKS_MAX => {
                links.push(Far::of(near, edge));
            }
            Some(_) | None => self.links = None,
        }
    }
}
