//! What the store keeps in memory, part by part.

use cairn_log::LogMemory;

use crate::shared::Shared;

/// Memory of a store as far as the store knows it. The rest of a process is the allocator's, the code's
/// and that of the work of the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryParts {
    /// The most that pages of the index take.
    pub index_cache_bytes_max: u64,
    /// Checksums or seals of index pages.
    pub index_marks_bytes: u64,
    /// Keys and values that are not in the index yet.
    pub overlay_bytes: u64,
    /// The newest events.
    pub tail_bytes: u64,
    /// What the log has.
    pub log: LogMemory,
}

impl Shared {
    pub(crate) fn memory(&self) -> MemoryParts {
        MemoryParts {
            index_cache_bytes_max: self.options.cache_bytes as u64,
            index_marks_bytes: self.index().marks_bytes(),
            overlay_bytes: self.view().unapplied_bytes(),
            tail_bytes: self.tail.bytes(),
            log: self.log.memory(),
        }
    }
}
