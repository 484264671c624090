//! KIP at the engine's door.

mod batches;
mod bulk;
mod bulk_out;
mod cache;
mod concurrency;
mod copies;
mod dry_runs;
mod full_disk;
mod indexes;
pub(crate) mod kit;
mod logs;
mod permissions;
mod power;
mod restore;
mod search;
mod sleep;
mod spaces;
mod steps;
mod writes;
