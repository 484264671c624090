//! The gate before an engine over a memory store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod admission;
mod allowance;
mod drain;
mod figures;
mod query;
mod run;
mod support;
