//! The server, driven with bytes and nothing else, and the client, against it and against worse ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod allowance;
mod bad_input;
mod client;
mod client_answers;
mod client_pool;
mod client_trouble;
mod conformance;
mod conversation;
mod fake;
mod live;
mod many;
mod matrix;
mod proxy;
mod tls;
mod trusted;
mod unreadable;
mod wire;
