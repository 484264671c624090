//! Autopilot over small projects in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bounds;
mod docs;
mod kit;
mod modes;
mod plans;
mod repeatable;
mod samples;
mod shown;
