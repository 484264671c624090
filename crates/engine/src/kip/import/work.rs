//! One transaction of an import.

use std::sync::Arc;

use cairn_access::Scope;
use cairn_base::Clock;
use cairn_graph::Writer;
use cairn_query::{Budget, QueryError, UpsertCounts};
use cairn_seam::WriteTx;

use super::mark::{self, ImportKey, Mark};
use super::parsed::Parsed;
use crate::graph::spaces::space_to_write;
use crate::{EngineError, limits};

/// What it needs: it may run more than once, on another thread.
pub(super) struct Work {
    pub(super) parsed: Parsed,
    pub(super) space: String,
    pub(super) key: ImportKey,
    /// What has to be noted before it.
    pub(super) before: Option<Mark>,
    /// What is noted by it; nothing when the import is done.
    pub(super) next: Option<Mark>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Work {
    pub(super) fn carry_out(&self, tx: &mut dyn WriteTx, scope: &Scope) -> Result<UpsertCounts, EngineError> {
        let now_ms = self.clock.now_ms();
        let scope = space_to_write(tx, scope, &self.space, now_ms)?;
        mark::go_on(tx, &scope, &self.key, self.before, self.next)?;
        write(tx, &scope, &self.parsed, &*self.clock)
    }
}

/// Writes elements to a space that is there.
pub(super) fn write(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    parsed: &Parsed,
    clock: &dyn Clock,
) -> Result<UpsertCounts, EngineError> {
    let mut budget = Budget::within(clock, limits::KIP_UPSERT_TIME_MAX);
    let mut writer = Writer::new(tx, *scope, clock.now_ms());
    let counts = cairn_query::upsert_counted(&mut writer, &parsed.capsule, &mut budget);
    let counts = counts.map_err(|error| match error {
        QueryError::Kip(error) => parsed.places.locate(error),
        QueryError::Store(error) => error.into(),
    })?;
    writer.finish()?;
    Ok(counts)
}
