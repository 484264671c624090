//! From credentials to a principal.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use cairn_access::{Principal, Roles, TrustedUser};
use cairn_base::TenantId;
use cairn_engine::{Connection, LoggedIn};

use crate::{Gate, GateError};

/// Whether callers have to say who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Authentication {
    /// Everyone is the local owner. For loopback only.
    #[default]
    Off,
    /// Whoever shows nothing is nobody.
    Required,
}

/// What a client showed to say who it is.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// Whether it came in where only the local owner can.
    pub is_local_owner: bool,
    /// A token, as in `Authorization: Bearer …`.
    pub bearer: Option<&'a str>,
    /// The connection it came over.
    pub connection: Connection,
}

impl fmt::Debug for Credentials<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whoever sees the token has it.
        f.debug_struct("Credentials")
            .field("is_local_owner", &self.is_local_owner)
            .field("has_bearer", &self.bearer.is_some())
            .field("connection", &self.connection)
            .finish()
    }
}

/// Somebody a request is made for, and for as long as the connection stays what it was let in by.
#[derive(Debug, Clone)]
pub struct Caller {
    principal: Principal,
    logged_in: Option<Arc<LoggedIn>>,
    /// The principal whose rate limits apply, if it is not the caller itself.
    counted_as: Option<Principal>,
}

impl Caller {
    /// Who it is.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns the principal whose rate limits apply to the caller.
    pub fn counted_as(&self) -> &Principal {
        self.counted_as.as_ref().unwrap_or(&self.principal)
    }

    /// The same caller, from an address. Anonymous callers have rate limits by address; those of one IPv6 network
    /// (64 bits) share theirs, because one client has all of its addresses.
    #[must_use]
    pub fn from_address(self, address: IpAddr) -> Self {
        if !self.principal.is_anonymous() {
            return self;
        }
        let network = match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        };
        let counted_as = Principal::new(network.to_string(), TenantId::NODE, Roles::NONE);
        Caller { counted_as: Some(counted_as), ..self }
    }

    fn plain(principal: Principal) -> Self {
        Caller { principal, logged_in: None, counted_as: None }
    }
}

impl From<Arc<LoggedIn>> for Caller {
    fn from(logged_in: Arc<LoggedIn>) -> Self {
        Caller { principal: logged_in.principal().clone(), logged_in: Some(logged_in), counted_as: None }
    }
}

impl Gate {
    /// Who the client is. Without credentials where they are needed, nobody in particular.
    ///
    /// A token counts also where only the local owner comes in: who shows one there wants to be no more than that.
    pub fn identify(&self, credentials: Credentials<'_>) -> Result<Caller, GateError> {
        let is_owner = if credentials.is_local_owner {
            credentials.bearer.is_none()
        } else {
            self.config().authentication == Authentication::Off
        };
        if is_owner {
            return Ok(Caller::plain(self.inner.local_owner.clone()));
        }
        match credentials.bearer {
            None => Ok(Caller::plain(self.inner.anonymous.clone())),
            Some(bearer) => Ok(self.engine().log_in(bearer, credentials.connection)?.into()),
        }
    }

    /// Lets in a client that shows nothing, as a trusted user; `from` says where it comes from, for the audit
    /// trail. That it may be is for the caller to know.
    pub fn identify_trusted(&self, trusted: &TrustedUser, from: &str) -> Result<Caller, GateError> {
        Ok(self.engine().log_in_trusted(trusted, from)?.into())
    }

    /// Whether somebody who was let in may still be, for whatever outlasts a request.
    pub fn identify_again(&self, caller: &Caller) -> Result<Caller, GateError> {
        match &caller.logged_in {
            None => Ok(caller.clone()),
            Some(logged_in) => Ok(self.engine().still_in(logged_in)?.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anonymous_callers_are_counted_by_address() {
        let counted = |principal: Principal, address: &str| {
            let caller = Caller::plain(principal).from_address(address.parse().expect("an address"));
            caller.counted_as().user_id().to_owned()
        };
        let anonymous = |address| counted(Principal::anonymous(), address);
        assert_eq!(anonymous("203.0.113.7"), "203.0.113.7");
        assert_eq!(anonymous("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(anonymous("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(counted(Principal::local_owner(), "203.0.113.7"), Principal::local_owner().user_id());
    }
}
