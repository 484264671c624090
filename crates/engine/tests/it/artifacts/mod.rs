//! Artifacts through the engine.

mod access;
mod bundles;
mod kit;
mod life;
mod lineage;
mod rounds;
mod weaknesses;
