//! Asking the index: it is there, it has what was committed before, and it is whole.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use cairn_access::{Permit, Principal, Scope};
use cairn_base::{Position, TenantId};
use cairn_seam::Snapshot;
use cairn_search::SearchError;
use cairn_search::index::SearchIndex;

use super::State;
use crate::{Act, Engine, EngineError};

/// How long a search waits for the newest commits to be taken in.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(2);

/// What was answered, and how much of what there is was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consulted<T> {
    /// The answer.
    pub answer: T,
    /// Not everything that was committed before was looked at.
    pub behind: bool,
    /// The index is made anew, and this is what it has so far.
    pub rebuilding: bool,
}

impl Engine {
    /// Has a question answered from an index that holds everything committed before, or says that it is
    /// behind. The snapshot shows whatever is found. Memories have their questions answered here.
    pub fn consult<T>(
        &self,
        principal: &Principal,
        act: &Act,
        answer: impl FnOnce(&SearchIndex, &dyn Snapshot, &Scope) -> Result<T, EngineError>,
    ) -> Result<Consulted<T>, EngineError> {
        self.consult_under(self.pipeline.permit(principal, act)?, answer)
    }

    /// The same under a permit that the caller has.
    pub(crate) fn consult_under<T>(
        &self,
        permit: Permit,
        answer: impl FnOnce(&SearchIndex, &dyn Snapshot, &Scope) -> Result<T, EngineError>,
    ) -> Result<Consulted<T>, EngineError> {
        let wanted = self.position();
        let (index, rebuilding) = match self.searching.opened(WAIT_MAX) {
            State::Ready(index) => (index, false),
            State::Rebuilding(index, _) => (index, true),
            State::Off => return Err(EngineError::SearchOff),
            State::Opening => return Err(EngineError::NoSearch { detail: "it is being opened".into() }),
            State::Failed(detail) => return Err(EngineError::NoSearch { detail }),
        };
        self.pipeline.work_under(permit, |store, scope| {
            let is_current = !rebuilding && self.bring_up_to_date(&index, scope.tenant(), wanted);
            if !is_current {
                self.searching.behind.add(1);
            }
            // The snapshot is taken after the index stands, so what is found can be shown.
            let snapshot = store.snapshot(wanted)?;
            // Damaged files may be read as anything.
            let answered = catch_unwind(AssertUnwindSafe(|| answer(&index, &*snapshot, scope)));
            let answered = answered.unwrap_or_else(|_| {
                let detail = "it stopped unexpectedly, and is looked at; try again";
                Err(SearchError::Damaged(detail.into()).into())
            });
            // The engine of the index may have gone on without what it could not read.
            let answered = match index.damage() {
                Some(damage) => Err(SearchError::from(damage.clone()).into()),
                None => answered,
            };
            let answer = answered.inspect_err(|error| {
                if let EngineError::Search(SearchError::Damaged(_)) = error {
                    self.searching.want_check();
                }
            })?;
            Ok(Consulted { answer, behind: !is_current, rebuilding })
        })
    }

    /// Has everything up to `wanted` in the index; says whether that was done in time. If it cannot be done,
    /// the thread that keeps the index sees to it, and what there is is searched.
    fn bring_up_to_date(&self, index: &SearchIndex, tenant: TenantId, wanted: Position) -> bool {
        let until = Instant::now() + WAIT_MAX;
        let brought = catch_unwind(AssertUnwindSafe(|| {
            self.feed_until(index, wanted, until)?;
            self.refresh_until(index, tenant, until)
        }));
        match brought {
            Ok(Ok(is_fresh)) => is_fresh && index.position() >= wanted,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a search did not see the newest commits");
                self.searching.wake();
                false
            }
            Err(_) => {
                self.searching.want_check();
                false
            }
        }
    }
}
