//! Committing on a disk that is nearly full: only what may use the reserve, with blocks that it pays for.
//!
//! Nothing of a group is written, and none of its changes recorded, before the log has blocks for all of it:
//! a disk that fills up further refuses the transaction and harms nothing.

use cairn_log::{Group, LogPlan};
use cairn_seam::{StoreError, WriteClass};

use crate::shared::Shared;

/// The reserve is used up in pieces of this size.
const PIECE_BYTES: u64 = 64 << 10;

/// What pays for blocks of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Payer {
    /// The reserve file, which got shorter.
    Reserve,
    /// What is left of the disk.
    Disk,
}

impl Shared {
    /// Starts a group that the reserve pays for, in a new segment at need.
    pub(crate) fn start_lean_group(
        &self,
        plan: &mut LogPlan,
        class: WriteClass,
    ) -> Result<Group, StoreError> {
        loop {
            let payer = plan.needs_new_segment().then(|| self.pay(class, PIECE_BYTES)).transpose()?;
            match plan.start_group() {
                // Another process took the room that the piece gave back.
                Err(error) if error.is_full() && payer == Some(Payer::Reserve) => {}
                started => return started,
            }
        }
    }

    /// Makes sure that a group can be written with `more` bytes added to it.
    pub(crate) fn make_lean_room(
        &self,
        plan: &mut LogPlan,
        group: &Group,
        more: u64,
        class: WriteClass,
    ) -> Result<(), StoreError> {
        let floor = self.floor_of(class);
        if floor > 0 && !plan.is_prepared() && self.reserve.bytes() < floor.saturating_add(PIECE_BYTES) {
            // Blocks that are there were paid for by revocations.
            return Err(self.storage_full()?);
        }
        loop {
            let bytes = plan.bytes_to_allocate(group, more);
            if bytes == 0 {
                return Ok(());
            }
            // Whole pieces, so that the next small transactions find their blocks there.
            let bytes = bytes.next_multiple_of(PIECE_BYTES);
            let payer = self.pay(class, bytes)?;
            match plan.allocate(group, bytes) {
                Err(error) if error.is_full() && payer == Payer::Reserve => {}
                allocated => return allocated,
            }
        }
    }

    /// What a class leaves in the reserve.
    fn floor_of(&self, class: WriteClass) -> u64 {
        match class {
            WriteClass::Ordinary => u64::MAX,
            WriteClass::Reserve => self.reserve.size() / 2,
            WriteClass::Vital => 0,
        }
    }

    /// Gives bytes of the reserve back to the disk, so that the log can take as many. Where the reserve is
    /// used up or missing, what must not fail may use what is left of the disk.
    fn pay(&self, class: WriteClass, bytes: u64) -> Result<Payer, StoreError> {
        if self.reserve.bytes() >= self.floor_of(class).saturating_add(bytes) {
            let failed = |error| StoreError::io("giving back a piece of the reserve file", error);
            self.reserve.give_back(bytes).map_err(failed)?;
            return Ok(Payer::Reserve);
        }
        if class == WriteClass::Vital && self.free_bytes()? >= 4 * bytes {
            return Ok(Payer::Disk);
        }
        Err(self.storage_full()?)
    }
}
