//! Who has to know what a transaction changes: the memories that track the keyspaces it touches, and nobody else.

use std::sync::Arc;

use cairn_base::{Position, TenantId};
use cairn_seam::{Keyspace, StoreCode};
use parking_lot::Mutex;

use crate::EngineError;
use crate::memories::Memories;
use crate::memory::{Memory, Track};

/// Which memory tracks which keyspace.
pub(crate) struct Trackers {
    memories: Vec<Arc<dyn Memory>>,
    /// The place of the memory by the number of the keyspace.
    places: Vec<Option<usize>>,
}

impl Trackers {
    pub(crate) fn of(memories: &Memories) -> Self {
        let memories = memories.all().to_vec();
        let mut places = Vec::new();
        for (place, memory) in memories.iter().enumerate() {
            for keyspace in memory.tracked() {
                let number = usize::from(keyspace.id);
                if places.len() <= number {
                    places.resize(number + 1, None);
                }
                places[number] = Some(place);
            }
        }
        Trackers { memories, places }
    }

    fn place(&self, keyspace: Keyspace) -> Option<usize> {
        self.places.get(usize::from(keyspace.id)).copied().flatten()
    }
}

/// Notes of the memories whose records a transaction has touched, each with its place among the trackers.
type Begun = Vec<(usize, Box<dyn Track>)>;

/// What one transaction changes: noted while its closure runs, settled when its outcome is known.
///
/// It belongs to the transaction, not to whoever waits for it. A transaction that touches nothing that is tracked
/// pays for one look into a table with each change.
#[derive(Clone)]
pub(crate) struct Changes {
    trackers: Arc<Trackers>,
    begun: Arc<Mutex<Begun>>,
}

impl Changes {
    /// Of a transaction that has not begun.
    pub(crate) fn new(trackers: &Arc<Trackers>) -> Self {
        Changes { trackers: Arc::clone(trackers), begun: Arc::default() }
    }

    /// The closure of the transaction runs, maybe once more.
    pub(crate) fn restart(&self) {
        self.begun.lock().iter_mut().for_each(|(_, track)| track.restart());
    }

    /// Has the memory that tracks a keyspace note something, before it happens.
    pub(crate) fn note(&self, keyspace: Keyspace, note: impl FnOnce(&mut dyn Track)) {
        let Some(place) = self.trackers.place(keyspace) else { return };
        let mut begun = self.begun.lock();
        if let Some((_, track)) = begun.iter_mut().find(|(at, _)| *at == place) {
            return note(&mut **track);
        }
        if let Some(mut track) = self.trackers.memories[place].track() {
            note(&mut *track);
            begun.push((place, track));
        }
    }

    /// Tells what became of the transaction. If nobody knows whether it was committed, nothing is told.
    pub(crate) fn settle<T>(&self, tenant: TenantId, outcome: &Result<(T, Position), EngineError>) {
        let mut begun = std::mem::take(&mut *self.begun.lock());
        let tracks = begun.iter_mut().map(|(_, track)| track);
        match outcome {
            Ok((_, position)) => tracks.for_each(|track| track.committed(tenant, *position)),
            Err(error) if error.code() == StoreCode::OutcomeUnknown => {}
            Err(_) => tracks.for_each(|track| track.aborted()),
        }
    }
}

#[cfg(test)]
mod tests {
    use cairn_seam::StoreError;

    use super::*;
    use crate::EngineConfig;

    const OURS: Keyspace = Keyspace::new(901, "ours");
    const NOT_TRACKED: Keyspace = Keyspace::new(902, "not-tracked");

    type Told = Arc<Mutex<Vec<&'static str>>>;

    struct Watching(Told);
    struct Watch(Told);

    impl Memory for Watching {
        fn name(&self) -> &'static str {
            "watching"
        }

        fn keyspaces(&self) -> &'static [Keyspace] {
            &[OURS, NOT_TRACKED]
        }

        fn tracked(&self) -> &'static [Keyspace] {
            &[OURS]
        }

        fn track(&self) -> Option<Box<dyn Track>> {
            self.0.lock().push("begun");
            Some(Box::new(Watch(Arc::clone(&self.0))))
        }
    }

    impl Track for Watch {
        fn restart(&mut self) {
            self.0.lock().push("restart");
        }

        fn put(&mut self, _: Keyspace, _: &[u8], _: &[u8]) {
            self.0.lock().push("put");
        }

        fn delete(&mut self, _: Keyspace, _: &[u8]) {
            self.0.lock().push("delete");
        }

        fn delete_range(&mut self, _: Keyspace) {
            self.0.lock().push("delete range");
        }

        fn committed(&mut self, _: TenantId, _: Position) {
            self.0.lock().push("committed");
        }

        fn aborted(&mut self) {
            self.0.lock().push("aborted");
        }
    }

    fn changes() -> (Changes, Told) {
        let told = Told::default();
        let memories: Vec<Arc<dyn Memory>> = vec![Arc::new(Watching(Arc::clone(&told)))];
        let memories = Memories::new(&EngineConfig { memories, ..EngineConfig::default() }, 0);
        (Changes::new(&Arc::new(Trackers::of(&memories))), told)
    }

    #[test]
    fn a_memory_hears_of_its_tracked_keyspaces_and_of_no_others() {
        let (changes, told) = changes();
        changes.restart();
        changes.note(NOT_TRACKED, |track| track.put(NOT_TRACKED, b"", b""));
        changes.note(Keyspace::new(65_535, "unknown"), |track| track.delete(OURS, b""));
        assert!(told.lock().is_empty());
        changes.note(OURS, |track| track.put(OURS, b"", b""));
        changes.restart();
        changes.note(OURS, |track| track.delete(OURS, b""));
        changes.note(OURS, |track| track.delete_range(OURS));
        changes.settle(TenantId::LOCAL, &Ok(((), Position::START)));
        changes.settle(TenantId::LOCAL, &Ok(((), Position::START)));
        assert_eq!(*told.lock(), ["begun", "put", "restart", "delete", "delete range", "committed"]);
    }

    #[test]
    fn only_what_nobody_knows_stays_pending() {
        let check = |outcome: Result<((), Position), EngineError>, expected: Option<&str>| {
            let (changes, told) = changes();
            changes.note(OURS, |track| track.put(OURS, b"", b""));
            changes.settle(TenantId::LOCAL, &outcome);
            assert_eq!(told.lock().get(2).copied(), expected, "{outcome:?}");
        };
        let unknown = || StoreError::OutcomeUnknown { cause: "the disk said nothing".into() };
        check(Ok(((), Position::START)), Some("committed"));
        check(Err(StoreError::Aborted.into()), Some("aborted"));
        check(Err(StoreError::Overloaded.into()), Some("aborted"));
        check(Err(EngineError::SearchOff), Some("aborted"));
        check(Err(unknown().into()), None);
    }
}
