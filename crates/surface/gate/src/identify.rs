//! From credentials to a principal.

use cairn_access::Principal;

use crate::{Gate, GateError};

/// What a client showed to say who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Credentials<'a> {
    /// A token, as in `Authorization: Bearer …`.
    pub bearer: Option<&'a str>,
}

impl Gate {
    /// Who the client is. Authentication is off for now, so everyone is the local owner.
    pub fn principal(&self, _credentials: Credentials<'_>) -> Result<Principal, GateError> {
        Ok(Principal::local_owner())
    }
}
