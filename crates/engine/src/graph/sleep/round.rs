//! Going to sleep without being asked: every space of every tenant, one after the other.

use std::time::Duration;

use cairn_access::Principal;
use cairn_base::Position;
use cairn_graph::spaces;
use cairn_seam::OnStage;
use parking_lot::Mutex;

use super::alone::Busy;
use super::{Place, SleepPolicy};
use crate::graph::search::rebuild as graph_rebuild;
use crate::{Engine, EngineError};

/// When the first round of a process begins, if it is not to come sooner anyway: a process may be started anew
/// more often than rounds come, and at its start others need the machine.
const FIRST_AFTER: Duration = Duration::from_secs(5 * 60);

/// What is known of sleep between two runs.
#[derive(Default)]
pub(crate) struct Sleeping {
    policy: Mutex<SleepPolicy>,
    round: Mutex<Round>,
    pub(super) busy: Busy,
}

#[derive(Default)]
struct Round {
    /// When the last one began.
    began_at: Option<Duration>,
    /// Where it was not done yet, because somebody else was at it.
    left: Vec<Place>,
}

impl Sleeping {
    pub(crate) fn new(policy: SleepPolicy) -> Self {
        Sleeping { policy: Mutex::new(policy), ..Sleeping::default() }
    }
}

impl Engine {
    /// Goes to sleep by itself like this from now on: for the first time some minutes after the engine was
    /// opened, and then as often as it says.
    pub fn set_sleep(&self, policy: SleepPolicy) {
        *self.memories.graph.sleeping.policy.lock() = policy;
    }

    /// Goes to sleep where it is time to.
    pub(crate) fn sleep_when_due(&self, on_stage: OnStage<'_>) {
        let SleepPolicy { every, apply } = *self.memories.graph.sleeping.policy.lock();
        let Some(every) = every else { return };
        let due = match self.places_due(every) {
            Ok(places) => places,
            Err(error) => return tracing::warn!(%error, "no sleep cycle; it is tried again next time"),
        };
        let busy: Vec<Place> =
            due.into_iter().filter(|place| !self.sleep_by_itself(place, apply, on_stage)).collect();
        // Only there it is tried again, at the next step of upkeep.
        self.memories.graph.sleeping.round.lock().left.extend(busy);
    }

    /// Where to go to sleep now: everywhere if a round begins, or else where the last one is not done yet.
    fn places_due(&self, every: Duration) -> Result<Vec<Place>, EngineError> {
        let now = self.clock().monotonic();
        let mut round = self.memories.graph.sleeping.round.lock();
        let is_due = match round.began_at {
            None => now.saturating_sub(self.opened_at) >= every.min(FIRST_AFTER),
            Some(before) => now.saturating_sub(before) >= every,
        };
        if is_due {
            round.began_at = Some(now);
            round.left = self.places()?;
        }
        Ok(std::mem::take(&mut round.left))
    }

    /// Goes to sleep in one space, and writes in the log how it went. No if somebody else is at it.
    fn sleep_by_itself(&self, place: &Place, apply: bool, on_stage: OnStage<'_>) -> bool {
        let (tenant, space) = (place.tenant.0, &*place.name);
        // Nothing but the knowledge base changes its spaces.
        let apply = apply && !spaces::managed(space);
        match self.sleep_in(&Principal::local_owner(), place, apply, 0, on_stage) {
            Ok(report) => tracing::info!(
                tenant,
                space,
                applied = report.applied,
                expired = report.expired.total,
                kept = report.kept.total,
                removed_concepts = report.removed_concepts,
                removed_links = report.removed_links,
                tasks = report.tasks.total,
                without_domain = report.without_domain.total,
                duplicates = report.duplicates.total,
                "sleep cycle"
            ),
            Err(EngineError::SleepRunning) => return false,
            Err(error) => tracing::warn!(tenant, space, %error, "a sleep cycle failed"),
        }
        true
    }

    /// Every space in which something is known.
    fn places(&self) -> Result<Vec<Place>, EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let mut places = Vec::new();
        for (tenant, space) in graph_rebuild::spaces(&*snapshot)? {
            let name = spaces::name_of(&*snapshot, tenant, space)?.unwrap_or_else(|| space.0.to_string());
            places.push(Place { tenant, space, name });
        }
        Ok(places)
    }
}
