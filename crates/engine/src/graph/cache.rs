//! What was read of graphs lately: how much of it is kept, and figures about it.

use cairn_graph::{Cache, CacheStats};

use crate::Engine;
use crate::metrics::{MetricKind, PrometheusText};

impl Engine {
    /// Keeps at most so many bytes of what was read of graphs; nothing if that is 0.
    pub fn set_graph_cache_bytes(&self, bytes_max: u64) {
        self.memories.graph.cache.resize(bytes_max);
    }

    /// How the cache of graphs is doing.
    pub fn graph_cache_stats(&self) -> CacheStats {
        self.memories.graph.cache.stats()
    }
}

pub(crate) fn write_metrics(cache: &Cache, text: &mut PrometheusText) {
    let CacheStats { hits, misses, bytes, entries } = cache.stats();
    let mut figure = |name, kind, help, value| {
        text.family(name, kind, help).integer(&[], value);
    };
    let (counter, gauge) = (MetricKind::Counter, MetricKind::Gauge);
    figure("cairn_graph_cache_bytes", gauge, "Memory of what was read of graphs lately.", bytes);
    figure("cairn_graph_cache_entries", gauge, "Records and lists of links that are kept.", entries);
    figure("cairn_graph_cache_hits_total", counter, "Records and lists of links served from memory.", hits);
    figure("cairn_graph_cache_misses_total", counter, "Those that were read from the store.", misses);
}
