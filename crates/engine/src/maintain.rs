//! Work on the whole store that somebody asked for and waits for.

use cairn_access::{Action, Principal, Resource};
use cairn_seam::{Maintenance, MaintenanceReport, OnStage};

use crate::references::RecordReferences;
use crate::{Act, Engine, EngineError};

impl Engine {
    /// Backs up, verifies or compacts the store while reads and writes go on; blocks until it is done.
    ///
    /// One job at a time: a second one answers [`EngineError::MaintenanceRunning`]. A job that was done
    /// leaves an audit line; one that failed or was stopped by `on_stage` leaves none.
    pub fn maintain(
        &self,
        principal: &Principal,
        job: &Maintenance,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, EngineError> {
        let act = Act::new(Action::Maintain, Resource::NODE).on(subject(job));
        self.pipeline.work(principal, &act, |store| {
            // After the decision: whoever may not do it does not learn that somebody else is at it.
            let _alone = self.maintaining.try_lock().ok_or(EngineError::MaintenanceRunning)?;
            match job {
                Maintenance::Compact => Ok(store.compact(&RecordReferences::of(store), on_stage)?),
                Maintenance::Backup { .. } | Maintenance::Verify { .. } => Ok(store.maintain(job, on_stage)?),
            }
        })
    }
}

/// What the audit line says of a job.
fn subject(job: &Maintenance) -> String {
    match job {
        Maintenance::Backup { to } => format!("backup to {}", to.display()),
        Maintenance::Verify { repair: false } => "verify".to_owned(),
        Maintenance::Verify { repair: true } => "verify and repair".to_owned(),
        Maintenance::Compact => "compact".to_owned(),
    }
}
