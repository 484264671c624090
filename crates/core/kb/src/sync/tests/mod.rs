//! Tests of syncs, on a store in memory.

mod cases;
mod conflicts;
mod kit;
mod properties;
mod removal;
