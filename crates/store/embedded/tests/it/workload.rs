//! A random workload with a model that knows what may be there after a cut.
//!
//! Transaction `n` writes its number into a few cells, all or none; a model replays them. After any
//! failure the store must equal the model after some prefix of the transactions that is not shorter
//! than the acknowledged ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_base::{Entropy, Position, SeededEntropy, TenantId};
use cairn_embedded::EmbeddedStore;
use cairn_seam::{
    Blob, Event, EventKind, HashedKeyspace, KeyRange, Keyspace, Store, StoreError, Visit, WriteTx,
};
use parking_lot::Mutex;

const CELLS: Keyspace = Keyspace::new(10, "cells");
const SEEN: HashedKeyspace = HashedKeyspace::new(3, "seen");
const HAPPENED: EventKind = EventKind(1);
const TENANT: TenantId = TenantId(1);
const CELL_COUNT: u64 = 24;

/// What transaction `number` of a workload does; everything about it follows from the seed.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    number: u64,
    puts: Vec<(u64, usize)>,
    deletes: Vec<u64>,
    clears: Option<(u64, u64)>,
    blob_bytes: Option<usize>,
}

/// The state of all cells.
pub(crate) type Cells = BTreeMap<u64, Vec<u8>>;

pub(crate) struct Workload {
    random: SeededEntropy,
    steps: Vec<Step>,
    /// `states[n]` is the state after the first n transactions.
    states: Vec<Cells>,
    /// How many of the first transactions were acknowledged.
    acknowledged: usize,
    /// How many of them each sync carried.
    groups: Vec<usize>,
}

impl Workload {
    pub(crate) fn new(seed: u64) -> Self {
        let states = vec![Cells::new()];
        Workload {
            random: SeededEntropy::new(seed),
            steps: Vec::new(),
            states,
            acknowledged: 0,
            groups: Vec::new(),
        }
    }

    /// The same history once more, to be continued elsewhere.
    pub(crate) fn copy(&self) -> Self {
        Workload {
            random: SeededEntropy::new(1),
            steps: self.steps.clone(),
            states: self.states.clone(),
            acknowledged: self.acknowledged,
            groups: self.groups.clone(),
        }
    }

    /// How many transactions must be there.
    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged
    }

    fn below(&self, limit: u64) -> u64 {
        self.random.next_u64() % limit
    }

    fn next_step(&mut self) -> Step {
        let number = self.steps.len() as u64 + 1;
        let puts = (0..1 + self.below(4))
            .map(|_| (self.below(CELL_COUNT), usize::try_from(self.below(300)).unwrap()))
            .collect();
        let deletes = (0..self.below(2)).map(|_| self.below(CELL_COUNT)).collect();
        let clears = (self.below(12) == 0).then(|| {
            let low = self.below(CELL_COUNT);
            (low, low + self.below(4))
        });
        let blob_bytes = (self.below(3) == 0).then(|| usize::try_from(self.below(3000)).unwrap());
        let step = Step { number, puts, deletes, clears, blob_bytes };
        let mut state = self.states.last().unwrap().clone();
        step.apply_to(&mut state);
        self.states.push(state);
        self.steps.push(step.clone());
        step
    }

    /// Commits a random group of transactions; an error ends the run.
    ///
    /// A first transaction queues the others while it runs, so that they share its sync.
    pub(crate) fn commit_some(&mut self, store: &Arc<EmbeddedStore>) -> Result<(), StoreError> {
        let first = self.next_step();
        let others: Vec<Step> = (0..self.below(4)).map(|_| self.next_step()).collect();
        let expected = 1 + others.len();
        let outcomes: Arc<Mutex<Vec<Result<Position, StoreError>>>> = Arc::default();
        let (queue, results) = (Arc::clone(store), Arc::clone(&outcomes));
        let mut others = Some(others);
        let wrote = store.write(
            TENANT,
            Box::new(move |tx| {
                for step in others.take().into_iter().flatten() {
                    let results = Arc::clone(&results);
                    queue.submit(
                        TENANT,
                        Box::new(move |tx| step.run(tx).map_err(|_| cairn_seam::Aborted)),
                        Box::new(move |outcome| results.lock().push(outcome)),
                    );
                }
                first.run(tx).map_err(|_| cairn_seam::Aborted)
            }),
        );
        let mut outcomes = std::mem::take(&mut *outcomes.lock());
        outcomes.insert(0, wrote);
        // If the first one failed before it ran, the others were never queued.
        let is_whole = outcomes.len() == expected || (outcomes.len() == 1 && outcomes[0].is_err());
        assert!(is_whole, "every transaction hears of its outcome");
        let good = outcomes.iter().take_while(|outcome| outcome.is_ok()).count();
        assert!(outcomes[good..].iter().all(Result::is_err), "no gap: {outcomes:?}");
        self.acknowledged += good;
        self.groups.extend((good > 0).then_some(good));
        outcomes.into_iter().collect::<Result<Vec<_>, _>>().map(drop)
    }

    /// Damage was done on purpose: this many of the last acknowledged groups may be gone.
    pub(crate) fn forget_acknowledged(&mut self, groups: usize) {
        for _ in 0..groups.min(self.groups.len()) {
            self.acknowledged -= self.groups.pop().unwrap();
        }
    }

    /// Checks what a store holds after it was opened again, and goes on from there.
    ///
    /// Panics with the difference when it is not a state that the model allows.
    pub(crate) fn check(&mut self, store: &EmbeddedStore) {
        let heard = read_events(store);
        let kept = heard.len();
        let allowed = self.acknowledged..=self.steps.len();
        assert!(allowed.contains(&kept), "{kept} transactions are there, allowed are {allowed:?}");
        let told = |step: &Step| Event { kind: HAPPENED, body: step.number.to_le_bytes().to_vec() };
        let expected: Vec<Event> = self.steps[..kept].iter().map(told).collect();
        assert_eq!(heard, expected, "the change feed");
        assert_eq!(read_cells(store), self.states[kept], "the cells after {kept} transactions");
        self.check_rest(store, kept);
        self.steps.truncate(kept);
        self.states.truncate(kept + 1);
        self.acknowledged = kept;
        self.groups.clear();
    }

    /// Hashed entries and blobs tell the same story as the cells.
    fn check_rest(&self, store: &EmbeddedStore, kept: usize) {
        let snapshot = store.snapshot(Position::START).unwrap();
        for step in &self.steps {
            let is_kept = step.number <= kept as u64;
            let key = step.number.to_be_bytes();
            snapshot
                .hashed_get(SEEN, TENANT, &[&key], &mut |_, value| {
                    assert_eq!(value, is_kept.then_some(&key[..4]), "hashed entry {}", step.number);
                })
                .unwrap();
            let Some(blob) = step.blob().filter(|_| is_kept) else { continue };
            snapshot
                .blobs(TENANT, &[blob.hash()], &mut |_, found| assert_eq!(found, blob.bytes(), "blob"))
                .unwrap();
        }
    }
}

