//! Reads and downloads: counted in memory, stored every ten seconds. No read waits for a commit.

use std::collections::HashMap;
use std::time::Duration;

use cairn_artifacts::{ArtifactId, Usage, add_usage};
use cairn_base::TenantId;
use parking_lot::Mutex;

use crate::{Engine, EngineError};

/// Interval at which usage is stored.
const FLUSH_EVERY: Duration = Duration::from_secs(10);
/// Artifacts whose usage is stored in one transaction.
const FLUSHED_TOGETHER: usize = 1000;
/// Artifacts whose usage is held in memory; what comes beyond is not counted until it was stored.
const COUNTED_MAX: usize = 100_000;

/// Usage that is not stored yet.
#[derive(Debug, Default)]
pub(super) struct Counted(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    usage: HashMap<(TenantId, ArtifactId), Usage>,
    flushed_at: Duration,
}

impl Counted {
    /// Counts a read.
    pub(super) fn read(&self, tenant: TenantId, id: ArtifactId) {
        self.add(tenant, id, Usage { reads: 1, downloads: 0 });
    }

    /// Counts a download.
    pub(super) fn download(&self, tenant: TenantId, id: ArtifactId) {
        self.add(tenant, id, Usage { reads: 0, downloads: 1 });
    }

    /// What is counted and not stored yet.
    pub(super) fn pending(&self, tenant: TenantId, id: ArtifactId) -> Usage {
        self.0.lock().usage.get(&(tenant, id)).copied().unwrap_or_default()
    }

    fn add(&self, tenant: TenantId, id: ArtifactId, more: Usage) {
        let mut counts = self.0.lock();
        if counts.usage.len() >= COUNTED_MAX && !counts.usage.contains_key(&(tenant, id)) {
            return;
        }
        let sum = counts.usage.entry((tenant, id)).or_default();
        *sum = sum.plus(more);
    }
}

impl Engine {
    pub(super) fn flush_usage_when_due(&self) {
        let now = self.clock().monotonic();
        let is_due = {
            let mut counts = self.memories.artifacts.counted.0.lock();
            let is_due = now.saturating_sub(counts.flushed_at) >= FLUSH_EVERY;
            if is_due {
                counts.flushed_at = now;
            }
            is_due && !counts.usage.is_empty()
        };
        if is_due {
            self.flush_usage();
        }
    }

    /// Stores what was counted. Counts of a transaction that fails are lost: they are statistics.
    pub(super) fn flush_usage(&self) {
        let counted = std::mem::take(&mut self.memories.artifacts.counted.0.lock().usage);
        let mut by_tenant: HashMap<TenantId, Vec<(ArtifactId, Usage)>> = HashMap::new();
        counted
            .into_iter()
            .for_each(|((tenant, id), usage)| by_tenant.entry(tenant).or_default().push((id, usage)));
        for (tenant, mut counted) in by_tenant {
            counted.sort_unstable_by_key(|(id, _)| *id);
            for step in counted.chunks(FLUSHED_TOGETHER) {
                if let Err(error) = self.store_usage(tenant, step.to_vec()) {
                    tracing::warn!(%error, "usage of artifacts was not stored");
                }
            }
        }
    }

    fn store_usage(&self, tenant: TenantId, counted: Vec<(ArtifactId, Usage)>) -> Result<(), EngineError> {
        let scope = self.artifact_scope(tenant)?;
        cairn_seam::write(self.pipeline.store(), tenant, move |tx| {
            add_usage(tx, &scope, &counted).map_err(EngineError::from)
        })?;
        Ok(())
    }
}
