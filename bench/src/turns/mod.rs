//! `turns`: the figures of the turn memory, over its binary protocol.
//!
//! The server is a process of its own, wired as in the product; the client is one thread here that does
//! nothing but send a request and wait for its answer, on as many connections as it is told.

mod appends;
mod deep;
pub(crate) mod load;
pub(crate) mod million;
pub(crate) mod server;
pub(crate) mod stream;
mod windows;
pub(crate) mod wire;
pub(crate) mod writers;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("appends", "durable appends over 1 and 64 connections, beside a raw sync", appends::run),
    row("windows", "the newest 64 turns with payloads over 8 connections, hot and cold", windows::run),
    row("million", "1,000,000 turns in 1,000 contexts: memory, start-up, disk", million::run),
    row("deep", "fork and depth access in a chain of 1,000,000 turns", deep::run),
];
