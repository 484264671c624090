//! The upkeep of a memory that needs no judgement: what the protocol leaves to `$system`.
//!
//! It says what is past its `expires_at`, which tasks wait, which concepts belong to no domain and which seem
//! to be the same. Applied, it removes the first of these and nothing else, as DELETE does it: what is
//! protected stays, and links go with their concepts.
//!
//! What there is to find is known to [`cairn_graph::sleep`]; this decides who may look and remove, and when.
//!
//! It looks at every concept and every link of a space, in pages with a short snapshot each, and writes in
//! small transactions: others read and write meanwhile.

mod alone;
mod look;
mod remove;
mod round;

use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{SpaceId, TenantId};
use cairn_graph::sleep::Survey;
pub use cairn_graph::sleep::{Listed, SleepDuplicates, SleepElement, SleepReport, SleepTask};
use cairn_graph::spaces;
use cairn_seam::OnStage;

use self::look::Look;
pub(crate) use self::round::Sleeping;
use super::lifecycle::check_not_managed;
use crate::pipeline::WithoutLine;
use crate::{Act, Engine, EngineError, limits};

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
    /// Looks at a space, and removes what is past its time if that is asked for.
    ///
    /// Whoever may read the graph may look; removing takes the permission to write. There is one run at a
    /// time in a space ([`EngineError::SleepRunning`]). A run that has something to remove leaves an audit
    /// line before it begins, and one that says how it ended; without the first it removes nothing. Stopped by `on_stage`, what was removed until then stays removed.
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
        if question.apply {
            check_not_managed(name)?;
        }
        let space = self.space_to_read(principal, tenant, name)?;
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
        let alone = self.memories.graph.sleeping.busy.begin(place.tenant, place.space);
        let _alone = alone.ok_or(EngineError::SleepRunning)?;
        let found = self.look_around(&scope, place, now_ms, false, shown_max, on_stage)?;
        if !apply || found.expired.total == 0 {
            return Ok(SleepReport { applied: apply, ..found });
        }
        let what = format!("sleep cycle in {}: {} past expires_at", place.name, found.expired.total);
        let act = Act::new(Action::GraphWrite, resource).on(what).deleting();
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
        let survey = Survey::new(&place.name, now_ms, applied, shown_max);
        Look { engine: self, scope: *scope, now_ms, on_stage, survey }.run()
    }
}
