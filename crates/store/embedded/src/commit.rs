//! Committing: a group of transactions, one write, one sync, then everybody hears of it.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::thread;

use cairn_base::{Position, TenantId};
use cairn_log::{Group, HashedMap};
use cairn_seam::{Aborted, Change, StoreError, TxBody};

use crate::options::Background;
use crate::queue::{Answer, Next, Outcome, Ticket, answer_all};
use crate::shared::{Committer, Shared};
use crate::tx::{Finished, Ground, Tx};
use crate::view::View;

/// Transactions in one group at the most.
const GROUP_MAX: usize = 1024;
/// No further transaction joins a group once it has this many bytes.
const GROUP_BYTES: usize = 4 << 20;
/// Memory of a transaction's body that is kept for the next one.
const BODY_BYTES_KEPT: usize = 1 << 20;
/// How often the committer lets others run before it takes a group, when the last one was shared.
const YIELDS_MAX: usize = 200;

/// Whom to tell what.
type Outcomes = Vec<(Answer, Result<Position, StoreError>)>;

impl Shared {
    /// Runs a transaction and returns when it is durable.
    pub(crate) fn write(&self, tenant: TenantId, body: TxBody) -> Result<Position, StoreError> {
        let (outcome, answer) = Outcome::new();
        match self.queue.push(Ticket { tenant, body, answer }) {
            Err((ticket, error)) => ticket.answer.give(Err(error)),
            Ok(Next::Wait) => {}
            Ok(Next::Lead) => match self.options.background {
                Background::Manual => while self.commit_group().is_some() {},
                Background::Threads => {
                    // The first group holds our own transaction; what came meanwhile is not ours to
                    // wait for.
                    self.commit_group();
                    self.queue.release();
                }
            },
        }
        outcome.wait()
    }

    /// Queues a transaction and returns at once.
    pub(crate) fn submit(&self, ticket: Ticket) {
        match self.queue.push(ticket) {
            Err((ticket, error)) => ticket.answer.give(Err(error)),
            Ok(Next::Wait) => {}
            Ok(Next::Lead) => match self.options.background {
                Background::Manual => while self.commit_group().is_some() {},
                Background::Threads => self.queue.hand_over(),
            },
        }
    }

    /// Commits what waits. For simulations, where no thread does.
    pub(crate) fn commit_waiting(&self) {
        if self.queue.try_lead() {
            while self.commit_group().is_some() {}
        }
    }

    /// The committer thread.
    pub(crate) fn run_committer(&self) {
        while self.queue.wait_for_lead() {
            let mut expected = 1;
            loop {
                self.gather(expected);
                match self.commit_group() {
                    // Shrinks slowly, so that one small group does not make all later ones small.
                    Some(count) => expected = count.max(expected - expected.div_ceil(8)),
                    None => break,
                }
            }
        }
    }

    /// Lets writers that were just woken queue again, so that they share the next sync.
    ///
    /// No timer: a handful of yields, and none at all when groups have one transaction.
    fn gather(&self, expected: usize) {
        if expected < 2 {
            return;
        }
        for _ in 0..YIELDS_MAX {
            if self.queue.len() >= expected {
                return;
            }
            thread::yield_now();
        }
    }

    /// Commits one group and says how many transactions it had; `None`, and no lead, when none waited.
    fn commit_group(&self) -> Option<usize> {
        let tickets = self.queue.take(GROUP_MAX)?;
        let count = tickets.len();
        self.wait_for_room();
        answer_all(self.commit_tickets(tickets));
        Some(count)
    }

    fn commit_tickets(&self, tickets: VecDeque<Ticket>) -> Outcomes {
        let mut committer = self.committer.lock();
        let committed = catch_unwind(AssertUnwindSafe(|| match self.prepare(&mut committer) {
            Ok(group) => self.run_group(&mut committer, group, tickets),
            Err(error) => tickets.into_iter().map(|ticket| (ticket.answer, Err(error.clone()))).collect(),
        }));
        committed.unwrap_or_else(|_| {
            // Still under the committer's lock: nothing of the group may get into the index. Its writers
            // hear that the outcome is unknown, because their answers were dropped.
            self.poison(&StoreError::Panicked { message: "the committer panicked".into() });
            Vec::new()
        })
    }

