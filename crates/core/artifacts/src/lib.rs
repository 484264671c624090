//! Artifacts: the exchange formats of the Knowledge Context Protocol.

pub mod bundle;
pub mod cid;
pub mod did_key;
pub mod exchange_limits;
pub mod extract;
pub mod merkle;
mod multibase;
