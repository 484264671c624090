//! Memory for frames: all connections together have a bound.

pub(crate) use cairn_gate::{Memory as Shared, Share};
