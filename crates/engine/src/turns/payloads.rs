//! Payloads that were read lately, plain and verified: the newest turns of a busy context are asked for
//! again and again.
//!
//! Whoever asks has found a turn that refers to the payload, so that nothing is served from here that
//! the store would not serve.

use std::sync::Arc;

use cairn_base::{ContentHash, TenantId};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::metrics::{Counter, MetricKind, PrometheusText};

/// What an entry takes besides its bytes, roughly.
const ENTRY_BYTES: u64 = 128;
/// One payload takes at most this part of the room.
const LARGEST_PART: u64 = 64;
/// What a payload has on average, for the size of tables.
const EXPECTED_BYTES: u64 = 1 << 10;

type Key = (TenantId, ContentHash);

pub(crate) struct Payloads {
    cache: Cache<Key, Arc<[u8]>, ByBytes>,
    bytes_max: u64,
    hits: Counter,
    misses: Counter,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Arc<[u8]>> for ByBytes {
    fn weight(&self, _: &Key, payload: &Arc<[u8]>) -> u64 {
        payload.len() as u64 + ENTRY_BYTES
    }
}

impl Payloads {
    /// Keeps at most so many bytes, what it needs itself included.
    pub(crate) fn new(bytes_max: u64) -> Self {
        let expected = usize::try_from(bytes_max / (EXPECTED_BYTES + ENTRY_BYTES)).unwrap_or(0);
        Payloads {
            cache: Cache::with_weighter(expected, bytes_max, ByBytes),
            bytes_max,
            hits: Counter::new(),
            misses: Counter::new(),
        }
    }

    pub(crate) fn get(&self, tenant: TenantId, hash: &ContentHash) -> Option<Arc<[u8]>> {
        let found = self.cache.get(&(tenant, *hash));
        if found.is_some() { &self.hits } else { &self.misses }.add(1);
        found
    }

    /// Keeps a payload that was verified, unless it would push out too many others.
    pub(crate) fn keep(&self, tenant: TenantId, hash: ContentHash, payload: &Arc<[u8]>) {
        if (payload.len() as u64) < self.bytes_max / LARGEST_PART {
            self.cache.insert((tenant, hash), Arc::clone(payload));
        }
    }

    pub(crate) fn clear(&self) {
        self.cache.clear();
    }

    pub(crate) fn write_metrics(&self, text: &mut PrometheusText) {
        text.family(
            "cairn_payload_cache_bytes",
            MetricKind::Gauge,
            "Memory of payloads that were read lately.",
        )
        .integer(&[], self.cache.weight());
        let mut counter = |name, help, counter: &Counter| {
            text.family(name, MetricKind::Counter, help).integer(&[], counter.get());
        };
        counter("cairn_payload_cache_hits_total", "Payloads served from memory.", &self.hits);
        counter("cairn_payload_cache_misses_total", "Payloads read from the store.", &self.misses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENANT: TenantId = TenantId::LOCAL;

    #[test]
    fn what_is_kept_is_bounded_and_per_tenant() {
        let payloads = Payloads::new(1 << 20);
        for number in 0_u32..10_000 {
            let payload: Arc<[u8]> = vec![7; 1000].into();
            payloads.keep(TENANT, ContentHash::of(&number.to_le_bytes()), &payload);
            assert!(payloads.cache.weight() <= 1 << 20);
        }
        assert!(payloads.cache.weight() > 1 << 19, "there is room for more");

        let hash = ContentHash::of(b"mine");
        let payload: Arc<[u8]> = (*b"mine").into();
        payloads.keep(TENANT, hash, &payload);
        assert_eq!(payloads.get(TENANT, &hash).as_deref(), Some(&b"mine"[..]));
        assert_eq!(payloads.get(TenantId(99), &hash), None);
        payloads.clear();
        assert_eq!(payloads.get(TENANT, &hash), None);
        assert_eq!((payloads.hits.get(), payloads.misses.get()), (1, 2));
    }

    #[test]
    fn one_large_payload_does_not_push_out_all_others() {
        let payloads = Payloads::new(1 << 20);
        let (hash, large) = (ContentHash::of(b"large"), Arc::from(vec![7; (1 << 20) / 64]));
        payloads.keep(TENANT, hash, &large);
        assert_eq!(payloads.get(TENANT, &hash), None);
    }
}
