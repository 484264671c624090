//! Where allowed work takes place.

use cairn_base::{KeyBuf, SpaceId, TenantId};

/// Capacity of a new key: tenant, space and three numbers, which is as long as most keys become.
const KEY_BYTES: usize = 32;

/// The tenant and space that a permit covers. Only [`Permit::scope`](crate::Permit::scope) makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    tenant: TenantId,
    space: SpaceId,
}

impl Scope {
    pub(crate) fn new(tenant: TenantId, space: SpaceId) -> Self {
        Scope { tenant, space }
    }

    /// Whose records.
    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Which space of the tenant.
    pub fn space(&self) -> SpaceId {
        self.space
    }

    /// The same for one of its spaces, if this covers the tenant as a whole.
    pub fn of_space(&self, space: SpaceId) -> Option<Scope> {
        (self.space == SpaceId::NONE).then_some(Scope { space, ..*self })
    }

    /// A key that begins as every key of this scope does.
    pub fn key(&self) -> KeyBuf {
        KeyBuf::with_capacity(KEY_BYTES).tenant(self.tenant).space(self.space)
    }
}
