//! Autopilot over small projects in memory.

mod bounds;
mod kit;
mod modes;
mod plans;
mod repeatable;
mod samples;
mod shown;
