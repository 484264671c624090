//! What is done when little was found: names that are written almost so.

use std::collections::{BTreeMap, HashSet};

use super::SearchIndex;
use super::view::View;
use crate::SearchError;
use crate::document::Partition;
use crate::query::Clause;
use crate::rank::near::{NearName, WORDS_MAX};
use crate::rank::plan::{Plan, Planner};
use crate::rank::suggest::suggestions;
use crate::request::{Filter, Request};

impl SearchIndex {
    /// Lets plans find names that are written almost as words that nothing holds, and says what may have
    /// been meant.
    pub(super) fn widen(
        &self,
        view: &View,
        request: &Request,
        plans: &mut [(Partition, Plan)],
        least: Option<f64>,
    ) -> Result<Vec<String>, SearchError> {
        let Request { query, filter, .. } = request;
        let mut planners = Vec::with_capacity(plans.len());
        for (partition, plan) in plans {
            if let Some(planner) = self.planner(view, *partition)? {
                planners.push((planner, plan));
            }
        }
        let mut lacking = Vec::new();
        for (at, clause) in query.clauses.iter().enumerate() {
            if lacking.len() < WORDS_MAX
                && all_lack(planners.iter().map(|(planner, _)| planner), clause, filter)?
            {
                lacking.push((at, clause));
            }
        }
        let mut meant: BTreeMap<usize, Vec<NearName>> = BTreeMap::new();
        for (planner, plan) in planners {
            let mut words = Vec::new();
            for (at, clause) in &lacking {
                words.push((*at, planner.nearest(clause, filter)?));
            }
            planner.widen(plan, query, &words, least);
            words.into_iter().for_each(|(at, names)| meant.entry(at).or_default().extend(names));
        }
        for names in meant.values_mut() {
            names.sort_unstable_by(NearName::order);
            let mut known = HashSet::new();
            names.retain(|name| known.insert(name.text.clone()));
        }
        Ok(suggestions(query, &meant.into_iter().collect::<Vec<_>>()))
    }
}

/// A word that is found in one partition is spelled well, and none of the others has to guess.
fn all_lack<'a>(
    mut planners: impl Iterator<Item = &'a Planner<'a, View>>,
    clause: &Clause,
    filter: &Filter,
) -> Result<bool, SearchError> {
    planners.try_fold(true, |all, planner| Ok(all && planner.lacks(clause, filter)?))
}
