//! Writes that are ready to be carried out: who writes, what the act is, and the transaction.
//!
//! Use cases return them, so that the caller chooses how to wait: [`Engine::commit`] blocks,
//! [`Engine::submit`] calls back. An async surface thus writes without a thread of its own and never sees
//! the transaction.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use cairn_access::{Principal, Scope};
use cairn_seam::WriteTx;

use super::Pipeline;
use crate::{Act, Committed, Engine, EngineError};

/// The outcome of a write.
pub type WriteOutcome<T> = Result<Committed<T>, EngineError>;

type Done<T> = Box<dyn FnOnce(WriteOutcome<T>) + Send>;

/// A write that is ready to be carried out. Nothing happens until it is committed or submitted.
#[must_use = "nothing is written until it is committed or submitted"]
pub struct Prepared<T> {
    principal: Principal,
    act: Act,
    work: Box<dyn Work<T>>,
}

/// A transaction in both ways to run it.
trait Work<T>: Send {
    fn commit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act) -> WriteOutcome<T>;
    fn submit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act, done: Done<T>);
}

impl<T: Send + 'static> Prepared<T> {
    /// A write of one transaction. The closure may run more than once and only its last run counts; what it
    /// must not do is in [`cairn_seam::TxBody`].
    pub fn new(
        principal: &Principal,
        act: Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Self {
        Prepared { principal: principal.clone(), act, work: Box::new(Transaction(body)) }
    }

    /// Carries out another write before this one, which is not begun if the other fails.
    pub fn after<U: Send + 'static>(self, first: Prepared<U>) -> Prepared<T> {
        let work = Second { first, work: self.work };
        Prepared { principal: self.principal, act: self.act, work: Box::new(work) }
    }

    /// Changes the outcome before the caller gets it. `finish` runs where the outcome is known, often on a
    /// thread of the store: it must not block.
    pub fn map<U: Send + 'static>(
        self,
        finish: impl FnOnce(WriteOutcome<T>) -> WriteOutcome<U> + Send + 'static,
    ) -> Prepared<U> {
        let work = Mapped { work: self.work, finish, from: PhantomData };
        Prepared { principal: self.principal, act: self.act, work: Box::new(work) }
    }
}

impl<T> Prepared<T> {
    /// What is to be done, and on what.
    pub fn act(&self) -> &Act {
        &self.act
    }
}

impl Engine {
    /// Returns how long the caller should wait before it submits a write, so that what follows the log, such
    /// as the search index, is not left behind. Zero for nearly all of them.
    pub fn pause_before<T>(&self, write: &Prepared<T>) -> Duration {
        self.search_pause(&write.act)
    }

    /// Carries out a write and returns when it is durable. Blocks: async surfaces use
    /// [`submit`](Engine::submit).
    pub fn commit<T>(&self, write: Prepared<T>) -> WriteOutcome<T> {
        write.work.commit(&self.pipeline, &write.principal, &write.act)
    }

    /// Queues a write; `done` is called once, when it is durable or has failed.
    ///
    /// `done` runs on a thread of the store, or on the calling one if the act is refused: it must not
    /// block.
    pub fn submit<T>(&self, write: Prepared<T>, done: impl FnOnce(WriteOutcome<T>) + Send + 'static) {
        write.work.submit(&self.pipeline, &write.principal, &write.act, Box::new(done));
    }
}

struct Transaction<B>(B);

impl<T, B> Work<T> for Transaction<B>
where
    T: Send + 'static,
    B: FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
{
    fn commit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act) -> WriteOutcome<T> {
        pipeline.transact(principal, act, self.0)
    }

    fn submit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act, done: Done<T>) {
        pipeline.submit(principal, act, self.0, done);
    }
}

struct Second<T, U> {
    first: Prepared<U>,
    work: Box<dyn Work<T>>,
}

impl<T: Send + 'static, U: Send + 'static> Work<T> for Second<T, U> {
    fn commit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act) -> WriteOutcome<T> {
        self.first.work.commit(pipeline, &self.first.principal, &self.first.act)?;
        self.work.commit(pipeline, principal, act)
    }

    fn submit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act, done: Done<T>) {
        let Second { first, work } = *self;
        let (then, principal, act) = (pipeline.clone(), principal.clone(), act.clone());
        let go_on = move |outcome: WriteOutcome<U>| match outcome {
            Ok(_) => work.submit(&then, &principal, &act, done),
            Err(error) => done(Err(error)),
        };
        first.work.submit(pipeline, &first.principal, &first.act, Box::new(go_on));
    }
}

struct Mapped<T, U, F> {
    work: Box<dyn Work<T>>,
    finish: F,
    from: PhantomData<fn(T) -> U>,
}

impl<T, U, F> Work<U> for Mapped<T, U, F>
where
    T: Send + 'static,
    U: Send + 'static,
    F: FnOnce(WriteOutcome<T>) -> WriteOutcome<U> + Send + 'static,
{
    fn commit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act) -> WriteOutcome<U> {
        (self.finish)(self.work.commit(pipeline, principal, act))
    }

    fn submit(self: Box<Self>, pipeline: &Pipeline, principal: &Principal, act: &Act, done: Done<U>) {
        let finish = self.finish;
        self.work.submit(pipeline, principal, act, Box::new(move |outcome| done(finish(outcome))));
    }
}

impl<T> fmt::Debug for Prepared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("act", &self.act).finish_non_exhaustive()
    }
}
