//! A disk in memory that cuts the power and fails on request, the same way for the same seed.
//!
//! It keeps exactly the promises of [`FileSystem`] and breaks everything else it may: at
//! [`SimulatedFs::power_cycle`] the dice decide for each unsynced write whether it is lost, kept or
//! torn at 512-byte sectors, for each length and for each name whether it is there. A rename is
//! atomic. Now and then everything survives, now and then nothing.
//!
//! After a *failed* `sync_data` it is as harsh as real systems are: what was pending stays readable
//! but is counted as written, so a later sync that succeeds does not make it durable. Names whose
//! `sync_dir` failed stay pending.
//!
//! Operations that change something (`create`, `rename`, `remove`, `write_at`, `set_len`,
//! `sync_data`, `sync_dir`) are numbered from 0 in the order they arrive, also those that fail; the
//! next one has the number [`SimulatedFs::operations`]. Making directories and locks is not counted,
//! and directories are durable at once.

mod chance;
mod content;
mod handle;
mod names;
mod power;
mod state;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use self::handle::{SimulatedFile, SimulatedLock};
use self::names::Node;
pub use self::power::Fault;
use self::state::State;
use super::{File, FileSystem, Locked};

/// The simulated disk. Clones are the same disk.
#[derive(Clone)]
pub struct SimulatedFs {
    state: Arc<Mutex<State>>,
}

impl SimulatedFs {
    /// An empty disk whose accidents follow from `seed` and the calls made.
    pub fn new(seed: u64) -> Self {
        SimulatedFs { state: Arc::new(Mutex::new(State::new(seed))) }
    }

    /// How many operations changed something, or tried to; also the number of the next one.
    pub fn operations(&self) -> u64 {
        self.state.lock().power.operations()
    }

    /// Cuts the power in the middle of an operation, or of the next one when that number has passed.
    ///
    /// That operation may be half done. It and everything after it, reads too, fails and is no
    /// longer counted until [`Self::power_cycle`].
    pub fn cut_power_at(&self, operation: u64) {
        self.state.lock().power.cut_at(operation);
    }

    /// Whether the power is on.
    pub fn is_powered(&self) -> bool {
        self.state.lock().power.is_on()
    }

    /// Cuts the power, if it is still on, and turns it on again.
    ///
    /// What was not synced meets its fate, open handles are dead, locks are released. A cut that was
    /// planned is forgotten; injected faults stay.
    pub fn power_cycle(&self) {
        self.state.lock().power_cycle();
    }

    /// Ends the process without a word: handles are dead and locks released, but everything written
    /// is still there, as durable as it was.
    pub fn process_kill(&self) {
        self.state.lock().process_kill();
    }

    /// Makes one operation fail, once.
    pub fn inject(&self, operation: u64, fault: Fault) {
        self.state.lock().power.inject(operation, fault);
    }

    /// Gives the disk a capacity: from now on writing uses it up, in blocks of 4 KiB, and what does not fit
    /// fails with [`io::ErrorKind::StorageFull`] after its leading part was written. Names take no room.
    pub fn set_capacity(&self, bytes: Option<u64>) {
        self.state.lock().capacity = bytes;
    }

    /// Leaves so many bytes free on the disk, by giving it a capacity.
    pub fn leave_free(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.capacity = Some(state.names.disk_bytes() + bytes);
    }

    /// Sets what [`FileSystem::free_bytes`] answers while the disk has no capacity. Writing does not use
    /// it up.
    pub fn set_free_bytes(&self, bytes: u64) {
        self.state.lock().free_bytes = bytes;
    }

    /// Whether a file has this name.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.state.lock().names.get(path.as_ref()).is_some()
    }

    /// Whether a directory has this name.
    pub fn is_dir(&self, path: impl AsRef<Path>) -> bool {
        self.state.lock().names.check_dir(path.as_ref()).is_ok()
    }

    /// All bytes of a file as readers see them, power or not.
    pub fn read_all(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        let state = self.state.lock();
        let node = state.names.get(path.as_ref())?;
        Some(node.lock().current().to_vec())
    }

    /// Puts bytes under a name, past every fault. File, directory and all names are durable at once.
    pub fn write_raw(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        self.state.lock().names.put_raw(path.as_ref(), bytes);
    }

    /// Takes a file away, past every fault, and says whether it was there. All names are durable at once.
    pub fn remove_raw(&self, path: impl AsRef<Path>) -> bool {
        self.state.lock().names.remove_raw(path.as_ref()).is_some()
    }

    /// Damages a file: changes its bytes or its length behind everybody's back, durable at once.
    ///
    /// # Panics
    /// When there is no such file, because a test that damages nothing proves nothing.
    pub fn corrupt(&self, path: impl AsRef<Path>, damage: impl FnOnce(&mut Vec<u8>)) {
        let path = path.as_ref();
        let mut bytes = self.read_all(path).unwrap_or_else(|| panic!("no file {} to damage", path.display()));
        damage(&mut bytes);
        self.write_raw(path, &bytes);
    }

    /// Flips the lowest bit of one byte of a file, as [`Self::corrupt`] does.
    ///
    /// # Panics
    /// When there is no such byte.
    pub fn flip(&self, path: impl AsRef<Path>, offset: u64) {
        self.corrupt(path, |bytes| bytes[offset as usize] ^= 1);
    }

    fn handle(&self, node: Node, life: u64) -> Arc<dyn File> {
        Arc::new(SimulatedFile { state: Arc::clone(&self.state), node, life })
    }
}

impl FileSystem for SimulatedFs {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let mut state = self.state.lock();
        let node = state.change_names(|names| names.create(path))?;
        Ok(self.handle(node, state.life()))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let state = self.state.lock();
        state.power.check()?;
        Ok(self.handle(state.names.open(path)?, state.life()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.state.lock().change_names(|names| names.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.state.lock().change_names(|names| names.remove(path))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.state.lock();
        state.power.check()?;
        state.names.list(dir)
    }

    fn entries(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.state.lock();
        state.power.check()?;
        state.names.entries(dir)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state.lock();
        state.power.check()?;
        state.names.remove_dir(dir)
    }

    fn is_dir_empty(&self, dir: &Path) -> io::Result<bool> {
        let state = self.state.lock();
        state.power.check()?;
        state.names.is_dir_empty(dir)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state.lock();
        state.power.check()?;
        state.names.create_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.state.lock().change_names(|names| names.sync_dir(dir))
    }

    fn free_bytes(&self, dir: &Path) -> io::Result<u64> {
        let state = self.state.lock();
        state.power.check()?;
        state.names.check_dir(dir)?;
        Ok(state.free_bytes())
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Locked> {
        let taken = self.state.lock().lock(path, holder)?;
        Ok(match taken {
            Ok(token) => Locked::Acquired(Box::new(SimulatedLock {
                state: Arc::clone(&self.state),
                path: path.to_owned(),
                token,
            })),
            Err(owner) => Locked::Held(owner),
        })
    }
}

impl fmt::Debug for SimulatedFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bytes would drown the rest of a failed assertion.
        f.debug_struct("SimulatedFs").field("operations", &self.operations()).finish_non_exhaustive()
    }
}
