//! Tests of the KB by what its users see: upserts as JSON go in, conflicts and reports come out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod kit;
mod traps;
