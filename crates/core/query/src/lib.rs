//! From a KIP command to its answer: plans, rows and writes.
//!
//! Everything here is a function over a reader or a transaction; only the engine opens those.
