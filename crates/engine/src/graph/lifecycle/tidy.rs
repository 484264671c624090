//! Spaces that are not finished, a little at a time: staged ones that nobody fills any more go, deleted ones lose their
//! rows, and elements of copies are announced to the search index.

use std::thread;
use std::time::Duration;

use cairn_access::Scope;
use cairn_base::Position;
use cairn_graph::limits::SPACE_DERIVE_PAGE;
use cairn_graph::spaces::{self, DeriveProgress, SpaceState};

use crate::{Engine, EngineError};

/// How long one step of upkeep works on spaces.
const WORK_MAX: Duration = Duration::from_millis(250);
/// Announced pages that may wait for the index: a search waits until they are taken in.
const WAITING_MAX: usize = 4;
/// How long to wait for the index before it is looked at again.
const LOOK: Duration = Duration::from_millis(5);
/// How often in one step.
const LOOKS_MAX: usize = 50;

impl Engine {
    /// Goes on with every space that is not finished.
    pub(crate) fn look_after_spaces(&self) {
        let copies = &self.memories.graph.copies;
        if copies.was_finished() {
            return;
        }
        match self.go_on_with_spaces() {
            Ok(true) => {}
            Ok(false) => copies.note_unfinished(),
            Err(error) => {
                copies.note_unfinished();
                tracing::warn!(%error, "a space was not tidied up; it is tried again");
            }
        }
    }

    /// Says whether every space is finished.
    fn go_on_with_spaces(&self) -> Result<bool, EngineError> {
        let all = spaces::all_unfinished(&*self.pipeline.store().snapshot(Position::START)?)?;
        // Asked after the snapshot: who copies says so before it stages a space.
        let is_copied_to = self.memories.graph.copies.is_running();
        let until = self.clock().monotonic() + WORK_MAX;
        let (mut is_finished, mut verdict) = (true, Ok(()));
        for (tenant, space, state) in all {
            let scope = self.own_space(tenant, space)?;
            let done = match state {
                SpaceState::Staged if is_copied_to => Ok(false),
                SpaceState::Staged => self
                    .pipeline
                    .deleting_step(&scope, |tx, scope| {
                        Ok(spaces::abandon(tx, scope.tenant(), scope.space())?)
                    })
                    .and_then(|()| self.clear_space(&scope, until)),
                SpaceState::Dying | SpaceState::Abandoned => self.clear_space(&scope, until),
                SpaceState::DerivingConcepts(_) | SpaceState::DerivingLinks(_) => {
                    self.announce_documents(&scope, until)
                }
            };
            // One that fails does not keep others from it.
            match done {
                Ok(done) => is_finished &= done,
                Err(error) => verdict = Err(error),
            }
        }
        verdict.map(|()| is_finished)
    }

    /// Announces elements of a copy until that time, as quickly as the index takes them in; says whether all are.
    fn announce_documents(&self, scope: &Scope, until: Duration) -> Result<bool, EngineError> {
        let mut looks = 0;
        loop {
            if self.clock().monotonic() >= until || self.upkeep.is_stopped() {
                return Ok(false);
            }
            if self.search_waits_for(WAITING_MAX) {
                looks += 1;
                if looks > LOOKS_MAX {
                    return Ok(false);
                }
                thread::sleep(LOOK);
                continue;
            }
            let progress = self
                .pipeline
                .step(scope, |tx, scope| Ok(spaces::derive_page(tx, scope, SPACE_DERIVE_PAGE)?))?;
            if progress == DeriveProgress::Done {
                return Ok(true);
            }
        }
    }
}
