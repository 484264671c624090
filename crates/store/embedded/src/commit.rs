//! Committing: a group of transactions, one write, one sync, then everybody hears of it.
//!
//! While one group is written the next one is made: its transactions see what the one before it did,
//! and it is written and answered only after that one, or not at all if that one failed.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use cairn_base::{Position, TenantId};
use cairn_log::{Group, HashedMap};
use cairn_seam::{Aborted, Change, StoreError, TxBody, WriteClass};
use parking_lot::{Mutex, MutexGuard};

use crate::options::Background;
use crate::queue::{Answer, Next, Outcome, Ticket, answer_all};
use crate::shared::{Committer, Disk, Shared};
use crate::tx::{Finished, Ground, Pin, Tx};
use crate::view::View;

/// Transactions in one group at the most.
const GROUP_MAX: usize = 1024;
/// No further transaction joins a group once it has this many bytes.
const GROUP_BYTES: usize = 4 << 20;
/// Memory of a transaction's body that is kept for the next one.
const BODY_BYTES_KEPT: usize = 1 << 20;
/// How often whoever made a group looks for more to put into it while the disk is busy, before it
/// sleeps.
const YIELDS_MAX: usize = 200;
/// A group that could be written waits for writers that were just woken for this part of the time a
/// sync takes: enough on a slow disk, next to nothing on a quick one.
const GATHER_PART: u32 = 4;

/// Whom to tell what.
type Outcomes = Vec<(Answer, Result<Position, StoreError>)>;

/// A group while its transactions run.
struct Making {
    group: Group,
    view: Arc<View>,
    outcomes: Outcomes,
    pending: HashedMap,
    in_flight: VecDeque<Arc<HashedMap>>,
    changes: Vec<Change>,
    pins: Vec<Pin>,
    /// Position of the last transaction.
    position: u64,
    /// Why ordinary transactions are refused, while the disk is nearly full.
    refusal: Option<StoreError>,
}

/// A group that is ready to be written.
struct Made {
    group: Group,
    outcomes: Outcomes,
    hashed: Arc<HashedMap>,
    changes: Vec<Change>,
    pins: Vec<Pin>,
    position: u64,
}

impl Making {
    /// How many transactions still fit.
    fn room(&self) -> usize {
        if self.group.len() < GROUP_BYTES { GROUP_MAX.saturating_sub(self.outcomes.len()) } else { 0 }
    }
}

impl Shared {
    /// Runs an ordinary transaction and returns when it is durable.
    #[cfg(test)]
    pub(crate) fn write(&self, tenant: TenantId, body: TxBody) -> Result<Position, StoreError> {
        self.write_as(tenant, WriteClass::Ordinary, body)
    }

    /// Runs a transaction and returns when it is durable.
    pub(crate) fn write_as(
        &self,
        tenant: TenantId,
        class: WriteClass,
        body: TxBody,
    ) -> Result<Position, StoreError> {
        let (outcome, answer) = Outcome::new();
        match self.queue.push(Ticket { tenant, class, body, answer }) {
            Err((ticket, error)) => ticket.answer.give(Err(error)),
            Ok(Next::Wait) => {}
            Ok(Next::Lead) => {
                self.lead();
                if self.options.background == Background::Manual {
                    self.commit_waiting();
                }
            }
        }
        outcome.wait()
    }

    /// Queues a transaction and returns at once.
    pub(crate) fn submit(&self, ticket: Ticket) {
        match self.queue.push(ticket) {
            Err((ticket, error)) => ticket.answer.give(Err(error)),
            Ok(Next::Wait) => {}
            Ok(Next::Lead) => match self.options.background {
                Background::Manual => {
                    self.lead();
                    self.commit_waiting();
                }
                Background::Threads => self.queue.hand_over(),
            },
        }
    }

    /// Commits what waits. For simulations, where no thread does.
    pub(crate) fn commit_waiting(&self) {
        while self.queue.lead_if_waiting() {
            self.lead();
        }
    }

    /// A committer thread.
    pub(crate) fn run_committer(&self) {
        while self.queue.wait_for_lead() {
            self.lead();
        }
    }

    /// Makes one group of what waits and writes it. The caller has the lead, which goes on to somebody
    /// else as soon as the group is made.
    fn lead(&self) {
        self.wait_for_room();
        let mut committer = self.committer.lock();
        let made = catch_unwind(AssertUnwindSafe(|| self.make_group(&mut committer)));
        let made = made.unwrap_or_else(|_| {
            // Still under the committer's lock: nothing of the group may get into the index. Its writers
            // hear that the outcome is unknown, because their answers were dropped.
            self.poison(&StoreError::Panicked { message: "the committer panicked".into() });
            Err(Vec::new())
        });
        self.queue.release(self.options.background == Background::Threads);
        drop(committer);
        answer_all(match made {
            Err(refused) => refused,
            Ok((mut made, mut disk)) => {
                let pins = std::mem::take(&mut made.pins);
                let written = catch_unwind(AssertUnwindSafe(|| self.write_group(&mut disk, made)));
                let outcomes = written.unwrap_or_else(|_| {
                    // The same, under the disk's lock.
                    self.poison(&StoreError::Panicked { message: "the committer panicked".into() });
                    Vec::new()
                });
                if self.check_poison().is_err() {
                    // The commit may be there after a restart, and would miss its files.
                    pins.into_iter().for_each(std::mem::forget);
                }
                outcomes
            }
        });
    }

