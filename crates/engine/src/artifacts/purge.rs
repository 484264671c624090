//! Content of deleted artifacts goes when its retention is over.

use std::ops::Bound;

use cairn_artifacts::{purge_due, tables::PURGES};
use cairn_base::{KeyReader, Position, TenantId};
use cairn_seam::{KeyRange, OnStage, Stage, Visit, WriteClass, WriteTx};

use crate::{Engine, EngineError};

/// Artifacts whose content goes in one transaction.
const PURGED_TOGETHER: usize = 500;

impl Engine {
    pub(super) fn purge_content_when_due(&self, on_stage: OnStage<'_>) {
        let purged = self.tenants_with_purges().and_then(|tenants| {
            tenants.into_iter().try_for_each(|tenant| self.purge_content(tenant, on_stage))
        });
        if let Err(error) = purged {
            tracing::warn!(%error, "content of deleted artifacts was not removed; it is tried again");
        }
    }

    /// Tenants whose first purge is due, each found with one step of a scan.
    fn tenants_with_purges(&self) -> Result<Vec<TenantId>, EngineError> {
        let (now_ms, snapshot) = (self.clock().now_ms(), self.pipeline.store().snapshot(Position::START)?);
        let (mut due, mut low) = (Vec::new(), Bound::Unbounded);
        loop {
            let mut first = None;
            let range = KeyRange::new(low, Bound::Unbounded).limit(1);
            snapshot.multi_scan(PURGES, &[range], &mut |_, key, _| {
                let mut parts = KeyReader::new(key);
                first = parts.tenant().ok().zip(parts.space().ok()).zip(parts.u64().ok());
                Visit::Stop
            })?;
            let Some(((tenant, _), at_ms)) = first else { return Ok(due) };
            if at_ms <= now_ms {
                due.push(tenant);
            }
            let Some(next) = tenant.0.checked_add(1) else { return Ok(due) };
            low = Bound::Included(next.to_be_bytes().to_vec());
        }
    }

    fn purge_content(&self, tenant: TenantId, on_stage: OnStage<'_>) -> Result<(), EngineError> {
        let (scope, now_ms) = (self.artifact_scope(tenant)?, self.clock().now_ms());
        let mut done = 0;
        loop {
            // It only deletes, which is what a full disk needs.
            let purge = move |tx: &mut dyn WriteTx| {
                purge_due(tx, &scope, now_ms, PURGED_TOGETHER).map_err(EngineError::from)
            };
            let (purged, _) =
                cairn_seam::write_as(self.pipeline.store(), tenant, WriteClass::Reserve, purge)?;
            done += purged as u64;
            let goes_on =
                on_stage(Stage { name: "removing content of deleted artifacts", done, total: done });
            if purged < PURGED_TOGETHER || !goes_on {
                return Ok(());
            }
        }
    }
}
