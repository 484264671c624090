//! Whose connection it is.

use std::sync::Arc;

use cairn_access::Principal;
use cairn_gate::{Gate, GateError, Seat};
use parking_lot::Mutex;

/// Stands in the extensions of every request of a connection, and is gone when that ends.
///
/// Requests of one connection come one after the other. Behind a proxy they may be of different callers;
/// the connection is counted as that one's who called last.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionSeat(Arc<Mutex<Option<Seat>>>);

impl ConnectionSeat {
    /// The connection is this caller's from now on, unless it has too many.
    pub(crate) fn take(&self, gate: &Gate, principal: &Principal) -> Result<(), GateError> {
        let mut seat = self.0.lock();
        if !seat.as_ref().is_some_and(|seat| seat.is_of(principal)) {
            // First the old one: it may be what the new one lacks.
            *seat = None;
            *seat = Some(gate.seat(principal)?);
        }
        Ok(())
    }
}
