//! Tests of the query engine over a store in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod aggregates;
mod budget;
mod counting;
mod counts;
mod delete;
mod describe;
mod filters;
mod kit;
mod matches;
mod mistakes;
mod naive;
mod pages;
mod passes;
mod paths;
mod patterns;
mod plans;
mod random;
mod regressions;
mod scopes;
mod shapes;
mod upsert;
mod world;
