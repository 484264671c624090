//! Answers questions.

use std::collections::HashMap;

use super::SearchIndex;
use super::statistics::Counts;
use super::view::View;
use crate::document::Partition;
use crate::found::{Found, FoundGroups, GroupHit, Hit, Reason};
use crate::query::Parsed;
use crate::rank::collect::{Best, BestOf, Groups, Top};
use crate::rank::near::LITTLE;
use crate::rank::plan::Corpus as _;
use crate::rank::plan::{Plan, Planner};
use crate::request::{Filter, Grouping, Recency, Request};
use crate::text::Language;
use crate::{SearchError, limits};

/// How many documents of a group are shown.
const SHOWN_OF_GROUP: usize = 3;

/// A document among the best of its partition, before it is looked at closely.
pub(super) struct Ranked {
    pub(super) score: f64,
    pub(super) partition: Partition,
    pub(super) plan: usize,
    pub(super) id: Vec<u8>,
    pub(super) best: Best,
}

impl SearchIndex {
    /// The best documents.
    pub fn search(&self, request: &Request) -> Result<Found, SearchError> {
        let view = self.view.read();
        let mut plans = self.plans(&view, request)?;
        let mut suggestions = Vec::new();
        let (mut ranked, mut total) = best(&view, &plans, request.limit)?;
        if total < LITTLE {
            let least = ranked.iter().map(|ranked| ranked.score).min_by(f64::total_cmp);
            suggestions = self.widen(&view, request, &mut plans, least)?;
        }
        if !suggestions.is_empty() {
            (ranked, total) = best(&view, &plans, request.limit)?;
        }
        ranked.truncate(request.limit);
        let mut hits: Vec<Option<Hit>> = vec![None; ranked.len()];
        for (number, (_, plan)) in plans.iter().enumerate() {
            let places: Vec<_> = (0..ranked.len()).filter(|at| ranked[*at].plan == number).collect();
            let of_plan: Vec<_> = places.iter().map(|at| &ranked[*at]).collect();
            for (at, hit) in places.into_iter().zip(shown(&view, plan, &of_plan)?) {
                hits[at] = Some(hit);
            }
        }
        Ok(Found {
            hits: hits.into_iter().flatten().collect(),
            total,
            ignored: ignored(&plans),
            suggestions,
            position: view.position,
        })
    }

    /// The best groups of all partitions together.
    pub fn search_groups(&self, request: &Request, grouping: Grouping) -> Result<FoundGroups, SearchError> {
        let view = self.view.read();
        let mut plans = self.plans(&view, request)?;
        let mut suggestions = Vec::new();
        let mut ranked = best_groups(&view, &plans, grouping)?;
        if ranked.iter().map(|(_, _, count)| count).sum::<u64>() < LITTLE {
            let least = ranked.iter().map(|(score, _, _)| *score).min_by(f64::total_cmp);
            suggestions = self.widen(&view, request, &mut plans, least)?;
        }
        if !suggestions.is_empty() {
            ranked = best_groups(&view, &plans, grouping)?;
        }
        let total = ranked.len() as u64;
        ranked.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        ranked.truncate(request.limit);
        let mut best: HashMap<u64, Vec<Hit>> = HashMap::new();
        for (at, (partition, plan)) in plans.iter().enumerate() {
            let mut collect = BestOf::new(grouping, ranked.iter().map(|group| group.1), SHOWN_OF_GROUP);
            view.evaluate(plan, &mut collect)?;
            for (group, top) in collect.groups {
                let mut documents = rank(&view, *partition, at, plan, top)?;
                sort(&mut documents);
                documents.truncate(SHOWN_OF_GROUP);
                let documents: Vec<_> = documents.iter().collect();
                best.entry(group).or_default().extend(shown(&view, plan, &documents)?);
            }
        }
        let groups = ranked.into_iter().map(|(score, group, count)| {
            let best = best.remove(&group).unwrap_or_default();
            GroupHit { group, score, count, best }
        });
        Ok(FoundGroups {
            groups: groups.collect(),
            total,
            ignored: ignored(&plans),
            suggestions,
            position: view.position,
        })
    }

