//! Working trees made by git itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod config;
mod errors;
mod find;
mod head;
mod hostile;
mod id;
mod inside;
mod refs;
mod remember;
mod repo;
mod switching;
mod walk;
mod watch;
mod write;
