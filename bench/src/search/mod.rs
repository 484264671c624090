//! `search`: finding turns by their words, how fresh the index is, and what it costs whoever appends.
//!
//! Texts are made here, the same in every run: see [`words`]. What needs many of them uses one store with
//! 1,000,000 turns, which is made once in a run, or once for all runs with `--keep`.

mod bare;
mod follow;
mod fresh;
pub(crate) mod memory;
pub(crate) mod million;
mod open;
mod query;
mod size;
pub(crate) mod words;

use std::path::Path;

use cairn_engine::SearchHome;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("index-size", "files of the index beside the text of 1,000,000 turns", size::run),
    row("query", "two words among 1,000,000 turns, beside bare tantivy on the same files", query::run),
    row("memory", "a process that searches among 1,000,000 turns", memory::run),
    row("open", "from start to the first answer with an index of 1,000,000 turns", open::run),
    row("fresh", "from a durable append to the answer of a search that holds it", fresh::run),
    row("follow", "5,000 durable appends/s for a minute: how far the index is behind", follow::paced),
    row("saturation", "appends flat out with an index, beside those without", follow::saturated),
];

/// The index of a data directory, with the memory of the default configuration.
pub(crate) fn home_in(dir: &Path) -> SearchHome {
    let folder = Some(dir.join(SearchHome::FOLDER));
    SearchHome { folder, writer_bytes: 32 << 20, tail_bytes: 48 << 20 }
}