    pub(super) fn plans(
        &self,
        view: &View,
        request: &Request,
    ) -> Result<Vec<(Partition, Plan)>, SearchError> {
        let tags = request.filter.tags.len();
        if tags > limits::SEARCH_TAGS_MAX {
            return Err(SearchError::TooManyTags { tags });
        }
        let mut plans = Vec::new();
        for partition in &request.partitions {
            let Some(planner) = self.planner(view, *partition)? else { continue };
            let query = request.query.among(self.collection(*partition)?.fields);
            plans.push((*partition, planner.plan(&query, &request.filter, request.recency)?));
        }
        Ok(plans)
    }

    /// Nothing for a partition without documents.
    pub(super) fn planner<'a>(
        &self,
        view: &'a View,
        partition: Partition,
    ) -> Result<Option<Planner<'a, View>>, SearchError> {
        let Some(number) = view.statistics.find(partition) else { return Ok(None) };
        let counts = view.statistics.counts(number).filter(|counts| counts.documents > 0);
        let collection = self.collection(partition)?;
        Ok(counts.map(|counts| Planner::new(view, collection, number, counts)))
    }
}

/// The best of all partitions, the best first, at least as many as near names are looked for; and how many
/// there are in all.
fn best(view: &View, plans: &[(Partition, Plan)], limit: usize) -> Result<(Vec<Ranked>, u64), SearchError> {
    let mut total = 0;
    let mut ranked = Vec::new();
    for (at, (partition, plan)) in plans.iter().enumerate() {
        let mut top = Top::new(limit.max(LITTLE as usize));
        view.evaluate(plan, &mut top)?;
        total += top.total;
        ranked.extend(rank(view, *partition, at, plan, top)?);
    }
    sort(&mut ranked);
    Ok((ranked, total))
}

/// The groups of all partitions: their scores, their numbers, how many hits each has.
fn best_groups(
    view: &View,
    plans: &[(Partition, Plan)],
    grouping: Grouping,
) -> Result<Vec<(f64, u64, u64)>, SearchError> {
    let mut sums: HashMap<u64, (f64, u64)> = HashMap::new();
    for (_, plan) in plans {
        let mut groups = Groups::new(grouping);
        view.evaluate(plan, &mut groups)?;
        for (number, group) in groups.groups {
            // Half of the best that all of its documents together could be worth.
            let score = (plan.score(group.worth()) / 2.0).min(1.0);
            let (missing, count) = sums.entry(number).or_insert((1.0, 0));
            *missing *= 1.0 - score;
            *count += group.hits;
        }
    }
    Ok(sums.into_iter().map(|(group, (missing, count))| (1.0 - missing, group, count)).collect())
}

/// Words that no partition looked for.
pub(super) fn ignored(plans: &[(Partition, Plan)]) -> Vec<String> {
    let Some(((_, first), rest)) = plans.split_first() else { return Vec::new() };
    let everywhere = |word: &&String| rest.iter().all(|(_, plan)| plan.ignored.contains(word));
    first.ignored.iter().filter(everywhere).cloned().collect()
}

fn rank(
    view: &View,
    partition: Partition,
    plan_number: usize,
    plan: &Plan,
    top: Top,
) -> Result<Vec<Ranked>, SearchError> {
    let best = top.into_best(|best| view.id(best))?;
    let ranked = |(best, id): (Best, Vec<u8>)| {
        let score = plan.score(best.worth);
        Ranked { score, partition, plan: plan_number, id, best }
    };
    Ok(best.into_iter().map(ranked).collect())
}

/// The better score first; scores are cut off at 1 only when they are shown.
fn sort(ranked: &mut [Ranked]) {
    ranked.sort_unstable_by(|left, right| {
        let by_score = right.score.total_cmp(&left.score);
        by_score.then_with(|| (left.partition, &left.id).cmp(&(right.partition, &right.id)))
    });
}

