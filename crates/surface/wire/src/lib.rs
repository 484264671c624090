//! Requests and responses of the HTTP API, as types.
//!
//! One module per group of routes. The server encodes these types and the OpenAPI description is generated
//! from them; the client of the program decodes them. Each type says what JSON looks like and nothing else:
//! what a field is made of is the server's business, and no engine, runtime or socket is known here.
//!
//! Responses may gain fields: decoding ignores unknown ones, and a field that is added later has a default, so that
//! the response of an older server is read too. Requests refuse unknown fields, so that a misspelled one is an error.
//! Where a payload is free-form it is a [`cairn_base::Value`], whose numbers are exact.

pub mod access;
pub mod artifacts;
pub mod audit;
pub mod blobs;
pub mod bulk;
mod bytes;
pub mod contexts;
mod digits;
pub mod error;
pub mod events;
mod exact;
pub mod figures;
pub mod health;
pub mod indexes;
pub mod jobs;
pub mod json_rpc;
mod json_text;
pub mod kb;
pub mod kip;
pub mod maintenance;
pub mod registry;
pub mod scrub;
pub mod search;
mod secret;
pub mod sessions;
pub mod sleep;
pub mod stats;
pub mod tools;
pub mod trees;
pub mod turns;
