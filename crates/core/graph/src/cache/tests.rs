//! The rules by themselves: every order of marks, commits, settlements, reads and late fills.

use std::sync::Arc;

use cairn_base::Position;
use cairn_seam::Keyspace;
use proptest::prelude::*;

use super::kept::{ENTRY_BYTES, Kept};
use super::{Cache, Changes, Key};
use crate::tables::{CONCEPTS, LINKS, OPS, PSO, SPACES, SPO};

/// Few, so that everybody meets at the same ones.
const KEYS: u8 = 3;

/// What may happen next. Numbers choose among what there is, whatever that is.
#[derive(Debug, Clone)]
enum Step {
    /// A transaction runs, and marks what it changes: those keys whose bit is set.
    Run {
        keys: u8,
    },
    /// Some transaction that runs is committed; readers do not see it yet.
    Commit(usize),
    /// Some transaction that runs is given up.
    Abort(usize),
    /// Everything that is committed is seen from now on.
    Publish,
    /// The outcome of some transaction that has one is heard of.
    Settle(usize),
    /// A transaction deletes a range, and nobody knows what was in it.
    RunRange,
    Open,
    /// A snapshot asks for a key, and reads it in the store if it is not kept.
    Read(usize, u8),
    /// Something that was read is kept at last.
    Keep(usize),
    /// The room is taken and given back, and with it what was kept goes.
    Resize,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1_u8..1 << KEYS).prop_map(|keys| Step::Run { keys }),
        6 => any::<usize>().prop_map(Step::Commit),
        1 => any::<usize>().prop_map(Step::Abort),
        4 => Just(Step::Publish),
        8 => any::<usize>().prop_map(Step::Settle),
        1 => Just(Step::RunRange),
        4 => Just(Step::Open),
        16 => (any::<usize>(), 0..KEYS).prop_map(|(snapshot, key)| Step::Read(snapshot, key)),
        8 => any::<usize>().prop_map(Step::Keep),
        1 => Just(Step::Resize),
    ]
}

struct Transaction {
    changes: Changes,
    keys: u8,
    committed: Option<Position>,
}

/// A store that remembers every version of every key, and all that is under way.
struct Model {
    cache: Arc<Cache>,
    /// Where each key changed, oldest first: its value is that position.
    versions: Vec<Vec<u64>>,
    last: u64,
    published: u64,
    running: Vec<Transaction>,
    decided: Vec<Transaction>,
    snapshots: Vec<u64>,
    read: Vec<(u8, u64, u64)>,
    given: usize,
}

const ROOM: u64 = 1 << 20;

impl Model {
    fn new() -> Self {
        Model {
            cache: Arc::new(Cache::new(ROOM)),
            versions: vec![vec![0]; usize::from(KEYS)],
            last: 0,
            published: 0,
            running: Vec::new(),
            decided: Vec::new(),
            snapshots: vec![0],
            read: Vec::new(),
            given: 0,
        }
    }

    fn value_at(&self, key: u8, at: u64) -> u64 {
        *self.versions[usize::from(key)].iter().rfind(|version| **version <= at).unwrap()
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match *step {
            Step::Run { keys } => {
                let changes = Changes::new(&self.cache);
                for key in (0..KEYS).filter(|key| keys & 1 << key != 0) {
                    changes.note(CONCEPTS, &row(key));
                }
                self.running.push(Transaction { changes, keys, committed: None });
            }
            Step::RunRange => {
                let changes = Changes::new(&self.cache);
                changes.note_range(CONCEPTS);
                self.running.push(Transaction { changes, keys: (1 << KEYS) - 1, committed: None });
            }
            Step::Commit(which) => {
                let Some(mut transaction) = take_any(&mut self.running, which) else { return Ok(()) };
                self.last += 1;
                transaction.committed = Some(Position::from_stored(self.last));
                for key in (0..KEYS).filter(|key| transaction.keys & 1 << key != 0) {
                    self.versions[usize::from(key)].push(self.last);
                }
                self.decided.push(transaction);
            }
            Step::Abort(which) => self.decided.extend(take_any(&mut self.running, which)),
            Step::Publish => self.published = self.last,
            Step::Settle(which) => {
                let Some(transaction) = take_any(&mut self.decided, which) else { return Ok(()) };
                match transaction.committed {
                    Some(at) => transaction.changes.committed(at),
                    None => transaction.changes.aborted(),
                }
            }
            Step::Open => self.snapshots.push(self.published),
            Step::Read(which, key) => {
                let at = self.snapshots[which % self.snapshots.len()];
                let expected = self.value_at(key, at);
                match self.cache.get(&key_of(key), Position::from_stored(at)) {
                    Some(kept) => {
                        self.given += 1;
                        prop_assert_eq!(number(&kept), expected, "key {} at {}", key, at);
                    }
                    None => self.read.push((key, at, expected)),
                }
            }
            Step::Keep(which) => {
                let Some((key, at, value)) = take_any(&mut self.read, which) else { return Ok(()) };
                let kept = Kept::Row(Some(Arc::from(value.to_be_bytes())));
                self.cache.keep(key_of(key), Position::from_stored(at), kept);
            }
            Step::Resize => [0, ROOM].into_iter().for_each(|room| self.cache.resize(room)),
        }
        Ok(())
    }
}

fn take_any<T>(list: &mut Vec<T>, which: usize) -> Option<T> {
    if list.is_empty() { None } else { Some(list.remove(which % list.len())) }
}

fn row(key: u8) -> [u8; 24] {
    [key; 24]
}

