//! Counting operations, and deciding which of them fail.

use std::collections::BTreeMap;
use std::io;

/// How [`SimulatedFs::inject`](super::SimulatedFs::inject) makes one operation fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done and the disk reports an error.
    Error,
    /// A write puts down only some of its leading sectors, then reports an error; other operations
    /// fail as with [`Fault::Error`].
    Torn,
    /// Nothing is done, because the disk is full ([`io::ErrorKind::StorageFull`]).
    Full,
}

/// Why an operation does not go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The power went before.
    PowerOff,
    /// The power goes in the middle of this operation.
    PowerCut,
    Injected(Fault),
}

impl From<Interruption> for io::Error {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::PowerOff | Interruption::PowerCut => io::Error::other("power is off"),
            Interruption::Injected(Fault::Error) => io::Error::other("injected fault: the disk failed"),
            Interruption::Injected(Fault::Torn) => io::Error::other("injected fault: the disk failed midway"),
            Interruption::Injected(Fault::Full) => {
                io::Error::new(io::ErrorKind::StorageFull, "injected fault: the disk is full")
            }
        }
    }
}

/// The power supply and the plan of faults.
#[derive(Debug, Default)]
pub(super) struct Power {
    operations: u64,
    off: bool,
    cut_at: Option<u64>,
    faults: BTreeMap<u64, Fault>,
}

impl Power {
    pub(super) fn operations(&self) -> u64 {
        self.operations
    }

    pub(super) fn is_on(&self) -> bool {
        !self.off
    }

    pub(super) fn cut_at(&mut self, operation: u64) {
        self.cut_at = Some(operation);
    }

    pub(super) fn inject(&mut self, operation: u64, fault: Fault) {
        self.faults.insert(operation, fault);
    }

    pub(super) fn restore(&mut self) {
        self.off = false;
        self.cut_at = None;
    }

    /// Passes what changes nothing while there is power.
    pub(super) fn check(&self) -> Result<(), Interruption> {
        if self.off { Err(Interruption::PowerOff) } else { Ok(()) }
    }

    /// Counts an operation that changes something, and tells whether it goes through.
    pub(super) fn begin(&mut self) -> Result<(), Interruption> {
        self.check()?;
        let operation = self.operations;
        self.operations += 1;
        if self.cut_at.is_some_and(|at| at <= operation) {
            self.off = true;
            return Err(Interruption::PowerCut);
        }
        match self.faults.remove(&operation) {
            Some(fault) => Err(Interruption::Injected(fault)),
            None => Ok(()),
        }
    }
}