    /// Holds writers back while the applier is too far behind.
    fn wait_for_room(&self) {
        let full = || {
            self.view().unapplied_bytes() >= self.options.unapplied_bytes_max
                && self.check_poison().is_ok()
                && self.check_space().is_ok()
        };
        if !full() {
            return;
        }
        self.counters.backpressure.fetch_add(1, Ordering::Relaxed);
        match self.options.background {
            // An error poisons the store, which `prepare` sees next.
            Background::Manual => drop(self.apply()),
            Background::Threads => self.signals.wait_room(full),
        }
    }

    /// Everything that may fail before a closure runs.
    fn prepare(&self, committer: &mut Committer) -> Result<Group, StoreError> {
        self.check_poison()?;
        self.check_space()?;
        let before = committer.writer.active_segment();
        let group = committer.writer.start_group()?;
        if committer.writer.active_segment() != before {
            self.signals.want_keep();
        }
        Ok(group)
    }

    fn run_group(
        &self,
        committer: &mut Committer,
        mut group: Group,
        mut tickets: VecDeque<Ticket>,
    ) -> Outcomes {
        let view = self.view();
        let mut outcomes = Vec::with_capacity(tickets.len());
        let mut pending = HashedMap::default();
        let mut changes = Vec::new();
        let mut position = view.position;
        while group.len() < GROUP_BYTES
            && let Some(mut ticket) = tickets.pop_front()
        {
            let start = group.len();
            let ground = Ground {
                log: &self.log,
                view: &view,
                place: &self.index.place,
                now_ms: self.options.clock.now_ms(),
                pending: &pending,
            };
            let tx = Tx::new(ground, ticket.tenant, &mut group);
            match run(&mut ticket, tx) {
                Ok(finished) => {
                    if let Some(finished) = finished {
                        committer.body.clear();
                        committer.body.shrink_to(BODY_BYTES_KEPT);
                        finished.encode(&mut committer.body);
                        position = group.transaction(ticket.tenant, &committer.body);
                        record(&view, position, finished, &mut pending, &mut changes, &ticket);
                    }
                    outcomes.push((ticket.answer, Ok(Position(position))));
                }
                Err(error) => {
                    group.truncate(start);
                    self.counters.aborts.fetch_add(1, Ordering::Relaxed);
                    outcomes.push((ticket.answer, Err(error)));
                }
            }
        }
        if !tickets.is_empty() {
            self.queue.put_back(tickets);
        }
        if group.is_empty() {
            committer.writer.discard(group);
            return outcomes;
        }
        match committer.writer.commit(group) {
            Ok(written) => {
                committer.writer.publish_hashed(pending);
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
fn run(ticket: &mut Ticket, mut tx: Tx<'_>) -> Result<Option<Finished>, StoreError> {
    let body = &mut ticket.body;
    let verdict = catch_unwind(AssertUnwindSafe(|| body(&mut tx)));
    match verdict {
        Ok(Ok(())) => tx.finish(),
        Ok(Err(Aborted)) => Err(StoreError::Aborted),
        Err(panic) => Err(StoreError::Panicked { message: message_of(&*panic) }),
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

/// Makes a transaction's changes visible to the rest of its group. Readers see them once the group's
/// position is published, which happens after the sync or never.
fn record(
    view: &View,
    position: u64,
    finished: Finished,
    pending: &mut HashedMap,
    changes: &mut Vec<Change>,
    ticket: &Ticket,
) {
    let Finished { changes: by_keyspace, hashed, places, events } = finished;
    for (keyspace, keys) in by_keyspace {
        view.active.insert(keyspace, position, keys);
    }
    pending.extend(hashed);
    pending.extend(places);
    if !events.is_empty() {
        changes.push(Change { position: Position(position), tenant: ticket.tenant, events });
    }
}
