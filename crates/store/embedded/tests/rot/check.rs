//! What a damaged store answers, and what it goes on with.

use std::collections::BTreeSet;

use cairn_base::{ContentHash, Position};
use cairn_embedded::EmbeddedStore;
use cairn_seam::{LocalStore, Maintenance, Store, StoreError, limits};

use super::Tally;
use super::build::{RECORDS, SEEN, TENANT, World, content, key_of, value_of};
use super::harm::Hit;

impl World {
    /// Checks every record, blob, entry and event. What was hit may be unreadable; everything else is as
    /// it was.
    pub(super) fn check(&self, store: &EmbeddedStore, hit: &Hit, what: &str, tally: &mut Tally) {
        let may_miss = |position: Position| hit.transaction(position);
        let mut before = Position::START;
        let mut all: Vec<(u64, Position, bool)> = self.records.iter().map(|(n, p)| (*n, *p, true)).collect();
        all.extend(self.deleted.iter().map(|(n, p)| (*n, *p, false)));
        all.sort_by_key(|(_, position, _)| *position);
        for (number, position, is_there) in all {
            let record = get(store, number);
            match (record, is_there) {
                (Ok(Some(value)), true) => {
                    assert_eq!(value, value_of(number), "{what}: record {number}");
                    self.check_blob(store, number, (position, before), hit, what, tally);
                }
                (Ok(None), false) => tally.right += 1,
                (Ok(None), true) => {
                    assert!(may_miss(position), "{what}: record {number} at {position:?} is gone");
                    tally.lost += 1;
                }
                // The transaction that deleted it is lost.
                (Ok(Some(_)), false) => assert!(may_miss(position), "{what}: record {number} is back"),
                (Err(error), _) => panic!("{what}: record {number}: {error}"),
            }
            self.check_hashed(store, number, hit, what);
            before = position;
        }
        self.check_events(store, hit, what);
    }

    fn check_blob(
        &self,
        store: &EmbeddedStore,
        number: u64,
        (position, before): (Position, Position),
        hit: &Hit,
        what: &str,
        tally: &mut Tally,
    ) {
        let bytes = content(number);
        let is_file = bytes.len() > limits::BLOB_IN_COMMIT_BYTES_MAX;
        let is_hit =
            if is_file { hit.blob_files() || hit.transaction(position) } else { hit.blob(position, before) };
        match read_blob(store, &ContentHash::of(&bytes)) {
            Ok(found) => {
                assert!(found == bytes, "{what}: blob {number} is another one");
                tally.right += 1;
            }
            Err(StoreError::Damaged(_) | StoreError::BlobLost { .. }) if is_hit => tally.lost += 1,
            Err(error) => panic!("{what}: blob {number}: {error}, hit: {is_hit}"),
        }
    }

    fn check_hashed(&self, store: &EmbeddedStore, number: u64, hit: &Hit, what: &str) {
        let Some(position) = self.records.get(&number) else { return };
        let snapshot = store.snapshot(Position::START).unwrap();
        let key = number.to_be_bytes();
        let read = snapshot.hashed_get(SEEN, TENANT, &[&key], &mut |_, value| {
            let is_right = value == Some(&key[..]) || (value.is_none() && hit.transaction(*position));
            assert!(is_right, "{what}: entry {number}: {value:?}");
        });
        read.unwrap_or_else(|error| panic!("{what}: entry {number}: {error}"));
    }