impl Step {
    fn blob(&self) -> Option<Blob> {
        self.blob_bytes.map(|bytes| {
            let mut content = vec![0; bytes];
            SeededEntropy::new(self.number).fill(&mut content);
            Blob::new(content).unwrap()
        })
    }

    fn value(&self, bytes: usize) -> Vec<u8> {
        let mut value = self.number.to_le_bytes().to_vec();
        value.resize(8 + bytes, b'.');
        value
    }

    fn apply_to(&self, cells: &mut Cells) {
        if let Some((low, high)) = self.clears {
            cells.retain(|cell, _| !(low..=high).contains(cell));
        }
        for (cell, bytes) in &self.puts {
            cells.insert(*cell, self.value(*bytes));
        }
        for cell in &self.deletes {
            cells.remove(cell);
        }
    }

    fn run(&self, tx: &mut dyn WriteTx) -> Result<(), StoreError> {
        if let Some((low, high)) = self.clears {
            let range = KeyRange::new(
                std::ops::Bound::Included(cell_key(low)),
                std::ops::Bound::Included(cell_key(high)),
            );
            tx.delete_range(CELLS, &range)?;
        }
        for (cell, bytes) in &self.puts {
            tx.put(CELLS, &cell_key(*cell), &self.value(*bytes))?;
        }
        for cell in &self.deletes {
            tx.delete(CELLS, &cell_key(*cell))?;
        }
        tx.hashed_put(SEEN, &self.number.to_be_bytes(), &self.number.to_be_bytes()[..4], None)?;
        if let Some(blob) = self.blob() {
            tx.put_blob(&blob)?;
        }
        tx.emit(Event { kind: HAPPENED, body: self.number.to_le_bytes().to_vec() })
    }
}

fn cell_key(cell: u64) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &cell.to_be_bytes()].concat()
}

fn read_events(store: &EmbeddedStore) -> Vec<Event> {
    let mut heard = Vec::new();
    let mut after = Position::START;
    loop {
        let page = store.changes(after, Some(TENANT), 7).unwrap();
        heard.extend(page.changes.into_iter().flat_map(|change| change.events));
        after = page.next;
        if page.at_end {
            return heard;
        }
    }
}

fn read_cells(store: &EmbeddedStore) -> Cells {
    try_read_cells(store).unwrap()
}

pub(crate) fn try_read_cells(store: &EmbeddedStore) -> Result<Cells, StoreError> {
    let mut cells = Cells::new();
    let snapshot = store.snapshot(Position::START)?;
    snapshot.multi_scan(CELLS, &[KeyRange::prefix(&TENANT.0.to_be_bytes())], &mut |_, key, value| {
        cells.insert(u64::from_be_bytes(key[4..].try_into().unwrap()), value.to_vec());
        Visit::Continue
    })?;
    Ok(cells)
}
