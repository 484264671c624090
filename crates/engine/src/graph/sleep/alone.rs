//! One run at a time in a space: it reads everything there. Others, elsewhere, are not kept from theirs.

use std::collections::HashSet;

use cairn_base::{SpaceId, TenantId};
use parking_lot::Mutex;

/// Where somebody is at it.
#[derive(Default)]
pub(super) struct Busy(Mutex<HashSet<(TenantId, SpaceId)>>);

/// Keeps others from a run in the same space, until it is dropped.
pub(super) struct Alone<'b> {
    busy: &'b Busy,
    here: (TenantId, SpaceId),
}

impl Busy {
    /// Nothing if somebody is at it there.
    pub(super) fn begin(&self, tenant: TenantId, space: SpaceId) -> Option<Alone<'_>> {
        let here = (tenant, space);
        let is_free = self.0.lock().insert(here);
        is_free.then(|| Alone { busy: self, here })
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.busy.0.lock().remove(&self.here);
    }
}
