//! How many rows patterns give, as far as statistics know.

use std::collections::HashMap;

use cairn_graph::{PredicateId, Statistic, TypeId, View};
use cairn_seam::Visit;

use crate::Result;

/// Counts of one snapshot, each read once.
pub(super) struct Estimator<'v> {
    view: View<'v>,
    counts: HashMap<Statistic, f64>,
    all: Option<Vec<PredicateId>>,
    /// A number for each list of predicates that was asked for.
    lists: HashMap<Vec<PredicateId>, usize>,
    links: HashMap<LinksKey, Links>,
}

/// The number of a list of predicates, all if absent, and the types of subject and object, any if absent.
type LinksKey = (Option<usize>, Option<TypeId>, Option<TypeId>);

/// What is known of the links that a pattern is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    /// How many there are.
    pub(super) total: f64,
    /// How many of them have ends of the types asked for.
    pub(super) fitting: f64,
    /// Different subjects, those of the type asked for if there is one; at least one.
    pub(super) subjects: f64,
    /// The same for objects.
    pub(super) objects: f64,
}

impl<'v> Estimator<'v> {
    pub(super) fn new(view: View<'v>) -> Self {
        Estimator { view, counts: HashMap::new(), all: None, lists: HashMap::new(), links: HashMap::new() }
    }

    /// Concepts of a type.
    pub(super) fn concepts(&mut self, kind: TypeId) -> Result<f64> {
        self.count(Statistic::Type(kind))
    }

    /// Links of some predicates, of all if absent, between ends of some types. Of all predicates it is not asked
    /// how many of their links have ends of a type: there may be many, and it is one row for each pair of them.
    pub(super) fn links(
        &mut self,
        predicates: Option<&[PredicateId]>,
        subject: Option<TypeId>,
        object: Option<TypeId>,
    ) -> Result<Links> {
        let key = (predicates.map(|ids| self.number_of(ids)), subject, object);
        if let Some(links) = self.links.get(&key) {
            return Ok(*links);
        }
        let (ids, subject, object) = match predicates {
            Some(ids) => (ids.to_vec(), subject, object),
            None => (self.all_predicates()?, None, None),
        };
        let mut links = Links { total: 0.0, fitting: 0.0, subjects: 0.0, objects: 0.0 };
        for predicate in ids {
            let total = self.count(Statistic::Predicate(predicate))?;
            if total == 0.0 {
                continue;
            }
            let of_subject = match subject {
                Some(kind) => self.count(Statistic::SubjectType(kind, predicate))? / total,
                None => 1.0,
            };
            let of_object = match object {
                Some(kind) => self.count(Statistic::ObjectType(predicate, kind))? / total,
                None => 1.0,
            };
            links.total += total;
            links.fitting += total * of_subject * of_object;
            links.subjects += self.count(Statistic::Subjects(predicate))? * of_subject;
            links.objects += self.count(Statistic::Objects(predicate))? * of_object;
        }
        links.subjects = links.subjects.max(1.0);
        links.objects = links.objects.max(1.0);
        self.links.insert(key, links);
        Ok(links)
    }

    fn number_of(&mut self, predicates: &[PredicateId]) -> usize {
        if let Some(number) = self.lists.get(predicates) {
            return *number;
        }
        let number = self.lists.len();
        self.lists.insert(predicates.to_vec(), number);
        number
    }

    /// All predicates that links have. What is counted of them alone is read in one go.
    fn all_predicates(&mut self) -> Result<Vec<PredicateId>> {
        if let Some(all) = &self.all {
            return Ok(all.clone());
        }
        let mut all = Vec::new();
        let counts = &mut self.counts;
        self.view.predicate_statistics(&mut |of, count| {
            if let Statistic::Predicate(id) = of {
                all.push(id);
            }
            counts.insert(of, count as f64);
            Visit::Continue
        })?;
        self.all = Some(all.clone());
        Ok(all)
    }

    fn count(&mut self, of: Statistic) -> Result<f64> {
        if let Some(count) = self.counts.get(&of) {
            return Ok(*count);
        }
        let count = self.view.count(of)? as f64;
        self.counts.insert(of, count);
        Ok(count)
    }
}
