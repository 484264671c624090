//! Who may do what: the one place that decides.
//!
//! [`authorize`] is a pure function from who asks, what for and on what to a [`Permit`] or a
//! [`Refusal`]. A permit has no other constructor, and only a permit yields the [`Scope`] that the
//! rest of cairn works in: code that has a scope has been allowed.
//!
//! [`identity`] is who a node or a user is to others: a key pair, its recovery phrase and its signatures.
//!
//! For now every caller is the local owner; keys, tokens and signatures will resolve to the same
//! [`Principal`].

mod action;
mod authorize;
pub mod identity;
mod principal;
mod scope;

pub use action::{Action, ActionRow, Level};
pub use authorize::{Permit, Refusal, RefusalReason, Resource, authorize};
pub use principal::{Principal, Role, Roles};
pub use scope::Scope;