    /// Events come in order, and where some are missing the store says so.
    fn check_events(&self, store: &EmbeddedStore, hit: &Hit, what: &str) {
        let mut heard = BTreeSet::new();
        let mut after = Position::START;
        let mut skipped_to = Position::START;
        loop {
            match store.changes(after, Some(TENANT), 7) {
                Ok(page) => {
                    let numbers = page.changes.iter().flat_map(|change| &change.events);
                    heard.extend(numbers.map(|event| u64::from_be_bytes(event.body[..].try_into().unwrap())));
                    after = page.next;
                    if page.at_end {
                        break;
                    }
                }
                Err(StoreError::TooOld { horizon }) => {
                    assert!(horizon > after, "{what}: {horizon:?} after {after:?}");
                    (after, skipped_to) = (horizon, horizon);
                }
                Err(error) => panic!("{what}: events after {after:?}: {error}"),
            }
        }
        for (number, position) in &self.records {
            let is_told = heard.contains(number) || *position <= skipped_to || hit.transaction(*position);
            assert!(is_told, "{what}: the event of record {number} at {position:?} is missing");
        }
    }

    /// Opens the store without what is lost.
    pub(super) fn accept_loss(&mut self, hit: &Hit, what: &str) -> EmbeddedStore {
        let store = self.open(true).unwrap_or_else(|error| panic!("{what}: accepting loss: {error}"));
        assert_eq!(store.open_report().read_only, None, "{what}");
        self.forget_lost(&store, hit);
        store
    }

    /// What was hit and is not there any more is given up.
    fn forget_lost(&mut self, store: &EmbeddedStore, hit: &Hit) {
        let is_lost = |number: &u64, position: &Position| {
            hit.transaction(*position) && get(store, *number).is_ok_and(|value| value.is_none())
        };
        self.records.retain(|number, position| !is_lost(number, position));
        let is_back = |number: &u64, position: &Position| {
            hit.transaction(*position) && get(store, *number).is_ok_and(|value| value.is_some())
        };
        self.deleted.retain(|number, position| !is_back(number, position));
    }

    /// Goes through everything that reads derived files and takes something out of primary ones.
    pub(super) fn live_on(&mut self, store: EmbeddedStore, hit: &Hit, what: &str, tally: &mut Tally) {
        self.forget_lost(&store, hit);
        for _ in 0..30 {
            self.append(&store).unwrap_or_else(|error| panic!("{what}: appending: {error}"));
            store.upkeep().unwrap_or_else(|error| panic!("{what}: upkeep: {error}"));
        }
        self.check(&store, hit, &format!("{what}: after upkeep"), tally);
        let repair = Maintenance::Verify { repair: true };
        store.maintain(&repair, &mut |_| true).unwrap_or_else(|error| panic!("{what}: doctor: {error}"));
        self.check(&store, hit, &format!("{what}: after the doctor"), tally);
        self.wait_long();
        match self.compact(&store) {
            // It takes nothing out while something it would rely on is damaged.
            Ok(()) | Err(StoreError::Damaged(_)) => {}
            Err(error) => panic!("{what}: compaction: {error}"),
        }
        self.check(&store, hit, &format!("{what}: after a compaction"), tally);
        store.close().unwrap_or_else(|error| panic!("{what}: closing: {error}"));
        drop(store);
        let store = self.open(false).unwrap_or_else(|error| panic!("{what}: opened again: {error}"));
        assert_eq!(store.open_report().read_only, None, "{what}: opened again");
        self.check(&store, hit, &format!("{what}: opened again"), tally);
        let _ = self.compact(&store);
        self.check(&store, hit, &format!("{what}: after another compaction"), tally);
    }
}

fn get(store: &EmbeddedStore, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let read = || cairn_seam::get(&*store.snapshot(Position::START)?, RECORDS, &key_of(number));
    match read() {
        // The read that meets damage in the index has it rebuilt.
        Err(StoreError::IndexRebuilding { .. }) => {
            store.upkeep()?;
            read()
        }
        found => found,
    }
}

fn read_blob(store: &EmbeddedStore, hash: &ContentHash) -> Result<Vec<u8>, StoreError> {
    let reader = store.open_named_blob(TENANT, hash)?;
    let mut bytes = vec![0; usize::try_from(reader.len()).unwrap()];
    reader.read_at(0, &mut bytes)?;
    Ok(bytes)
}
