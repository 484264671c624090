//! The upkeep of a memory that needs no judgement: what the protocol leaves to `$system`.
//!
//! It says what is past its `expires_at`, which tasks wait, which concepts belong to no domain and which seem
//! to be the same. Applied, it removes the first of these and nothing else, as DELETE does it: what is
//! protected stays, and links go with their concepts.
//!
//! It looks at every concept and every link of a space, in pages with a short snapshot each, and writes in
//! small transactions: others read and write meanwhile.

mod attached;
mod expiry;
mod followers;
mod look;
mod names;
mod remove;
mod report;
mod tasks;

use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId, limits};
use cairn_graph::spaces;
use cairn_seam::OnStage;

use self::look::Look;
pub use self::report::{Listed, SleepDuplicates, SleepElement, SleepReport, SleepTask};
use crate::pipeline::WithoutLine;
use crate::search::graph_rebuild;
use crate::{Act, Engine, EngineError};

/// What to look at, and whether to remove something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepQuestion {
    /// In which space; `memory` if not said.
    pub space: Option<String>,
    /// Whether to remove what is past its time.
    pub apply: bool,
    /// How many things of each kind are shown; there is a limit on it.
    pub shown_max: usize,
}

/// How a node goes to sleep by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SleepPolicy {
    /// How often; never without it.
    pub every: Option<Duration>,
    /// Whether what is past its time is removed, and not only told of in the log.
    pub apply: bool,
}

/// The part of a tenant's memory that is looked at.
struct Place {
    tenant: TenantId,
    space: SpaceId,
    name: String,
}

impl Engine {
    /// Goes to sleep by itself like this from now on.
    pub fn set_sleep(&self, policy: SleepPolicy) {
        *self.sleeping.lock() = policy;
    }

    /// Looks at a space, and removes what is past its time if that is asked for.
    ///
    /// Whoever may read the graph may look; removing takes the permission to write. There is one run at a
    /// time ([`EngineError::MaintenanceRunning`]). A run that has something
    /// to remove leaves an audit line before it begins, and one that says how it ended; without the first
    /// it removes nothing. Stopped by `on_stage`, what was removed until then stays removed.
    pub fn sleep(
        &self,
        principal: &Principal,
        tenant: TenantId,
        question: &SleepQuestion,
        on_stage: OnStage<'_>,
    ) -> Result<SleepReport, EngineError> {
        let whole = Resource::tenant(tenant);
        let action = if question.apply { Action::GraphWrite } else { Action::GraphRead };
        self.pipeline.permit(principal, &Act::new(action, whole))?;
        let name = question.space.as_deref().unwrap_or(spaces::MEMORY);
        let space = self.space_to_read(principal, tenant, name)??;
        let place = Place { tenant, space, name: name.to_owned() };
        let shown_max = question.shown_max.min(limits::SLEEP_SHOWN_MAX);
        self.sleep_in(principal, &place, question.apply, shown_max, on_stage)
    }

    fn sleep_in(
        &self,
        principal: &Principal,
        place: &Place,
        apply: bool,
        shown_max: usize,
        on_stage: OnStage<'_>,
    ) -> Result<SleepReport, EngineError> {
        let resource = Resource::space(place.tenant, place.space);
        let now_ms = self.clock().now_ms();
        let scope = self.pipeline.permit(principal, &Act::new(Action::GraphRead, resource))?.scope();
        // It reads everything: one at a time is enough.
        let _alone = self.asleep.try_lock().ok_or(EngineError::MaintenanceRunning)?;
        let found = self.look_around(&scope, place, now_ms, false, shown_max, on_stage)?;
        if !apply || found.expired.total == 0 {
            return Ok(SleepReport { applied: apply, ..found });
        }
        let what = format!("sleep cycle in {}: {} past expires_at", place.name, found.expired.total);
        let act = Act::new(Action::GraphWrite, resource).on(what);
        let work = |scope: &Scope, (): &()| self.look_around(scope, place, now_ms, true, shown_max, on_stage);
        self.pipeline.undertake(principal, &act, WithoutLine::Refuse, || Ok(()), work)
    }

    fn look_around(
        &self,
        scope: &Scope,
        place: &Place,
        now_ms: u64,
        applied: bool,
        shown_max: usize,
        on_stage: OnStage<'_>,
    ) -> Result<SleepReport, EngineError> {
        let mut look = Look::new(self, *scope, now_ms, shown_max, on_stage);
        look.report =
            SleepReport { space: place.name.clone(), at_ms: now_ms, applied, ..SleepReport::default() };
        look.run()
    }

    /// Goes to sleep if it is time to: every space of every tenant, one after the other.
    pub(crate) fn sleep_when_due(&self, on_stage: OnStage<'_>) {
        let SleepPolicy { every, apply } = *self.sleeping.lock();
        let Some(every) = every else { return };
        let now = self.clock().monotonic();
        let before = *self.slept_at.lock();
        if now.saturating_sub(before) < every {
            return;
        }
        *self.slept_at.lock() = now;
        let places = match self.places() {
            Ok(places) => places,
            Err(error) => return tracing::warn!(%error, "no sleep cycle; it is tried again next time"),
        };
        let mut is_busy = false;
        for place in places {
            let (tenant, space) = (place.tenant.0, &*place.name);
            match self.sleep_in(&Principal::local_owner(), &place, apply, 0, on_stage) {
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
                Err(EngineError::MaintenanceRunning) => is_busy = true,
                Err(error) => tracing::warn!(tenant, space, %error, "a sleep cycle failed"),
            }
        }
        if is_busy {
            // Somebody is at it just now: it is tried again at the next step of upkeep.
            *self.slept_at.lock() = before;
        }
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
