//! What only a store in a local directory has.

use std::sync::Arc;

use crate::{
    DerivedSeal, Maintenance, MaintenanceReport, OnStage, ScrubPolicy, ScrubStatus, Store, StoreError,
};

/// Work on the files of a store: backups, keys, verification, seals.
///
/// Optional: a store without a directory of its own has none, see [`Store::local`]. Everything that reads
/// and writes data is in [`Store`].
pub trait LocalStore: Send + Sync {
    /// Does a job on the files that a caller waits for, while reads and writes go on.
    ///
    /// Fails with [`StoreError::Unsupported`] when this store cannot do it, and with
    /// [`StoreError::Stopped`] when `on_stage` said so.
    fn maintain(&self, job: &Maintenance, on_stage: OnStage<'_>) -> Result<MaintenanceReport, StoreError>;

    /// Verifies all files in the background like this from now on, or not at all.
    fn set_scrub(&self, policy: Option<ScrubPolicy>);

    /// Progress and results of background verification.
    fn scrub_status(&self) -> ScrubStatus;

    /// Seals files of this use that are derived from the store and lie outside of it; `None` when
    /// nothing of this store is sealed, and such files need not be either.
    fn derived_seal(&self, name: &str) -> Option<Arc<dyn DerivedSeal>>;
}

impl dyn Store + '_ {
    /// The local part, for a job that cannot be done without.
    ///
    /// Fails with [`StoreError::Unsupported`] when there is none; `what` names the job.
    pub fn expect_local(&self, what: &'static str) -> Result<&dyn LocalStore, StoreError> {
        self.local().ok_or(StoreError::Unsupported { what })
    }
}
