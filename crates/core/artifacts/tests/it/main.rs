//! Artifacts against vectors of another implementation.

mod conformance;
