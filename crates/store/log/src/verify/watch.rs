//! Telling whoever waits how far the work is, and asking whether to go on.

use cairn_seam::{OnStage, Stage, StoreError};

/// Bytes between two calls.
const EVERY_BYTES: u64 = 4 << 20;

/// Told the bytes of each step; says whether to go on. May wait before it returns.
pub type OnBytes<'a> = &'a mut dyn FnMut(u64) -> bool;

/// Who is told.
enum Listener<'a> {
    Stages(OnStage<'a>),
    Bytes(OnBytes<'a>),
}

/// The stage that is being worked on.
pub struct Watch<'a> {
    listener: Listener<'a>,
    name: &'static str,
    done: u64,
    total: u64,
    told: u64,
}

impl<'a> Watch<'a> {
    /// Nothing is being done yet.
    pub fn new(on_stage: OnStage<'a>) -> Self {
        Watch { listener: Listener::Stages(on_stage), name: "", done: 0, total: 0, told: 0 }
    }

    /// Tells of every step however small, so that the listener sets the pace.
    pub fn paced(on_bytes: OnBytes<'a>) -> Self {
        Watch { listener: Listener::Bytes(on_bytes), name: "", done: 0, total: 0, told: 0 }
    }

    /// Starts a stage of so many bytes.
    pub fn begin(&mut self, name: &'static str, total: u64) -> Result<(), StoreError> {
        (self.name, self.total, self.done) = (name, total, 0);
        self.tell()
    }

    /// So many more bytes are done.
    pub fn advance(&mut self, bytes: u64) -> Result<(), StoreError> {
        self.done += bytes;
        if let Listener::Bytes(on_bytes) = &mut self.listener {
            return if on_bytes(bytes) { Ok(()) } else { Err(StoreError::Stopped) };
        }
        if self.done - self.told < EVERY_BYTES { Ok(()) } else { self.tell() }
    }

    fn tell(&mut self) -> Result<(), StoreError> {
        self.told = self.done;
        let stage = Stage { name: self.name, done: self.done.min(self.total), total: self.total };
        let goes_on = match &mut self.listener {
            Listener::Stages(on_stage) => on_stage(stage),
            Listener::Bytes(_) => true,
        };
        if goes_on { Ok(()) } else { Err(StoreError::Stopped) }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("name", &self.name).field("done", &self.done).finish_non_exhaustive()
    }
}
