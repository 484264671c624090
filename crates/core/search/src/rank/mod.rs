//! Ranking: what a query means, what each document is worth, and which are the best.

pub(crate) mod bm25;
pub(crate) mod collect;
pub(crate) mod evaluate;
pub(crate) mod near;
pub(crate) mod plan;
pub(crate) mod spelling;
pub(crate) mod suggest;
