//! Random graphs and random queries, answered by the engine and by the naive evaluator.

mod case;
mod conditions;
mod dice;
mod graph;
mod patterns;
mod queries;
mod shrink;
mod tree;
mod words;

pub(crate) use case::Case;
