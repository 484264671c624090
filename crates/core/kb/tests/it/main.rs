//! Tests of the crate from outside: upserts as JSON go in, conflicts and reports come out; pages and sentences too.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod docs;
mod kit;
mod sentences;
mod traps;
