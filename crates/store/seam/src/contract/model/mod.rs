//! Random transactions, judged by a model that is too simple to be wrong.

mod script;
mod truth;

use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, ContentHash, ManualClock, Position, TenantId};

use self::script::{CONTENTS, ENTRIES, KEYSPACES, Script, TENANTS, random_range, universe};
use self::truth::Truth;
use super::kit::{Dice, content, feed, now, said, scan, seen, try_scan};
use super::{Make, StoreUnderTest};
use crate::{Snapshot, Store, StoreError, limits};

/// How many histories, and how many steps each.
const SEEDS: std::ops::Range<u64> = 1..5;
const STEPS: usize = 1000;
/// How many snapshots are held at once.
const HELD: usize = 4;

/// After every transaction of several random histories the store holds what the model holds.
pub fn random_transactions_equal_the_model(make: Make<'_>) {
    for seed in SEEDS {
        replay(make, seed, STEPS);
    }
}

/// One random history. A failure prints the seed that brings it back.
pub fn replay(make: Make<'_>, seed: u64, steps: usize) {
    let mut history = History::begin(make(), seed);
    for step in 0..steps {
        history.step = step;
        history.advance();
    }
}

/// A store, its model, and snapshots with the model of their time.
struct History {
    subject: Box<dyn StoreUnderTest>,
    store: Option<Arc<dyn Store>>,
    clock: ManualClock,
    dice: Dice,
    truth: Truth,
    held: Vec<Held>,
    seed: u64,
    step: usize,
}

struct Held {
    view: Box<dyn Snapshot>,
    truth: Truth,
    taken: Duration,
}

impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("contract::model::replay(make, {}, {}) brings this back", self.seed, self.step + 1);
        }
    }
}

impl History {
    fn begin(subject: Box<dyn StoreUnderTest>, seed: u64) -> Self {
        let (store, clock) = (Some(subject.store()), subject.clock());
        let (dice, truth) = (Dice::new(seed), Truth::default());
        History { subject, store, clock, dice, truth, held: Vec::new(), seed, step: 0 }
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(self.store.as_ref().expect("the store is open"))
    }

    fn advance(&mut self) {
        match self.dice.roll(100) {
            // Never a multiple of the age a snapshot may reach, so that "too old" has no edge here.
            0..5 => self.clock.advance(Duration::from_millis(1000 * self.dice.roll(4) + 7)),
            5..8 => drop(self.store().upkeep().expect("upkeep does its work")),
            8..18 => self.hold(),
            18 => self.reopen(),
            _ => self.transact(),
        }
        self.compare();
    }

    fn transact(&mut self) {
        let tenant = TENANTS[self.dice.roll(TENANTS.len() as u64) as usize];
        let script = Script::random(&mut self.dice, tenant, self.clock.now_ms());
        let before = self.truth.clone();
        let clock = self.clock.clone();
        let answer = crate::write(&*self.store(), tenant, move |tx| {
            // The closure may run again: each run begins with the model as it was.
            let mut truth = before.clone();
            script.play(tx, &mut truth, clock.now_ms())?;
            Ok::<_, StoreError>(truth)
        });
        match answer {
            Ok((truth, _)) => self.truth = truth,
            Err(StoreError::Conflict) => {}
            Err(error) => panic!("the transaction fails: {error}"),
        }
    }

    fn hold(&mut self) {
        if self.held.len() == HELD {
            let place = self.dice.roll(HELD as u64) as usize;
            self.held.remove(place);
        }
        let taken = self.clock.monotonic();
        self.held.push(Held { view: now(&*self.store()), truth: self.truth.clone(), taken });
    }

    fn reopen(&mut self) {
        self.held.clear();
        self.store = None;
        self.subject.reopen();
        self.store = Some(self.subject.store());
    }

    fn compare(&mut self) {
        let store = self.store();
        let view = now(&*store);
        self.compare_records(&*view);
        for keyspace in KEYSPACES {
            let tenant = TENANTS[self.dice.roll(TENANTS.len() as u64) as usize];
            let range = random_range(&mut self.dice, tenant);
            assert_eq!(scan(&*view, keyspace, &range), self.truth.scan(keyspace, &range), "{range:?}");
        }
        for held in &self.held {
            let too_old = self.clock.monotonic() - held.taken > limits::SNAPSHOT_AGE_MAX;
            for keyspace in KEYSPACES {
                match try_scan(&*held.view, keyspace, &universe()) {
                    Ok(found) => {
                        assert!(!too_old, "a snapshot is read after its time");
                        assert_eq!(found, held.truth.scan(keyspace, &universe()), "a held snapshot moved");
                    }
                    Err(StoreError::SnapshotTooOld) => assert!(too_old, "a snapshot is refused in its time"),
                    Err(error) => panic!("a held snapshot fails: {error}"),
                }
            }
        }
        if self.step.is_multiple_of(16) {
            self.compare_the_rest(&*view, &*store);
        }
    }

    fn compare_records(&self, view: &dyn Snapshot) {
        for keyspace in KEYSPACES {
            for range in [universe(), universe().descending()] {
                assert_eq!(scan(view, keyspace, &range), self.truth.scan(keyspace, &range), "{keyspace:?}");
            }
        }
    }

    fn compare_the_rest(&self, view: &dyn Snapshot, store: &dyn Store) {
        let now_ms = self.clock.now_ms();
        let all = |tenant: &TenantId| ENTRIES.map(|entry| (*tenant, entry));
        for (tenant, entry) in TENANTS.iter().flat_map(all) {
            assert_eq!(seen(view, tenant, entry), self.truth.entry(tenant, entry, now_ms), "{entry:?}");
        }
        for tenant in TENANTS {
            for text in CONTENTS {
                let expected = self.truth.has_blob(tenant, text).then(|| text.as_bytes().to_vec());
                assert_eq!(content(view, tenant, ContentHash::of(text.as_bytes())), expected);
            }
            let changes = feed(store, Position::START, Some(tenant), 100);
            assert_eq!(said(&changes), self.truth.events(Some(tenant)));
        }
        assert_eq!(said(&feed(store, Position::START, None, 7)), self.truth.events(None));
    }
}
