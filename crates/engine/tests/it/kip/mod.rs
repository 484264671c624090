//! KIP at the engine's door.

mod batches;
mod bulk;
mod bulk_out;
mod cache;
mod concurrency;
mod full_disk;
mod indexes;
mod kit;
mod logs;
mod permissions;
mod power;
mod search;
mod sleep;
mod spaces;
mod writes;
