//! Types that were described after turns of them came: what of these is text is known only now.

use std::thread;
use std::time::Instant;

use cairn_base::TenantId;
use cairn_search::document::Change;
use cairn_search::index::SearchIndex;

use super::catch_up::LOOK;
use super::collections::{TURNS, partition, turn_of};
use super::documents::{Documents, UNDESCRIBED, undescribed_type};
use super::feed::take_into;
use crate::{Engine, EngineError};

/// Turns that are looked at again in one step.
const STEP: usize = 32;

impl Engine {
    /// Looks again at turns whose types were described since.
    pub(super) fn describe_again(&self, index: &SearchIndex) -> Result<(), EngineError> {
        loop {
            let next = self.searching.described.lock().first().copied();
            let Some(tenant) = next else { return Ok(()) };
            self.between_pages(index)?;
            let _feeding = self.searching.feeding.lock();
            if !self.searching.is_full(index) {
                self.describe_step(index, tenant)?;
            }
        }
    }

    /// Looks again at turns of a tenant before somebody searches them; says whether there was time and
    /// memory enough for that.
    pub(super) fn describe_until(
        &self,
        index: &SearchIndex,
        tenant: TenantId,
        until: Instant,
    ) -> Result<bool, EngineError> {
        while self.searching.described.lock().contains(&tenant) {
            if Instant::now() >= until {
                return Ok(false);
            }
            let Some(feeding) = self.searching.feeding.try_lock_until(until) else { return Ok(false) };
            if !self.searching.is_full(index) {
                self.describe_step(index, tenant)?;
                continue;
            }
            drop(feeding);
            self.searching.wake();
            thread::sleep(LOOK);
        }
        Ok(true)
    }

    /// Looks again at some turns of a tenant, which is done with when there are no more.
    ///
    /// Only one at a time, which is whoever holds the lock of the feed.
    fn describe_step(&self, index: &SearchIndex, tenant: TenantId) -> Result<(), EngineError> {
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
            return Ok(());
        }
        // Before the feed is let go: whoever describes more of them after that is noted anew.
        self.searching.described.lock().remove(&tenant);
        Ok(())
    }
}
