//! The engine over the memory store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod access;
mod activity;
mod artifacts;
mod audit;
mod bulk;
mod bus;
mod events;
mod faults;
mod feed;
mod figures;
mod full_disk;
mod kb;
mod kip;
mod kip_suite;
mod maintain;
mod node;
mod pipeline;
mod rounds;
mod salvage;
mod search;
mod sessions;
mod support;
mod test_memory;
mod trusted;
mod turns;
mod unreadable;
mod upkeep;
