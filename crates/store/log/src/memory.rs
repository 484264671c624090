//! What the log keeps in memory, for whoever wants to explain a process.

use crate::log::Log;

/// Bytes of the log's own in memory, except for what is in use for a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogMemory {
    /// Filters and directories of side files.
    pub side_bytes: u64,
    /// Hashed entries of segments that have no side file yet.
    pub recent_entries: u64,
    /// Tables of packed segments that were read last.
    pub table_bytes: u64,
    /// Buffers of groups that wait to be filled again.
    pub buffer_bytes: u64,
}

impl Log {
    /// What is in memory now.
    pub fn memory(&self) -> LogMemory {
        let view = std::sync::Arc::clone(&self.hashed.read());
        let side_bytes = view.sides.iter().map(|side| side.directory.len() * 8 + side.filter.bytes());
        let recent = view.recent.values().map(|recent| recent.read().len());
        let tables = self.tables.lock().values().map(|table| size_of_val(&**table)).sum::<usize>();
        let buffers = self.buffers.lock().iter().map(Vec::capacity).sum::<usize>();
        LogMemory {
            side_bytes: side_bytes.sum::<usize>() as u64,
            recent_entries: recent.sum::<usize>() as u64,
            table_bytes: tables as u64,
            buffer_bytes: buffers as u64,
        }
    }
}
