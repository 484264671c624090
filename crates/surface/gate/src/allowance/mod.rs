//! How much each remote user, and all users of a tenant together, may ask for.
//!
//! Requests and bytes are taken from token buckets that hold a minute's worth and fill all the time; a
//! request takes from its user's and its tenant's or from neither. Connections are counted. The local
//! owner, and with it everybody where nobody has to say who they are, has no limits.

mod bucket;
mod limit;
mod seats;
mod table;

use std::time::Duration;

use cairn_access::Principal;
use parking_lot::Mutex;

pub use limit::{Allowance, Cost, Counted, Reached, Whose};
pub use seats::Seat;
pub(crate) use seats::Seats;
use table::Table;

use crate::gate::RETRY_AFTER_S;
use crate::{Gate, GateError, limits};

/// How long a stream waits at a time until it may go on.
const STEP: Duration = Duration::from_secs(1);

/// Everybody's buckets. Held for a few lookups, and never while anybody waits for anything.
#[derive(Debug)]
pub(crate) struct Purse(Mutex<Table>);

impl Purse {
    pub(crate) fn new(allowance: &Allowance) -> Self {
        Purse(Mutex::new(Table::new(allowance, limits::ALLOWANCES_KEPT)))
    }
}

impl Gate {
    /// Takes what a request costs from what its caller may still do, all of it or nothing.
    ///
    /// Answers [`GateError::TooManyRequests`] with the time after which the same would be granted.
    pub fn spend(&self, principal: &Principal, cost: Cost) -> Result<(), GateError> {
        self.try_spend(principal, cost).map_err(|(wait_ns, reached)| {
            let wait_s = wait_ns.div_ceil(1_000_000_000);
            self.refuse(reached, u32::try_from(wait_s).unwrap_or(u32::MAX))
        })
    }

    /// The same as soon as there is enough: streams are slowed, where refusing them would mean that they
    /// start again from the beginning. Answers [`GateError::Unavailable`] when the gate drains meanwhile.
    pub async fn spend_in_time(&self, principal: &Principal, cost: Cost) -> Result<(), GateError> {
        while let Err((wait_ns, _)) = self.try_spend(principal, cost) {
            if self.is_draining() {
                return Err(GateError::Unavailable);
            }
            tokio::time::sleep(STEP.min(Duration::from_nanos(wait_ns))).await;
        }
        Ok(())
    }

    /// Counts a connection as somebody's for as long as the seat is held.
    pub fn seat(&self, principal: &Principal) -> Result<Seat, GateError> {
        let inner = &self.inner;
        if principal.is_local_owner() {
            return Ok(Seat::free(principal.clone()));
        }
        let taken = inner.seats.take(&inner.config.allowance, principal.tenant(), principal.user_id());
        // Nobody knows when another one ends.
        taken.map_err(|reached| self.refuse(reached, RETRY_AFTER_S))?;
        Ok(Seat::counted(principal.clone(), inner.clone()))
    }

    fn try_spend(&self, principal: &Principal, cost: Cost) -> Result<(), (u64, Reached)> {
        if principal.is_local_owner() {
            return Ok(());
        }
        let now = self.inner.engine.clock().monotonic();
        let now_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.inner.purse.0.lock().take(principal.tenant(), principal.user_id(), cost, now_ns)
    }

    fn refuse(&self, reached: Reached, retry_after_s: u32) -> GateError {
        self.inner.figures.limited.add(reached.whose, reached.counted);
        GateError::TooManyRequests { reached, retry_after_s }
    }
}
