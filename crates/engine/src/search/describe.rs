//! Types that were described after turns of them came: what of these is text is known only now.

use std::time::Instant;

use cairn_base::TenantId;
use cairn_search::document::Change;
use cairn_search::index::SearchIndex;

use super::collections::{TURNS, partition, turn_of};
use super::documents::{Documents, UNDESCRIBED, undescribed_type};
use super::feed::take_into;
use crate::{Engine, EngineError};

/// Turns that are looked at again in one step.
const STEP: usize = 128;

impl Engine {
    /// Looks again at turns whose types were described since.
    pub(super) fn describe_again(&self, index: &SearchIndex) -> Result<(), EngineError> {
        loop {
            let next = self.searching.described.lock().first().copied();
            let Some(tenant) = next else { return Ok(()) };
            if !self.describe_while(index, tenant, &|| !self.searching.is_stopped())? {
                return Ok(());
            }
        }
    }

    /// Looks again at turns of a tenant before somebody searches them; says whether that was done in time.
    pub(super) fn describe_until(
        &self,
        index: &SearchIndex,
        tenant: TenantId,
        until: Instant,
    ) -> Result<bool, EngineError> {
        if !self.searching.described.lock().contains(&tenant) {
            return Ok(true);
        }
        self.describe_while(index, tenant, &|| Instant::now() < until)
    }

    fn describe_while(
        &self,
        index: &SearchIndex,
        tenant: TenantId,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<bool, EngineError> {
        while self.describe_step(index, tenant)? {
            if !goes_on() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Looks again at some turns of a tenant; says whether there may be more.
    fn describe_step(&self, index: &SearchIndex, tenant: TenantId) -> Result<bool, EngineError> {
        let _feeding = self.searching.feeding.lock();
        let scope = self.own_scope(tenant)?;
        let home = partition(&TURNS, &scope);
        let snapshot = self.pipeline.store().snapshot(index.position())?;
        let registry = self.registry_at(&*snapshot, &scope)?;
        for tag in index.tags_from(home, UNDESCRIBED)? {
            let Some((version, kind)) = undescribed_type(&tag) else { continue };
            if registry.descriptor(kind, version).is_none() {
                continue;
            }
            let ids = index.tagged(home, &tag, STEP)?;
            if ids.is_empty() {
                continue;
            }
            let turns: Vec<_> = ids.iter().map(|id| turn_of(id)).collect();
            let mut documents = Documents::new(self, &*snapshot, scope)?;
            let mut found = Vec::new();
            for part in documents.parts(&turns)? {
                found.extend(documents.of_turns(&part)?);
            }
            let mut changes = Vec::with_capacity(ids.len());
            // One that is gone goes here too, or it would be looked at for ever.
            let is_there = |id: &Vec<u8>| found.iter().any(|(_, document)| document.id == *id);
            changes
                .extend(ids.iter().filter(|id| !is_there(id)).map(|id| (home, Change::Remove(id.clone()))));
            changes.extend(found.into_iter().map(|(home, document)| (home, Change::Replace(document))));
            take_into(index, &changes, index.position())?;
            return Ok(true);
        }
        // Before the feed is let go: whoever describes more of them after that is noted anew.
        self.searching.described.lock().remove(&tenant);
        Ok(false)
    }
}