    /// Holds writers back while the applier is too far behind.
    fn wait_for_room(&self) {
        let full = || {
            self.view().unapplied_bytes() >= self.options.unapplied_bytes_max
                && self.check_poison().is_ok()
                && self.check_space().is_ok()
                && self.check_index().is_ok()
        };
        if !full() {
            return;
        }
        self.counters.backpressure.fetch_add(1, Ordering::Relaxed);
        match self.options.background {
            // An error poisons the store, which `prepare` sees next.
            Background::Manual => {
                self.mend_index();
                drop(self.apply());
            }
            Background::Threads => self.signals.wait_room(full),
        }
    }

    /// Everything that may fail before a closure runs.
    fn prepare(&self, committer: &mut Committer) -> Result<Group, StoreError> {
        self.check_poison()?;
        self.check_space()?;
        self.check_index()?;
        let before = committer.plan.segment();
        let group = committer.plan.start_group()?;
        if committer.plan.segment() != before {
            self.signals.want_keep();
        }
        Ok(group)
    }

    /// The same while the disk is nearly full, if anything waits that may use the reserve.
    fn prepare_lean(&self, committer: &mut Committer, refusal: StoreError) -> Result<Group, StoreError> {
        let class = self.queue.class();
        if !matches!(refusal, StoreError::StorageFull { .. }) || !class.may_use_reserve() {
            return Err(refusal);
        }
        self.start_lean_group(&mut committer.plan, class)
    }

    /// Makes a group of what waits, and of what comes until the disk is free for it.
    fn make_group(&self, committer: &mut Committer) -> Result<(Made, MutexGuard<'_, Disk>), Outcomes> {
        let (prepared, refusal) = match self.prepare(committer) {
            Ok(group) => (Ok(group), None),
            Err(error) => (self.prepare_lean(committer, error.clone()), Some(error)),
        };
        let group = match prepared {
            Ok(group) => group,
            Err(error) => {
                let tickets = self.queue.take(GROUP_MAX).into_iter();
                return Err(tickets.map(|ticket| (ticket.answer, Err(error.clone()))).collect());
            }
        };
        let mut making = Making {
            group,
            view: self.view(),
            outcomes: Vec::with_capacity(committer.expected),
            pending: HashedMap::default(),
            in_flight: self.in_flight.lock().clone(),
            changes: Vec::new(),
            pins: Vec::new(),
            position: committer.position,
            refusal,
        };
        let disk = self.run_until_disk_is_free(committer, &mut making);
        self.gather(committer, making.outcomes.len(), disk.took);
        self.run_waiting(committer, &mut making, None);
        // Shrinks slowly, so that one small group does not make all later ones small.
        let expected = committer.expected;
        committer.expected = making.outcomes.len().max(expected - expected.div_ceil(8));
        committer.position = making.position;
        let Making { group, outcomes, pending, changes, pins, position, .. } = making;
        let hashed = Arc::new(pending);
        if !group.is_empty() {
            committer.plan.end_group(&group);
            self.in_flight.lock().push_back(Arc::clone(&hashed));
        }
        Ok((Made { group, outcomes, hashed, changes, pins, position }, disk))
    }

