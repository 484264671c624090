//! Oxigraph is not part of this build: there is nothing to compare with.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::workload::Size;

/// There is none.
pub(super) struct Rdf {
    pub(super) took: Duration,
    never: Infallible,
}

/// There are none.
pub(super) struct Rows(Infallible);

impl Rdf {
    /// Says that there is none.
    pub(super) fn load(_: &Path, _: Size) -> Result<Option<Self>> {
        eprintln!("   built without oxigraph: `cargo xtask bench kip` builds it with it");
        Ok(None)
    }

    pub(super) fn ask(&self, _: &str) -> Result<Rows> {
        match self.never {}
    }

    pub(super) fn upsert(&self, _: u64, _: &(&'static str, String)) -> Result<()> {
        match self.never {}
    }
}

impl Rows {
    pub(super) fn count(&self) -> usize {
        match self.0 {}
    }

    pub(super) fn texts(&self) -> Vec<Vec<String>> {
        match self.0 {}
    }
}
