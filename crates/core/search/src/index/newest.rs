//! The newest documents, whatever they are worth.

use super::SearchIndex;
use super::search::{Ranked, ignored, shown};
use crate::SearchError;
use crate::found::{Found, Hit};
use crate::rank::collect::Newest;
use crate::request::Request;

impl SearchIndex {
    /// The newest documents that a request admits, the newest first; those of equal times are ordered by partition and
    /// id. A request without a query admits everything that its filter does.
    pub fn newest(&self, request: &Request) -> Result<Found, SearchError> {
        let view = self.view.read();
        let plans = self.plans(&view, request)?;
        let mut total = 0;
        let mut ranked = Vec::new();
        for (at, (partition, plan)) in plans.iter().enumerate() {
            let mut newest = Newest::new(request.limit);
            view.evaluate(plan, &mut newest)?;
            total += newest.total;
            for (time_ms, best) in newest.into_candidates() {
                let (score, id) = (plan.score(best.worth), view.id(&best)?);
                ranked.push((time_ms, Ranked { score, partition: *partition, plan: at, id, best }));
            }
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
