//! What shared code needs to know of the language door: bookmarks of imports, the log of commands, metrics.

use std::sync::Arc;

use cairn_seam::Keyspace;

use super::{KipLog, KipMetrics};
use crate::EngineConfig;
use crate::memory::{Cleared, Memory};
use crate::metrics::PrometheusText;

/// (scope, hash of what an import is called) → how much of its input is imported.
pub(crate) const KIP_IMPORTS: Keyspace = Keyspace::new(5, "kip-imports");

/// The door to the graph that speaks KIP, with what it keeps between calls.
pub(crate) struct Door {
    /// Recent commands.
    pub(crate) log: Arc<KipLog>,
    pub(crate) metrics: Arc<KipMetrics>,
}

impl Door {
    pub(crate) fn new(_: &EngineConfig, now_ms: u64) -> Self {
        Door { log: Arc::new(KipLog::new(now_ms)), metrics: Arc::default() }
    }
}

impl Memory for Door {
    fn name(&self) -> &'static str {
        "kip"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        &[KIP_IMPORTS]
    }

    fn clear_caches(&self, after: Cleared) {
        match after {
            // Lines hold the text of commands.
            Cleared::Forgotten => self.log.clear(),
            Cleared::Compacted | Cleared::Repaired => {}
        }
    }

    fn write_metrics(&self, text: &mut PrometheusText) {
        self.metrics.write(text);
    }
}
