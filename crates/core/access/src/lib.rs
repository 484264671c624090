//! Who may do what: the one place that decides.
//!
//! [`authorize`] is a pure function from who asks, what for and on what to a [`Permit`] or a
//! [`Refusal`]. A permit has no other constructor, and only a permit yields the [`Scope`] that the
//! rest of cairn works in: code that has a scope has been allowed.
//!
//! Callers say who they are with a [`Credential`]; [`registry`] knows tenants, users, teams, tokens and
//! keys, and the engine makes a [`Principal`] of both. [`identity`] is who a node or a user is to others: a
//! key pair, its recovery phrase and its signatures.

mod action;
mod authorize;
mod code;
mod credential;
pub mod identity;
pub mod limits;
mod login;
mod principal;
pub mod registry;
mod role;
pub mod salvage;
mod scope;
mod sharing;
pub mod tables;
mod trusted;

pub use action::{Action, ActionRow, Level};
pub use authorize::{Permit, Refusal, RefusalReason, Resource, Target, authorize};
pub use code::AccessCode;
pub use credential::{
    Credential, CredentialError, Jwt, JwtClaims, SignedJwt, Token, TokenHash, TokenId, TokenKey,
};
pub use login::{KeyOwner, Login, LoginError, again, by_jwt, by_token, by_trust, key_owner};
pub use principal::{LOCAL_OWNER, LOCAL_TENANT, Principal};
pub use registry::KeyId;
pub use role::{Role, Roles, UnknownRole};
pub use scope::Scope;
pub use sharing::{Acl, OwnedSharing, Sharing, UnknownVisibility, Visibility, mark};
pub use trusted::{CannotTrust, NotTrustable, TrustedUser, check_trust};