/// Documents that one plan found, with why.
pub(super) fn shown(view: &View, plan: &Plan, ranked: &[&Ranked]) -> Result<Vec<Hit>, SearchError> {
    let bests: Vec<_> = ranked.iter().map(|ranked| ranked.best).collect();
    let reasons = reasons(view, plan, &bests)?;
    let hit = |(ranked, reasons): (&&Ranked, _)| Hit {
        partition: ranked.partition,
        id: ranked.id.clone(),
        group: view.group(Grouping::Group, &ranked.best),
        subgroup: view.group(Grouping::Subgroup, &ranked.best),
        time_ms: view.time_ms(&ranked.best),
        score: ranked.score.min(1.0),
        reasons,
    };
    Ok(ranked.iter().zip(reasons).map(hit).collect())
}

/// Why each of these documents was found, sorted, each reason once.
fn reasons(view: &View, plan: &Plan, bests: &[Best]) -> Result<Vec<Vec<Reason>>, SearchError> {
    let mut reasons = vec![Vec::new(); bests.len()];
    // Postings are walked once for all documents of a segment.
    let mut order: Vec<_> = (0..bests.len()).collect();
    order.sort_unstable_by_key(|at| (bests[*at].segment, bests[*at].document));
    for same in order.chunk_by(|left, right| bests[*left].segment == bests[*right].segment) {
        let Some(segment) = same.first().map(|at| bests[*at].segment) else { continue };
        let documents: Vec<_> = same.iter().map(|at| bests[*at].document).collect();
        for term in &plan.terms {
            let Some(reason) = &term.reason else { continue };
            let holding = view.holding(&term.key, segment, &documents)?;
            for (at, _) in same.iter().zip(holding).filter(|(_, holds)| *holds) {
                reasons[*at].push(reason.clone());
            }
        }
        for list in &plan.lists {
            let Some(reason) = &list.reason else { continue };
            let postings = list.postings.get(segment).map_or(&[][..], Vec::as_slice);
            for (at, document) in same.iter().zip(&documents) {
                if postings.binary_search_by_key(document, |posting| posting.document).is_ok() {
                    reasons[*at].push(reason.clone());
                }
            }
        }
    }
    for reasons in &mut reasons {
        reasons.sort();
        reasons.dedup();
    }
    Ok(reasons)
}

impl SearchIndex {
    /// Tags of documents of a partition that begin so, sorted; of documents that are gone too.
    pub fn tags_from(&self, partition: Partition, prefix: &str) -> Result<Vec<String>, SearchError> {
        const TAGS_MAX: usize = 10_000;
        let view = self.view.read();
        let Some(number) = view.statistics.find(partition) else { return Ok(Vec::new()) };
        let before = number.tag("").bytes.len();
        let marks = view.marks_from(&number.tag(prefix).bytes, TAGS_MAX)?;
        let tag = |mark: Vec<u8>| String::from_utf8(mark.get(before..)?.to_vec()).ok();
        Ok(marks.into_iter().filter_map(tag).collect())
    }

    /// Some documents of a partition that have a tag, by their ids.
    pub fn tagged(&self, partition: Partition, tag: &str, limit: usize) -> Result<Vec<Vec<u8>>, SearchError> {
        let filter = Filter { tags: vec![tag.to_owned()], ..Filter::default() };
        let (query, recency) = (Parsed::default(), Recency::default());
        let request = Request { partitions: vec![partition], query, filter, limit, recency };
        Ok(self.search(&request)?.hits.into_iter().map(|hit| hit.id).collect())
    }

    /// The languages of the documents of a partition.
    pub fn languages(&self, partition: Partition) -> Vec<Language> {
        let view = self.view.read();
        let counts = view.statistics.find(partition).and_then(|number| view.statistics.counts(number));
        counts.map_or_else(|| vec![Language::English], Counts::languages)
    }

    /// Every partition that ever had a document.
    pub fn partitions(&self) -> Vec<Partition> {
        self.view.read().statistics.partitions().collect()
    }
}
