//! KIP at the engine's door.

mod batches;
mod concurrency;
mod kit;
mod logs;
mod permissions;
mod power;
mod search;
mod spaces;
mod writes;