fn key_of(key: u8) -> Key {
    Key::row(CONCEPTS, &row(key)).unwrap()
}

fn number(kept: &Kept) -> u64 {
    let Kept::Row(Some(row)) = kept else { panic!("a row was kept") };
    u64::from_be_bytes((**row).try_into().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_snapshot_is_given_what_it_would_not_read(steps in prop::collection::vec(step(), 1..120)) {
        let mut model = Model::new();
        for step in &steps {
            model.take(step)?;
        }
    }
}

#[test]
fn a_cache_that_gives_nothing_would_pass_too() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let given = std::cell::Cell::new(0);
    runner
        .run(&prop::collection::vec(step(), 60..120), |steps| {
            let mut model = Model::new();
            steps.iter().try_for_each(|step| model.take(step))?;
            given.set(given.get() + model.given);
            Ok(())
        })
        .unwrap();
    assert!(given.get() > 500, "{}", given.get());
}

#[test]
fn what_nobody_knows_the_outcome_of_is_not_kept_again() {
    let cache = Arc::new(Cache::new(ROOM));
    let keep = |at| cache.keep(key_of(1), Position::from_stored(at), Kept::Row(None));
    let has = |at| cache.get(&key_of(1), Position::from_stored(at)).is_some();
    let changes = Changes::new(&cache);
    changes.note(CONCEPTS, &row(1));
    drop(changes);
    keep(9);
    assert!(!has(9));

    // One whose outcome is known is kept again, and settling twice is settling once.
    let cache = Arc::new(Cache::new(ROOM));
    let keep = |at| cache.keep(key_of(1), Position::from_stored(at), Kept::Row(None));
    let has = |at| cache.get(&key_of(1), Position::from_stored(at)).is_some();
    let changes = Changes::new(&cache);
    changes.note(CONCEPTS, &row(1));
    changes.note(CONCEPTS, &row(1));
    changes.committed(Position::from_stored(5));
    changes.aborted();
    keep(4);
    assert!(!has(9));
    keep(5);
    assert!(!has(4));
    assert!(has(5));
}

#[test]
fn a_row_of_an_index_of_links_touches_its_list() {
    let check = |keyspace: Keyspace, bytes: usize, expected: Option<(Keyspace, usize)>| {
        let key: Vec<u8> = (0..bytes).map(|byte| u8::try_from(byte).unwrap()).collect();
        let expected = expected.map(|(keyspace, length)| Key::new(keyspace, &key[..length]).unwrap());
        assert_eq!(Key::touched(keyspace, &key), expected, "{keyspace:?} {bytes}");
    };
    check(SPO, 32, Some((SPO, 24)));
    check(OPS, 32, Some((OPS, 24)));
    check(PSO, 32, None);
    check(LINKS, 16, Some((LINKS, 16)));
    check(CONCEPTS, 24, Some((CONCEPTS, 24)));
    check(CONCEPTS, 33, None);
    check(SPACES, 24, None);
    check(Keyspace::new(3, "of another memory"), 24, None);
}

#[test]
fn keys_of_other_lengths_and_keyspaces_are_other_keys() {
    let zero = |keyspace, length: usize| Key::new(keyspace, &[0; 32][..length]).unwrap();
    assert_ne!(zero(CONCEPTS, 16), zero(CONCEPTS, 24));
    assert_ne!(zero(CONCEPTS, 16), zero(LINKS, 16));
    let slots: std::collections::BTreeSet<usize> = (0_u64..1000)
        .map(|number| Key::new(LINKS, &[[0; 8], number.to_be_bytes()].concat()).unwrap().slot())
        .collect();
    assert!(slots.len() > 900, "numbers that count up share {} slots", slots.len());
}

#[test]
fn what_is_kept_and_its_tables_fit_into_the_room() {
    // Tables grow by doubling: in the second room they have just done so when it is full.
    for (room, value_bytes) in [(ROOM, 0), (ROOM / 8 * 9, 0), (ROOM, 40), (ROOM, 400)] {
        let cache = Cache::new(room);
        let mut most = 0;
        for number in 0_u64..20_000 {
            let key = Key::new(LINKS, &[[1; 8], number.to_be_bytes()].concat()).unwrap();
            cache.keep(key, Position::from_stored(1), Kept::Row(Some(vec![7; value_bytes].into())));
            let tables = cache.entries.memory_used();
            let stats = cache.stats();
            assert!(stats.bytes <= room);
            // Two counters in front of the bytes, rounded up to what allocators give.
            let values = stats.entries * (16 + value_bytes as u64).next_multiple_of(16);
            most = most.max(tables.entries as u64 + tables.map as u64 + values);
        }
        assert!(most <= room, "{room} {value_bytes}: {most}");
        let entries = cache.stats().entries;
        assert!(entries > room / (ENTRY_BYTES + value_bytes as u64) * 3 / 4, "{value_bytes}: {entries}");
    }
}

#[test]
fn one_large_entry_does_not_push_out_all_others() {
    let cache = Cache::new(ROOM);
    cache.keep(key_of(1), Position::from_stored(1), Kept::Row(Some(vec![7; 1 << 14].into())));
    assert_eq!(cache.stats().entries, 0);
    cache.keep(key_of(1), Position::from_stored(1), Kept::Row(Some(vec![7; (1 << 14) - 300].into())));
    assert_eq!(cache.stats().entries, 1);
    cache.clear();
    assert_eq!((cache.stats().entries, cache.stats().bytes), (0, 0));
}
