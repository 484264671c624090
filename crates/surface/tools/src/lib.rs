//! The tools that agents can call.
//!
//! [`tools`] is the table, one row per [`Tool`]: its name, its texts, its schemas, its annotations, and the use
//! case of the engine that it calls. A transport lists the rows and runs one through a [`ToolCall`], which carries
//! the gate, the admission and the caller. The use case owns its action, so that every transport is authorized
//! alike.
//!
//! This crate knows neither MCP nor HTTP.

mod call;
mod fit;
mod kip;
mod table;
mod text;

pub use call::{ToolAnswer, ToolCall, ToolRun};
pub use kip::execute_kip;
pub use table::{Annotations, Tool, UnknownTool, tools};
pub use text::error_text;
