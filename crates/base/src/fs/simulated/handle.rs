//! Open files and taken locks of the simulated disk.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::names::Node;
use super::state::State;
use crate::fs::{File, LockGuard};

/// An open file; dead once its process or the power is gone.
pub(super) struct SimulatedFile {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) node: Node,
    pub(super) life: u64,
}

impl SimulatedFile {
    fn alive(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = self.state.lock();
        state.check_handle(self.life)?;
        Ok(state)
    }
}

impl File for SimulatedFile {
    fn len(&self) -> io::Result<u64> {
        let _state = self.alive()?;
        Ok(self.node.lock().current().len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let _state = self.alive()?;
        self.node.lock().read(buf, offset)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.alive()?.write(&self.node, data, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.alive()?.set_len(&self.node, len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.alive()?.sync(&self.node)
    }
}

impl fmt::Debug for SimulatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bytes would drown the rest of a failed assertion.
        f.debug_struct("SimulatedFile").field("life", &self.life).finish_non_exhaustive()
    }
}

/// A taken lock; dropping it after a crash releases nothing of those who came later.
pub(super) struct SimulatedLock {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) path: PathBuf,
    pub(super) token: u64,
}

impl LockGuard for SimulatedLock {}

impl Drop for SimulatedLock {
    fn drop(&mut self) {
        self.state.lock().unlock(&self.path, self.token);
    }
}

impl fmt::Debug for SimulatedLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedLock").field("path", &self.path).finish_non_exhaustive()
    }
}
