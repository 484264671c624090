//! `kb`: the requirements KB through the engine, at two sizes.

mod advisor;
mod autopilot;
mod check;
mod clients;
mod copies;
mod open;
mod program;
mod reads;
mod staged;
mod sync;
mod synthetic;
mod tree;
mod upserts;

use crate::measure::{Measurement, Setting, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("reads", "kb_query, kb_graph, kb_search and kb_coverage of one branch", reads::run),
    row("upserts", "kb_upsert, durable, one client, beside a raw append and sync", upserts::run),
    row("check", "kb_check of all ten rules from nothing, and after one upsert", check::run),
    row("copies", "a new branch as a copy, while 4 clients write", copies::run),
    row("clients", "8 clients that write to one branch, and to 8", clients::run),
    row(
        "advisor",
        "kb_semantic_advisor and kb_suggest_predicates, sentences per second on one core",
        advisor::run,
    ),
    row("sync", "cairn kb sync of 5,000 Markdown files: cold, unchanged, one changed", sync::run),
    row("autopilot", "cairn kb autopilot over 2,000 and 20,000 source files", autopilot::run),
    row("staged", "cairn kb check --staged with 50 changed files", staged::run),
];

/// Entities and relationships of a branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) entities: usize,
    pub(super) relationships: usize,
    /// Shown with figures.
    pub(super) name: &'static str,
    /// Whether it is the smaller one.
    pub(super) is_small: bool,
}

impl Size {
    /// One of two numbers.
    pub(super) fn pick<T>(self, small: T, large: T) -> T {
        if self.is_small { small } else { large }
    }
}

/// Both sizes.
pub(super) fn sizes(setting: &Setting) -> [Size; 2] {
    let size = |entities, relationships, name, is_small| Size { entities, relationships, name, is_small };
    setting.pick(
        [size(5_000, 7_000, "5,000", true), size(50_000, 100_000, "50,000", false)],
        [size(500, 700, "500", true), size(1_000, 2_000, "1,000", false)],
    )
}
