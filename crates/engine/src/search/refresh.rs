//! Documents that have to be rebuilt although no event says so: what a memory knows of them has changed.

use std::thread;
use std::time::Instant;

use cairn_base::TenantId;
use cairn_search::index::SearchIndex;

use super::catch_up::LOOK;
use crate::memory::Searchable;
use crate::{Engine, EngineError};

impl Engine {
    /// An index was opened: memories may have documents in it that are stale.
    pub(super) fn note_opened(&self, index: &SearchIndex) {
        let tenants: Vec<_> = index.partitions().iter().map(|partition| partition.tenant).collect();
        self.memories.searched().for_each(|memory| memory.opened(&tenants));
    }

    /// Rebuilds all documents that are stale.
    pub(super) fn refresh(&self, index: &SearchIndex) -> Result<(), EngineError> {
        for memory in self.memories.searched() {
            while let Some(tenant) = memory.stale() {
                self.between_pages(index)?;
                let _feeding = self.searching.feeding.lock();
                if !self.searching.is_full(index) {
                    memory.refresh(self, index, tenant)?;
                }
            }
        }
        Ok(())
    }

    /// Rebuilds stale documents of a tenant before somebody searches them; says whether there was time and
    /// memory enough for that.
    pub(super) fn refresh_until(
        &self,
        index: &SearchIndex,
        tenant: TenantId,
        until: Instant,
    ) -> Result<bool, EngineError> {
        for memory in self.memories.searched() {
            if !self.refresh_memory_until(memory, index, tenant, until)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn refresh_memory_until(
        &self,
        memory: &dyn Searchable,
        index: &SearchIndex,
        tenant: TenantId,
        until: Instant,
    ) -> Result<bool, EngineError> {
        while memory.is_stale(tenant) {
            if Instant::now() >= until {
                return Ok(false);
            }
            let Some(feeding) = self.searching.feeding.try_lock_until(until) else { return Ok(false) };
            if !self.searching.is_full(index) {
                memory.refresh(self, index, tenant)?;
                continue;
            }
            drop(feeding);
            self.searching.wake();
            thread::sleep(LOOK);
        }
        Ok(true)
    }
}
