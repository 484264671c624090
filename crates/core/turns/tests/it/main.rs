//! Tests of the turn memory over a store in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod forks;
mod history;
mod kit;
mod metadata;
mod model;
mod projection;
mod prune;
mod queries;
mod registry;
mod rounds;
mod search;
mod trees;
