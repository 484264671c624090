//! Tests of the turn memory over a store in memory.

mod history;
mod kit;
mod model;
mod trees;
