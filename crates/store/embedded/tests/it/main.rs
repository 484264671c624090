//! Tests of the embedded store through its own door.

mod contract;
mod damage;
mod kit;
mod owner;
mod power;
mod space;
mod workload;
