//! The part of artifacts in a new index.

use std::ops::Bound;

use cairn_artifacts::{by_time, tables::ARRIVALS};
use cairn_base::{KeyReader, TenantId};
use cairn_seam::{KeyRange, Snapshot, Visit};

use super::documents::Documents;
use crate::memory::Walk;
use crate::search::{Filling, in_spite_of_damage};
use crate::{Engine, EngineError};

/// Artifacts that are read from one snapshot.
const PAGE: usize = 128;

/// A walk over every artifact of every tenant.
pub(super) struct Everything<'a> {
    engine: &'a Engine,
    tenants: Vec<(TenantId, u64)>,
}

impl<'a> Everything<'a> {
    pub(super) fn of(engine: &'a Engine, snapshot: &dyn Snapshot) -> Result<Self, EngineError> {
        let mut tenants: Vec<(TenantId, u64)> = Vec::new();
        let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
        snapshot.multi_scan(ARRIVALS, &everything, &mut |_, key, _| {
            if let Ok(tenant) = KeyReader::new(key).tenant() {
                match tenants.last_mut() {
                    Some((last, count)) if *last == tenant => *count += 1,
                    Some(_) | None => tenants.push((tenant, 1)),
                }
            }
            Visit::Continue
        })?;
        Ok(Everything { engine, tenants })
    }
}

impl Walk for Everything<'_> {
    fn size(&self) -> u64 {
        self.tenants.iter().map(|(_, count)| count).sum()
    }

    fn run(&mut self, filling: &Filling<'_>) -> Result<(), EngineError> {
        for (tenant, _) in &self.tenants {
            let scope = self.engine.artifact_scope(*tenant)?;
            let mut after = None;
            loop {
                let snapshot = filling.snapshot()?;
                let page = by_time(&*snapshot, &scope, after, PAGE)?;
                let Some(last) = page.last() else { break };
                after = Some(*last);
                let ids: Vec<_> = page.iter().map(|(_, id)| *id).collect();
                let documents = Documents::new(self.engine, &*snapshot, *tenant)?;
                let changes = in_spite_of_damage(&ids, "artifact", |ids| documents.changes(ids))?;
                filling.add(&changes, ids.len() as u64)?;
            }
        }
        Ok(())
    }
}
