//! Working trees made by git itself.

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
mod speed;
mod switching;
