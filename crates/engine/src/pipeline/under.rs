//! Operations under a permit that their caller was given before.

use std::sync::Arc;

use cairn_access::{Permit, Scope};
use cairn_base::Position;
use cairn_seam::{Snapshot, Store};

use super::{Pipeline, Running};
use crate::EngineError;

impl Pipeline {
    /// Reads under a permit. It is counted as an operation of its own.
    pub(crate) fn read_under<T>(
        &self,
        permit: Permit,
        at_least: Position,
        body: impl FnOnce(&dyn Snapshot, &Scope) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.work_under(permit, |store, scope| body(&*store.snapshot(at_least)?, scope))
    }

    /// Works on the store under a permit, without a transaction. It is counted as an operation of its own.
    pub(crate) fn work_under<T>(
        &self,
        permit: Permit,
        body: impl FnOnce(&dyn Store, &Scope) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let started = self.shared.clock.monotonic();
        let running = Running { shared: Arc::clone(&self.shared), permit, started };
        let result = body(&*self.store, &running.permit.scope());
        running.count(result.is_ok());
        result
    }
}
