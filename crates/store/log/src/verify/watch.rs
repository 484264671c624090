//! Telling whoever waits how far the work is, and asking whether to go on.

use cairn_seam::{OnStage, Stage, StoreError};

/// Bytes between two calls.
const EVERY_BYTES: u64 = 4 << 20;

/// The stage that is being worked on.
pub struct Watch<'a> {
    on_stage: OnStage<'a>,
    name: &'static str,
    done: u64,
    total: u64,
    told: u64,
}

impl<'a> Watch<'a> {
    /// Nothing is being done yet.
    pub fn new(on_stage: OnStage<'a>) -> Self {
        Watch { on_stage, name: "", done: 0, total: 0, told: 0 }
    }

    /// Starts a stage of so many bytes.
    pub fn begin(&mut self, name: &'static str, total: u64) -> Result<(), StoreError> {
        (self.name, self.total, self.done) = (name, total, 0);
        self.tell()
    }

    /// So many more bytes are done.
    pub fn advance(&mut self, bytes: u64) -> Result<(), StoreError> {
        self.done += bytes;
        if self.done - self.told < EVERY_BYTES { Ok(()) } else { self.tell() }
    }

    fn tell(&mut self) -> Result<(), StoreError> {
        self.told = self.done;
        let stage = Stage { name: self.name, done: self.done.min(self.total), total: self.total };
        if (self.on_stage)(stage) { Ok(()) } else { Err(StoreError::Stopped) }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("name", &self.name).field("done", &self.done).finish_non_exhaustive()
    }
}
