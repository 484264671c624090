//! Removing what has expired, in transactions of a bounded size.

use cairn_access::Scope;
use cairn_graph::sleep::{remove_expired_concepts, remove_expired_definition, remove_expired_links};
use cairn_graph::spaces::check_named;
use cairn_graph::{ConceptId, Deleted, LinkId, TypeId};

use super::look::Look;
use crate::{EngineError, limits};

/// The stage between two transactions.
const REMOVING: &str = "removing";

impl Look<'_> {
    /// Removes those of the links that have still expired, and links about them.
    pub(super) fn remove_links(&mut self, links: &[LinkId]) -> Result<(), EngineError> {
        let now_ms = self.now_ms;
        for step in links.chunks(limits::SLEEP_STEP_ELEMENTS) {
            let step = step.to_vec();
            let links = self.engine.pipeline.deleting_step(&self.scope, move |tx, scope: &Scope| {
                check_named(&*tx, scope.tenant(), scope.space())?;
                Ok(remove_expired_links(tx, scope, now_ms, &step)?)
            })?;
            self.survey.removed(Deleted { concepts: 0, links });
        }
        Ok(())
    }

    /// Removes those of the concepts that have still expired, with their links.
    pub(super) fn remove_concepts(&mut self, concepts: &[(ConceptId, TypeId)]) -> Result<(), EngineError> {
        let now_ms = self.now_ms;
        for step in concepts.chunks(limits::SLEEP_STEP_ELEMENTS) {
            let mut left = step.to_vec();
            while !left.is_empty() {
                let these = left.clone();
                let (done, rest) =
                    self.engine.pipeline.deleting_step(&self.scope, move |tx, scope: &Scope| {
                        check_named(&*tx, scope.tenant(), scope.space())?;
                        Ok(remove_expired_concepts(tx, scope, now_ms, &these)?)
                    })?;
                self.survey.removed(done);
                left = rest;
                self.go_on(REMOVING)?;
            }
        }
        Ok(())
    }

    /// Removes a type or predicate if it has still expired. One that something follows stays, with its links;
    /// then the answer is no.
    pub(super) fn remove_definition(&mut self, definition: (ConceptId, TypeId)) -> Result<bool, EngineError> {
        let now_ms = self.now_ms;
        loop {
            let step = self.engine.pipeline.deleting_step(&self.scope, move |tx, scope: &Scope| {
                check_named(&*tx, scope.tenant(), scope.space())?;
                Ok(remove_expired_definition(tx, scope, now_ms, definition)?)
            })?;
            let Some((done, rest)) = step else { return Ok(false) };
            self.survey.removed(done);
            if rest.is_empty() {
                return Ok(true);
            }
            self.go_on(REMOVING)?;
        }
    }
}
