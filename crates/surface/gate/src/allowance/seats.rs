//! Connections of each user and each tenant.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::TenantId;
use parking_lot::Mutex;

use super::limit::{Allowance, Counted, Reached, Whose};
use crate::gate::Inner;

/// Who has how many connections. There are no more entries than connections.
#[derive(Debug, Default)]
pub(crate) struct Seats(Mutex<HashMap<TenantId, Seated>>);

#[derive(Debug, Default)]
struct Seated {
    count: u64,
    users: HashMap<Box<str>, u64>,
}

/// A connection that somebody has; given back when dropped.
pub struct Seat {
    principal: Principal,
    /// Where it is counted, unless it is not.
    counted_by: Option<Arc<Inner>>,
}

impl Seat {
    /// One that is not counted.
    pub(super) fn free(principal: Principal) -> Self {
        Seat { principal, counted_by: None }
    }

    pub(super) fn counted(principal: Principal, gate: Arc<Inner>) -> Self {
        Seat { principal, counted_by: Some(gate) }
    }

    /// Whether it is this one's.
    pub fn is_of(&self, principal: &Principal) -> bool {
        let who = |principal: &Principal| (principal.tenant(), principal.is_local_owner());
        who(&self.principal) == who(principal) && self.principal.user_id() == principal.user_id()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(gate) = &self.counted_by {
            gate.seats.give_back(self.principal.tenant(), self.principal.user_id());
        }
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("principal", &self.principal).finish_non_exhaustive()
    }
}

impl Seats {
    pub(super) fn take(&self, allowance: &Allowance, tenant: TenantId, user: &str) -> Result<(), Reached> {
        let mut tenants = self.0.lock();
        let (of_tenant, of_user) = tenants
            .get(&tenant)
            .map_or((0, 0), |seated| (seated.count, seated.users.get(user).copied().unwrap_or(0)));
        let counted = Counted::Connections;
        for (whose, has) in [(Whose::User, of_user), (Whose::Tenant, of_tenant)] {
            if let Some(max) = allowance.of(whose, counted).filter(|max| has >= max.get()) {
                return Err(Reached { whose, counted, max });
            }
        }
        let seated = tenants.entry(tenant).or_default();
        seated.count += 1;
        *seated.users.entry(user.into()).or_default() += 1;
        Ok(())
    }

    fn give_back(&self, tenant: TenantId, user: &str) {
        let mut tenants = self.0.lock();
        let Entry::Occupied(mut of_tenant) = tenants.entry(tenant) else { return };
        let seated = of_tenant.get_mut();
        seated.count = seated.count.saturating_sub(1);
        if let Some(of_user) = seated.users.get_mut(user) {
            *of_user = of_user.saturating_sub(1);
            if *of_user == 0 {
                seated.users.remove(user);
            }
        }
        if seated.count == 0 {
            of_tenant.remove();
        }
    }

    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    #[test]
    fn seats_come_back_and_leave_nothing() {
        let allowance = Allowance {
            connections: NonZeroU64::new(2),
            tenant_factor: NonZeroU64::new(2).expect("a factor"),
            ..Allowance::default()
        };
        let seats = Seats::default();
        let take = |tenant, user| {
            seats
                .take(&allowance, TenantId(tenant), user)
                .map_err(|Reached { whose, max, .. }| (whose, max.get()))
        };
        assert_eq!((take(1, "ada"), take(1, "ada")), (Ok(()), Ok(())));
        assert_eq!(take(1, "ada"), Err((Whose::User, 2)));
        assert_eq!((take(1, "bob"), take(1, "eve")), (Ok(()), Ok(())));
        assert_eq!(take(1, "bob"), Err((Whose::Tenant, 4)));
        assert_eq!(take(2, "ada"), Ok(()));
        seats.give_back(TenantId(1), "ada");
        assert_eq!((take(1, "bob"), take(1, "eve")), (Ok(()), Err((Whose::Tenant, 4))));
        for (tenant, user) in [(1, "ada"), (1, "bob"), (1, "bob"), (1, "eve"), (2, "ada")] {
            assert!(!seats.is_empty());
            seats.give_back(TenantId(tenant), user);
        }
        assert!(seats.is_empty());
    }
}
