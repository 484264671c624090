//! Transactions that are tried out: everything is done, and nothing kept.

use std::sync::Arc;

use cairn_access::{Principal, Scope};
use cairn_seam::{StoreError, WriteTx};
use parking_lot::Mutex;

use super::Pipeline;
use crate::{Act, EngineError};

impl Pipeline {
    /// Has a transaction done as if it were to stay, and gives it up. Says what it came to.
    ///
    /// It leaves no audit line, because nothing was done.
    pub(crate) fn attempt<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: &Act,
        mut body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let running = self.begin(principal, act)?;
        let scope = running.permit.scope();
        let outcome = Arc::new(Mutex::new(None));
        let came_to = Arc::clone(&outcome);
        let given_up = cairn_seam::write_as(&*self.store, scope.tenant(), act.class, move |tx| {
            *came_to.lock() = Some(body(tx, &scope));
            Err::<(), _>(EngineError::Store(StoreError::Aborted))
        });
        let outcome = match (outcome.lock().take(), given_up) {
            (Some(outcome), Err(EngineError::Store(StoreError::Aborted))) => outcome,
            // It did not get as far, or an error was overlooked on the way.
            (_, Err(error)) => Err(error),
            (_, Ok(_)) => Err(StoreError::Aborted.into()),
        };
        running.count(outcome.is_ok());
        outcome
    }
}
