//! The Model Context Protocol over a pair of streams, such as standard input and output.
//!
//! [`serve`] answers both eras of the protocol: those that begin with `initialize`, and that of 2026-07-28,
//! whose requests stand alone. Everything but the calls of tools is answered out of what the program knows
//! by itself, so that nobody waits for a store to be told what is here. Calls go through a [`Door`], which
//! the program opens in its own time.
//!
//! This crate knows neither sockets nor data directories, and does not execute commands.

mod card;
mod door;
mod fit;
mod id_scan;
mod line;
mod output;
mod refusal;
mod server;
mod text;
mod tools;
mod transport;

pub use door::{Answer, Door, Unreached};
pub use server::{Offer, ServeError, serve};
