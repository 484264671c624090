//! Letting in clients that show nothing, where an operator allows that, as a user that was made for them.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, TrustedUser};
use cairn_base::Position;

use super::LoggedIn;
use crate::{Act, Engine, EngineError};

impl Engine {
    /// Lets in a client that shows nothing, as a trusted user. `from` says where it comes from, for the line
    /// that this leaves in the trail of the user's tenant; of a flood of them only some leave one.
    pub fn log_in_trusted(&self, trusted: &TrustedUser, from: &str) -> Result<Arc<LoggedIn>, EngineError> {
        // Before reading: what changes from here on makes this one old.
        let generation = self.logins.generation();
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let login = cairn_access::by_trust(&*snapshot, trusted).map_err(|error| self.refused(error))?;
        self.pipeline.note_entry(&login.principal, &entry(from));
        Ok(Arc::new(LoggedIn { login, generation, bound_to: None }))
    }

    /// Checks that a trusted user exists, may come in and has its role; and leaves a line that from now on
    /// clients are let in as this user, where `networks` says from where.
    pub fn trust(&self, trusted: &TrustedUser, networks: &str) -> Result<(), EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let tenant = cairn_access::check_trust(&*snapshot, trusted)?;
        let act = entry(&format!("{networks}, without credentials, as {trusted}"));
        self.pipeline.leave_done(tenant, &Principal::local_owner(), &act)
    }
}

fn entry(from: &str) -> Act {
    Act::new(Action::Authenticate, Resource::NODE).on(format!("trusted network {from}"))
}
