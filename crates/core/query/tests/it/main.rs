//! Commands over a store in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod counting;
mod delete;
mod describe;
mod upsert;
mod world;
