//! The seeded dice of the simulated disk.

use crate::entropy::{Entropy, SeededEntropy};

/// Keeps the disk's dice apart from a workload that was given the same seed.
const DISK: u64 = 0x6469_736b;

/// The same seed always throws the same numbers.
#[derive(Debug)]
pub(super) struct Chance(SeededEntropy);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Chance(SeededEntropy::new(seed ^ DISK.rotate_left(32)))
    }

    /// A number below `bound`, which must not be zero.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // The tiny bias of the remainder does not matter for dice.
        self.0.next_u64() % bound
    }

    pub(super) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// How kind one power cut is to what was not synced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Survival {
    /// The cache had just been written out.
    Everything,
    /// The cache had not been touched yet.
    Nothing,
    /// Each change survives with this many chances out of eight.
    Mixed(u64),
}

/// What became of one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteFate {
    Kept,
    Torn,
    Lost,
}

impl Survival {
    /// One in eight keeps everything, one in eight nothing; the rest differ in how much they keep.
    pub(super) fn draw(chance: &mut Chance) -> Self {
        match chance.below(8) {
            0 => Survival::Everything,
            1 => Survival::Nothing,
            _ => Survival::Mixed(1 + chance.below(7)),
        }
    }

    /// Whether a change that cannot be torn survives.
    pub(super) fn keeps(self, chance: &mut Chance) -> bool {
        match self {
            Survival::Everything => true,
            Survival::Nothing => false,
            Survival::Mixed(of_eight) => chance.below(8) < of_eight,
        }
    }

    pub(super) fn of_write(self, chance: &mut Chance) -> WriteFate {
        match self {
            Survival::Everything => WriteFate::Kept,
            Survival::Nothing => WriteFate::Lost,
            Survival::Mixed(of_eight) if chance.below(8) < of_eight => WriteFate::Kept,
            Survival::Mixed(_) if chance.coin() => WriteFate::Torn,
            Survival::Mixed(_) => WriteFate::Lost,
        }
    }
}
