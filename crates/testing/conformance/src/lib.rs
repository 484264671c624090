//! Runs the data of `suites/kip` through any door to the graph: the engine, HTTP, MCP.
//!
//! A test implements [`Door`] and calls [`run`] with the groups of [`own`] and [`shared`]. How files look and
//! how answers are compared is told in `suites/kip/README.md`.

mod answer;
mod command;
mod compare;
mod files;
mod group;
mod placeholder;
mod report;
mod run;

pub use files::{SuiteError, own, shared};
pub use group::{Case, Errors, Expected, FormatError, Group};
pub use report::{Mismatch, Report};
pub use run::{Door, run};
