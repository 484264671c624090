//! The newest documents, whatever they are worth.

use std::cmp::Reverse;

use super::SearchIndex;
use super::search::{Ranked, ignored, shown};
use crate::SearchError;
use crate::found::{Found, Hit};
use crate::rank::collect::{Best, Newest};
use crate::request::Request;

impl SearchIndex {
    /// The newest documents that a request admits, the newest first; those of equal times are ordered by partition and
    /// id. A request without a query admits everything that its filter does.
    pub fn newest(&self, request: &Request) -> Result<Found, SearchError> {
        let view = self.view.read();
        let plans = self.plans(&view, request)?;
        let mut total = 0;
        let mut found: Vec<(usize, u64, Best)> = Vec::new();
        for (at, (_, plan)) in plans.iter().enumerate() {
            // What is older than enough of the partitions before is counted only.
            let mut newest = Newest::new(request.limit, found.iter().map(|(_, time_ms, _)| *time_ms));
            view.evaluate_newest_first(plan, &mut newest)?;
            total += newest.total;
            found.extend(newest.into_candidates().into_iter().map(|(time_ms, best)| (at, time_ms, best)));
        }
        if let Some(last) = request.limit.checked_sub(1).filter(|last| *last < found.len()) {
            let (_, (_, last_ms, _), _) = found.select_nth_unstable_by_key(last, |found| Reverse(found.1));
            let last_ms = *last_ms;
            found.retain(|(_, time_ms, _)| *time_ms >= last_ms);
        }
        let mut ranked = Vec::with_capacity(found.len());
        for (at, time_ms, best) in found {
            let (partition, plan) = &plans[at];
            let (score, id) = (plan.score(best.worth), view.id(&best)?);
            ranked.push((time_ms, Ranked { score, partition: *partition, plan: at, id, best }));
        }
        ranked.sort_unstable_by(|(left_ms, left), (right_ms, right)| {
            right_ms.cmp(left_ms).then_with(|| (left.partition, &left.id).cmp(&(right.partition, &right.id)))
        });
        ranked.truncate(request.limit);
        let mut hits: Vec<Option<Hit>> = vec![None; ranked.len()];
        for (number, (_, plan)) in plans.iter().enumerate() {
            let places: Vec<_> = (0..ranked.len()).filter(|at| ranked[*at].1.plan == number).collect();
            let of_plan: Vec<_> = places.iter().map(|at| &ranked[*at].1).collect();
            for (at, hit) in places.into_iter().zip(shown(&view, plan, &of_plan)?) {
                hits[at] = Some(hit);
            }
        }
        let (hits, ignored) = (hits.into_iter().flatten().collect(), ignored(&plans));
        Ok(Found { hits, total, ignored, suggestions: Vec::new(), position: view.position })
    }
}
