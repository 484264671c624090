//! Tests of the embedded store through its own door.

mod contract;
mod kit;
mod power;
mod workload;
