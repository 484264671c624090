//! Artifacts: the exchange formats of the Knowledge Context Protocol.

pub mod bundle;
pub mod cid;
pub mod did_key;
pub mod dot;
pub mod exchange_limits;
pub mod extract;
pub mod mermaid;
pub mod merkle;
mod multibase;
pub mod openlineage;
pub mod prov;
pub mod view;
