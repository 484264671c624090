//! Everything one simulated disk knows, behind one lock.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::chance::{Chance, Survival};
use super::names::{Names, Node};
use super::power::{Fault, Interruption, Power};

/// Far more than any test fills, far less than overflows a sum.
const FREE_BYTES_DEFAULT: u64 = 1 << 40;

#[derive(Debug)]
pub(super) struct State {
    pub(super) power: Power,
    pub(super) names: Names,
    pub(super) free_bytes: u64,
    /// How much fits on the disk; without it everything does.
    pub(super) capacity: Option<u64>,
    chance: Chance,
    /// Grows when handles die; a handle of another life is dead.
    life: u64,
    locks: BTreeMap<PathBuf, HeldLock>,
    locks_taken: u64,
}

#[derive(Debug)]
struct HeldLock {
    token: u64,
    holder: String,
}

impl State {
    pub(super) fn new(seed: u64) -> Self {
        State {
            power: Power::default(),
            names: Names::default(),
            free_bytes: FREE_BYTES_DEFAULT,
            capacity: None,
            chance: Chance::new(seed),
            life: 0,
            locks: BTreeMap::new(),
            locks_taken: 0,
        }
    }

    pub(super) fn life(&self) -> u64 {
        self.life
    }

    /// Refuses a handle that its process or the power left behind.
    pub(super) fn check_handle(&self, life: u64) -> io::Result<()> {
        self.power.check()?;
        if life == self.life {
            Ok(())
        } else {
            Err(io::Error::other("the handle is dead, open the file again"))
        }
    }

    pub(super) fn power_cycle(&mut self) {
        let survival = Survival::draw(&mut self.chance);
        self.names.crash(survival, &mut self.chance);
        self.power.restore();
        self.process_kill();
    }

    pub(super) fn process_kill(&mut self) {
        self.life += 1;
        self.locks.clear();
    }

    /// Changes names as one operation; a power cut in its middle leaves it done or not done.
    pub(super) fn change_names<T>(
        &mut self,
        change: impl FnOnce(&mut Names) -> io::Result<T>,
    ) -> io::Result<T> {
        let Err(interruption) = self.power.begin() else { return change(&mut self.names) };
        if interruption == Interruption::PowerCut && self.chance.coin() {
            // The caller learns of the power cut, whatever else is wrong with the call.
            let _ = change(&mut self.names);
        }
        Err(interruption.into())
    }

    /// Bytes that are free: what is left of the capacity, or what somebody said.
    pub(super) fn free_bytes(&self) -> u64 {
        self.capacity.map_or(self.free_bytes, |capacity| capacity.saturating_sub(self.names.disk_bytes()))
    }

    /// Writes as much as the disk has room for.
    fn write_within_capacity(&self, node: &Node, data: &[u8], offset: u64) -> io::Result<()> {
        if self.capacity.is_none() {
            return node.lock().write(data, offset);
        }
        let free_bytes = self.free_bytes();
        let mut content = node.lock();
        let fits = content.fits(offset, data.len(), free_bytes);
        content.write(&data[..fits], offset)?;
        if fits == data.len() { Ok(()) } else { Err(full()) }
    }

    pub(super) fn write(&mut self, node: &Node, data: &[u8], offset: u64) -> io::Result<()> {
        let Err(interruption) = self.power.begin() else {
            return self.write_within_capacity(node, data, offset);
        };
        match interruption {
            Interruption::PowerCut | Interruption::Injected(Fault::Torn) => {
                let _ = node.lock().write_part(data, offset, &mut self.chance);
            }
            Interruption::PowerOff | Interruption::Injected(Fault::Error | Fault::Full) => {}
        }
        Err(interruption.into())
    }

    pub(super) fn set_len(&mut self, node: &Node, len: u64) -> io::Result<()> {
        let Err(interruption) = self.power.begin() else { return node.lock().set_len(len) };
        if interruption == Interruption::PowerCut && self.chance.coin() {
            let _ = node.lock().set_len(len);
        }
        Err(interruption.into())
    }

    pub(super) fn sync(&mut self, node: &Node) -> io::Result<()> {
        match self.power.begin() {
            Ok(()) => {
                node.lock().sync();
                Ok(())
            }
            Err(interruption) => {
                // At a power cut the changes stay pending: the power cycle decides about them.
                if let Interruption::Injected(_) = interruption {
                    node.lock().fail_sync(&mut self.chance);
                }
                Err(interruption.into())
            }
        }
    }

    /// Takes a lock and answers its token, or who holds it.
    pub(super) fn lock(&mut self, path: &Path, holder: &str) -> io::Result<Result<u64, String>> {
        self.power.check()?;
        if let Some(held) = self.locks.get(path) {
            return Ok(Err(held.holder.clone()));
        }
        let node = match self.names.get(path) {
            Some(node) => Node::clone(node),
            None => self.names.create(path)?,
        };
        // A full disk has no room for the name, and the lock is taken all the same.
        if self.write_within_capacity(&node, holder.as_bytes(), 0).is_ok() {
            node.lock().set_len(holder.len() as u64)?;
        }
        self.locks_taken += 1;
        let token = self.locks_taken;
        self.locks.insert(path.to_owned(), HeldLock { token, holder: holder.to_owned() });
        Ok(Ok(token))
    }

    /// Ends a lock, unless it ended before and somebody else took it since.
    pub(super) fn unlock(&mut self, path: &Path, token: u64) {
        if self.locks.get(path).is_some_and(|held| held.token == token) {
            self.locks.remove(path);
        }
    }
}

fn full() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "the simulated disk is full")
}
