//! The server, driven with bytes and nothing else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_input;
mod conformance;
mod conversation;
mod live;
mod many;
mod wire;
