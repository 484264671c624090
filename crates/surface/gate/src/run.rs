//! Running an admitted request's work on the engine.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cairn_engine::{Committed, Engine, EngineError, Prepared};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::JoinError;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::admit::after;
use crate::{Admission, Gate, GateError};

/// Work on a thread without the type of its result, so that the way to it is compiled once for all of them.
pub(crate) type Work = Box<dyn FnOnce(&Engine) + Send>;

/// The end of work on a thread; the error is its panic.
pub(crate) type Outcome = std::thread::Result<()>;

/// The place where work leaves its result.
pub(crate) struct Kept<T>(Arc<Mutex<Option<Result<T, EngineError>>>>);

impl<T: Send + 'static> Kept<T> {
    pub(crate) fn of(body: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static) -> (Work, Self) {
        let kept = Arc::new(Mutex::new(None));
        let own = Arc::clone(&kept);
        let work = move |engine: &Engine| {
            let result = body(engine);
            *own.lock() = Some(result);
        };
        (Box::new(work), Kept(kept))
    }

    /// The result of work that has ended.
    pub(crate) fn result(self) -> Result<T, GateError> {
        Ok(self.0.lock().take().expect("work that ended without a panic leaves its result")?)
    }
}

/// A thread that is gone without a word.
pub(crate) fn lost(error: JoinError) -> Outcome {
    Err(Box::new(error.to_string()))
}

impl Gate {
    /// Runs a read (or any blocking call of the engine) on one of a bounded number of threads.
    ///
    /// Past the deadline the caller gets [`GateError::ReadDeadline`] and the closure runs to its end
    /// unheard, still counted against `readers_max`.
    pub async fn read<T: Send + 'static>(
        &self,
        admission: &Admission,
        body: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, GateError> {
        self.read_until(admission.deadline(), body).await
    }

    /// Runs a piece of a read that goes on after its request was answered, such as a long stream, within
    /// a deadline of its own.
    ///
    /// It takes nobody's turn: whoever asks bounds how many there are.
    pub async fn read_on<T: Send + 'static>(
        &self,
        body: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, GateError> {
        self.read_until(after(self.inner.config.deadline), body).await
    }

    async fn read_until<T: Send + 'static>(
        &self,
        deadline: Instant,
        body: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, GateError> {
        let (work, kept) = Kept::of(body);
        self.run_read(deadline, work).await?;
        kept.result()
    }

    async fn run_read(&self, deadline: Instant, work: Work) -> Result<(), GateError> {
        let on_time = timeout_at(deadline, async {
            let reader = Arc::clone(&self.inner.readers).acquire_owned().await;
            let reader = reader.expect("nobody closes the readers' semaphore");
            let engine = Arc::clone(&self.inner.engine);
            let running = tokio::task::spawn_blocking(move || {
                let _reader = reader;
                catch_unwind(AssertUnwindSafe(|| work(&engine)))
            });
            running.await.unwrap_or_else(lost)
        });
        self.heard(on_time.await)
    }

    /// The end of work on a thread, if it came in time.
    pub(crate) fn heard(&self, outcome: Result<Outcome, Elapsed>) -> Result<(), GateError> {
        match outcome {
            Ok(Ok(())) => Ok(()),
            Ok(Err(panic)) => Err(self.panicked(&*panic)),
            Err(_elapsed) => {
                self.inner.figures.read_deadlines.add(1);
                Err(GateError::ReadDeadline)
            }
        }
    }

    /// Runs a short read here and now: for look-ups of a few keys that cost less than a change of
    /// threads. Whatever may scan or wait belongs into [`read`](Gate::read).
    pub fn read_in_place<T>(
        &self,
        _admission: &Admission,
        body: impl FnOnce(&Engine) -> Result<T, EngineError>,
    ) -> Result<T, GateError> {
        match catch_unwind(AssertUnwindSafe(|| body(&self.inner.engine))) {
            Ok(result) => Ok(result?),
            Err(panic) => Err(self.panicked(&*panic)),
        }
    }

    /// Queues a write that a use case prepared and awaits its outcome, without a thread of its own.
    ///
    /// What has to be searchable later is slowed down a little while the search index cannot keep up.
    /// Past the deadline the caller gets [`GateError::WriteDeadline`], and the transaction may still
    /// be carried out: it cannot be called back once queued.
    pub async fn write<T: Send + 'static>(
        &self,
        admission: &Admission,
        write: Prepared<T>,
    ) -> Result<Committed<T>, GateError> {
        let pause = self.inner.engine.pause_before(&write);
        if !pause.is_zero() {
            sleep_until(admission.deadline().min(Instant::now() + pause)).await;
        }
        let (tell, outcome) = oneshot::channel();
        // Nobody may be listening any more; the engine has counted the outcome all the same.
        self.inner.engine.submit(write, move |outcome| drop(tell.send(outcome)));
        match timeout_at(admission.deadline(), outcome).await {
            Ok(Ok(outcome)) => Ok(outcome?),
            Ok(Err(_lost)) => {
                Err(GateError::Internal { message: "the store dropped the transaction".into() })
            }
            Err(_elapsed) => {
                self.inner.figures.write_deadlines.add(1);
                Err(GateError::WriteDeadline)
            }
        }
    }

    /// Runs work that takes as long as it takes on a thread where it may block; `done` is called there.
    ///
    /// No deadline ends it, and it takes nobody's turn: whoever asks bounds how many there are and has
    /// its own way to stop them. The runtime waits for them when it goes.
    pub fn run_long<T: 'static>(
        &self,
        body: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
        done: impl FnOnce(Result<T, GateError>) + Send + 'static,
    ) {
        let gate = self.clone();
        tokio::task::spawn_blocking(move || {
            let outcome = match catch_unwind(AssertUnwindSafe(|| body(&gate.inner.engine))) {
                Ok(result) => result.map_err(GateError::from),
                Err(panic) => Err(gate.panicked(&*panic)),
            };
            done(outcome);
        });
    }

    fn panicked(&self, panic: &(dyn Any + Send)) -> GateError {
        self.inner.figures.panics.add(1);
        let text = panic.downcast_ref::<&str>().copied();
        let message = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let message = message.unwrap_or("a panic without a message").to_owned();
        tracing::error!(message, "a request panicked");
        GateError::Internal { message }
    }
}
