//! Artifacts: the exchange formats of the Knowledge Context Protocol.

pub mod bundle;
pub mod cid;
pub mod did_key;
pub mod dot;
pub mod dsse;
pub mod exchange_limits;
pub mod extract;
pub mod merkle;
pub mod mermaid;
mod multibase;
pub mod one_json;
pub mod openlineage;
pub mod prov;
pub mod view;
