//! Reading through the cache is reading without it.

mod bounds;
mod noting;
mod order;
mod snapshots;
