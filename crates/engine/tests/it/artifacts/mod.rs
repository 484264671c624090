//! Artifacts through the engine.

mod access;
mod bundles;
mod doctor;
mod erased;
mod faults;
pub(crate) mod kit;
mod life;
mod lineage;
mod power;
mod rebuilt;
mod rounds;
mod salvaged;
mod weaknesses;
mod whole;
