//! Tests of the graph over a store in memory, and over one on a simulated disk.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bootstrap;
mod cache;
mod copies;
mod damage;
mod delete;
mod index;
mod kit;
mod limits;
mod lookups;
mod model;
mod protected;
mod schema;
mod sleep;
mod spaces;
mod upsert;
