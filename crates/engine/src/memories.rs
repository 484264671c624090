//! The list of memories: one row each. The only shared file that names them.

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_seam::{EventKind, HashedKeyspace, Keyspace};
use cairn_search::document::Collection;

use crate::memory::{Cleared, Memory, Searchable};
use crate::{EngineConfig, PrometheusText, Referring};

/// Declares the memories, each as a field of [`Memories`] and in the order in which shared code walks them.
macro_rules! memories {
    ($($field:ident: $memory:ty),+ $(,)?) => {
        /// Every memory of an engine.
        #[expect(dead_code, reason = "a memory that keeps nothing between calls is asked through the list alone")]
        pub(crate) struct Memories {
            $(pub(crate) $field: Arc<$memory>,)+
            all: Vec<Arc<dyn Memory>>,
        }

        impl Memories {
            /// The built-in memories, and those that the configuration adds.
            pub(crate) fn new(config: &EngineConfig, now_ms: u64) -> Self {
                $(let $field = Arc::new(<$memory>::new(config, now_ms));)+
                let mut all: Vec<Arc<dyn Memory>> = vec![$(Arc::clone(&$field) as Arc<dyn Memory>),+];
                all.extend(config.memories.iter().cloned());
                let memories = Memories { $($field,)+ all };
                memories.assert_distinct();
                memories
            }
        }
    };
}

memories! {
    node: crate::tables::NodeRecords,
    kip: crate::kip::Door,
    turns: crate::turns::Turns,
    identity: crate::access::Identities,
    graph: crate::graph::Graph,
    artifacts: crate::artifacts::Artifacts,
    kb: crate::kb::Kb,
}

impl Memories {
    /// All of them, in the order of the list.
    pub(crate) fn all(&self) -> &[Arc<dyn Memory>] {
        &self.all
    }

    /// Those that can be searched.
    pub(crate) fn searched(&self) -> impl Iterator<Item = &dyn Searchable> {
        self.all.iter().filter_map(|memory| memory.search())
    }

    /// Every ordered keyspace.
    pub(crate) fn keyspaces(&self) -> Vec<Keyspace> {
        self.all.iter().flat_map(|memory| memory.keyspaces()).copied().collect()
    }

    /// Every hashed keyspace: those of the seam, then those of the memories.
    pub(crate) fn hashed_keyspaces(&self) -> Vec<HashedKeyspace> {
        let of_memories = self.all.iter().flat_map(|memory| memory.hashed_keyspaces());
        cairn_seam::HASHED_KEYSPACES.iter().chain(of_memories).copied().collect()
    }

    /// Every kind of event and its name.
    pub(crate) fn event_kinds(&self) -> Vec<(EventKind, &'static str)> {
        self.all.iter().flat_map(|memory| memory.event_kinds()).copied().collect()
    }

    /// Every keyspace whose records refer to blobs.
    pub(crate) fn referring(&self) -> Vec<Referring> {
        self.all.iter().flat_map(|memory| memory.referring()).copied().collect()
    }

    /// Every kind of document.
    pub(crate) fn collections(&self) -> Vec<&'static Collection> {
        self.searched().flat_map(Searchable::collections).collect()
    }

    /// Drops cached records.
    pub(crate) fn clear_caches(&self, after: Cleared) {
        self.all.iter().for_each(|memory| memory.clear_caches(after));
    }

    /// Writes the metrics of all of them.
    pub(crate) fn write_metrics(&self, text: &mut PrometheusText) {
        self.all.iter().for_each(|memory| memory.write_metrics(text));
    }

    /// Numbers and names are stored: two memories that share one would read each other's records.
    fn assert_distinct(&self) {
        let (keyspaces, kinds, collections) = (self.keyspaces(), self.event_kinds(), self.collections());
        assert_all_differ("keyspace numbers", keyspaces.iter().map(|keyspace| keyspace.id));
        assert_all_differ("keyspace names", keyspaces.iter().map(|keyspace| keyspace.name));
        let hashed = self.hashed_keyspaces();
        assert_all_differ("hashed keyspace numbers", hashed.iter().map(|keyspace| keyspace.id));
        assert_all_differ("hashed keyspace names", hashed.iter().map(|keyspace| keyspace.name));
        assert_all_differ("event kinds", kinds.iter().map(|(kind, _)| *kind));
        assert_all_differ("event names", kinds.iter().map(|(_, name)| *name));
        assert_all_differ("collection numbers", collections.iter().map(|collection| collection.number));
        let tracked = self.all.iter().flat_map(|memory| memory.tracked());
        assert_all_differ("tracked keyspaces", tracked.map(|keyspace| keyspace.id));
        assert_all_differ("names of memories", self.all.iter().map(|memory| memory.name()));
    }
}

fn assert_all_differ<T: Ord>(what: &str, all: impl Iterator<Item = T>) {
    let mut seen = BTreeSet::new();
    all.for_each(|one| assert!(seen.insert(one), "two memories have the same {what}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables;

    const TWINS: &[Keyspace] = &[Keyspace::new(999, "twins")];
    const THIEVES: &[Keyspace] = &[Keyspace::new(tables::AUDIT.id, "twins")];

    struct Twin(&'static [Keyspace]);

    impl Memory for Twin {
        fn name(&self) -> &'static str {
            "twin"
        }

        fn keyspaces(&self) -> &'static [Keyspace] {
            self.0
        }
    }

    fn with(twin: Twin) -> Memories {
        Memories::new(&EngineConfig { memories: vec![Arc::new(twin)], ..EngineConfig::default() }, 0)
    }

    #[test]
    fn the_list_holds_every_keyspace_of_every_memory_in_order() {
        let memories = with(Twin(TWINS));
        let ids: Vec<_> = memories.keyspaces().iter().map(|keyspace| keyspace.id).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        assert_eq!((ids[0], ids.last()), (tables::NODE.id, Some(&999)));
        assert!(memories.event_kinds().contains(&(tables::NODE_INITIALISED, "node.initialised")));
    }

    #[test]
    #[should_panic(expected = "two memories have the same keyspace numbers")]
    fn two_memories_cannot_share_a_keyspace() {
        with(Twin(THIEVES));
    }
}
