//! The Model Context Protocol over a pair of streams, such as standard input and output.
//!
//! [`serve`] answers both eras of the protocol: those that begin with `initialize`, and that of 2026-07-28,
//! whose requests stand alone. Everything but the calls of tools is answered out of what the program knows
//! by itself, so that nobody waits for a store to be told what is here. Calls go through a [`Door`], which
//! the program opens in its own time and which leads to the process that owns the store.
//!
//! This crate translates the protocol: it knows neither sockets nor data directories, and runs no tool. What can be
//! called is the table of `cairn-tools`.

mod arguments;
mod card;
mod door;
mod id_scan;
pub mod limits;
mod line;
mod output;
mod refusal;
mod server;
mod tools;
mod transport;

pub use door::{Answer, CallError, Door};
pub use server::{Offer, ServeError, serve};
