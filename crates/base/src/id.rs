//! Newtypes for numbers that must not be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A tenant, interned. Stands first in every key. Tenant 0 is the node itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TenantId(pub u32);

impl TenantId {
    /// The node's own records: identity, consumers, configuration.
    pub const NODE: TenantId = TenantId(0);
    /// The tenant of the local owner.
    pub const LOCAL: TenantId = TenantId(1);
}

/// A space inside a tenant, interned. Stands second in every key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SpaceId(pub u32);

impl SpaceId {
    /// Records that belong to the tenant and to no space of it.
    pub const NONE: SpaceId = SpaceId(0);
    /// The default graph space, `memory`.
    pub const MEMORY: SpaceId = SpaceId(1);
}

/// A conversation: a name for the newest turn of a chain. Numbers start at 1 in every tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContextId(pub u64);

/// A turn. Numbers start at 1 in every tenant and are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TurnId(pub u64);

impl TurnId {
    /// No turn: what comes before the first one.
    pub const NONE: TurnId = TurnId(0);
}

impl fmt::Display for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
