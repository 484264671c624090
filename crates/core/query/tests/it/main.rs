//! Tests of the query engine over a store in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod naive;
mod random;
