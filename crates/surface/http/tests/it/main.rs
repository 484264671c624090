//! The HTTP surface over real sockets, with requests as bytes.

mod access;
mod allowance;
mod client;
mod connections;
mod credentials;
mod errors;
mod events;
mod figures;
mod hidden;
mod kip;
mod kip_bulk;
mod kip_indexes;
mod kip_suite;
mod limits;
mod local;
mod long_jobs;
mod maintenance;
mod matrix;
mod origins;
mod routes;
mod search;
mod server;
mod shutdown;
mod tls;
mod tools;
mod turns;