    fn run_until_disk_is_free(&self, committer: &mut Committer, making: &mut Making) -> MutexGuard<'_, Disk> {
        for _ in 0..YIELDS_MAX {
            self.run_waiting(committer, making, Some(&self.disk));
            if let Some(disk) = self.disk.try_lock() {
                return disk;
            }
            if making.room() == 0 {
                break;
            }
            thread::yield_now();
        }
        self.disk.lock()
    }

    /// Lets writers that were just woken queue again, so that they share this sync. None of it when
    /// groups have one transaction.
    fn gather(&self, committer: &Committer, count: usize, sync_takes: Duration) {
        if committer.expected < 2 || self.options.background == Background::Manual {
            return;
        }
        let clock = &self.options.clock;
        let until = clock.monotonic() + sync_takes / GATHER_PART;
        while count + self.queue.len() < committer.expected && clock.monotonic() < until {
            thread::yield_now();
        }
    }

    /// Runs the transactions that wait, as far as the group has room.
    fn run_waiting(&self, committer: &mut Committer, making: &mut Making, disk: Option<&Mutex<Disk>>) {
        if self.queue.len() == 0 {
            return;
        }
        let mut tickets = self.queue.take(making.room());
        while making.room() > 0
            && let Some(ticket) = tickets.pop_front()
        {
            self.run_ticket(committer, making, ticket, disk);
        }
        if !tickets.is_empty() {
            self.queue.put_back(tickets);
        }
    }

    fn run_ticket(
        &self,
        committer: &mut Committer,
        making: &mut Making,
        mut ticket: Ticket,
        disk: Option<&Mutex<Disk>>,
    ) {
        let Making { group, view, pending, in_flight, refusal, .. } = making;
        if let Some(refusal) = refusal.as_ref().filter(|_| !ticket.class.may_use_reserve()) {
            let refused = Err(refusal.clone());
            making.outcomes.push((ticket.answer, refused));
            return;
        }
        let lean = refusal.is_some().then_some(ticket.class);
        let start = group.len();
        let ground = Ground {
            log: &self.log,
            view,
            place: &self.place,
            now_ms: self.options.clock.now_ms(),
            pending,
            in_flight,
            disk,
        };
        let tx = Tx::new(ground, ticket.tenant, group);
        let ran = run(&mut ticket, tx, lean).and_then(|finished| {
            committer.body.clear();
            committer.body.shrink_to(BODY_BYTES_KEPT);
            let Some(finished) = finished else { return Ok(None) };
            finished.encode(&mut committer.body);
            if let Some(class) = lean {
                let more = group.transaction_bytes(committer.body.len());
                self.make_lean_room(&mut committer.plan, group, more, class)?;
            }
            Ok(Some(finished))
        });
        match ran {
            Ok(finished) => {
                if let Some(finished) = finished {
                    making.position = group.transaction(ticket.tenant, &committer.body);
                    making.record(finished, ticket.tenant);
                }
                making.outcomes.push((ticket.answer, Ok(Position::from_stored(making.position))));
            }
            Err(error) => {
                group.truncate(start);
                self.counters.aborts.fetch_add(1, Ordering::Relaxed);
                making.outcomes.push((ticket.answer, Err(error)));
            }
        }
    }

    /// Puts a group on disk and publishes it. Nobody hears of any outcome before, also not of a refusal:
    /// it may follow from what an earlier group changed.
    fn write_group(&self, disk: &mut Disk, made: Made) -> Outcomes {
        let Made { group, mut outcomes, hashed, changes, position, .. } = made;
        if let Err(error) = self.check_poison() {
            outcomes.iter_mut().for_each(|(_, outcome)| *outcome = Err(error.clone()));
            return outcomes;
        }
        if group.is_empty() {
            self.log.keep_buffer(group);
            return outcomes;
        }
        let began = self.options.clock.monotonic();
        match disk.writer.commit(group) {
            Ok(written) => {
                disk.took = self.options.clock.monotonic().saturating_sub(began);
                disk.writer.publish_hashed(&hashed);
                self.in_flight.lock().pop_front();
                self.tail.push(changes);
                self.change_view(|view| view.position = position);
                let committed = outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count();
                self.counters.commits.fetch_add(committed as u64, Ordering::Relaxed);
                self.counters.groups.fetch_add(1, Ordering::Relaxed);
                self.counters.log_bytes_written.fetch_add(written.bytes, Ordering::Relaxed);
                if self.view().active.bytes() >= self.options.apply_bytes {
                    self.signals.want_apply();
                }
            }
            Err(error) => {
                self.poison(&error);
                for (_, outcome) in outcomes.iter_mut().filter(|(_, outcome)| outcome.is_ok()) {
                    *outcome = Err(StoreError::OutcomeUnknown { cause: error.to_string() });
                }
            }
        }
        outcomes
    }
}

/// Runs a transaction's closure; an error or a panic leaves nothing but a reason.
fn run(
    ticket: &mut Ticket,
    mut tx: Tx<'_>,
    lean: Option<WriteClass>,
) -> Result<Option<Finished>, StoreError> {
    let body = &mut ticket.body;
    let verdict = catch_unwind(AssertUnwindSafe(|| body(&mut tx)));
    match verdict {
        Ok(Ok(())) => tx.finish(lean),
        Ok(Err(Aborted)) => Err(StoreError::Aborted),
        Err(panic) => Err(StoreError::Panicked { message: message_of(&*panic) }),
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

impl Making {
    /// Makes a transaction's changes visible to the rest of its group and to later ones. Readers see
    /// them once the group's position is published, which happens after the sync or never.
    fn record(&mut self, finished: Finished, tenant: TenantId) {
        let Finished { changes: by_keyspace, hashed, places, events, pins } = finished;
        for (keyspace, keys) in by_keyspace {
            self.view.active.insert(keyspace, self.position, keys);
        }
        self.pending.extend(hashed);
        self.pending.extend(places);
        self.pins.extend(pins);
        if !events.is_empty() {
            self.changes.push(Change { position: Position::from_stored(self.position), tenant, events });
        }
    }
}
