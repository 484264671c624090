//! Tests of the turn memory over a store in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod history;
mod kit;
mod model;
mod projection;
mod registry;
mod trees;
