//! Pruning: contexts that nobody needs any more go, and then the turns that no other context reaches.
//!
//! A context that stays keeps its head, the turn it was forked from, every turn that was appended to it,
//! also on branches that it left, and everything above all of these. What is left over is found in one
//! walk over all turns, the newest first: a turn is newer than everything above it, so whatever needs
//! it has been seen by then. Turns go in this order too, so that whenever it ends, no turn that is left
//! misses its parent; a later run finds the rest.
//!
//! Others go on writing meanwhile. What came since is looked at inside of each transaction that removes
//! something: a turn that was needed again in time stays.

mod bits;
mod contexts;
mod sweep;

pub(crate) use bits::Bits;
pub use contexts::{Cutoff, Rule, remove_contexts};
pub use sweep::{Arrivals, Sweep, remove_turns};
