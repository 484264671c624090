//! Random graphs and random queries, answered by the engine and by the naive evaluator.

mod cached;
mod case;
mod conditions;
mod dice;
mod differential;
mod graph;
mod load;
mod patterns;
mod queries;
mod shrink;
mod tree;
mod words;
mod worth;

pub(crate) use case::Case;
